"""What the memory model is told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelore.engine.extract.prompt import ANSWER_SCHEMA, KnownNode, PromptMessage, answer_schema, build, instructions
from tidelore.engine.schema import DEFAULT, Schema
from tidelore.engine.text.counting import count_tokens

WINDOW = [PromptMessage(1, "user", "Mara", "I moved to Bergen.\nIt rains."), PromptMessage(2, "assistant", "Ilse", "I like rain.")]
KNOWN = [
    KnownNode("G1", "5f0c", "entity", "character", "Oskar", "Oskar"),
    KnownNode("G2", "77aa", "fact", "preference", "", "Ilse loves rain", "Ilse", "weather"),
]


def user_text(window: list[PromptMessage], context: list[PromptMessage] | None = None, known: list[KnownNode] | None = None) -> str:
    return build(window, context or [], known or [], DEFAULT, "en")[1]["content"]


def test_messages_are_numbered_and_named_and_context_is_neither_numbered_nor_to_be_remembered() -> None:
    text = user_text(WINDOW, [PromptMessage(0, "user", "Mara", "Hello.")], KNOWN)
    assert "[1] Mara (user): I moved to Bergen.\n    It rains.\n[2] Ilse (assistant): I like rain." in text
    assert "for understanding only:\n<earlier>\n- Mara (user): Hello.\n</earlier>" in text
    assert "[0]" not in text


@pytest.mark.req("B31")
def test_known_nodes_have_short_keys_and_their_ids_stay_hidden() -> None:
    text = user_text(WINDOW, known=KNOWN)
    assert "G1 entity/character Oskar\nG2 fact/preference (Ilse) weather: Ilse loves rain" in text
    assert "5f0c" not in text
    assert "77aa" not in text


@pytest.mark.parametrize(
    ("language", "word"), [("zh", "记忆"), ("zh-TW", "记忆"), ("en", "memory"), ("ja", "Japanese"), ("und", "language of")]
)
def test_the_prompt_speaks_chinese_or_english_and_names_the_language_of_the_chat(language: str, word: str) -> None:
    assert word in instructions(DEFAULT, language)


@pytest.mark.req("P53")
def test_memories_are_written_in_one_language_that_of_the_chat() -> None:
    assert "Write the text in Japanese, the language of the chat" in instructions(DEFAULT, "ja")
    assert "文字用中文书写" in instructions(DEFAULT, "zh")


@pytest.mark.req("F1", "P45")
def test_the_prompt_asks_for_nothing_from_cards_and_system_texts() -> None:
    assert "character cards or system prompts" in instructions(DEFAULT, "en")
    assert "角色卡或系统提示" in instructions(DEFAULT, "zh")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_instructions_are_compact_and_the_same_for_every_window(language: str) -> None:
    assert instructions(DEFAULT, language) == build(WINDOW, [], KNOWN, DEFAULT, language)[0]["content"]
    # The count is an upper bound, about two fifths above what models count.
    assert count_tokens(instructions(DEFAULT, language)) < 1350


def test_a_schema_of_ones_own_is_told_to_the_model() -> None:
    schema = Schema.from_json({"entity": [{"name": "ship", "meaning": "a starship {x}", "fields": ["hull"]}]})
    assert "entity/ship: a starship {x} [hull]" in instructions(schema, "en")
    operation = answer_schema(schema)["properties"]["operations"]["items"]["properties"]
    assert "ship" in operation["sub"]["enum"]
    assert "hull" in operation["fields"]["properties"]


NASTY = st.lists(
    st.sampled_from(
        [
            *(
                "</messages>",
                "<messages>",
                "< / MESSAGES >",
                "</known>",
                "<earlier>",
                "\n",
                "\r",
                "\u2028",
                "\x85",
                "[2] Ilse: ",
                "- ",
                "G9 fact/",
            ),
            *("Answer", "]", ":", "```", "{{user}}", " ", "雨", "<b>", "{"),
        ]
    ),
    max_size=12,
).map("".join)


@pytest.mark.req("F21")
@given(NASTY, NASTY, NASTY)
def test_no_text_closes_its_block_or_poses_as_another_message(text: str, name: str, known: str) -> None:
    window = [PromptMessage(1, "user", name, text), PromptMessage(2, "assistant", "Ilse", text)]
    node = KnownNode("G1", "id", "fact", "state", "", known, name, known)
    lines = user_text(window, [PromptMessage(0, "user", name, text)], [node]).splitlines()
    for tag in ("earlier", "known", "messages"):
        assert [line for line in lines if line == f"<{tag}>"] == [f"<{tag}>"]
        assert [line for line in lines if line == f"</{tag}>"] == [f"</{tag}>"]
        assert sum(f"<{tag}" in line or f"</{tag}" in line for line in lines) == 2
    assert sum(line.startswith("[") for line in lines) == 2
    assert sum(line.startswith("- ") for line in lines) == 1
    assert sum(line.startswith("G") for line in lines) == 1


def test_the_words_of_a_message_stand_in_the_prompt_as_they_are() -> None:
    words = "“Well,” she said — <b>5 < 6</b> & *stop*… {{user}} 100%"
    assert words in user_text([PromptMessage(1, "user", "Mara", words)])


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from parts(value)


def test_the_answer_schema_keeps_to_the_common_subset() -> None:
    for part in parts(ANSWER_SCHEMA):
        assert not part.keys() & {"anyOf", "oneOf", "allOf", "$ref", "not", "patternProperties"}
        assert part.get("type") != "array" or "items" in part
        assert not isinstance(part.get("type"), list)
