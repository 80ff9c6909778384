"""`tidelore serve` and its companions as processes."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from tests.sidecar.cli_kit import COMMAND, answered, environment, tidelore
from tests.sidecar.model_server import Reply, Request, said
from tests.sidecar.model_server import serving as model_serving
from tests.sidecar.serve.kit import PAGE, Client, Server, messages, process
from tidelore.host.daemon import Daemon, running
from tidelore.host.open import open_service
from tidelore.host.profiles import Profiles
from tidelore.serve.origins import is_loopback

pytestmark = pytest.mark.slow


def rpc(ready: dict[str, str], method: str, **params: Any) -> Any:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = httpx.post(ready["url"] + "/rpc", json=body, headers={"X-Api-Key": ready["key"]}, trust_env=False, timeout=30)
    return answer.json()["result"]


def test_it_prints_one_line_serves_and_ends_cleanly_on_a_signal(tmp_path: Path) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        with process(tmp_path) as (serve, ready):
            assert set(ready) == {"url", "key"}
            assert ready["key"] == Profiles(tmp_path).key("default")
            assert running(tmp_path) == Daemon(ready["url"], serve.pid)
            assert rpc(ready, "chat.list") == {"chats": []}
            serve.send_signal(number)
            out, err = serve.communicate(timeout=30)
            assert (serve.returncode, out, err) == (0, "", "")
            assert running(tmp_path) is None
    assert not (tmp_path / "serve.json").exists()
    if sys.platform != "win32":
        for name in ("key", "tidelore.db", "serve.lock"):
            assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600, name


def test_a_second_one_on_the_same_data_says_where_the_first_is(tmp_path: Path) -> None:
    with process(tmp_path) as (serve, ready):
        error = answered(tmp_path, "serve", "--port", "0", code=1)["error"]
        assert error["code"] == "already_running"
        assert ready["url"] in error["message"]
        assert str(serve.pid) in error["message"]
        serve.kill()
        serve.wait()
        with process(tmp_path) as (_, again):
            assert again["key"] == ready["key"]


def test_a_port_that_is_taken_is_named_with_what_to_do(tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = str(taken.getsockname()[1])
        done = tidelore(tmp_path, "serve", "--port", port)
        assert done.returncode == 1
        assert port in done.stderr
        assert "serve --port 0" in done.stderr
        assert done.stdout == ""
    assert tidelore(tmp_path, "serve", "--port", "70000").returncode == 2


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.1.2.3"])
def test_it_does_not_listen_beyond_this_machine_unless_told_to(tmp_path: Path, host: str, language: str) -> None:
    done = tidelore(tmp_path, "serve", "--host", host, "--port", "0", "--lang", language)
    assert done.returncode == 1
    assert host in done.stderr
    assert "ssh -L" in done.stderr
    assert "--remote" in done.stderr
    assert not is_loopback(host)


def test_beyond_this_machine_the_key_is_needed_and_only_given_names_are_taken(tmp_path: Path) -> None:
    with process(tmp_path, "--host", "0.0.0.0", "--remote", "--allow-host", "memory.example") as (_, ready):
        for host, status in (("memory.example", 200), ("evil.example", 403)):
            headers = {"X-Api-Key": ready["key"], "Host": host}
            assert httpx.get(ready["url"] + "/status", headers=headers, trust_env=False).status_code == status
        assert httpx.get(ready["url"] + "/status", trust_env=False).status_code == 401


def test_the_command_line_shows_makes_and_replaces_keys(tmp_path: Path) -> None:
    key = answered(tmp_path, "key")["key"]
    assert tidelore(tmp_path, "key").stdout == key + "\n"
    new = answered(tmp_path, "key", "--new")["key"]
    assert new != key
    assert answered(tmp_path, "key")["key"] == new
    berta = answered(tmp_path, "profile", "add", "berta")
    assert answered(tmp_path, "key", "--profile", "berta")["key"] == berta["key"]
    assert [each["name"] for each in answered(tmp_path, "profile", "list")["profiles"]] == ["default", "berta"]
    assert answered(tmp_path, "key", "--profile", "nobody", code=1)["error"]["code"] == "not_found"


def test_a_page_is_let_in_from_another_terminal(tmp_path: Path) -> None:
    assert answered(tmp_path, "pair", code=1)["error"]["code"] == "not_found"
    with process(tmp_path) as (_, ready), httpx.Client(base_url=ready["url"], headers={"Origin": PAGE}, trust_env=False) as page:
        berta = answered(tmp_path, "profile", "add", "berta")
        started = page.post("/pair/start", json={"client": "Silly\x1b[31mTavern"}).json()
        said = tidelore(tmp_path, "pair").stdout
        assert PAGE in said
        assert "\x1b" not in said
        assert started["code"] not in said
        assert answered(tmp_path, "pair", "000000" if started["code"] != "000000" else "1", code=1)["error"]["code"] == "code_wrong"
        assert answered(tmp_path, "pair", started["code"], "--profile", "berta")["state"] == "confirmed"
        key = page.get(f"/pair/{started['id']}").json()["key"]
        assert page.get("/status", headers={"X-Api-Key": key}).json()["profile"] == "berta"
        assert key != berta["key"]
        assert answered(tmp_path, "pair", "--forget", PAGE, "--profile", "berta") == {"forgotten": 1}
        assert page.get("/status", headers={"X-Api-Key": key}).status_code == 403


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of its own")
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_page_is_let_in_at_the_terminal_that_serves(tmp_path: Path, language: str) -> None:
    import pty

    ours, theirs = pty.openpty()
    command = [*COMMAND, "serve", "--port", "0", "--lang", language]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment(tmp_path, {"NO_COLOR": "1"})) as serve:
        os.close(theirs)
        screen = ""

        def until(words: str) -> str:
            nonlocal screen
            while words not in screen:
                data = os.read(ours, 4096)
                assert data
                screen += data.decode()
            before, _, screen = screen.partition(words)
            return before

        try:
            before = until("Ctrl-C")
            key = Profiles(tmp_path).key("default")
            assert key in before
            url = "http://127.0.0.1:" + before.split("http://127.0.0.1:")[1][:5].split("\r")[0].strip()
            with httpx.Client(base_url=url, headers={"Origin": PAGE}, trust_env=False) as page:
                started = page.post("/pair/start", json={"client": "SillyTavern"}).json()
                before = until(PAGE)
                assert started["code"] not in before
                os.write(ours, b"12\n")
                os.write(ours, started["code"].encode() + b"\n")
                until("SillyTavern (" if language == "en" else "SillyTavern（")
                while (found := page.get(f"/pair/{started['id']}").json()) == {"state": "waiting"}:
                    pass
                assert found["state"] == "paired"
                refused = page.post("/pair/start", json={"client": "Another"}).json()
                until("Another")
                os.write(ours, b"\n")
                while (answer := page.get(f"/pair/{refused['id']}")).status_code == 200:
                    pass
                assert answer.json()["error"]["code"] == "pairing_refused"
            serve.send_signal(signal.SIGINT)
            assert serve.wait(30) == 0
        finally:
            serve.kill()
            os.close(ours)


@pytest.mark.req("P119")
def test_nothing_that_is_logged_holds_a_key_or_a_word_of_a_chat(tmp_path: Path) -> None:
    secret = "The lighthouse keeper loves Mira"
    with process(tmp_path) as (serve, ready):
        rpc(ready, "chat.update", chat="a", messages=messages(2, secret))
        url, good = ready["url"], {"X-Api-Key": ready["key"]}
        for path, headers in (("/rpc?key=" + ready["key"], good), ("/rpc", {"X-Api-Key": "wrong"}), ("/nowhere", good)):
            httpx.post(url + path, headers=headers, content=secret, trust_env=False)

        async def break_in() -> None:
            async with Server(url, ready["key"]).raw() as connection:
                await Client(connection).call("hello", token=ready["key"])
                await connection.send(secret.encode() + b"\xff", text=True)
                with pytest.raises(ConnectionClosed):
                    await connection.recv()

        asyncio.run(break_in())
        serve.send_signal(signal.SIGTERM)
        out, err = serve.communicate(timeout=30)
        for words in (ready["key"], "lighthouse", "Mira"):
            assert words not in out + err
        assert "UnicodeDecodeError" in err


def test_kill_9_during_sixteen_writers_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    acknowledged: list[set[str]] = [set() for _ in range(16)]
    enough = threading.Event()

    def over_http(ready: dict[str, str], number: int) -> None:
        with httpx.Client(base_url=ready["url"], headers={"X-Api-Key": ready["key"]}, trust_env=False, timeout=30) as client:
            for at in range(10_000):
                text = f"Writer {number} wrote {at}."
                body = {"jsonrpc": "2.0", "id": 1, "method": "node.write", "params": {"chat": "a", "text": text}}
                try:
                    assert "result" in client.post("/rpc", json=body).json()
                except httpx.HTTPError:
                    return
                note(number, text)

    async def over_socket(server: Server, number: int) -> None:
        try:
            async with server.client() as client:
                for at in range(10_000):
                    text = f"Writer {number} wrote {at}."
                    await client.call("node.write", chat="a", text=text)
                    note(number, text)
        except (ConnectionClosed, OSError):
            return

    def note(number: int, text: str) -> None:
        acknowledged[number].add(text)
        if all(len(each) >= 5 for each in acknowledged):
            enough.set()

    async def all_sockets(ready: dict[str, str]) -> None:
        server = Server(ready["url"], ready["key"])
        await asyncio.gather(*(over_socket(server, number) for number in range(8)))

    with process(tmp_path) as (serve, ready):
        rpc(ready, "chat.update", chat="a", messages=[])
        threads = [threading.Thread(target=over_http, args=(ready, number)) for number in range(8, 16)]
        threads.append(threading.Thread(target=lambda: asyncio.run(all_sockets(ready))))
        for thread in threads:
            thread.start()
        assert enough.wait(60)
        serve.kill()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()

    async def stored() -> set[str]:
        async with open_service(tmp_path) as service:
            graph = await service.call("graph.get", {"chat": "a"})
            return {node["text"] for node in graph["nodes"]}

    found = asyncio.run(stored())
    assert set().union(*acknowledged) <= found
    assert sum(map(len, acknowledged)) >= 80
    assert answered(tmp_path, "doctor")["ok"]


def test_a_second_signal_does_not_wait(tmp_path: Path) -> None:
    held, asked = threading.Event(), threading.Event()

    def rule(request: Request) -> Reply:
        asked.set()
        return replace(said("{}"), hold=held)

    def extract(ready: dict[str, str]) -> None:
        with suppress(httpx.HTTPError, KeyError, ValueError):
            rpc(ready, "extract.run", chat="a", by="model", lag=0)

    with model_serving(rule) as model, process(tmp_path, "--model-url", model.url, "--model", "m") as (serve, ready):
        rpc(ready, "chat.update", chat="a", messages=messages(4))
        thread = threading.Thread(target=extract, args=(ready,))
        thread.start()
        try:
            assert asked.wait(30)
            serve.send_signal(signal.SIGINT)
            while running(tmp_path) == Daemon(ready["url"], serve.pid):
                pass
            assert serve.poll() is None
            serve.send_signal(signal.SIGINT)
            # Ten seconds are what one signal waits.
            assert serve.wait(8) == 0
        finally:
            held.set()
            thread.join(60)
