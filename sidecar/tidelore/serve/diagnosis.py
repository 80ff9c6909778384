"""Looks at the sidecar that runs, or would run: asks it what a stranger would ask, and expects to be refused. And at the services behind
its gateway."""

from __future__ import annotations

import re
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from tidelore.engine.errors import TideloreError
from tidelore.host.config import ServeConfig, UpstreamConfig
from tidelore.host.daemon import RECORD, Daemon, running
from tidelore.host.diagnosis import Finding
from tidelore.host.diagnosis_models import without_secrets
from tidelore.host.profiles import DEFAULT, Profiles
from tidelore.serve.gateway.upstreams import Upstream, ask_for_models, connected
from tidelore.serve.origins import is_loopback, origin_of
from tidelore.serve.process import CannotListen, listen

SECONDS = 5.0
STRANGER = "stranger.example"
_VARIABLE = re.compile("[A-Z][A-Z0-9_]{0,63}")


async def sidecar(data: Path, config: ServeConfig) -> list[Finding]:
    """Whether one runs, whether it lets in whom it should, and whether it could start."""
    if not data.is_dir():
        return list(_reach(config))
    stale = (data / RECORD).exists()
    try:
        daemon = running(data)
    except TideloreError as error:
        return [Finding("sidecar", "fail", "unreadable", {"reason": error.sentence})]
    out = list(_reach(config))
    if daemon is not None:
        return [*out, *await _asked(data, daemon)]
    if stale:
        out.append(Finding("sidecar", "warn", "stale", {"file": str(data / RECORD)}))
    else:
        out.append(Finding("sidecar", "ok", "stopped"))
    return [*out, _port(config)]


async def upstreams(configs: Sequence[UpstreamConfig], secret: Callable[[str], str]) -> AsyncIterator[Finding]:
    """Whether each service behind the gateway can be reached and takes its key. `secret` gives the key of a variable's name. The words of
    a service are left out: they may quote the key."""
    try:
        async with connected(configs, secret) as found:
            for upstream in found.all:
                yield await _upstream(upstream)
    except TideloreError as error:
        yield Finding("upstream", "fail", "wrong", {"reason": error.sentence})


async def _upstream(upstream: Upstream) -> Finding:
    named = upstream.config.key_env
    # What is no name of a variable may be a key that somebody put there.
    shown = named if _VARIABLE.fullmatch(named) else "key_env"
    values: dict[str, Any] = {"name": upstream.name, "url": without_secrets(upstream.url), "variable": shown}
    if named and not upstream.key:
        return Finding("upstream", "fail", "key", values)
    try:
        answer = await ask_for_models(upstream)
    except httpx.HTTPError:
        return Finding("upstream", "fail", "unreachable", values)
    values |= {"status": answer.status_code}
    if answer.status_code in (401, 403):
        return Finding("upstream", "fail", "refused", values)
    # Some services have no such list, and answer chats all the same.
    return Finding("upstream", "ok", "answers", values) if answer.is_success else Finding("upstream", "warn", "unlisted", values)


def _reach(config: ServeConfig) -> Iterator[Finding]:
    if is_loopback(config.host):
        yield Finding("reach", "ok", "loopback", {"host": config.host})
    else:
        yield Finding("reach", "warn", "others", {"host": config.host})
    # What is no origin may be anything, a key among it.
    if known := [found for each in config.origins if (found := origin_of(each))]:
        yield Finding("origins", "ok", "are", {"origins": ", ".join(known)})


def _port(config: ServeConfig) -> Finding:
    values: dict[str, Any] = {"host": config.host, "port": config.port}
    try:
        listen(config.host, config.port).close()
    except CannotListen as error:
        return Finding("port", "fail", "taken" if error.taken else "wrong", {**values, "reason": error.reason})
    return Finding("port", "ok", "free", values)


async def _asked(data: Path, daemon: Daemon) -> list[Finding]:
    values: dict[str, Any] = {"url": daemon.url, "pid": daemon.pid}
    key = Profiles(data).key_file(DEFAULT)
    try:
        mine = {"Authorization": f"Bearer {key.read_text('utf-8').strip()}"} if key.exists() else {}
        async with httpx.AsyncClient(base_url=daemon.url, trust_env=False, timeout=SECONDS) as http:
            status = await http.get("/status", headers=mine)
            name = await http.get("/status", headers={**mine, "Host": STRANGER})
            page = await http.get("/status", headers={**mine, "Origin": f"https://{STRANGER}"})
            nobody = await http.get("/status")
    except (httpx.HTTPError, OSError, ValueError) as error:
        return [Finding("sidecar", "fail", "silent", {**values, "reason": type(error).__name__})]
    if status.status_code != 200:
        return [Finding("sidecar", "fail", "odd", {**values, "status": status.status_code})]
    out = [Finding("sidecar", "ok", "runs", values)]
    if not is_loopback(urlsplit(daemon.url).hostname or "") or _is_reached_from_outside(daemon.url):
        out.append(Finding("reach", "warn", "listens", values))
    expected = (("host", name, 403), ("origin", page, 403), ("key", nobody, 401))
    open_to = [what for what, answer, code in expected if answer.status_code != code]
    out += [Finding("rules", "fail", what, values) for what in open_to] or [Finding("rules", "ok", "kept")]
    return out


def _is_reached_from_outside(url: str) -> bool:
    """Whether it answers at another address of this machine, too."""
    port = urlsplit(url).port
    addresses = {each[4][0] for each in _addresses()}
    for address in addresses:
        if is_loopback(str(address)):
            continue
        try:
            socket.create_connection((str(address), port or 80), 0.5).close()
        except OSError:
            continue
        return True
    return False


def _addresses() -> list[Any]:
    try:
        return socket.getaddrinfo(socket.gethostname(), None, type=socket.SOCK_STREAM)
    except OSError:
        return []
