"""One client on the socket: its hello, the calls that run for it, and what it hears of others. It knows nothing of the socket itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from tidelore import __version__
from tidelore.engine.errors import BadInput, TideloreError
from tidelore.engine.params import parse, to_json
from tidelore.engine.service import Call
from tidelore.serve.changes import Change
from tidelore.serve.chunks import MARK, Joiner
from tidelore.serve.extras import FullTable
from tidelore.serve.faults import Refusal
from tidelore.serve.jsonrpc import INVALID_REQUEST, TIDELORE, Fault, decode, encode, error, respond
from tidelore.serve.limits import Limits
from tidelore.serve.outbox import Outbox
from tidelore.serve.rooms import Room
from tidelore.serve.table import Bound

VERSIONS = (1,)
_STOP_SECONDS = 1.0
FEATURES = ("calls", "cancel", "progress", "chunks", "changed", "embed", "model.complete", "status", "ping")
Admit = Callable[[str], Awaitable[Room]]


@dataclass(frozen=True, slots=True)
class Seen:
    """Where a client that comes back was: what `hello` or the last `changed` told it."""

    run: str
    revision: int


@dataclass(frozen=True, slots=True)
class Hello:
    """`token`: the key. `pairing`: the id of a pairing that was confirmed, instead. Neither, where the handshake had the key."""

    token: str = ""
    pairing: str = ""
    client: str = ""
    versions: list[int] = field(default_factory=lambda: list(VERSIONS))
    seen: Seen | None = None


class HangUp(Exception):
    """The conversation ends here: a close code of the protocol, and why."""

    def __init__(self, close: int, reason: TideloreError) -> None:
        super().__init__(reason.code)
        self.close = close
        self.reason = reason


@dataclass(slots=True)
class _Running:
    """A call under way. `given_up`: the caller does not wait for it any more."""

    id: object
    writes: bool
    task: asyncio.Task[None] | None = None
    given_up: bool = False
    why: TideloreError | None = None


class Session:
    """`admit` looks at a key, `redeem` gives the key of a confirmed pairing; `room` is set where the handshake had a key."""

    def __init__(self, outbox: Outbox, limits: Limits, admit: Admit, redeem: Callable[[str], str], room: Room | None) -> None:
        self._outbox = outbox
        self._limits = limits
        self._admit = admit
        self._redeem = redeem
        self._room = room
        self._table: FullTable | None = None
        self._joiner = Joiner(limits.message)
        self._running: dict[str, _Running] = {}
        self._unlisten: Callable[[], None] = lambda: None

    @property
    def greeted(self) -> bool:
        return self._table is not None

    async def take(self, frame: str) -> None:
        """One text that came. Raises HangUp."""
        if len(frame) > self._limits.frame or len(frame.encode("utf-8", "surrogatepass")) > self._limits.frame:
            raise HangUp(
                1009,
                Refusal(413, "frame_too_large", f"A frame holds at most {self._limits.frame:,} bytes.", "Send a long message in chunks."),
            )
        try:
            message = decode(frame.encode("utf-8", "surrogatepass"))
            if self._table is not None and isinstance(message, dict) and MARK in message:
                whole = self._joiner.feed(message[MARK])
                if whole is None:
                    return
                message = decode(whole.encode("utf-8", "surrogatepass"))
        except Fault as fault:
            self._failed(None, fault)
            if not self.greeted:
                raise HangUp(1008, _hello_first()) from fault
            return
        except BadInput as wrong:
            self._failed(None, Fault(INVALID_REQUEST, wrong.sentence, {"code": wrong.code, "hint": wrong.hint}))
            return
        except Refusal as much:
            raise HangUp(1009, much) from much
        if self._table is None:
            await self._hello(message)
        else:
            self._request(message, self._table)

    # ---- hello ----

    async def _hello(self, message: object) -> None:
        if not isinstance(message, dict) or message.get("method") != "hello" or "id" not in message:
            raise HangUp(1008, _hello_first())
        try:
            hello = parse(Hello, message.get("params", {}))
            version = max(set(hello.versions) & set(VERSIONS), default=0)
            if not version:
                raise Refusal(400, "no_common_version", f"This sidecar speaks version {VERSIONS[-1]}.", "Update the older of the two.")
            key = self._redeem(hello.pairing) if hello.pairing else hello.token
            room = await self._admit(key) if key else self._room
            if room is None:
                raise Refusal(401, "key_missing", "The hello holds no key.", "Send it as `token`, or pair first.")
        except TideloreError as wrong:
            self._failed(message["id"], _fault(wrong))
            raise HangUp(1008, wrong) from wrong
        self._room = room
        self._table = FullTable(room, by=self)
        result = {
            "version": version,
            "server": {"name": "tidelore", "version": __version__},
            "features": list(FEATURES),
            "limits": to_json(self._limits),
            "profile": room.profile,
            **({"key": key} if hello.pairing else {}),
            **_missed(room, hello.seen),
        }
        self._unlisten = room.changes.listen(self._changed)
        self._send({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def _changed(self, change: Change) -> None:
        if change.by is self:
            return
        assert self._room is not None
        params = {"chat": change.chat, "scope": change.scope, "run": self._room.changes.run, "revision": change.revision}
        self._outbox.put_newest(("changed", change.chat, change.scope), _text({"jsonrpc": "2.0", "method": "changed", "params": params}))

    # ---- calls ----

    def _request(self, message: object, table: FullTable) -> None:
        if not isinstance(message, dict):
            self._failed(None, Fault(INVALID_REQUEST, "Send requests one by one; they run side by side."))
            return
        if message.get("method") == "cancel":
            params = message.get("params")
            self._cancel(_name(params.get("id")) if isinstance(params, dict) else "")
            return
        name = _name(message.get("id"))
        if name and name in self._running:
            self._failed(message.get("id"), Fault(INVALID_REQUEST, "A call with this id runs already.", {"code": "id_in_use"}))
            return
        if len(self._running) >= self._limits.calls:
            much = Refusal(429, "too_many_calls", f"{self._limits.calls} calls run already.", "Wait for an answer before the next call.")
            self._failed(message.get("id"), _fault(much))
            return
        running = _Running(message.get("id"), _writes(table, message))
        key = name or f"notification {id(running)}"
        self._running[key] = running
        running.task = asyncio.create_task(self._answer(table, message, key, running))

    async def _answer(self, table: FullTable, message: dict[str, Any], key: str, running: _Running) -> None:
        def progress(done: int, total: int) -> None:
            if "id" in message and not running.given_up:
                params = {"id": message["id"], "done": done, "total": total}
                self._outbox.put_newest(("progress", key), _text({"jsonrpc": "2.0", "method": "progress", "params": params}))

        try:
            response = await respond(table, message, Call(progress, lambda: running.given_up))
        except asyncio.CancelledError:
            why = running.why or Refusal(499, "cancelled", "The call was cancelled.", "What it had stored stays.")
            response = None
            if "id" in message:
                response = error(message["id"], _fault(why))
        finally:
            del self._running[key]
            self._outbox.drop(("progress", key))
        if response is not None:
            self._send(response)

    def _cancel(self, key: str) -> None:
        running = self._running.get(key)
        if running is not None and running.task is not None:
            running.given_up = True
            running.task.cancel()

    # ---- the end ----

    async def end(self, why: TideloreError, *, wait: float) -> None:
        """No more is taken, and every call that waits ends with `why`. Those that only read are stopped. Those that write get `wait`
        seconds to end well; with 0 they go on alone, since what they store was asked for."""
        self._unlisten()
        for running in self._running.values():
            running.given_up, running.why = True, why
            if running.task is not None and not running.writes:
                running.task.cancel()
        await self._ended(lambda running: not running.writes, _STOP_SECONDS)
        await self._ended(lambda running: running.writes, wait)
        for running in list(self._running.values()):
            if running.task is None:
                continue
            if wait:
                running.task.cancel()
            else:
                assert self._room is not None
                self._room.work.keep(running.task)
                self._failed(running.id, _fault(why))
        await self._ended(lambda _: wait > 0, _STOP_SECONDS)

    async def _ended(self, which: Callable[[_Running], bool], seconds: float) -> None:
        tasks = [running.task for running in self._running.values() if running.task is not None and which(running)]
        if tasks and seconds:
            await asyncio.wait(tasks, timeout=seconds)

    def report(self, why: TideloreError) -> None:
        """Tells the client why the line is about to be closed."""
        self._failed(None, _fault(why))

    def _failed(self, id_: object, fault: Fault) -> None:
        self._send(error(id_ if _name(id_) or id_ is None else None, fault))

    def _send(self, value: object) -> None:
        self._outbox.put(_text(value))


def _fault(why: TideloreError) -> Fault:
    return Fault(TIDELORE, why.sentence, {"code": why.code, "hint": why.hint})


def _missed(room: Room, seen: Seen | None) -> dict[str, Any]:
    """Where the client is now; and, of one that was here before, what changed since: chats, or `everything`."""
    now: dict[str, Any] = {"run": room.changes.run, "revision": room.changes.revision}
    if seen is None:
        return now
    missed = room.changes.since(seen.run, seen.revision)
    if missed is None or any(not change.chat and not change.scope for change in missed):
        return {**now, "everything": True, "changed": []}
    changed = dict.fromkeys((change.chat, change.scope) for change in missed)
    return {**now, "everything": False, "changed": [{"chat": chat, "scope": scope} for chat, scope in changed]}


def _writes(table: FullTable, message: dict[str, Any]) -> bool:
    name = message.get("method")
    found: Bound | None = table.find(name) if isinstance(name, str) else None
    return found is not None and found.writes


def _hello_first() -> Refusal:
    return Refusal(401, "hello_first", "The first message must be a request `hello` in one frame.", "docs/sidecar.md shows it.")


def _name(id_: object) -> str:
    """An id as a key: 1 and "1" are different ones. Empty for what is none."""
    return json.dumps(id_) if isinstance(id_, str | int | float) and not isinstance(id_, bool) else ""


def _text(value: object) -> str:
    return encode(value).decode("utf-8", "surrogatepass")
