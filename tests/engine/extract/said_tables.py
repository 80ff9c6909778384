"""Sentences with the facts that they state, in said/*.txt, and how well the rules find those.

A line is `text => whose | attribute | value ;; whose | attribute | value`, or a text alone that states no fact of a speaker or of
somebody named; "me" is the speaker. `\\n` is a line feed; "assistant: " before the text makes it a reply.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tidelore.engine.extract.rules import extract
from tidelore.engine.model import EnsureNode, Evident, Named, Role

Fact = tuple[str, str, str]
_FOLDER = Path(__file__).parent / "said"
_REPLY = "assistant: "


@dataclass(frozen=True, slots=True)
class Row:
    role: Role
    text: str
    facts: frozenset[Fact]


@dataclass(frozen=True, slots=True)
class Score:
    """`wrong` are facts found that the row does not state, `missed` those that it states and nobody found, each with its text."""

    right: int
    wrong: tuple[tuple[str, Fact], ...]
    missed: tuple[tuple[str, Fact], ...]

    @property
    def precision(self) -> float:
        return self.right / (self.right + len(self.wrong))

    @property
    def recall(self) -> float:
        return self.right / (self.right + len(self.missed))


def table(name: str) -> list[Row]:
    """The rows of said/NAME.txt."""
    lines = (_FOLDER / f"{name}.txt").read_text("utf-8").splitlines()
    return [_row(line) for line in lines if line.strip() and not line.startswith("#")]


def facts(role: Role, text: str) -> frozenset[Fact]:
    """What the rules find: (whose, attribute, value)."""
    return frozenset(
        (node.subject.name if isinstance(node.subject, Named) else "me", str(node.fields["attribute"]), str(node.fields["value"]))
        for node in extract(role, text)
        if isinstance(node, EnsureNode) and isinstance(node.ref, Evident) and node.ref.kind == "fact"
    )


def score(rows: Sequence[Row]) -> Score:
    found = [(row, facts(row.role, row.text)) for row in rows]
    return Score(
        sum(len(row.facts & got) for row, got in found),
        tuple((row.text, fact) for row, got in found for fact in sorted(got - row.facts)),
        tuple((row.text, fact) for row, got in found for fact in sorted(row.facts - got)),
    )


def _row(line: str) -> Row:
    said, _, stated = line.partition(" =>")
    role: Role = "assistant" if said.startswith(_REPLY) else "user"
    return Row(role, said.removeprefix(_REPLY).replace("\\n", "\n"), frozenset(map(_fact, filter(str.strip, stated.split(";;")))))


def _fact(stated: str) -> Fact:
    whose, attribute, value = (part.strip() for part in stated.split("|"))
    return whose, attribute, value
