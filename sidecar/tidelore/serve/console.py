"""The panel in a browser: its files, and the way in. The files are those of the SillyTavern extension, so that there is one panel: they are
`tidelore/page` in a wheel, `extension` in a checkout."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from tidelore.serve import requests as q
from tidelore.serve.console_logins import Logins
from tidelore.serve.endpoints import Endpoint, bind, owner
from tidelore.serve.faults import Refusal
from tidelore.serve.gate import visit
from tidelore.serve.origins import is_loopback

PATH = "/console/"
START = "console/index.html"
# What the panel is made of; the rest of the extension is for SillyTavern alone.
FOLDERS = frozenset({"console", "locales", "panel", "remote", "ui", "vendor"})
TYPES: Mapping[str, str] = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json",
}
# Everything comes from here: no script and no style in the page itself, nothing from elsewhere, in no frame. The signs are pictures in the
# styles. Some browsers do not count the socket among what 'self' means, so it is named.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' ws://{host}; worker-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-cache",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}

FILE = Endpoint(
    "GET",
    f"{PATH}{{name}}",
    "console",
    "sidecar",
    "A file of the panel; without a name the page itself. They have no data.",
    media="text/html",
    errors=(404,),
    key=False,
)
LOGIN = Endpoint(
    "POST",
    f"{PATH}login",
    "consoleLogin",
    "sidecar",
    "A key for the page of the panel, in exchange for a code that is good once. It works until the sidecar ends, from this origin.",
    body=q.Login,
    result=q.LoggedIn,
    errors=(403,),
    key=False,
)
CODE = Endpoint(
    "POST",
    "/pairings/console",
    "consoleCode",
    "pairing",
    "A code that opens the panel in a browser, once. For the profile's own key.",
    result=q.LoginCode,
    owner=True,
)
ENDPOINTS = (LOGIN, CODE, FILE)


def routes(logins: Logins) -> list[BaseRoute]:
    async def login(request: Request, asked: Any) -> q.LoggedIn:
        key, found = logins.login(asked.code, visit(request.scope).origin)
        return q.LoggedIn(key, found.profile, found.chat)

    async def code(request: Request, asked: Any) -> q.LoginCode:
        del asked
        return q.LoginCode(logins.code(owner(request)))

    return [bind(LOGIN, login), bind(CODE, code), Route(f"{PATH}{{name:path}}", _file, methods=["GET"], name=FILE.name)]


def address(url: str, code: str) -> str:
    """Where the panel opens by itself, once. What comes after # is not sent, so it is in no log."""
    return f"{url}{PATH}#login={code}"


def is_own(origin: str, port: int) -> bool:
    """Whether a page of this origin is the panel of this very sidecar, which listens on this port."""
    parts = urlsplit(origin)
    return parts.scheme == "http" and (parts.port or 80) == port and is_loopback(parts.hostname or "")


@cache
def folder() -> Path:
    """Where the files lie. Raises Refusal where they are not."""
    package = Path(__file__).resolve().parents[1]
    for found in (package / "page", package.parents[1] / "extension"):
        if (found / START).is_file():
            return found
    raise Refusal(404, "no_console", "This installation has no files of the panel.", "Install the package tidelore anew.")


async def _file(request: Request) -> Response:
    path = find(request.path_params["name"])
    data = await asyncio.to_thread(path.read_bytes)
    tag = f'"{hashlib.sha256(data).hexdigest()[:32]}"'
    # The gate has looked at Host: it is a name of this machine, and holds nothing else.
    headers = {**HEADERS, "Content-Security-Policy": POLICY.format(host=request.headers["host"]), "ETag": tag}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(data, media_type=TYPES[path.suffix], headers=headers)


def find(name: str) -> Path:
    """The file of a name in the address. Raises Refusal for what is no file of the panel."""
    parts = PurePosixPath(name or START).parts
    inside = folder()
    path = inside.joinpath(*parts)
    known = (len(parts) == 1 or parts[0] in FOLDERS) and ".." not in parts and path.suffix in TYPES
    if not known or not path.is_file() or not path.resolve().is_relative_to(inside.resolve()):
        raise Refusal(404, "no_route", "The panel has no such file.", "docs/sidecar.md lists the routes.")
    return path
