"""The docs are short, true and tested."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from tidelore.cli import build_parser
from tidelore.engine.model import EdgeType, Kind
from tidelore.host.migrations import STEPS
from tidelore.texts import load
from tools.methods import page

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_inside_the_project_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text("utf-8")):
        assert "://" in target or (path.parent / target).exists(), target


def test_the_page_of_methods_is_what_the_table_says() -> None:
    assert (ROOT / "docs" / "methods.md").read_text("utf-8") == page(), "run: make docs"


def test_every_table_and_column_is_in_the_data_format() -> None:
    text = (ROOT / "docs" / "data-format.md").read_text("utf-8")
    for table, body in re.findall(r"create table (\w+) \((.*?)\)(?: without rowid)?;", "".join(STEPS), re.DOTALL):
        row = next(line for line in text.splitlines() if line.startswith(f"| `{table}`"))
        for column in re.findall(r"(?:^|,)\s*(\w+) (?:text|integer)", body):
            assert f"`{column}`" in row, (table, column)
    assert f"now {len(STEPS)}." in text


def test_every_edge_type_and_kind_is_in_the_architecture() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    for name in (*get_args(EdgeType), *get_args(Kind)):
        assert f"`{name}`" in text or f"| {name} |" in text, name


def test_commands_of_the_readme_exist() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    verbs = set(re.findall(r"(?:\.venv/bin/|`)tidelore (\w+)", text))
    assert verbs
    for verb in verbs:
        assert verb in build_parser(load("en")).format_help(), verb
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"^ +make (\w[\w-]*)", text, re.MULTILINE):
        assert f"\n{target}:" in makefile, target
