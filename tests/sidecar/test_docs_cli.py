"""docs/cli.md tells of every command and every option, and of no others."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from tidelore.cli import build_parser
from tidelore.texts import load

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text("utf-8")
EVERYWHERE = {"--data", "--profile", "--json", "--lang", "--help", "-h", "--version"}


def verbs(parser: argparse.ArgumentParser, name: str = "") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """All commands with their parsers; those that only hold others are left out."""
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    for group in groups:
        for verb, inner in group.choices.items():
            yield from verbs(inner, f"{name} {verb}".strip())
    if not groups:
        yield name, parser


def options(parser: argparse.ArgumentParser) -> set[str]:
    return {option for action in parser._actions for option in action.option_strings}


PARSERS = dict(verbs(build_parser(load("en"))))
SECTIONS = {part.split("\n", 1)[0]: part for part in re.split(r"^#{2,3} ", PAGE, flags=re.MULTILINE)[1:]}


def test_every_command_has_a_section_with_its_usage_and_options() -> None:
    for name, parser in PARSERS.items():
        section = SECTIONS[name.split()[0]]
        assert f"tidelore {name}" in section
        for action in parser._actions:
            missing = {option for option in action.option_strings if option not in section} - EVERYWHERE
            assert not missing, name
            if not action.option_strings and name != "schema set":
                assert str(action.metavar) in section, name


def test_the_options_of_every_command_are_told() -> None:
    assert options(build_parser(load("en"))) == EVERYWHERE
    assert all(f"`{option}" in SECTIONS["Options of every command"] for option in EVERYWHERE)


def test_the_page_tells_of_no_option_that_is_not_there() -> None:
    known = EVERYWHERE.union(*map(options, PARSERS.values()))
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE)) <= known
