"""Said in one client, known in the others: what a call reads that names no place."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.sidecar.gateway.kit import gateway
from tests.sidecar.mcp.kit import Tools, over_http, text


@pytest.fixture
def tools() -> Tools:
    return Tools()


def test_recall_without_a_place_reads_what_holds_everywhere_and_what_other_clients_said(tools: Tools) -> None:
    tools.show("gateway:phone#1", ("Ann", "My cat Bo lives in Bergen."), ("", "Good to know."))
    tools.show("gateway:phone#2", ("Ann", "The bread rises overnight."), ("", "Yes."))
    tools.show("story", ("Ann", "The cat of the story is called Mog."), ("Bob", "Which cat?"))
    tools.data("write", text="The cat likes fish.")
    found = tools.data("recall", query="Where does the cat live?")
    places = {(each["chat"], each["scope"]) for each in found["memories"] if "cat" in each["text"]}
    assert places == {("gateway:phone#1", ""), ("", "profile")}, "a chat of its own, such as a story, is read where it is named"
    assert "scope profile" in found["where"]
    by_id = tools.data("read", ids=[each["id"] for each in found["memories"]])["memories"]
    assert [(each["chat"], each["scope"]) for each in by_id] == [(each["chat"], each["scope"]) for each in found["memories"]]


def test_where_nothing_holds_everywhere_the_conversations_alone_are_read(tools: Tools) -> None:
    tools.show("gateway:main#1", ("Ann", "My cat Bo lives in Bergen."), ("", "Good to know."))
    assert tools.data("recall", query="Where does the cat live?")["memories"]
    assert "Bergen" in text(tools("recall", query="cat"))


def test_the_state_of_somebody_is_put_together_from_all_that_is_read(tools: Tools) -> None:
    tools.show("gateway:a#1", ("Ann", "My sister Clara keeps bees in Bristol."), ("", "How lovely."))
    tools.data("write", text="Clara turns forty in May.", about="Clara")
    holds = tools.data("state", about="Clara")["holds"]
    assert {(each["chat"], each["scope"]) for each in holds if each["kind"] == "fact"} >= {("", "profile")}
    here = [each for each in tools.data("state", about="Clara", chat="gateway:a#1")["holds"] if each["chat"]]
    assert {each["id"] for each in here} <= {each["id"] for each in holds}


@pytest.mark.req("M13")
@pytest.mark.slow
def test_what_was_said_through_the_gateway_is_known_over_mcp_with_the_words_it_rests_on(tmp_path: Path) -> None:
    async def main() -> None:
        async with gateway(tmp_path) as here:
            await here.say("I fly on Monday at 9:00 to Hangzhou.", X_Tidelore_Window="phone")
            async with over_http(here.server.url, here.server.key, tools="default,more") as client:
                recalled = await client.call_tool("recall", {"query": "When do I fly to Hangzhou?"})
                data: Any = recalled.structured_content
                (first, *_) = [each for each in data["memories"] if "Hangzhou" in each["text"]]
                assert first["chat"] == "gateway:phone#1"
                why: Any = (await client.call_tool("why", {"id": first["id"]})).structured_content
                assert [(each["index"], each["text"]) for each in why["grounds"]] == [(0, "I fly on Monday at 9:00 to Hangzhou.")]
                await client.call_tool("write", {"text": "The hotel in Hangzhou is the Osmanthus."})
            await here.say("Which hotel in Hangzhou is it?", X_Tidelore_Window="laptop")
            assert "Osmanthus" in here.upstream.got[-1].last

    asyncio.run(main())


def test_the_graph_without_a_place_is_that_of_what_recall_reads(tools: Tools) -> None:
    tools.show("gateway:a#1", ("Ann", "My sister Clara keeps bees in Bristol."), ("", "How lovely."))
    assert tools.data("graph")["nodes_total"] > 0, "though nothing holds everywhere yet"
    tools.data("write", text="Clara turns forty in May.", about="Clara")
    found = tools.data("graph")
    assert any("forty" in each["text"] for each in found["nodes"])
    assert any("bees" in each["text"] for each in found["nodes"])
    assert len({each["id"] for each in found["nodes"]}) == len(found["nodes"])
    assert found["where"] == tools.data("recall", query="bees")["where"]


@pytest.mark.parametrize(("fact", "name"), [("The user's dog is called Biscuit.", "biscuit"), ("我的狗叫饼干。", "饼干")])
def test_the_state_of_a_name_that_nobody_wrote_down_as_one_is_what_was_said_of_it(tools: Tools, fact: str, name: str) -> None:
    tools.data("write", text=fact)
    tools.data("write", text="Lisbon is warm.")
    assert [each["text"] for each in tools.data("state", about=name)["holds"]] == [fact]
    assert fact in text(tools("state", about=name))
    assert "Nothing is remembered" in text(tools("state", about="Bis"))


def test_somebody_is_found_by_another_name_in_any_case(tools: Tools) -> None:
    made = tools.data("write", kind="entity", name="Clara Bell", sub="character")
    tools.data("edit", id=made["id"], set=[{"name": "aliases", "value": "Bumble\n小铃"}])
    tools.data("write", text="She keeps bees.", about="Clara Bell")
    for name in ("bumble", "小铃", "CLARA BELL"):
        assert [each["text"] for each in tools.data("state", about=name)["holds"] if each["kind"] == "fact"] == ["She keeps bees."]


def test_content_is_another_name_of_what_is_written(tools: Tools) -> None:
    tools.data("write", content="Lisbon is warm.")
    assert [each["text"] for each in tools.data("recall", query="Is Lisbon warm?")["memories"]] == ["Lisbon is warm."]
    assert "Both" in text(tools("write", text="a", content="b"))


def test_a_wrong_argument_is_named_in_a_sentence(tools: Tools) -> None:
    assert "There is no argument 'words'." in text(tools("write", words="x"))
    assert "The argument 'query' is missing." in text(tools("recall"))


def test_what_was_said_elsewhere_is_not_told_as_of_this_conversation(tools: Tools) -> None:
    tools.data("write", text="Lisbon is warm.")
    assert "this conversation. Memories" not in text(tools("recall", query="Is Lisbon warm?"))
    tools.show("gateway:a#1", ("Ann", "My sister Clara keeps bees in Bristol."), ("", "How lovely."))
    assert "in other conversations" in text(tools("recall", query="Where does Clara keep bees?"))
