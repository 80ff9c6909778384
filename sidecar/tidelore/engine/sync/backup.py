"""A backup: the records of a store, its chats as they stand, and its settings, as lines of JSON. It is written and read piece by piece,
each by a call that stands alone; `at` carries what the next one has to know.

    {"tidelore": "backup", "format": 1, "replica": ..., "at": ms}     the first line
    {"record": ...}                                                    as sync.pull gives them, in their order
    {"screen": {"chat": id, "rows": [[order, key, role, name, hidden, date], ...]}}
    {"settings": {...}}
    {"end": {"lines": n, "digest": hash over all lines before}}        the last line

Restoring is union: what is there stays, also what is on screen.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tidelore.engine.codec import canonical, digest
from tidelore.engine.errors import BadInput, Conflict
from tidelore.engine.keys import Entry
from tidelore.engine.ports import Batch, ChatRecord, ChatWrite, Head
from tidelore.engine.shallow import shallow
from tidelore.engine.sync import mirror, peers
from tidelore.engine.sync.absorb import absorb
from tidelore.engine.sync.chain import GENESIS, link
from tidelore.engine.sync.exchange import Fork, pull
from tidelore.engine.sync.wire import is_text, place, record_in
from tidelore.engine.text.patterns import later

if TYPE_CHECKING:
    from tidelore.engine.service import Service

FORMAT = 1
_KEY = later(r"[0-9a-f]{32}")
_HEX = later(r"[0-9a-f]{0,32}")
_ORDER = later(r"-?[0-9]{1,19}")
_LATEST_MS = 253_370_764_800_000
"""The year 9999, of which every calendar knows."""
_AGAIN = "Take another copy of the file. Nothing of it was restored."


@dataclass(frozen=True, slots=True)
class Place:
    """How far a backup is: `lines` so far and the digest of them; which records are in those; of writing it, the chat whose screen was
    last; of restoring it, the origins whose history there has parted from the one here."""

    lines: int = 0
    digest: str = ""
    heads: Mapping[str, Head] = field(default_factory=dict[str, Head])
    chat: str = ""
    screens: bool = False
    parted: tuple[str, ...] = ()

    def after(self, lines: Sequence[str]) -> tuple[int, str]:
        known = self.digest
        for line in lines:
            known = digest(known, line)
        return self.lines + len(lines), known

    def to_text(self) -> str:
        heads = {origin: [head.sequence, head.chain] for origin, head in self.heads.items()}
        return canonical(
            {
                **{"lines": self.lines, "digest": self.digest, "heads": heads, "chat": self.chat, "screens": self.screens},
                "parted": list(self.parted),
            }
        )


def place_in(text: str) -> Place:
    """Raises BadInput."""
    if not text:
        return Place()
    try:
        raw = json.loads(shallow(text))
        heads = {str(origin): Head(int(sequence), str(chain)) for origin, (sequence, chain) in raw["heads"].items()}
        if not _HEX.fullmatch(raw["digest"]) or type(raw["lines"]) is not int:
            raise ValueError
        parted = tuple(map(str, raw["parted"]))
        return Place(raw["lines"], raw["digest"], heads, str(raw["chat"]), bool(raw["screens"]), parted)
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise BadInput(
            "`at` is not what the call before has answered.", "Begin with an empty one, then pass on each answer's `at`."
        ) from error


async def piece(service: Service, at: Place, limit: int) -> tuple[list[str], Place | None]:
    """The next lines, and the place after them; None when those were the last."""
    lines: list[str] = []
    if not at.lines:
        # A wall clock may be set to anything, and what it says must not keep the file from being read.
        now = min(max(0, service.chats.now()), _LATEST_MS)
        lines.append(canonical({"tidelore": "backup", "format": FORMAT, "replica": await service.store.replica(), "at": now}))
    heads, chat, screens = dict(at.heads), at.chat, at.screens
    if not screens:
        found = await pull(service.chats, heads, limit)
        lines += [canonical({"record": each}) for each in found.records]
        last = [(str(each["origin"]), int(each["sequence"])) for each in {each["origin"]: each for each in found.records}.values()]
        for (origin, sequence), chain in zip(last, await service.store.chains(last), strict=True):
            heads[origin] = Head(sequence, chain)
        screens = not found.more
        return lines, _next(at, lines, heads, chat, screens=screens)
    size = 0
    for record in sorted(await service.chats.records(), key=lambda each: each.id):
        if record.id <= chat:
            continue
        if size >= limit:
            return lines, _next(at, lines, heads, chat, screens=True)
        lines.append(await _screen(service, record))
        size += len(lines[-1])
        chat = record.id
    lines.append(canonical({"settings": _own(await service.store.settings())}))
    count, known = at.after(lines)
    return [*lines, canonical({"end": {"lines": count, "digest": known}})], None


def _next(at: Place, lines: Sequence[str], heads: Mapping[str, Head], chat: str, *, screens: bool) -> Place:
    count, known = at.after(lines)
    return Place(count, known, heads, chat, screens)


async def _screen(service: Service, record: ChatRecord) -> str:
    rows = (await service.store.chat(record.id)).rows
    told = [[str(order), entry.key, entry.role, entry.name, entry.hidden, entry.date] for entry, order in rows]
    return canonical({"screen": {"chat": record.id, "rows": told}})


def _own(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What a person chose; what is known of other replicas is not for another store."""
    return {name: value for name, value in settings.items() if name != mirror.SETTING and not name.startswith(peers.PREFIX)}


