"""The process `tidelore serve`: binds, serves until it is told to stop, and ends cleanly."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import secrets
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from tidelore.engine.errors import TideloreError
from tidelore.engine.text.patterns import compile_all
from tidelore.host.config import Config
from tidelore.host.daemon import Claim, Daemon, claimed
from tidelore.host.grants import Grant, Grants
from tidelore.host.keyring import Keyring
from tidelore.host.models import embedding_model, memory_model
from tidelore.host.models import secrets as secrets_of
from tidelore.host.open import now, token
from tidelore.host.profiles import DEFAULT, Profiles, new_key
from tidelore.serve import console
from tidelore.serve.app import App, Parts, build
from tidelore.serve.console_logins import Logins
from tidelore.serve.descriptors import allow_many
from tidelore.serve.embedder_files import shipped_embedder
from tidelore.serve.gate import Rules
from tidelore.serve.idle import Idle
from tidelore.serve.limits import USUAL, Limits
from tidelore.serve.logs import to_stderr
from tidelore.serve.origins import is_loopback
from tidelore.serve.pairing import Pairing, Pairings
from tidelore.serve.patience import patient
from tidelore.serve.rooms import Models, Rooms, opened
from tidelore.serve.runtime import Runtime, shipped
from tidelore.serve.transports import transports

RUNTIME_FOLDER = "runtime"
_BACKLOG = 2048


class CannotListen(TideloreError):
    """`taken`: another program has this port."""

    code = "cannot_listen"

    def __init__(self, host: str, port: int, reason: str, *, taken: bool) -> None:
        super().__init__(f"{host}:{port} cannot be listened on: {reason}.", "Choose another port with --port; 0 lets the system pick one.")
        self.host, self.port, self.reason, self.taken = host, port, reason, taken


class NotLoopback(TideloreError):
    """Others could reach the memory, and nobody has said that they may."""

    code = "not_loopback"

    def __init__(self, host: str) -> None:
        super().__init__(
            f"{host} can be reached from other machines, and what goes over the network there is not encrypted.",
            "Safer: leave it on 127.0.0.1 and use `ssh -L`, or put a proxy with TLS before it. To do it all the same: --remote.",
        )
        self.host = host


@dataclass(frozen=True, slots=True)
class Options:
    """`remote`: others may reach it, a person has said so. `on_pairing` is told when a page asks to be paired. `idle`: it ends when nobody
    asked for anything for so many seconds; 0 for never."""

    data: Path
    config: Config
    remote: bool = False
    limits: Limits = USUAL
    on_pairing: Callable[[Pairing], None] = lambda _: None
    idle: float = 0.0


@dataclass(frozen=True, slots=True)
class Running:
    """What serves now: its address, the key of the default profile, the pairings, and how to stop it. `console(chat)` gives an
    address at which the panel opens once, on that chat or, for "", on the newest."""

    url: str
    key: str
    pairings: Pairings
    stop: Callable[[], None]
    console: Callable[[str], str]


async def run(options: Options, ready: Callable[[Running], None]) -> None:
    """Serves until SIGINT, SIGTERM or `stop`; then the writes that run are waited for. A second signal does not wait.

    Raises NotLoopback, CannotListen, AlreadyRunning, StoreError, BadInput; then nothing was served.
    """
    serve = options.config.serve
    if not (is_loopback(serve.host) or options.remote):
        raise NotLoopback(serve.host)
    allow_many()
    compile_all()
    with claimed(options.data) as claim, contextlib.closing(listen(serve.host, serve.port)) as listening:
        profiles = Profiles(options.data)
        keyring = Keyring(profiles, Grants(options.data))
        key = profiles.key(DEFAULT)
        async with (
            _models(options.config, options.data) as models,
            opened(profiles, models) as rooms,
            transports(options.config, options.data) as more,
        ):
            logins = Logins()
            pairings = _pairings(keyring, logins, listening.getsockname()[1], options.on_pairing)
            app = build(_parts(options, keyring, rooms, pairings, logins), more)

            def begun(url: str, stop: Callable[[], None]) -> None:
                ready(Running(url, key, pairings, stop, lambda chat: console.address(url, logins.code(DEFAULT, chat))))

            await _serve(app, rooms, listening, options, claim, begun)


def _parts(options: Options, keyring: Keyring, rooms: Rooms, pairings: Pairings, logins: Logins) -> Parts:
    serve = options.config.serve
    hosts = {name.lower() for name in serve.hosts} | ({serve.host.lower()} if options.remote else set())
    folder = Path(serve.runtime).expanduser() if serve.runtime else None
    runtime = Runtime(shipped(), options.data / RUNTIME_FOLDER, serve.cdns, folder, embedder=shipped_embedder())
    rules = Rules(frozenset(hosts), frozenset(serve.origins))
    return Parts(rules, keyring, rooms, pairings, runtime, time.monotonic, options.limits, logins)


def _pairings(keyring: Keyring, logins: Logins, port: int, announce: Callable[[Pairing], None]) -> Pairings:
    def grant(pairing: Pairing) -> str:
        if console.is_own(pairing.origin, port):
            # The panel in a browser: it is let in for as long as it is open, not for ever.
            return logins.session(pairing.profile, pairing.origin)
        key = new_key()
        keyring.grants.add(Grant(pairing.origin, pairing.client, pairing.profile, "", now()), key)
        return key

    return Pairings(time.monotonic, token, secrets.randbelow, grant, announce)


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are ours: writes are waited for before the server ends."""
        yield


