"""The files of the page's Python: fetched once from a list of places, never passed on unchecked."""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.sidecar.serve.kit import PAGE, error_of, serving
from tidelore.engine.errors import BadInput
from tidelore.host.config import Config, ServeConfig
from tidelore.serve.faults import Refusal
from tidelore.serve.runtime import LockedFile, Runtime, RuntimeLock, shipped

ROOT = Path(__file__).resolve().parents[3]
DATA = b"print('the runtime')" * 1000


def locked(name: str = "a.mjs", data: bytes = DATA) -> LockedFile:
    return LockedFile(name, len(data), hashlib.sha256(data).hexdigest())


LOCK = RuntimeLock("1.2.3", [locked()])


class Cdn:
    """What a loopback server gives for each path, and what it was asked for."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.url = ""


@contextmanager
def cdn() -> Iterator[Cdn]:
    found = Cdn()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.asked.append(self.path)
            data = found.files.get(self.path)
            self.send_response(200 if data is not None else 404)
            self.send_header("Content-Length", str(len(data or b"")))
            self.end_headers()
            try:
                self.wfile.write(data or b"")
            except OSError:
                return  # who asked has seen enough

        def log_message(self, format: str, *args: object) -> None:
            del format, args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    found.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def read(runtime: Runtime, name: str = "a.mjs") -> bytes:
    return asyncio.run(runtime.read(name))


def refused(runtime: Runtime, name: str = "a.mjs") -> str:
    with pytest.raises(Refusal) as caught:
        read(runtime, name)
    return caught.value.code


def test_a_file_is_fetched_once_from_the_first_place_that_has_it(tmp_path: Path) -> None:
    with cdn() as first, cdn() as second:
        second.files["/npm/1.2.3/a.mjs"] = DATA
        places = [f"{first.url}/npm/{{pyodide}}", f"{second.url}/npm/{{pyodide}}/"]
        for _ in range(2):
            assert read(Runtime(LOCK, tmp_path, places, None)) == DATA
        assert (first.asked, second.asked) == (["/npm/1.2.3/a.mjs"], ["/npm/1.2.3/a.mjs"])


def test_two_who_ask_at_once_fetch_once(tmp_path: Path) -> None:
    async def main(runtime: Runtime) -> list[bytes]:
        return await asyncio.gather(*(runtime.read("a.mjs") for _ in range(5)))

    with cdn() as place:
        place.files["/a.mjs"] = DATA
        assert asyncio.run(main(Runtime(LOCK, tmp_path, [place.url], None))) == [DATA] * 5
        assert place.asked == ["/a.mjs"]


@pytest.mark.parametrize("wrong", [DATA[:-1], DATA + b"x", b"y" + DATA[1:], b"", DATA * 100])
def test_other_bytes_are_refused_and_the_next_place_is_tried(tmp_path: Path, wrong: bytes) -> None:
    with cdn() as bad, cdn() as good:
        bad.files["/a.mjs"] = wrong
        assert refused(Runtime(LOCK, tmp_path, [bad.url], None)) == "runtime_refused"
        assert not list(tmp_path.rglob("*.mjs"))
        good.files["/a.mjs"] = DATA
        assert read(Runtime(LOCK, tmp_path, [bad.url, good.url], None)) == DATA


def test_a_kept_file_that_was_damaged_is_fetched_again(tmp_path: Path) -> None:
    with cdn() as place:
        place.files["/a.mjs"] = DATA
        runtime = Runtime(LOCK, tmp_path, [place.url], None)
        read(runtime)
        [kept] = tmp_path.rglob("a.mjs")
        kept.write_bytes(b"damaged")
        assert read(runtime) == DATA
        assert len(place.asked) == 2


def test_no_place_at_all_says_so(tmp_path: Path) -> None:
    assert refused(Runtime(LOCK, tmp_path, [], None)) == "runtime_unreachable"
    assert refused(Runtime(LOCK, tmp_path, ["http://127.0.0.1:1", "no address"], None)) == "runtime_unreachable"


def test_a_folder_needs_no_network_and_may_have_the_engine_too(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    wheel = b"a wheel"
    (folder / "a.mjs").write_bytes(DATA)
    (folder / "engine.whl").write_bytes(wheel)
    files = [
        {"name": each.name, "size": each.size, "sha256": each.sha256} for each in (locked("engine.whl", wheel), locked("a.mjs", b"other"))
    ]
    (folder / "lock.json").write_text(json.dumps({"files": files}), "utf-8")
    runtime = Runtime(LOCK, tmp_path / "cache", [], folder)
    assert (read(runtime), read(runtime, "engine.whl")) == (DATA, wheel)
    (folder / "engine.whl").write_bytes(b"changed")
    assert refused(runtime, "engine.whl") == "runtime_unreachable"
    (folder / "lock.json").write_text("[]", "utf-8")
    with pytest.raises(BadInput):
        Runtime(LOCK, tmp_path, [], folder)


@pytest.mark.parametrize("name", ["b.mjs", "../key", "lock.json", ""])
def test_what_the_lock_does_not_name_is_not_there(tmp_path: Path, name: str) -> None:
    assert refused(Runtime(LOCK, tmp_path, [], tmp_path), name) == "not_found"


def test_the_route_gives_type_and_tag_to_known_pages_and_programs_only(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "lock.json").write_text(json.dumps({"files": [vars_of(locked())]}), "utf-8")
    (folder / "a.mjs").write_bytes(DATA)

    async def main() -> None:
        config = Config(serve=ServeConfig(runtime=str(folder), origins=[PAGE], cdns=[]))
        async with serving(tmp_path, config=config) as server:
            async with server.http(None, Origin=PAGE) as page:
                answer = await page.get("/runtime/a.mjs")
                assert answer.content == DATA
                assert answer.headers["content-type"].startswith("text/javascript")
                assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
                again = await page.get("/runtime/a.mjs", headers={"If-None-Match": answer.headers["etag"]})
                assert (again.status_code, again.content) == (304, b"")
                assert error_of(await page.get("/runtime/nothing.mjs")) == (404, "not_found")
                assert error_of(await page.get("/runtime/pyodide.mjs")) == (502, "runtime_unreachable")
            async with server.http(None, Origin="http://evil.example") as page:
                assert error_of(await page.get("/runtime/a.mjs")) == (403, "origin_refused")

    asyncio.run(main())


def vars_of(file: LockedFile) -> dict[str, object]:
    return {"name": file.name, "size": file.size, "sha256": file.sha256}


def test_the_shipped_lock_names_the_runtime_that_the_page_is_built_on() -> None:
    built = next((path for path in (ROOT / "wasm/engine/lock.json", ROOT / "build/wasm/lock.json") if path.exists()), None)
    if built is None:
        pytest.skip("needs `make wasm`")
    lock = json.loads(built.read_text("utf-8"))
    runtime = [LockedFile(each["name"], each["size"], each["sha256"]) for each in lock["files"] if each["part"] == "runtime"]
    # When this fails, Pyodide was changed: serve/runtime.json gets the new names, sizes and hashes.
    assert shipped() == RuntimeLock(lock["pyodide"], runtime)
