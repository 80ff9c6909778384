"""Runs that break off, overlap or go over the wire."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.sidecar.extract_model.world import World, again, claims, failing_on, gated, message, must_not_ask, raising, talk
from tests.sidecar.fakes import Rule, one_fact_each, read_prompt
from tests.sidecar.model_server import Reply, Request, failed, said, serving, streamed
from tidelore.engine.errors import Cancelled, Conflict, ModelRefused, ModelUnreachable, StoreError
from tidelore.engine.ports import Batch
from tidelore.engine.service import Call
from tidelore.host.model import OpenAIModel


@pytest.mark.req("P65")
@pytest.mark.parametrize("error", [ModelUnreachable("It is down.", "Later."), ModelRefused("No such key.", "Check the key.")])
def test_a_fault_of_the_endpoint_ends_the_run_and_counts_against_no_window(world: World, error: Exception) -> None:
    world.say(talk(6))
    for _ in range(4):
        done = world.extract(failing_on("Number 2:", raising(error)))
        assert done["interrupted"] in ("It is down. Later.", "No such key. Check the key.")
        assert done["failed"] == []
    assert (world.plan(), world.aside()) == ([(2, 3), (4, 5)], [])
    assert world.extract(one_fact_each)["windows"] == 2


@pytest.mark.req("B47")
def test_a_full_extraction_that_breaks_off_keeps_the_old_memories(world: World) -> None:
    world.say(talk(60))
    world.extract()
    done = world.extract(failing_on("Number 30:", raising(ModelUnreachable("It is down.")), again), range=[0, 59])
    assert (done["windows"], done["interrupted"]) == (15, "It is down.")
    assert world.nodes("fact") == sorted([*(f"Anew: {each['text']}" for each in talk(30)), *claims(*range(30, 60))])


@pytest.mark.req("B47")
def test_windows_that_fail_in_a_full_extraction_keep_their_old_memories(world: World) -> None:
    world.say(talk(20))
    world.extract()
    done = world.extract(failing_on("Number 8:", lambda: "I cannot help with that.", again), range=[0, 19])
    assert (done["windows"], len(done["failed"]), done["remaining"]) == (9, 1, 0)
    anew = [f"Anew: {each['text']}" for each in (*talk(8), *talk(20)[10:])]
    assert world.nodes("fact") == sorted([*anew, *claims(8, 9)])


@pytest.mark.req("P25")
def test_a_second_run_at_once_is_told_that_one_is_running(world: World) -> None:
    world.say(talk(4))

    async def run() -> dict[str, Any]:
        gate, started = asyncio.Event(), asyncio.Event()
        world.model.rule = gated(gate, started)
        params = {"chat": "c", "by": "model", "lag": 0}
        first = asyncio.ensure_future(world.service.call("extract.run", params))
        await started.wait()
        with pytest.raises(Conflict, match="already running"):
            await world.service.call("extract.run", params)
        gate.set()
        done: dict[str, Any] = await first
        return done

    assert world.wait(run())["windows"] == 2
    assert len(world.model.asked) == 2
    world.extract(must_not_ask)


def test_the_rules_remember_while_the_model_thinks(world: World) -> None:
    world.say(talk(4))

    async def run() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        gate, started = asyncio.Event(), asyncio.Event()
        world.model.rule = gated(gate, started)
        first = asyncio.ensure_future(world.service.call("extract.run", {"chat": "c", "by": "model", "lag": 0}))
        await started.wait()
        await world.service.call("chat.update", {"chat": "c", "messages": talk(6)})
        rules = await world.service.call("extract.run", {"chat": "c", "by": "rules", "lag": 0})
        meanwhile = await world.service.call("graph.get", {"chat": "c"})
        with pytest.raises(Conflict, match="still running"):
            await world.service.call("chat.purge", {"chat": "c"})
        gate.set()
        return rules, meanwhile, await first

    rules, meanwhile, done = world.wait(run())
    assert rules["windows"] == 6
    assert any("Number 5" in node["text"] for node in meanwhile["nodes"])
    assert done["windows"] == 3, "what was said meanwhile is read, too"
    assert world.nodes("fact") == claims(*range(6))
    rebuilt = world.call("graph.get")
    world.restart()
    assert world.call("graph.get") == rebuilt


def test_a_stopped_run_keeps_what_is_stored_and_can_go_on(world: World) -> None:
    world.say(talk(10))
    seen: list[tuple[int, int]] = []
    call = Call(lambda done, total: seen.append((done, total)), lambda: len(seen) >= 2)
    with pytest.raises(Cancelled, match="stopped"):
        world.wait(world.service.call("extract.run", {"chat": "c", "by": "model", "lag": 0}, call))
    assert seen == [(1, 5), (2, 5)]
    world.restart()
    assert world.nodes("fact") == claims(0, 1, 2, 3)
    assert world.extract()["windows"] == 3


def test_a_task_that_is_cancelled_while_the_model_thinks_leaves_the_chat_usable(world: World) -> None:
    world.say(talk(4))

    async def run() -> None:
        gate, started = asyncio.Event(), asyncio.Event()
        world.model.rule = gated(gate, started)
        task = asyncio.ensure_future(world.service.call("extract.run", {"chat": "c", "by": "model", "lag": 0}))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    world.wait(run())
    assert world.nodes("fact") == []
    assert world.extract(one_fact_each)["windows"] == 2


@pytest.mark.req("P5", "B45")
def test_a_swipe_while_the_model_thinks_leaves_nothing_of_the_old_text(world: World) -> None:
    world.say(talk(2))
    swiped = [message(0), message(1, "The barrel is empty.")]

    async def run() -> None:
        gate, started = asyncio.Event(), asyncio.Event()
        world.model.rule = gated(gate, started)
        task = asyncio.ensure_future(world.service.call("extract.run", {"chat": "c", "by": "model", "lag": 0}))
        await started.wait()
        await world.service.call("chat.update", {"chat": "c", "messages": swiped})
        gate.set()
        await task

    world.wait(run())
    world.extract(one_fact_each)
    assert world.nodes("fact") == sorted([*claims(0), "Tom said: The barrel is empty."])


def test_a_chat_that_another_process_edits_meanwhile_is_extracted_as_it_then_stands(world: World) -> None:
    world.say(talk(4))
    other = World(world.folder, world.runner)

    async def run() -> dict[str, Any]:
        gate, started = asyncio.Event(), asyncio.Event()
        world.model.rule = gated(gate, started)
        task = asyncio.ensure_future(world.service.call("extract.run", {"chat": "c", "by": "model", "lag": 0}))
        await started.wait()
        await other.service.call("chat.update", {"chat": "c", "messages": talk(6)})
        await world.service.call("stats", {"chat": "c"})
        gate.set()
        done: dict[str, Any] = await task
        return done

    assert world.wait(run())["windows"] == 3
    other.store.close()
    assert world.nodes("fact") == claims(*range(6))


def test_an_update_that_could_not_be_stored_meanwhile_loses_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.say(talk(4))

    async def full_disk(batch: Batch) -> None:
        raise StoreError("There is no room left.")

    async def run() -> dict[str, Any]:
        gate, started = asyncio.Event(), asyncio.Event()
        world.model.rule = gated(gate, started)
        task = asyncio.ensure_future(world.service.call("extract.run", {"chat": "c", "by": "model", "lag": 0}))
        await started.wait()
        with monkeypatch.context() as patched:
            patched.setattr(world.store, "write", full_disk)
            with pytest.raises(StoreError):
                await world.service.call("chat.update", {"chat": "c", "messages": talk(6)})
        gate.set()
        done: dict[str, Any] = await task
        return done

    assert world.wait(run())["windows"] == 2
    assert world.nodes("fact") == claims(*range(4))


def test_rules_come_to_an_end_when_another_process_writes_between(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.say(talk(4))
    other = World(world.folder, world.runner)
    write = world.store.write

    async def write_and_be_overtaken(batch: Batch) -> None:
        monkeypatch.undo()
        await other.service.call("chat.update", {"chat": "c", "messages": talk(6)})
        await world.service.call("stats", {"chat": "c"})
        await write(batch)

    monkeypatch.setattr(world.store, "write", write_and_be_overtaken)
    done = world.call("extract.run", by="rules", lag=0)
    other.store.close()
    assert done["windows"] >= 6
    assert len(world.nodes("moment")) == 6


def over_the_wire(rule: Rule) -> Callable[[Request], Reply]:
    def serve(request: Request) -> Reply:
        found = rule(read_prompt(request.messages))
        assert isinstance(found, str)
        return said(found)

    return serve


def test_extraction_through_a_server(tmp_path: Path, runner: asyncio.Runner) -> None:
    with serving(over_the_wire(one_fact_each)) as server:
        model = OpenAIModel(server.url, "tiny")
        world = World(tmp_path, runner, model)
        world.say(talk(6))
        assert world.extract()["windows"] == 3
        assert world.nodes("fact") == claims(*range(6))
        assert world.call("why", node=world.node(claims(3)[0])["id"])["beliefs"][0]["maker"] == "tiny"
        world.wait(model.aclose())
        world.store.close()


@pytest.mark.req("P41")
def test_extraction_through_a_server_that_streams(tmp_path: Path, runner: asyncio.Runner) -> None:
    def rule(request: Request) -> Reply:
        text = one_fact_each(read_prompt(request.messages))
        return streamed(*(text[at : at + 7] for at in range(0, len(text), 7)))

    with serving(rule) as server:
        model = OpenAIModel(server.url, "tiny")
        world = World(tmp_path, runner, model)
        world.say(talk(4))
        assert world.extract()["windows"] == 2
        assert world.nodes("fact") == claims(*range(4))
        world.wait(model.aclose())
        world.store.close()


@pytest.mark.req("P65")
def test_a_server_that_is_down_for_a_while_costs_no_window_a_try(tmp_path: Path, runner: asyncio.Runner) -> None:
    down = [True]

    async def no_sleep(seconds: float) -> None:
        del seconds

    def rule(request: Request) -> Reply:
        return failed(503, "starting up") if down[0] else over_the_wire(one_fact_each)(request)

    with serving(rule) as server:
        model = OpenAIModel(server.url, "tiny", sleep=no_sleep)
        world = World(tmp_path, runner, model)
        world.say(talk(4))
        for _ in range(4):
            assert "starting up" in world.extract()["interrupted"]
        assert (world.aside(), world.plan()) == ([], [(0, 1), (2, 3)])
        down[0] = False
        done = world.extract()
        assert (done["windows"], done["interrupted"]) == (2, "")
        world.wait(model.aclose())
        world.store.close()
