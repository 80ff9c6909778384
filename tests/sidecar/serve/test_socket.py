"""The socket as a client meets it: hello, calls side by side, long messages, other writers, bad frames."""

from __future__ import annotations

import asyncio
import base64
import json
import struct
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.sidecar.cli_kit import tidelore
from tests.sidecar.model_server import Reply, Request, said
from tests.sidecar.model_server import serving as model_serving
from tests.sidecar.serve.kit import CUT, Client, Failed, Server, messages, serving, until_closed
from tidelore import __version__
from tidelore.host.config import Config, EmbedderConfig, ModelConfig
from tidelore.serve.limits import USUAL

SMALL = replace(USUAL, frame=4096, message=1 << 20, hello_seconds=0.2, drain_seconds=5)


async def closed(server: Server, *frames: str | bytes, greeted: bool = False) -> tuple[int, str, str]:
    """Close code, reason and the code of the last error, after frames that end the conversation."""
    async with server.raw() as socket:
        if greeted:
            await Client(socket).call("hello", token=server.key)
        for frame in frames:
            await socket.send(frame)
        last = ""

        async def read() -> None:
            nonlocal last
            last = json.loads(await socket.recv())["error"].get("data", {}).get("code", "")

        return (*await until_closed(read), last)


def request(method: str, **params: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


def test_hello_tells_version_features_limits_and_profile(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server, server.client(client="a test", versions=[1, 9]) as client:
            hello = client.hello
            assert (hello["version"], hello["profile"]) == (1, "default")
            assert hello["server"] == {"name": "tidelore", "version": __version__}
            assert hello["limits"]["frame"] == USUAL.frame
            assert {"calls", "chunks", "cancel", "progress", "changed"} <= set(hello["features"])
            assert await client.call("ping") == {}
            names = {each["name"] for each in (await client.call("rpc.discover"))["methods"]}
            assert {"recall.run", "embed", "model.complete", "status", "ping"} <= names

    asyncio.run(main())


def test_a_program_may_show_its_key_in_the_handshake(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server, server.raw(additional_headers={"Authorization": f"Bearer {server.key}"}) as socket:
            assert (await Client(socket).call("hello"))["profile"] == "default"

    asyncio.run(main())


@pytest.mark.parametrize(
    ("frame", "close", "reason"),
    [
        (request("chat.list"), 1008, "hello_first"),
        ("{", 1008, "hello_first"),
        ("[]", 1008, "hello_first"),
        (json.dumps({"jsonrpc": "2.0", "method": "hello", "params": {}}), 1008, "hello_first"),
        (json.dumps({"chunk": {"id": "1", "at": 0, "of": 1, "text": "x"}}), 1008, "hello_first"),
        (request("hello"), 1008, "key_missing"),
        (request("hello", token="wrong"), 1008, "key_wrong"),
        (request("hello", token="x", versions=[99]), 1008, "no_common_version"),
        (request("hello", surprise=1), 1008, "bad_input"),
        (request("hello", pairing="none"), 1008, "no_pairing"),
        (b"\x00\x01", 1003, "text_only"),
        ("x" * 5000, 1009, "frame_too_large"),
    ],
)
def test_a_wrong_first_message_ends_with_a_named_error(tmp_path: Path, frame: str | bytes, close: int, reason: str) -> None:
    async def main() -> None:
        async with serving(tmp_path, limits=replace(SMALL, hello_seconds=20)) as server:
            assert await closed(server, frame) == (close, reason, reason)

    asyncio.run(main())


def test_a_client_that_says_nothing_is_not_waited_for(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path, limits=SMALL) as server:
            assert await closed(server) == (1008, "hello_late", "hello_late")

    asyncio.run(main())


@pytest.mark.req("P107")
def test_bad_frames_after_hello_are_named_and_only_those_that_cannot_go_on_close(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path, limits=SMALL) as server:
            assert await closed(server, b"\x00", greeted=True) == (1003, "text_only", "text_only")
            assert await closed(server, "x" * 4097, greeted=True) == (1009, "frame_too_large", "frame_too_large")
            assert await closed(server, "北" * 1366, greeted=True) == (1009, "frame_too_large", "frame_too_large")
            big = [json.dumps({"chunk": {"id": "1", "at": at, "of": 999, "text": "x" * 4000}}) for at in range(300)]
            assert (await closed(server, *big, greeted=True))[:2] == (1009, "message_too_large")
            async with server.client() as client:
                for frame, code in (
                    ("{", -32700),
                    ('{"a": NaN}', -32700),
                    ("[1]", -32600),
                    ('{"jsonrpc": "2.0", "id": null}', -32600),
                    ('{"chunk": 5}', "bad_input"),
                    ('{"chunk": {"id": "1", "at": 3, "of": 9, "text": ""}}', "bad_input"),
                ):
                    await client.socket.send(frame)
                    with pytest.raises(Failed) as caught:
                        await client.answer(None)
                    assert caught.value.code == code
                assert await client.call("ping") == {}

    asyncio.run(main())


def test_text_that_is_no_utf_8_closes_as_the_protocol_says(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server, server.raw() as socket:
            await Client(socket).call("hello", token=server.key)
            await socket.send(b"\xff\xfe", text=True)
            assert (await until_closed(socket.recv))[0] == 1007

    asyncio.run(main())


@pytest.mark.req("P107")
def test_six_megabytes_go_both_ways_in_frames_below_the_limit(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server, server.client() as client:
            text = 'Die Straße "am Meer" 海边的路 😀 ' * 160_000
            assert len(text.encode()) > 6_000_000
            await client.call("chat.update", chat="a", messages=[])
            written = await client.call("node.write", chat="a", text="A memory.", fields={"note": text})
            before = len(client.frames)
            assert (await client.call("node.get", chat="a", node=written["node"]))["fields"]["note"] == text
            assert len(client.frames) > before + 6
            assert max(client.frames) <= USUAL.frame

    asyncio.run(main())


class Held:
    """A memory model that answers when it is told to."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.asked = threading.Event()

    def __call__(self, request: Request) -> Reply:
        self.asked.set()
        return replace(said('{"items": []}'), hold=self.go)


def test_a_slow_call_holds_up_no_other_and_can_be_cancelled(tmp_path: Path) -> None:
    held = Held()

    async def main() -> None:
        with model_serving(held) as model:
            config = Config(model=ModelConfig(model.url, "m"))
            async with serving(tmp_path, config=config) as server, server.client() as client:
                slow = await client.send("model.complete", messages=[{"role": "user", "content": "Hello"}])
                assert await client.call("chat.list") == {"chats": []}
                assert slow not in client.answers
                await asyncio.to_thread(held.asked.wait, 20)
                await client.socket.send(json.dumps({"jsonrpc": "2.0", "method": "cancel", "params": {"id": slow}}))
                with pytest.raises(Failed) as caught:
                    await client.answer(slow)
                assert caught.value.code == "cancelled"
                held.go.set()
                found = await client.call("model.complete", messages=[{"role": "user", "content": "Hello"}])
                assert found == {"text": '{"items": []}', "model": "m"}

    asyncio.run(main())


def test_an_id_is_used_once_at_a_time_and_calls_are_bounded(tmp_path: Path) -> None:
    held = Held()

    async def main() -> None:
        with model_serving(held) as model:
            config = Config(model=ModelConfig(model.url, "m"))
            async with serving(tmp_path, config=config, limits=replace(USUAL, calls=2)) as server, server.client() as client:
                ask = {"messages": [{"role": "user", "content": "Hello"}]}
                first = await client.send("model.complete", **ask)
                await client.socket.send(json.dumps({"jsonrpc": "2.0", "id": first, "method": "ping"}))
                with pytest.raises(Failed) as caught:
                    await client.answer(first)
                assert caught.value.code == "id_in_use"
                await client.send("model.complete", **ask)
                with pytest.raises(Failed) as caught:
                    await client.call("ping")
                assert caught.value.code == "too_many_calls"
                held.go.set()
                assert (await client.answer(first))["model"] == "m"

    asyncio.run(main())


def test_progress_of_a_long_call_is_told_before_its_answer(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server, server.client() as client:
            await client.call("chat.update", chat="a", messages=messages(40))
            id_ = await client.send("extract.run", chat="a", by="rules", lag=0)
            told = await client.hear("progress")
            assert id_ not in client.answers
            assert told["id"] == id_
            assert 0 <= told["done"] <= told["total"]
            await client.answer(id_)

    asyncio.run(main())


def test_a_client_hears_what_others_of_its_profile_wrote_and_only_that(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server, server.client() as one, server.client() as two, server.http() as http:
            await one.call("chat.update", chat="a", messages=messages(2))
            told = await two.hear("changed")
            assert (told["chat"], told["scope"], told["revision"]) == ("a", "", 1)
            assert told["run"] == two.hello["run"]
            body = {"jsonrpc": "2.0", "id": 1, "method": "node.write", "params": {"scope": "profile", "text": "Rain."}}
            await http.post("/rpc", json=body)
            assert (await two.hear("changed"))["revision"] == 2
            told = await one.hear("changed")
            assert (told["chat"], told["scope"], told["revision"]) == ("", "profile", 2)
            await one.call("ping")
            assert one.heard == []

    asyncio.run(main())


def test_a_round_between_replicas_is_told_only_when_it_brought_something(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server, server.client() as one, server.client() as two:
            await one.call("chat.update", chat="a", messages=messages(2))
            await two.hear("changed")
            found = await one.call("sync.pull", vector={}, chains={})
            await one.call("sync.push", **found)
            await two.call("ping")
            assert two.heard == []
            record = {**found["records"][0], "origin": "elsewhere", "sequence": 1}
            assert (await one.call("sync.push", records=[record]))["new"] == 1
            await two.hear("changed")

    asyncio.run(main())


def test_a_client_that_comes_back_learns_what_changed_meanwhile(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server:
            async with server.client() as one:
                await one.call("chat.update", chat="a", messages=messages(2))
                status = await one.call("status")
                seen = {"run": status["run"], "revision": status["revision"]}
                await one.call("chat.update", chat="b", messages=messages(2))
                await one.call("chat.update", chat="b", messages=messages(3))
            async with server.client(seen=seen) as again:
                assert again.hello["everything"] is False
                assert again.hello["changed"] == [{"chat": "b", "scope": ""}]
                assert again.hello["revision"] == 3
            async with server.client(seen={"run": "another", "revision": 3}) as stranger:
                assert stranger.hello["everything"] is True

    asyncio.run(main())


@pytest.mark.slow
def test_a_write_of_another_process_is_told_too(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server, server.client() as client:
            await client.call("chat.update", chat="a", messages=messages(2))
            line = request("chat.update", chat="b", messages=messages(2)).encode()
            await asyncio.to_thread(tidelore, tmp_path, "rpc", input_=line)
            assert (await client.hear("changed"))["chat"] == ""
            assert len((await client.call("chat.list"))["chats"]) == 2

    asyncio.run(main())


@pytest.mark.slow
def test_a_client_that_does_not_read_is_dropped_and_holds_up_nobody(tmp_path: Path) -> None:
    limits = replace(USUAL, unread=1 << 20, stalled_seconds=0.3)

    async def main() -> None:
        async with serving(tmp_path, limits=limits) as server, server.client() as good:
            text = "The harbour of Bergen. " * 200
            await good.call("chat.update", chat="a", messages=messages(200, text))
            await good.call("extract.run", chat="a", by="rules", lag=0)
            async with server.raw(max_queue=1, close_timeout=0.2) as socket:
                slow = Client(socket)
                await slow.call("hello", token=server.key)
                socket.transport.pause_reading()
                for _ in range(60):
                    await slow.send("node.get", chat="x" * 200_000, node="abcd")
                while (await good.call("status"))["sockets"] > 1:
                    await asyncio.sleep(0.05)
                socket.transport.resume_reading()
                # A line that is full may be cut before a reason gets through.
                assert await until_closed(socket.recv) in (CUT, (1013, "slow_consumer"))

    asyncio.run(main())


def test_vectors_come_as_float32_from_the_embedder_of_the_sidecar(tmp_path: Path) -> None:
    def rule(request: Request) -> Reply:
        rows = [{"index": at, "embedding": [len(text), 0.5, -1.0]} for at, text in enumerate(request.body["input"])]
        return Reply(json.dumps({"data": rows}))

    async def main() -> None:
        with model_serving(rule) as model:
            config = Config(embedder=EmbedderConfig(model.url, "e", scale=3.0, floor=0.4))
            async with serving(tmp_path, config=config) as server, server.client() as client:
                found = await client.call("embed", texts=["a", "four"], kind="query")
                assert (found["model"], found["dimension"], found["scale"], found["floor"]) == ("e", 3, 3.0, 0.4)
                assert struct.unpack("<6f", base64.b64decode(found["vectors"])) == (1.0, 0.5, -1.0, 4.0, 0.5, -1.0)
                assert (await client.call("embed", texts=[]))["vectors"] == ""
                for wrong in (["x"] * 513, [5]):
                    with pytest.raises(Failed) as caught:
                        await client.call("embed", texts=wrong)
                    assert caught.value.code == "bad_input"
                status = await client.call("status")
                figures = {"name": "e", "dimension": 3, "scale": 3.0, "floor": 0.4}
                assert status["embedder"] == {**figures, "pending": 0, "chats": 0, "problem": ""}

    asyncio.run(main())


@pytest.mark.parametrize(
    ("method", "params", "code"), [("embed", {"texts": ["a"]}, "no_embedder"), ("model.complete", {"messages": []}, "no_model")]
)
def test_what_is_not_set_up_says_so(tmp_path: Path, method: str, params: dict[str, Any], code: str) -> None:
    async def main() -> None:
        config = Config(embedder=EmbedderConfig(name="none"))
        async with serving(tmp_path, config=config) as server, server.client() as client:
            with pytest.raises(Failed) as caught:
                await client.call(method, **params)
            assert caught.value.code == code

    asyncio.run(main())


def test_every_waiting_call_ends_with_a_named_error_when_the_sidecar_stops(tmp_path: Path) -> None:
    held = Held()

    async def main() -> None:
        with model_serving(held) as model:
            async with serving(tmp_path, config=Config(model=ModelConfig(model.url, "m"))) as server, server.client() as client:
                waiting = [await client.send("model.complete", messages=[{"role": "user", "content": "x"}]) for _ in range(3)]
                await asyncio.to_thread(held.asked.wait, 20)
                server.running.stop()
                for id_ in waiting:
                    with pytest.raises(Failed) as caught:
                        await client.answer(id_)
                    assert caught.value.code == "closing"
                assert await until_closed(client.read) == (1001, "closing")
                held.go.set()

    asyncio.run(main())


def test_a_write_that_runs_is_waited_for_up_to_its_next_step(tmp_path: Path) -> None:
    held = Held()

    async def main() -> None:
        with model_serving(held) as model:
            async with serving(tmp_path, config=Config(model=ModelConfig(model.url, "m"))) as server, server.client() as client:
                await client.call("chat.update", chat="a", messages=messages(4))
                id_ = await client.send("extract.run", chat="a", by="model", lag=0)
                await asyncio.to_thread(held.asked.wait, 20)
                server.running.stop()
                for late in ("chat.list", "node.write"):
                    with pytest.raises(Failed) as caught:
                        await client.call(late, **({"chat": "a", "text": "x"} if late == "node.write" else {}))
                    assert caught.value.code == "closing"
                held.go.set()
                with pytest.raises(Failed) as caught:
                    await client.answer(id_)
                assert caught.value.code == "cancelled"
            assert len(model.requests) == 1
        async with serving(tmp_path) as server, server.client() as client:
            # What the model said of the first of two windows is stored.
            assert (await client.call("stats", chat="a"))["aside"] == 1

    asyncio.run(main())
