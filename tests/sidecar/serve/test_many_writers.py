"""Many calls at once leave a whole memory; a memory that goes takes what hung on it alone."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.sidecar.cli_kit import answered
from tests.sidecar.serve.hooks.test_hosts import use
from tests.sidecar.serve.kit import Server, serving


async def call(http: httpx.AsyncClient, method: str, **params: Any) -> Any:
    answer = (await http.post("/rpc", json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params})).json()
    assert "result" in answer, answer
    return answer["result"]


async def where(http: httpx.AsyncClient) -> str:
    return str((await call(http, "scope.list"))["scopes"][0]["chat"])


@pytest.mark.req("P85")
@pytest.mark.slow
def test_calls_of_one_turn_all_apply_whatever_their_order_and_leave_a_sound_store(tmp_path: Path) -> None:
    """Creating, changing, linking and hiding at once, from several clients."""

    async def main() -> None:
        async with serving(tmp_path) as server, server.http() as http:

            async def write(text: str, **more: Any) -> str:
                answer = await http.post("/v1/memory/write", json={"content": text, **more})
                assert answer.status_code == 200, answer.text
                return str(answer.json()["id"])

            first = await asyncio.gather(*(write(f"Stone number {at} of the wall.") for at in range(48)))
            chat = await where(http)
            work: list[Any] = []
            for at, node in enumerate(first):
                match at % 4:
                    case 0:
                        work.append(call(http, "node.edit", chat=chat, node=node, fields={"text": f"Stone number {at} is red."}))
                    case 1:
                        work.append(call(http, "node.retire", chat=chat, node=node))
                    case 2:
                        work.append(call(http, "edge.add", chat=chat, start=node, end=first[(at + 4) % 48], type="supports"))
                    case _:
                        work.append(write(f"Stone number {at + 100} of the wall."))
            await asyncio.gather(*work)
            graph = await call(http, "graph.get", chat=chat)
            texts = {node["text"] for node in graph["nodes"]}
            assert texts == {
                *(f"Stone number {at} is red." for at in range(0, 48, 4)),
                *(f"Stone number {at} of the wall." for at in range(48) if at % 4 in (2, 3)),
                *(f"Stone number {at + 100} of the wall." for at in range(3, 48, 4)),
            }
            assert len([edge for edge in graph["edges"] if edge["type"] == "supports"]) == 12
        async with serving(tmp_path) as server, server.http() as http:
            assert await call(http, "graph.get", chat=await where(http)) == graph, "the same after a restart"

    asyncio.run(main())
    assert answered(tmp_path, "doctor")["ok"]


@pytest.mark.req("P91")
def test_a_memory_that_goes_takes_its_edges_and_orphans_and_spares_what_is_shared(tmp_path: Path) -> None:
    async def run(server: Server, http: httpx.AsyncClient) -> None:
        bodies = [{"content": f"Olga keeps {what}.", "about": "Olga"} for what in ("bees", "goats")]
        made = [(await http.post("/v1/memory/write", json=body)).json() for body in bodies]
        chat = await where(http)

        async def shape() -> tuple[set[str], int]:
            graph = await call(http, "graph.get", chat=chat)
            ids = {node["id"] for node in graph["nodes"]}
            assert all(edge["from"] in ids and edge["to"] in ids for edge in graph["edges"]), "no edge leads nowhere"
            return {node["text"] for node in graph["nodes"]}, len(graph["edges"])

        assert await shape() == ({"Olga", "Olga keeps bees.", "Olga keeps goats."}, 2)
        await call(http, "undo", chat=chat, commit=made[1]["commit"])
        assert await shape() == ({"Olga", "Olga keeps bees."}, 1), "what is shared stays"
        await call(http, "undo", chat=chat, commit=made[0]["commit"])
        assert await shape() == (set(), 0), "nothing speaks of her any more"
        found = (await http.post("/v1/memory/recall", json={"query": "What does Olga keep?"})).json()
        assert (found["memories"], found["context"]) == ([], "")

    use(tmp_path, run)


@pytest.mark.req("P91")
def test_a_message_that_goes_takes_what_only_it_said(tmp_path: Path) -> None:
    async def run(server: Server, http: httpx.AsyncClient) -> None:
        said = ("My sister Olga lives in Bergen.", "My brother Silas lives in Oslo.")
        both = [{"role": "user", "text": text, "name": "Ann"} for text in said]
        await call(http, "chat.update", chat="story", messages=both)
        await call(http, "extract.run", chat="story", lag=0)
        whole = await call(http, "graph.get", chat="story")
        await call(http, "chat.update", chat="story", messages=both[:1])
        left = await call(http, "graph.get", chat="story")
        assert "Silas" not in str(left)
        assert len(left["nodes"]) < len(whole["nodes"])
        ids = {node["id"] for node in left["nodes"]}
        assert all(edge["from"] in ids and edge["to"] in ids for edge in left["edges"])
        await call(http, "chat.update", chat="alone", messages=both[:1])
        await call(http, "extract.run", chat="alone", lag=0)
        alone = await call(http, "graph.get", chat="alone")
        assert [node["text"] for node in left["nodes"]] == [node["text"] for node in alone["nodes"]]

    use(tmp_path, run)