async def _serve(
    app: App,
    rooms: Rooms,
    listening: socket.socket,
    options: Options,
    claim: Claim,
    ready: Callable[[str, Callable[[], None]], None],
) -> None:
    limits = options.limits
    idle = Idle(app.asgi, time.monotonic)
    server = _Server(
        uvicorn.Config(
            idle,
            http=patient(limits.head_seconds),
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="websockets-sansio",
            # Above the frame limit, so that the session can say by its name what was too long.
            ws_max_size=4 * limits.frame,
            # On one machine it only costs: memory for each socket, and time.
            ws_per_message_deflate=False,
            ws_ping_interval=limits.ping_seconds,
            ws_ping_timeout=limits.ping_seconds,
            timeout_graceful_shutdown=int(limits.drain_seconds) or 1,
        )
    )
    stopping, hurry = asyncio.Event(), asyncio.Event()

    def stop() -> None:
        if stopping.is_set():
            hurry.set()
            server.force_exit = True
        rooms.work.closed = True
        stopping.set()

    with to_stderr(), _stop_signals(stop):
        serving = asyncio.create_task(server.serve([listening]))
        looking = asyncio.create_task(rooms.look_around())
        waiting = asyncio.create_task(stopping.wait())
        resting = [asyncio.create_task(idle.over(options.idle))] if options.idle else []
        try:
            # The socket listens already, so whoever connects from now on is answered.
            url = _url(listening)
            claim.announce(Daemon(url, os.getpid()))
            ready(url, stop)
            await asyncio.wait([serving, waiting, looking, *resting], return_when=asyncio.FIRST_COMPLETED)
            claim.withdraw()
            await _unless(hurry, rooms.drain(limits.drain_seconds))
            await _unless(hurry, app.sockets.close())
        finally:
            for task in (looking, waiting, *resting):
                task.cancel()
            server.should_exit = True
            await serving
    if looking.done() and not looking.cancelled():
        looking.result()


async def _unless(hurry: asyncio.Event, work: Coroutine[Any, Any, object]) -> None:
    """Waits for the work, until there is a hurry."""
    tasks = [asyncio.ensure_future(work), asyncio.ensure_future(hurry.wait())]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


@contextmanager
def _stop_signals(stop: Callable[[], None]) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    numbers = [signal.SIGINT, signal.SIGTERM, *([signal.SIGBREAK] if hasattr(signal, "SIGBREAK") else [])]
    before = {}
    for number in numbers:
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:  # Windows, where a handler runs between two steps of Python
            before[number] = signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))
    try:
        yield
    finally:
        for number in numbers:
            if number in before:
                signal.signal(number, before[number])
            else:
                loop.remove_signal_handler(number)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens. Raises CannotListen."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        # With the protocol named, or asyncio would not switch Nagle's algorithm off: every answer of HTTP would come 40 ms late.
        listening = socket.socket(family, kind, socket.IPPROTO_TCP)
        try:
            if os.name == "posix":  # elsewhere this would let two programs listen at once
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(_BACKLOG)
        except OSError:
            listening.close()
            raise
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CannotListen(host, port, reason, taken=getattr(error, "errno", 0) == errno.EADDRINUSE) from error
    return listening


def _url(listening: socket.socket) -> str:
    """How a program on this machine reaches it."""
    host, port = listening.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@asynccontextmanager
async def _models(config: Config, data: Path) -> AsyncIterator[Models]:
    """The models that are set up. Raises BadInput for an address or a key that cannot be one."""
    async with contextlib.AsyncExitStack() as stack:
        key = secrets_of(data)
        model, embedder = memory_model(config.model, key), embedding_model(config.embedder, key)
        if model is not None:
            stack.push_async_callback(model.aclose)
        if embedder is not None:
            stack.push_async_callback(embedder.aclose)
        yield Models(model, embedder)