@dataclass(slots=True)
class Contents:
    """What is in some lines of a backup. `whole`: its end was among them, and all before it are as they were written."""

    records: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])
    screens: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])
    settings: dict[str, Any] = field(default_factory=dict[str, Any])
    written: int = 0
    whole: bool = False


def read(lines: Sequence[str], at: Place) -> tuple[Contents, Place]:
    """Raises BadInput with the number of a line that is not what was written, or that this version does not know."""
    found = Contents()
    for number, kind, value in _values(lines, at.lines):
        match kind:
            case "record":
                found.records.append(value)
            case "screen":
                found.screens.append(value)
            case "settings":
                found.settings |= value
            case "end":
                count, known = at.after(lines[: number - at.lines - 1])
                if value.get("lines") != count or value.get("digest") != known or number != at.lines + len(lines):
                    raise BadInput(
                        "The backup is not as it was written: lines are missing, added or changed.", "Nothing of it was restored."
                    )
                found.whole = True
            case _:
                found.written = value.get("at", 0)
    count, known = at.after(lines)
    return found, replace(at, lines=count, digest=known)


def _values(lines: Sequence[str], before: int) -> Iterator[tuple[int, str, dict[str, Any]]]:
    for number, line in enumerate(lines, before + 1):
        try:
            raw = json.loads(shallow(line))
            if number == 1:
                if raw["tidelore"] != "backup":
                    raise ValueError
                if type(raw["format"]) is not int or not _is_time(raw.get("at", 0)):
                    raise ValueError
                if raw["format"] != FORMAT:
                    raise BadInput(f"This backup is of format {raw['format']}, this version reads {FORMAT}.", "Install a newer Tidelore.")
                yield number, "", raw
                continue
            [(kind, value)] = raw.items()
            if kind not in ("record", "screen", "settings", "end") or not isinstance(value, dict):
                raise ValueError
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            what = "That is no backup of Tidelore." if number == 1 else f"Line {number} of the backup is damaged."
            raise BadInput(what, _AGAIN) from error
        yield number, kind, value


def check(lines: Sequence[str], at: Place) -> tuple[Contents, Place]:
    """As `read`, and what is in the lines is looked at as restoring it will: what passes here can be taken in whole. Raises BadInput."""
    found, after = read(lines, at)
    heads = dict(at.heads)
    for raw in found.records:
        try:
            origin, sequence = place(raw)
        except BadInput as error:
            raise BadInput("A record of the backup cannot be read.", _AGAIN) from error
        record_in(raw)
        if sequence != heads.get(origin, Head(0, "")).sequence + 1:
            raise BadInput(f"Records of {origin} are missing in the backup.", _AGAIN)
        heads[origin] = Head(sequence, "")
    for screen in found.screens:
        _rows(screen)
    _settings(found.settings)
    return found, replace(after, heads=heads)


def _is_time(value: object) -> bool:
    return type(value) is int and 0 <= value <= _LATEST_MS


@dataclass(slots=True)
class Restored:
    """`new` records; `screens` of chats that had none here; `kept` screens that stay as they are; `settings` that were not set here."""

    new: int = 0
    screens: int = 0
    kept: int = 0
    settings: int = 0


