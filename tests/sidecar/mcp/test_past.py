"""How a memory came to read as it does, and what was in prompts lately."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.sidecar.mcp.kit import Tools, text


@pytest.fixture
def tools() -> Tools:
    return Tools()


def _steps(found: Any) -> list[tuple[str, str]]:
    return [(each["what"], each["text"]) for each in found["steps"]]


def test_the_history_of_a_memory_tells_its_versions_and_who_made_them(tools: Tools) -> None:
    id_ = tools.data("write", text="Mira is late.")["id"]
    tools.data("edit", id=id_, text="Mira is early.")
    tools.data("edit", id=id_, importance=7)
    found = tools.data("history", id=id_)
    assert _steps(found) == [("version", "Mira is late."), ("version", "Mira is early.")]
    assert [each["author"] for each in found["steps"]] == ["tool", "person"]
    assert found["text"] == "Mira is early."


def test_the_history_of_a_fact_tells_what_it_replaced_and_what_replaced_it(tools: Tools) -> None:
    towns = ("Rome", "Oslo", "Bergen")
    ids = [tools.data("write", text=f"Mira lives in {town}.", about="Mira", attribute="home")["id"] for town in towns]
    assert _steps(tools.data("history", id=ids[1])) == [
        ("earlier", "Mira lives in Rome."),
        ("version", "Mira lives in Oslo."),
        ("later", "Mira lives in Bergen."),
    ]
    assert [each["id"] for each in tools.data("history", id=ids[2])["steps"]] == ids
    assert tools("history", id="ffffffff").is_error


def test_a_chain_of_a_hundred_facts_is_followed_for_twenty_steps_and_told_within_the_budget(tools: Tools) -> None:
    for at in range(60):
        last = tools.data("write", text=f"The price is {at}. " + "very long words " * 30, about="Bread", attribute="price")["id"]
    steps = [each for page in tools.pages("history", id=last) for each in page["steps"]]
    assert len(steps) == 21


def test_attention_counts_by_memory_and_by_answer_in_the_days_that_are_asked_for(tools: Tools) -> None:
    bread, cat = (tools.data("write", text=said)["id"] for said in ("Bread rises overnight.", "The cat is called Bo."))
    assert tools.data("attention")["answers"] == 0
    call = tools.service.call
    for at, nodes in enumerate(([bread, cat], [bread], [bread], [])):
        receipt = {"chat": "\x1fprofile", "recall": f"answer {at}", "nodes": nodes, "window": "desk" if at else "phone"}
        asyncio.run(call("recall.delivered", receipt))
    tools.memory.clock = lambda: 1_700_000_100.0
    found = tools.data("attention")
    assert (found["answers"], found["deliveries"]) == (4, 4)
    assert [(each["text"], each["answers"], each["share"]) for each in found["memories"]] == [
        ("Bread rises overnight.", 3, 0.75),
        ("The cat is called Bo.", 1, 0.25),
    ]
    assert tools.data("attention", window="desk")["answers"] == 3
    assert tools.data("memory_attention_heatmap", days=7)["answers"] == 4
    tools.data("forget", id=bread)
    assert "" in {each["text"] for each in tools.data("attention")["memories"]}, "what is gone is counted and not told"
    tools.memory.clock = lambda: 1_700_000_100.0 + 30 * 86_400
    assert tools.data("attention")["answers"] == 0
    assert tools.data("attention", days=60)["answers"] == 4
    assert tools("attention", days=0).is_error


def test_a_page_is_private_listed_read_whole_noted_and_removed(tools: Tools) -> None:
    tools.memory.clock = lambda: 1_760_000_000.0
    long = "I saw the harbour. " * 100
    first = tools.data("page_write", text=long, title="Harbour", date="2026-01-02")["id"]
    tools.data("page_write", text="A letter to Mira.", sub="letter")
    assert tools.data("recall", query="harbour")["memories"] == []
    listed = tools.data("page_read")["items"]
    assert [(each["kind"], each["date"]) for each in listed] == [("diary", "2026-01-02"), ("letter", "2025-10-09T08:53:20Z")]
    assert len(listed[0]["text"]) == 600
    assert [each["title"] for each in tools.data("page_read", date="2026-01-01/2026-01-31")["items"]] == ["Harbour"]
    assert tools.data("page_read", date="2026-01-03")["items"] == []
    assert [each["kind"] for each in tools.data("page_read", query="MIRA")["items"]] == ["letter"]
    assert [each["kind"] for each in tools.data("page_read", sub="letter")["items"]] == ["letter"]
    assert tools.data("page_read", id=first[:8])["items"][0]["text"] == long.strip()
    assert tools("page_read", id=first, query="x").is_error
    tools.data("page_edit", id=first, note="Read again.")
    tools.data("page_edit", id=first, title="The harbour")
    (page,) = tools.data("page_read", id=first)["items"]
    assert (page["title"], page["notes"], page["text"]) == ("The harbour", ["Read again."], long.strip())
    fact = tools.data("write", text="No page.")["id"]
    for name in ("page_edit", "page_remove"):
        assert tools(name, id=fact, **({"text": "x"} if name == "page_edit" else {})).is_error, "only pages are changed as such"
    tools.data("page_remove", id=first)
    assert [each["kind"] for each in tools.data("page_read")["items"]] == ["letter"]


def test_memos_are_listed_until_they_are_done(tools: Tools) -> None:
    id_ = tools.data("memo_write", of="more", text="Buy oil for the clocks.", title="Oil", due="2026-05-01")["id"]
    tools.data("memo_write", of="more", text="Call Mira.")
    assert len(tools.data("memo_list", of="more")["items"]) == 2
    assert tools.data("recall", query="oil for the clocks")["memories"]
    tools.data("memo_update", of="more", id=id_, status="done")
    assert [each["text"] for each in tools.data("memo_list", of="more")["items"]] == ["Call Mira."]
    (done,) = tools.data("memo_list", of="more", status="done")["items"]
    assert (done["title"], done["status"]) == ("Oil", "done")
    assert tools("memo_update", of="more", id=id_).is_error
    assert tools("memo_update", of="more", id="ffffffff", status="done").is_error


@pytest.mark.parametrize("name", ["job_next", "job_submit"])
def test_what_is_not_there_yet_says_so_and_what_to_do(tools: Tools, name: str) -> None:
    result = tools(name, whatever=1)
    assert result.is_error
    assert text(result).startswith("not_there_yet: ")
    assert "extracts by itself" in text(result)
