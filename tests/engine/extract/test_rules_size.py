"""Messages of any length: the rules' work grows with a message and not with its square."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time
from types import FrameType

import pytest

from tidelore.engine.extract.rules import FACTS_FIRST, FACTS_LAST, extract
from tidelore.engine.model import EnsureNode, Evident, Operation, Role
from tidelore.engine.text.unicode14 import normalise

STEPS_SIZE, TIME_SIZE = 2_500, 20_000  # characters of the short one
TIMES = 4  # how much longer the long one of two messages is
# Work that grows with the length alone is TIMES as much, with its square TIMES * TIMES.
MOST_STEPS = 4.4
MOST_TIME = 10.0

SHAPES = {
    "no spaces": "x",
    "newlines": "\n",
    "short lines": "I love tea.\n",
    "short sentences": "I like cats. Anna likes dogs. ",
    "brackets": "([{<",
    "nested notes": "((OOC ",
    "quotes": '"',
    "apostrophes": "'",
    "single quotes": "'I am a spy,' he said. ",
    "quoted speech": '"I am a spy," said Tom. ',
    "corner quotes": "「」",
    "asterisks": "*",
    "acts": "*I am a spy* ",
    "backticks": "`",
    "fences": "``` ",
    "tags": "<panel>",
    "closed tags": "<a><panel></b>",
    "bars": "| ",
    "commas": "said, ",
    "reports": "she said: ",
    "labels": "Tom: I'm a spy.\n",
    "options": "1. I'm a spy.\n",
    "names in a row": "Anna of the ",
    "names everywhere": "Anna saw Tom in Ghent. ",
    "Chinese names": "林晚说，",
    "Chinese titles": "《山》",
    "Chinese facts": "我喜欢猫。",
    "Chinese reports": "他说",
    "Korean names": "민수씨는 집에 갔다. ",
    "Japanese names": "田中さんは東京に行った。",
    "Cyrillic": "Он ушёл домой. ",
}


def of_length(part: str, size: int) -> str:
    return normalise(part * (size // len(part)) + "The mill burned.")


@contextmanager
def counted() -> Iterator[list[int]]:
    """Counts the steps of the interpreter in the one entry of a list."""
    steps = [0]

    def trace(frame: FrameType, event: str, argument: object) -> object:
        del argument
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        steps[0] += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        yield steps
    finally:
        sys.settrace(before)


def steps_of(role: Role, text: str) -> int:
    with counted() as steps:
        extract(role, text)
    return steps[0]


def time_of(role: Role, text: str) -> float:
    """The least processor time of three runs."""
    times = list[float]()
    for _ in range(3):
        before = process_time()
        extract(role, text)
        times.append(process_time() - before)
    return min(times)


def said(operations: tuple[Operation, ...], kind: str) -> list[str]:
    return [
        str(node.fields["text"])
        for node in operations
        if isinstance(node, EnsureNode) and isinstance(node.ref, Evident) and node.ref.kind == kind
    ]


@pytest.mark.parametrize("part", SHAPES.values(), ids=SHAPES)
def test_a_message_four_times_as_long_takes_four_times_the_steps(part: str) -> None:
    # A reply looks for more than a user's message: options.
    short, long = (of_length(part, size) for size in (STEPS_SIZE, TIMES * STEPS_SIZE))
    extract("assistant", long)  # so that both find the same in the caches
    assert steps_of("assistant", long) < MOST_STEPS * steps_of("assistant", short)


@pytest.mark.slow
@pytest.mark.parametrize("part", SHAPES.values(), ids=SHAPES)
def test_a_message_four_times_as_long_takes_about_four_times_the_time(part: str) -> None:
    # What patterns do shows in no step of the interpreter.
    assert time_of("user", of_length(part, TIMES * TIME_SIZE)) < MOST_TIME * time_of("user", of_length(part, TIME_SIZE))


def test_a_very_long_message_is_kept_whole_and_its_ends_are_read_for_facts() -> None:
    filler = "The rain went on over the hills. "
    half = filler * ((FACTS_FIRST + FACTS_LAST) // len(filler))
    operations = extract("user", f"I live in Porto. {half} I hate olives. {half} I'm allergic to nuts.")
    assert said(operations, "fact") == ["I live in Porto.", "I'm allergic to nuts."]
    assert any("I hate olives." in moment for moment in said(operations, "moment"))
