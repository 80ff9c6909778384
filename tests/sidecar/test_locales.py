"""The locale files: one set of keys, one set of placeholders, nothing that is not used."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

import tidelore
from tidelore.cli import build_parser
from tidelore.commands.measure import width
from tidelore.texts import LANGUAGES, Language, choose, load

ENGLISH = load("en").table
SOURCES = "\n".join(path.read_text("utf-8") for path in Path(tidelore.__file__).parent.rglob("*.py"))
# Keys that are put together: help.VERB, doctor.CHECK.OUTCOME, and words of the engine.
COMPOSED = re.compile(r"(help|doctor|kinds?|edge|author|role|reason|signal|form|skip|language)\.")


def placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_files_have_the_same_keys_and_placeholders(language: Language) -> None:
    table = load(language).table
    assert table.keys() == ENGLISH.keys()
    for key, text in table.items():
        assert text.strip() or key == "list.between", key
        for one in text.split("|"):
            wanted = placeholders(ENGLISH[key])
            # "1 message" may write the number out; every other placeholder stands in each form.
            assert wanted - {"n"} <= placeholders(one) <= wanted, key


def test_only_counted_texts_have_two_forms() -> None:
    for language in LANGUAGES:
        for key, text in load(language).table.items():
            if "|" in text:
                assert text.count("|") == 1, key
                assert "n" in placeholders(ENGLISH[key]) or key.startswith("kinds."), key


def test_every_text_is_used() -> None:
    prefixes = re.findall(r'f"([a-z_]+\.(?:[a-z_]+\.)?)\{', SOURCES)
    unused = {key for key in ENGLISH if f'"{key}"' not in SOURCES and not COMPOSED.match(key) and not key.startswith(tuple(prefixes))}
    assert unused == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_has_its_help(language: Language) -> None:
    assert width(build_parser(load(language)).format_help().splitlines()[0]) <= 80


def test_a_number_chooses_the_form() -> None:
    texts = load("en")
    assert texts("import.new", n=1) == "1 new message"
    assert texts("import.new", n=0) == "0 new messages"


@pytest.mark.parametrize(
    ("arguments", "environment", "language"),
    [
        ([], {}, "en"),
        ([], {"LANG": "zh_TW.UTF-8"}, "zh"),
        ([], {"LANG": "zh_TW.UTF-8", "LC_MESSAGES": "de_DE"}, "en"),
        ([], {"LC_ALL": "", "LANG": "zh_CN"}, "zh"),
        (["--lang", "en"], {"TIDELORE_LANG": "zh"}, "en"),
        (["recall", "--lang=zh", "x"], {}, "zh"),
    ],
)
def test_the_language_is_chosen(arguments: list[str], environment: dict[str, str], language: str) -> None:
    assert choose(arguments, environment) == language