async def restore(service: Service, found: Contents, at: Place, after: Place) -> tuple[Restored, Place]:
    """Union with what is here. `at`: what came before in the file; the answer's place is `after` with what the next piece has to know."""
    done = Restored()
    if found.records:
        done.new, after = await _take(service, found.records, at, after)
    for screen in found.screens:
        if await _show(service, screen):
            done.screens += 1
        else:
            done.kept += 1
    known = await service.store.settings()
    fresh = {name: value for name, value in _settings(found.settings).items() if name not in known}
    if fresh:
        await service.store.write(Batch(settings=fresh))
        service.chats.reread()
        done.settings = len(fresh)
    return done, after


async def _take(service: Service, records: Sequence[Mapping[str, Any]], at: Place, after: Place) -> tuple[int, Place]:
    """A store that went on since it was copied has another history under an id of the backup; see exchange.Fork."""
    store, forks = service.store, service.sync.forks
    peer = f"backup {after.digest}"
    heads, runs = dict(at.heads), dict[str, list[tuple[int, str]]]()
    for raw in records:
        origin, sequence = place(raw)
        last = heads.get(origin, Head(0, GENESIS))
        heads[origin] = Head(sequence, link(last.chain, str(raw.get("kind")), str(raw.get("pool")), str(raw.get("id"))))
        runs.setdefault(origin, []).append((sequence, heads[origin].chain))
    known = await store.heads()
    for origin, run in runs.items():
        before, head = at.heads.get(origin, Head(0, GENESIS)), known.get(origin, Head(0, GENESIS))
        shared = [(sequence, chain) for sequence, chain in run if sequence <= head.sequence][-1:]
        ours = await store.chains([(origin, sequence) for sequence, _ in shared])
        if origin in at.parted or ours != [chain for _, chain in shared]:
            forks[peer, origin] = Fork(before.sequence, before.chain, origin in at.parted)
    try:
        taken = await absorb(service, peer, records, {}, {})
        parted = {origin for origin in runs if (fork := forks.get((peer, origin))) is not None and fork.parted}
    finally:
        for origin in runs:
            forks.pop((peer, origin), None)
    if taken.wanted or taken.refused:
        why = next(iter(taken.refused.values()), "Records before these are missing.")
        raise BadInput(f"The backup cannot be taken in whole. {why}", "Restore it from its beginning; what was taken in so far stays.")
    return taken.new, replace(after, heads=heads, parted=tuple(sorted(parted | set(at.parted))))


async def _show(service: Service, screen: Mapping[str, Any]) -> bool:
    """A chat as it stood, where this store knows the chat but no message of it."""
    chat, rows = _rows(screen)
    chats = service.chats
    async with chats.lock:
        await chats.catch_up()
        if not rows or all(record.id != chat for record in await chats.records()):
            return False
        here = await service.store.chat(chat)
        if here.rows:
            return False
        try:
            await service.store.write(Batch(chat=ChatWrite(chat, here.revision, (), rows)))
        except Conflict:
            return False  # somebody has told it meanwhile, and knows better
        finally:
            chats.reread()
        await chats.catch_up()
    return True


def _rows(screen: Mapping[str, Any]) -> tuple[str, list[tuple[Entry, int]]]:
    """The id of a chat, and its messages in their order. Raises BadInput."""
    try:
        chat = screen["chat"]
        rows = [(_entry(key, role, name, hidden, date), _order(order)) for order, key, role, name, hidden, date in screen["rows"]]
        orders = [order for _, order in rows]
        if not isinstance(chat, str) or not is_text(chat) or orders != sorted(set(orders)):
            raise ValueError
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput("A chat of the backup cannot be read.", "Take another copy of the file.") from error
    return chat, rows


def _order(value: object) -> int:
    if not isinstance(value, str) or not _ORDER.fullmatch(value):
        raise ValueError("no place")
    order = int(value)
    if not -(1 << 63) <= order < 1 << 63:
        raise ValueError("no place that a store can hold")
    return order


def _entry(key: object, role: object, name: object, hidden: object, date: object) -> Entry:
    if not isinstance(key, str) or not _KEY.fullmatch(key) or role not in ("user", "assistant"):
        raise ValueError("no message")
    if not is_text(str(name)) or not is_text(str(date)):
        raise ValueError("no text")
    return Entry(key, "user" if role == "user" else "assistant", str(name), hidden is True, str(date))


def _settings(found: Mapping[str, Any]) -> dict[str, Any]:
    """What a person chose, of what is in a backup. Raises BadInput."""
    try:
        if not is_text(json.dumps(found, ensure_ascii=False, allow_nan=False)):
            raise ValueError
    except ValueError as error:
        raise BadInput("The settings of the backup cannot be read.", _AGAIN) from error
    return _own(found)
