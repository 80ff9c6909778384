from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelore.engine.text.clean import BLOCKS, clean

MEMTETHER = "[MemTether recalled memories]\n- (importance 0.92) Mira fears water\n- (importance 0.40) 她住在港口"

REMOVED = [
    # reasoning
    ("<think>hm</think>Hello.", "Hello."),
    ("<think>\nhm\n</think>\n\nHello.", "Hello."),
    ('<Thinking mode="deep" n=1>hm</THINKING >\nHello.', "Hello."),
    ("<think>a</think>\nOne.\n<reasoning>b</reasoning>\nTwo.\n\n<analysis>c</analysis>\n\nThree.", "One.\nTwo.\n\nThree."),
    ("<think>a <think>b</think> c</think>Hello.", "Hello."),
    ("<think>shall I write <think> here? No.</think>Hello. <think>x</think>Bye.", "Hello. Bye."),
    ("<think>only thoughts</think>", ""),
    ("  <think>cut off by the token limit", ""),
    ("<THINKING>cut off\n\nby the token limit", ""),
    ("The user greets me.\n</think>\n\nHello.", "Hello."),
    # injected blocks
    ("<worldbook>lore</worldbook>Hi", "Hi"),
    ('Hi <WorldBook id="1">\nlore > more\n</WorldBook> there', "Hi there"),
    ("<worldbook>a</worldbook> Hi <worldbook>b</worldbook>", "Hi"),
    ("<world_info>x</world_info>\nHi", "Hi"),
    ('<tidelore-memory v="1">\n- a\n</tidelore-memory>\n\nHi', "Hi"),
    (f"{MEMTETHER}\n\nHi", "Hi"),
    (f"Hi\n{MEMTETHER}\n- a list of the story", "Hi\n- a list of the story"),
    ("<typed_memory ref=scene:1>\ntext: |\n  x\n</typed_memory>\n<arc_materials key=a>1</arc_materials>\n\nHi", "Hi"),
    ("<memory>x</memory><memories>y</memories><recalled_memories>z</recalled_memories>Hi", "Hi"),
    ("<memory>a<think>b</think>c</memory>Hi", "Hi"),
    ("<memory>a<think>b</memory>c</think>Hi", "Hi"),
    # tools and status
    ("<tool_call>{}</tool_call>\n<tool_result>{}</tool_result>\nDone.", "Done."),
    ("<function_results>\n1\n</function_results>\nDone.", "Done."),
    ("She smiles.\n\n<StatusBlock>\nHP: 3\n</StatusBlock>", "She smiles."),
    ("She smiles.\n\n<status_bar>HP</status_bar>\n\n\n<UpdateVariable>\n_.set('hp', 3);\n</UpdateVariable>\n\nShe waits.",
     "She smiles.\n\nShe waits."),
    ("She smiles.\n<StatusPlaceHolderImpl/>", "She smiles."),
    ("One <!-- note --> two", "One two"),
    ("<!-- a\n<!-- b --> x", "x"),
    ("A --> B <!-- c -->D", "A --> B D"),
]  # fmt: skip

LEFT = [
    "",
    "  Two spaces,\n\n\n\nthree blank lines.  \n",
    "She said: ignore previous instructions and open the gate.",
    "*thinks* I should go. *She is thinking.* (think) [memory]",
    "Hello. <think>unclosed, somewhere in the middle",
    "<worldbook>unclosed",
    "unopened</worldbook>\n\nHi",
    "<memory>unclosed\n\nHi",
    "What does </think> mean?",
    "It ends with\n</think>",
    "<thinker>x</thinker> <b>bold</b> a < b > c </ think>",
    "<!-- unclosed",
    "A --> B -> C <-- D",
    "We talked about [MemTether recalled memories] yesterday.",
]


@pytest.mark.req("S7")
@pytest.mark.parametrize(("text", "expected"), REMOVED)
def test_complete_blocks_go_with_the_blank_lines_they_leave(text: str, expected: str) -> None:
    assert clean(text) == expected


@pytest.mark.req("S7", "P115")
@pytest.mark.parametrize("text", LEFT)
def test_dialogue_and_unclosed_tags_stay_verbatim(text: str) -> None:
    assert clean(text) == text


def test_a_reasoning_tag_that_is_open_beside_a_complete_block_stays() -> None:
    assert clean("<think>about <thinking>x</thinking>story") == "<think>about story"


@pytest.mark.req("S7")
@pytest.mark.parametrize("name", sorted(BLOCKS))
def test_every_block_goes_in_any_case(name: str) -> None:
    assert clean(f"Before <{name} a='b'>inside</{name.upper()}> after") == "Before after"


@given(st.text(alphabet=st.characters(exclude_characters="<"), max_size=200))
def test_a_text_without_tags_stays_verbatim(text: str) -> None:
    assert clean(text) == text


WORDS = st.sampled_from(["Hi", "she", "\n", "\n\n", " ", "你好", "*nods*"])


@given(st.lists(st.tuples(WORDS, st.sampled_from(["", *sorted(BLOCKS)])), max_size=8))
def test_the_story_around_complete_blocks_is_kept_in_order(parts: list[tuple[str, str]]) -> None:
    text = "".join(word + (f"<{name}>x</{name}>" if name else "") for word, name in parts)
    assert "".join(clean(text).split()) == "".join("".join(word for word, _ in parts).split())


@pytest.mark.parametrize(
    "text",
    ["<think>" * 40_000, "<think" * 40_000, "<!--" * 60_000, "<think></think>" * 20_000, "</think>" * 30_000, "<" * 300_000,
     "<think>a</think>\n \n" * 15_000, "[MemTether recalled memories]\n" * 9_000, "<a " * 90_000, "-->" * 90_000],
    ids=lambda text: text[:16],
)  # fmt: skip
def test_hostile_texts_come_to_an_end(text: str) -> None:
    """200 kB and more: a pattern that is not linear would not end within the patience of anyone who runs this."""
    assert len(clean(text)) <= len(text)
