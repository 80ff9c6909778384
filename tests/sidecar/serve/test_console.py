"""The panel in a browser: its files, and who is let in by which address."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path, PurePosixPath

import pytest
from websockets.exceptions import InvalidStatus

from tests.sidecar.serve.kit import Failed, serving
from tidelore.host.grants import FILE
from tidelore.host.profiles import Profiles
from tidelore.serve import console
from tidelore.serve.console_logins import CODES, SESSIONS, Logins
from tidelore.serve.faults import Refusal

ROOT = Path(__file__).resolve().parents[3]
ORIGIN = "http://127.0.0.1:8414"
IMPORTS = re.compile(r"""(?:from|import)\s*\(?\s*["'](\.{1,2}/[^"']+)["']|new URL\(["'](\.{1,2}/[^"'$]+\.js)["']""")


def code_of(address: str) -> str:
    return address.partition("#login=")[2]


def test_a_code_opens_once_and_its_key_works_for_that_page_alone() -> None:
    logins = Logins()
    code = logins.code("default", "The Tide Mill")
    key, found = logins.login(code, ORIGIN)
    assert (found.profile, found.chat) == ("default", "The Tide Mill")
    caller = logins.find(key, ORIGIN)
    assert caller is not None
    assert (caller.profile, caller.owner) == ("default", False)
    assert logins.find(key, "http://127.0.0.1:9999") is None
    assert logins.find(key, "") is None
    assert logins.find("tl_other", ORIGIN) is None
    for used in (code, "", "x"):
        with pytest.raises(Refusal, match="has opened the panel before"):
            logins.login(used, ORIGIN)


def test_of_many_codes_and_sessions_the_oldest_go() -> None:
    logins = Logins()
    codes = [logins.code("default") for _ in range(CODES + 1)]
    with pytest.raises(Refusal):
        logins.login(codes[0], ORIGIN)
    assert logins.login(codes[1], ORIGIN)
    keys = [logins.session("default", ORIGIN) for _ in range(SESSIONS)]
    assert logins.find(keys[0], ORIGIN)
    logins.session("default", ORIGIN)
    assert logins.find(keys[0], ORIGIN) is None


@pytest.mark.parametrize(
    "name",
    ["../pyproject.toml", "console/../../pyproject.toml", "/etc/passwd", "store/store.js", "vendor/sigma.LICENSE", "panel", "", "x.js"],
)
def test_only_files_of_the_panel_are_found(name: str) -> None:
    if not name:
        assert console.find(name).name == "index.html"
        return
    with pytest.raises(Refusal, match="no such file"):
        console.find(name)


def test_every_module_that_the_page_loads_is_among_them() -> None:
    """What is imported, from the page on; also what is imported later, and the worker."""
    seen: set[PurePosixPath] = set()
    todo = [PurePosixPath("console/main.js")]
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        text = console.find(str(name)).read_text("utf-8")
        if name.parts[0] == "vendor":
            continue
        # Types are imported in comments.
        code = re.sub(r"(?s:/\*.*?\*/)|^\s*//.*$", "", text, flags=re.MULTILINE)
        for found in IMPORTS.finditer(code):
            parts: list[str] = list(name.parent.parts)
            for part in PurePosixPath(found[1] or found[2]).parts:
                if part == "..":
                    parts.pop()
                else:
                    parts.append(part)
            todo.append(PurePosixPath(*parts))
    names = {str(name) for name in seen}
    assert {"panel/mount.js", "panel/layout_worker.js", "panel/graph_view.js", "vendor/sigma.mjs", "remote/socket.js"} <= names
    assert not names & {"app.js", "host.js", "index.js"}, "what is SillyTavern's own is not loaded"


def test_the_page_has_no_script_or_style_of_its_own_and_its_policy_allows_none_from_elsewhere(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server, server.http(None) as nobody:
            page = await nobody.get("/console/")
            assert page.status_code == 200
            assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=", page.text) == []
            assert not re.search(r"(?:src|href)=[\"'](?:https?:)?//", page.text)
            policy = page.headers["content-security-policy"]
            rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
            assert rules["default-src"] == "'none'"
            assert rules["script-src"] == rules["style-src"] == rules["worker-src"] == "'self'"
            assert "unsafe" not in policy
            assert rules["connect-src"] == f"'self' ws://{server.url.removeprefix('http://')}"
            assert rules["frame-ancestors"] == "'none'"
            assert page.headers["referrer-policy"] == "no-referrer"
            assert page.headers["x-content-type-options"] == "nosniff"
            assert server.key not in page.text
            script = await nobody.get("/console/console/main.js")
            assert script.headers["content-type"].startswith("text/javascript")
            assert script.headers["content-security-policy"] == policy
            again = await nobody.get("/console/console/main.js", headers={"If-None-Match": script.headers["etag"]})
            assert (again.status_code, again.content) == (304, b"")
            assert (await nobody.get("/console/%2e%2e/pyproject.toml")).status_code in (401, 404)
            assert (await nobody.get("/console", follow_redirects=True)).text == page.text

    asyncio.run(main())


def test_the_address_that_is_printed_lets_its_page_in_once_without_a_key_in_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server, server.http(None, Origin=server.url) as page:
            address = server.running.console("a chat")
            assert server.key not in address
            assert "?" not in address
            code = code_of(address)
            answer = await page.post("/console/login", json={"code": code})
            found = answer.json()
            assert (answer.status_code, found["profile"], found["chat"]) == (200, "default", "a chat")
            assert answer.headers["cache-control"] == "no-store"
            assert found["key"] != server.key
            again = await page.post("/console/login", json={"code": code})
            assert (again.status_code, again.json()["error"]["code"]) == (403, "login_over")
            async with server.client(found["key"], origin=server.url) as client:
                assert await client.call("chat.list") == {"chats": []}
            with pytest.raises(Failed) as wrong:
                async with server.client(found["key"], origin=None):
                    pass
            assert wrong.value.code == "key_wrong"
            with pytest.raises(InvalidStatus, match="403"):
                async with server.raw("http://127.0.0.1:1"):
                    pass
            # It is nobody's key to let others in, and it is on no disk.
            headers = {"Authorization": f"Bearer {found['key']}"}
            for path, body in (("/pairings/console", {}), ("/pairings/confirm", {"code": "1"}), ("/pairings/forget", {"origin": "x"})):
                refused = await page.post(path, json=body, headers=headers)
                assert (refused.status_code, refused.json()["error"]["code"]) == (403, "owner_only")
            assert not (tmp_path / FILE).exists()

    asyncio.run(main())


def test_a_key_of_the_panel_ends_with_the_sidecar(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server, server.http(None, Origin=server.url) as page:
            key = (await page.post("/console/login", json={"code": code_of(server.running.console(""))})).json()["key"]
        async with serving(tmp_path) as later, later.http(key) as page:
            assert (await page.get("/status")).json()["error"]["code"] == "key_wrong"

    asyncio.run(main())


def test_the_owner_gets_codes_for_the_own_profile(tmp_path: Path) -> None:
    async def main() -> None:
        berta = Profiles(tmp_path).add("berta")
        async with serving(tmp_path) as server, server.http(berta) as owner, server.http(None, Origin=server.url) as page:
            code = (await owner.post("/pairings/console")).json()["code"]
            found = (await page.post("/console/login", json={"code": code})).json()
            assert found["profile"] == "berta"
            async with server.client(found["key"], origin=server.url) as client:
                assert client.hello["profile"] == "berta"

    asyncio.run(main())


def test_the_panel_that_shows_a_code_is_let_in_until_the_sidecar_ends_and_another_page_for_ever(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server:
            for origin, kept in ((server.url, False), ("http://127.0.0.1:1", True)):
                async with server.http(None, Origin=origin) as page:
                    asked = (await page.post("/pair/start", json={"client": "Tidelore"})).json()
                    server.running.pairings.confirm(asked["code"], "default")
                    # A browser names no origin where a page only reads from its own.
                    reading = {"Origin": origin} if kept else {"Sec-Fetch-Site": "same-origin"}
                    async with server.http(None, **reading) as reader:
                        key = (await reader.get(f"/pair/{asked['id']}")).json()["key"]
                async with server.client(key, origin=origin) as client:
                    await client.call("ping")
                assert ((tmp_path / FILE).exists() and origin in (tmp_path / FILE).read_text()) is kept

    asyncio.run(main())


def test_a_page_from_elsewhere_cannot_log_in_with_a_code_it_has_seen(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server:
            code = code_of(server.running.console(""))
            async with server.http(None, Origin="https://evil.example") as stranger:
                refused = await stranger.post("/console/login", json={"code": code})
                assert (refused.status_code, refused.json()["error"]["code"]) == (403, "origin_refused")
            async with server.http(None, Host="evil.example") as rebound:
                assert (await rebound.post("/console/login", json={"code": code})).status_code == 403

    asyncio.run(main())


@pytest.mark.parametrize(
    ("origin", "own"),
    [
        ("http://127.0.0.1:8414", True),
        ("http://localhost:8414", True),
        ("http://[::1]:8414", True),
        ("http://127.0.0.1:8000", False),
        ("https://127.0.0.1:8414", False),
        ("http://memory.example:8414", False),
        ("", False),
    ],
)
def test_the_panel_is_known_by_its_origin(origin: str, own: bool) -> None:
    assert console.is_own(origin, 8414) is own


@pytest.mark.slow
def test_a_wheel_holds_the_panel_and_finds_it(tmp_path: Path) -> None:
    checkout, wheels, unpacked = tmp_path / "checkout", tmp_path / "wheels", tmp_path / "unpacked"
    for name in ("sidecar", "extension"):
        shutil.copytree(ROOT / name, checkout / name, ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "LICENSE"):
        shutil.copy(ROOT / name, checkout)
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "--wheel-dir", str(wheels)]
    made = subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(checkout)], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    [wheel] = wheels.iterdir()
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        archive.extractall(unpacked)
    assert {"tidelore/page/console/index.html", "tidelore/page/panel/mount.js", "tidelore/page/vendor/sigma.LICENSE"} <= names
    assert not [name for name in names if name.startswith("tidelore/page/store/")]
    script = "from tidelore.serve import console; print(console.find('').parent, console.find('panel/mount.js').stat().st_size)"
    environment = {**os.environ, "PYTHONPATH": str(unpacked)}
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment, cwd=tmp_path)
    assert found.stdout.split() == [str(unpacked / "tidelore/page/console"), str((ROOT / "extension/panel/mount.js").stat().st_size)]
