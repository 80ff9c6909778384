"""`tidelore rpc` as a script in another language meets it."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.sidecar.cli_kit import COMMAND, environment, tidelore
from tidelore.engine.service import METHODS


def exchange(data: Path, *lines: bytes | str | dict[str, Any] | list[Any]) -> list[Any]:
    """The answers to these lines; the process must end well."""
    encoded = [line if isinstance(line, bytes) else (line if isinstance(line, str) else json.dumps(line)).encode() for line in lines]
    done = tidelore(data, "rpc", input_=b"\n".join(encoded) + b"\n")
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def request(method: str, id_: Any = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


MESSAGES = [
    {"role": "user", "name": "Ann", "text": "My sister Berta lives in Bergen.", "hidden": False},
    {"role": "assistant", "name": "Bob", "text": "Then Berta knows the rain of Bergen.", "hidden": False},
]


def test_requests_are_answered_in_order(tmp_path: Path) -> None:
    updated, extracted, graph, listed = exchange(
        tmp_path,
        request("chat.update", 1, chat="a", messages=MESSAGES),
        request("extract.run", "two", chat="a", by="rules", lag=0),
        request("graph.get", 3.5, chat="a"),
        request("chat.list", None),
    )
    assert [each["id"] for each in (updated, extracted, graph, listed)] == [1, "two", 3.5, None]
    assert updated["result"]["messages"] == 2
    assert extracted["result"]["windows"] == 2
    assert graph["result"]["nodes"]
    (chat,) = listed.pop("result")["chats"]
    assert listed == {"jsonrpc": "2.0", "id": None}
    assert (chat["chat"], chat["messages"], chat["branch_of"]) == ("a", 2, "")
    # And it is stored: another process sees it.
    assert exchange(tmp_path, request("graph.get", 3.5, chat="a")) == [graph]


def test_notifications_get_no_answer_and_are_done(tmp_path: Path) -> None:
    told = request("chat.update", chat="a", messages=MESSAGES)
    del told["id"]
    unknown = {"jsonrpc": "2.0", "method": "no.such"}
    assert [each["result"]["chats"][0]["messages"] for each in exchange(tmp_path, told, unknown, request("chat.list"))] == [2]


def test_a_batch_is_answered_as_a_batch(tmp_path: Path) -> None:
    silent = {"jsonrpc": "2.0", "method": "chat.list"}
    answers = exchange(tmp_path, [request("chat.list", 1), silent, 7, request("no.such", 2)], [silent], [])
    assert len(answers) == 2
    assert [(each["id"], each.get("error", {}).get("code")) for each in answers[0]] == [(1, None), (None, -32600), (2, -32601)]
    assert answers[1]["error"]["code"] == -32600


@pytest.mark.parametrize(
    ("line", "code", "id_"),
    [
        (b"{", -32700, None),
        (b"\xff\xfe{}", -32700, None),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "\xff"}', -32700, None),
        (b"[" * 100_000, -32700, None),
        (b"1", -32600, None),
        (b'"chat.list"', -32600, None),
        (b'{"id": 1, "method": "chat.list"}', -32600, 1),
        (b'{"jsonrpc": "2.0", "id": 1}', -32600, 1),
        (b'{"jsonrpc": "2.0", "id": true, "method": "chat.list"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "chat.list"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "chat.burn"}', -32601, 1),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "graph.get"}', -32602, 1),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "graph.get", "params": {"chat": 1}}', -32602, 1),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "graph.get", "params": {"chat": "a", "colour": 1}}', -32602, 1),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "graph.get", "params": ["a"]}', -32602, 1),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "graph.get", "params": {"chat": "nowhere"}}', -32000, 1),
    ],
)
def test_each_fault_has_its_code_and_the_process_goes_on(tmp_path: Path, line: bytes, code: int, id_: object) -> None:
    fault, after = exchange(tmp_path, line, request("chat.list", 9))
    assert (fault["id"], fault["error"]["code"]) == (id_, code)
    assert fault["error"]["message"]
    if code in (-32000, -32602):
        assert fault["error"]["data"].keys() == {"code", "hint"}
    assert after["id"] == 9


def test_a_line_of_fifty_megabytes_works(tmp_path: Path) -> None:
    big = {"role": "system", "text": "x" * 50_000_000}
    (answer,) = exchange(tmp_path, request("chat.update", chat="a", messages=[*MESSAGES, big]))
    assert answer["result"]["skipped"] == {"system": 1}


def test_text_that_is_no_utf_8_comes_back_as_json(tmp_path: Path) -> None:
    line = b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "chat.list"}'
    (answer,) = exchange(tmp_path, line)
    assert answer["id"] == "\ud800"


def test_a_last_line_without_an_end_counts_and_empty_lines_do_not(tmp_path: Path) -> None:
    done = tidelore(tmp_path, "rpc", input_=b"\n  \n" + json.dumps(request("chat.list")).encode())
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 1)
    assert tidelore(tmp_path, "rpc").returncode == 0


@pytest.mark.parametrize("name", ["rpc.discover", "methods"])
def test_the_methods_can_be_listed(tmp_path: Path, name: str) -> None:
    (answer,) = exchange(tmp_path, request(name))
    listed = {each["name"]: each for each in answer["result"]["methods"]}
    assert listed.keys() == METHODS.keys()
    assert all(each["doc"] for each in listed.values())
    assert {"name": "chat", "type": "text", "required": True} in listed["graph.get"]["params"]


def test_nothing_but_the_protocol_gets_to_stdout(tmp_path: Path) -> None:
    script = (
        "import sys, dataclasses; from tidelore.engine.service import METHODS\n"
        "async def shout(service, params, call):\n    print('noise'); raise ZeroDivisionError\n"
        "METHODS['test.shout'] = dataclasses.replace(METHODS['chat.list'], handler=shout)\n"
        "from tidelore.cli import main; sys.exit(main(['rpc']))"
    )
    lines = "".join(json.dumps(each) + "\n" for each in (request("test.shout"), request("chat.list", 2)))
    done = subprocess.run(
        [COMMAND[0], "-c", script], input=lines, capture_output=True, text=True, env=environment(tmp_path), timeout=60, check=False
    )
    failed, listed = map(json.loads, done.stdout.splitlines())
    assert (done.returncode, failed["error"]["code"], listed["id"]) == (0, -32603, 2)
    assert "noise" in done.stderr
    assert "ZeroDivisionError" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    with subprocess.Popen(
        [*COMMAND, "rpc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(tmp_path)
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(json.dumps(request("chat.update", chat="a", messages=MESSAGES)).encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["result"]["messages"] == 2
        process.send_signal(number)
        assert process.wait(30) == 0
        assert process.stderr.read() == b""
