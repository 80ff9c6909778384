"""The chats that are open: pool, timeline and graph of each in memory, kept in step with the store. Nothing is reported done
before it is stored; after a failed write the chat is read anew from what is stored."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from tidelore.engine.bulk import in_bulk
from tidelore.engine.clock import Clock
from tidelore.engine.codec import digest
from tidelore.engine.errors import BadInput, Conflict, NotFound
from tidelore.engine.graph import Graph
from tidelore.engine.history import Change, Timeline
from tidelore.engine.keys import Door, Entry
from tidelore.engine.model import Commit, Message, Source
from tidelore.engine.off_loop import OffLoop, in_place
from tidelore.engine.opened import OpenChat, OpenPool, check_index, difference
from tidelore.engine.ports import Batch, Burial, ChatRecord, ChatWrite, LedgerRow, Now, Purge, Purged, Store, Token
from tidelore.engine.recall.index import Index
from tidelore.engine.records import Records, chat_id
from tidelore.engine.scopes import scope_chat
from tidelore.engine.sync.wire import made_purge

__all__ = ["Chats", "OpenChat", "OpenPool", "check_index"]

T = TypeVar("T")
ROUNDS = 8
KEPT_POOLS = 8


class Chats:
    """Opens chats and writes to them. Mutations are serialised by `lock`; hold it only while nothing slow is awaited. `readings` is another
    number whenever something was found to be stored other than by the methods here."""

    def __init__(self, store: Store, now: Now, token: Token) -> None:
        self.store = store
        self.now = now
        self.token = token
        self.lock = asyncio.Lock()
        self.clock = Clock()
        self.replica = ""
        self._door = Door()
        self.named = Records()
        self._pools: dict[str, OpenPool] = {}
        self._version = -1
        self._sizes: Mapping[str, int] | None = None
        self._written = 0
        self.readings = 0
        self._screens = 0
        self.kept_pools = KEPT_POOLS
        self.off_loop: OffLoop = in_place

    # ---- opening ----

    async def records(self) -> list[ChatRecord]:
        """All chats, oldest first."""
        await self.catch_up()
        return self.named.all()

    async def scoped(self, scope: str) -> OpenChat | None:
        """What is remembered beyond one chat, under a scope such as "profile" or "character:Mira"; None where nothing is."""
        await self.catch_up()
        record = self.named.get(scope_chat(scope))
        return await self._opened(record) if record is not None else None

    async def open_scope(self, scope: str) -> OpenChat:
        """The same, made if it is new: a chat of its own that has no messages."""
        name = scope_chat(scope)
        await self.catch_up()
        # The same pool on every replica, so that what each remembers under the scope comes together.
        await self.update(name, [], _no_message, pool="" if self.named.get(name) else digest("pool", name))
        return await self.open(name)

    async def find(self, name: str) -> OpenChat | None:
        """The chat of that name, where it is there."""
        await self.catch_up()
        record = self.named.get(name)
        return await self._opened(record) if record is not None else None

    async def sizes(self) -> Mapping[str, int]:
        """How many messages each chat (id) has; read once until that changes. What is stored was looked at before, as by `records`."""
        found = self._sizes
        if found is None:
            before = self.readings, self._written
            found = await self.store.sizes()
            if before == (self.readings, self._written):
                self._sizes = found
        return found

    async def among(self, names: Iterable[str]) -> list[OpenChat]:
        """Those of these chats that are there, with one look at what is stored for all of them."""
        await self.catch_up()
        records = [record for name in dict.fromkeys(names) if (record := self.named.get(name)) is not None]
        return [await self._opened(record) for record in records]

    async def open(self, name: str) -> OpenChat:
        """The chat of that name. Raises NotFound."""
        await self.catch_up()
        return await self._opened(self._record(name))

    def _record(self, name: str) -> ChatRecord:
        record = self.named.get(name)
        if record is None:
            raise NotFound(f"There is no chat named {name!r}.", "chat.list names the chats; chat.update makes a new one.")
        return record

    async def _opened(self, record: ChatRecord) -> OpenChat:
        while True:
            home = self._kept(record.pool)
            chat = home.chats.get(record.id)
            if chat is not None:
                return chat
            # Messages before texts: both are written at once, so every message that was read has its text, whoever writes meanwhile.
            rows = await self.store.chat(record.id)
            if await self._read_pool(home) and record.id not in home.chats:
                home.chats[record.id] = self._build(record, home, rows.revision, rows.rows)

    def _kept(self, pool: str) -> OpenPool:
        """The pool in memory. Beyond a few, the one that was not used for longest goes; it is read again when asked for."""
        home = self._pools.pop(pool, None) or OpenPool(pool)
        self._pools[pool] = home
        while len(self._pools) > self.kept_pools:
            del self._pools[next(iter(self._pools))]
        return home

    def _build(self, record: ChatRecord, home: OpenPool, revision: int, rows: Sequence[tuple[Entry, int]]) -> OpenChat:
        timeline = Timeline(home.pool, record.id, self.named.ancestors(record))
        graph = Graph()
        with in_bulk():
            graph.change(timeline.load(rows))
        return OpenChat(record, home, timeline, graph, Index(graph, timeline), revision)

    def as_of(self, chat: OpenChat, index: int) -> tuple[Timeline, Graph]:
        """The chat as it stood when the message at `index` was its last."""
        slots = chat.timeline.slots[: index + 1]
        timeline = Timeline(chat.pool, chat.record.id, chat.timeline.lineage, prefix=True)
        graph = Graph()
        graph.change(timeline.load([(slot.entry, slot.order) for slot in slots]))
        return timeline, graph

    # ---- in step with the store ----

    async def catch_up(self) -> None:
        """Take in what another process has written since."""
        version = await self.store.version()
        if version == self._version:
            return
        self.readings += 1
        self._sizes = None
        if not self.replica:
            self.replica = await self.store.replica()
        for record in await self.named.read(self.store):
            self._drop(record)
        for record in self.named.all():
            self.clock.see(record.clock, self.now())
        revisions = await self.store.revisions()
        for home in list(self._pools.values()):
            await self._read_pool(home)
            for chat in list(home.chats.values()):
                lineage = {chat.record.id, *self.named.ancestors(chat.record)}
                if revisions.get(chat.record.id) != chat.revision or chat.timeline.lineage != lineage:
                    self.forget(chat)
        self._version = version

    async def home(self, pool: str) -> OpenPool:
        """A pool in memory, as far as it is stored."""
        while True:
            home = self._kept(pool)
            if await self._read_pool(home):
                return home

    async def _read_pool(self, home: OpenPool) -> bool:
        """False when a purge has touched the pool, or a text of it reads otherwise by now: then it is given up, to be read from the
        start."""
        rows = await self.store.pool(home.id, home.cursor)
        known = home.pool.sources
        if home.burials not in (-1, rows.burials) or any(known.get(each.key, each).text != each.text for each in rows.sources):
            if self._pools.get(home.id) is home:
                del self._pools[home.id]
            return False
        home.burials, home.floor = rows.burials, max(home.floor, rows.floor)
        home.pool.purged.update(rows.purged)
        home.cursor = max(home.cursor, rows.cursor)
        self._take(home, rows.sources, rows.commits)
        return True

    def _take(self, home: OpenPool, sources: Sequence[Source], commits: Sequence[Commit]) -> None:
        with in_bulk():
            self._add(home, sources, commits)

    def _add(self, home: OpenPool, sources: Sequence[Source], commits: Sequence[Commit]) -> None:
        fresh = home.pool.add(sources, commits)
        for commit in fresh:
            self.clock.see(commit.clock, self.now())
        if fresh:
            for chat in home.chats.values():
                chat.graph.change(chat.timeline.grow(fresh))

    def forget(self, chat: OpenChat) -> None:
        """Drop a chat from memory; it is read from the store when next asked for."""
        chat.home.chats.pop(chat.record.id, None)

    def _drop(self, record: ChatRecord) -> None:
        """A chat was purged. Its pool is read anew, where another chat uses it: it may have been emptied and filled again meanwhile."""
        self._pools.pop(record.pool, None)

    def _lose(self, chat: OpenChat) -> None:
        """After a write that failed, or was cancelled so that nobody here knows whether it was stored: read all of it anew."""
        self._pools.pop(chat.record.pool, None)
        self._version = -1

    def _check_home(self, chat: OpenChat) -> None:
        """After a write: a pool that was given up meanwhile has it, what was read in its place may lack it and is read anew."""
        if self._pools.get(chat.record.pool) is not chat.home:
            self._pools.pop(chat.record.pool, None)

    # ---- writing ----

    def tick(self, home: OpenPool) -> int:
        """The clock of what is written to a pool next: later than what was changed in it by hand, and than what was purged from it, from
        however far ahead that came."""
        newest = home.pool.windowless[-1].clock if home.pool.windowless else 0
        home.floor = max(self.clock.tick(self.now()), home.floor + 1, newest + 1)
        return home.floor

    async def update(
        self, name: str, raw: Sequence[Any], parse: Callable[[Any], Message | str], branch_of: str = "", pool: str = "", keep: int = 0
    ) -> tuple[OpenChat, Change, dict[str, int]]:
        """The whole chat as it now stands, after `keep` messages that stay as they are (BadInput where there are not so many); the chat is
        made if it is new, on the pool of the one it branched from, else on `pool`, else on a new one. `parse` turns a raw message into a
        Message, or into the role of one that is not part of a chat; those are counted in the third value."""
        for _ in range(ROUNDS):
            async with self.lock:
                await self.catch_up()
                chat, made = await self._for_update(name, branch_of, pool)
                try:
                    change, skipped = await self._update(chat, made, raw, parse, keep)
                except Conflict:
                    continue
                return chat, change, skipped
        raise Conflict("Other writers keep changing this chat.", "Send the update again.")

    async def splice(
        self, name: str, screen: int, at: int, remove: int, raw: Sequence[Any], parse: Callable[[Any], Message | str]
    ) -> tuple[OpenChat, Change, dict[str, int]]:
        """The chat as it was at `screen`, with `remove` messages from `at` on replaced. Raises Conflict when that state is not known."""
        async with self.lock:
            chat = await self.open(name)
            if not screen or chat.screen != screen:
                raise Conflict("The chat is not known in that state any more.", "Send the whole chat by chat.update.")
            if at > len(chat.raw) or at + remove > len(chat.raw):
                raise BadInput(f"There are {len(chat.raw)} messages.", "Count `at` and `remove` by the state that `screen` names.")
            change, skipped = await self._update(chat, False, [*chat.raw[:at], *raw, *chat.raw[at + remove :]], parse)
            return chat, change, skipped

    async def _for_update(self, name: str, branch_of: str, pool: str) -> tuple[OpenChat, bool]:
        record = self.named.get(name)
        if record is not None:
            if pool not in ("", record.pool):
                raise Conflict(
                    f"The chat {name!r} stands on another pool here.",
                    f"Send its own, {record.pool}, or none; or give the chat another name. chat.purge forgets this one for good.",
                )
            return await self._opened(record), False
        parent = self.named.get(branch_of) if branch_of else None
        if parent is not None and pool not in ("", parent.pool):
            raise BadInput(f"A branch of {branch_of!r} cannot have a pool of its own.", f"Leave `pool` out, or send {parent.pool}.")
        if branch_of and parent is None and not pool:
            raise NotFound(
                f"There is no chat named {branch_of!r} to branch from.",
                "Leave `branch_of` out for a chat of its own, or send the `pool` that both share.",
            )
        if parent is not None:
            home = (await self._opened(parent)).home
        elif pool:
            # Other chats may stand on it, or what was remembered there came before them.
            home = await self.home(pool)
        else:
            home = self._kept(self.token())
        # A parent that is not here yet has this id when it comes: then what was changed in it by hand is the branch's, too.
        ancestor = parent.id if parent is not None else chat_id(home.id, branch_of) if branch_of else ""
        record = ChatRecord(chat_id(home.id, name), name, home.id, ancestor, self.tick(home))
        return self._build(record, home, 0, ()), True

    async def _update(
        self, chat: OpenChat, made: bool, raw: Sequence[Any], parse: Callable[[Any], Message | str], keep: int = 0
    ) -> tuple[Change, dict[str, int]]:
        timeline = chat.timeline
        size = len(timeline.slots)
        if keep > size:
            raise BadInput(f"keep is {keep}, and there are {size} messages.", "Read chat.keys again.")
        chat.screen = 0
        if len(chat.raw) != size:
            chat.raw = []
        known = bool(chat.raw) or not keep
        if known:
            raw = [*chat.raw[:keep], *raw]
            start, end, stop = difference(chat.raw, raw, size)
        else:
            start, end, stop = keep, size, len(raw)
            raw = [*[{}] * keep, *raw]
            stop += keep
        parsed = [parse(item) for item in raw[start:stop]]
        skipped = Counter(item for item in parsed if isinstance(item, str))
        messages = [item for item in parsed if isinstance(item, Message)]
        entries = [self._door.enter(message) for message in messages]
        sources: dict[str, Source] = {}
        for entry, message in zip(entries, messages, strict=True):
            if entry.key not in chat.pool.sources and entry.key not in sources and entry.key not in chat.pool.purged:
                sources[entry.key] = self._door.source(entry.key, message)
        for source in sources.values():
            chat.pool.add_source(source)
        change = timeline.update(entries, start, end)
        chat.graph.change(change)
        # Copies, since the caller may go on to change its own. With messages left out, positions here and in the chat differ: then
        # all is compared again next time.
        chat.raw = [] if skipped or not known else [*chat.raw[:start], *map(dict, raw[start:stop]), *chat.raw[end:]]
        write = ChatWrite(
            chat.record.id,
            chat.revision,
            [slot.order for slot in (*change.slots_out, *change.slots_changed)],
            [(slot.entry, slot.order) for slot in (*change.slots_changed, *change.slots_in)],
        )
        if made or write.orders_out or write.rows_in:
            record = chat.record
            try:
                clock = self.tick(chat.home) if sources else 0
                await self.store.write(Batch(record.pool, list(sources.values()), (), record if made else None, write, clock=clock))
            except BaseException:
                self._lose(chat)
                raise
            chat.revision += 1
            self._written += 1
            self._sizes = None
            if made:
                self.named.add(record)
                chat.home.chats[record.id] = chat
            self._check_home(chat)
        if not skipped and known:
            self._screens += 1
            chat.screen = self._screens
        return change, dict(skipped)

    async def commit(
        self, chat: OpenChat, commits: Sequence[Commit], ledger: Sequence[LedgerRow] = (), sources: Sequence[Source] = ()
    ) -> None:
        """Store commits of a chat's pool, then let them live; not those from messages that were purged meanwhile. Call with the lock
        held."""
        commits = [each for each in commits if chat.pool.purged.isdisjoint(each.window)]
        sources = [each for each in sources if each.key not in chat.pool.purged]
        clock = self.tick(chat.home) if sources else 0
        try:
            await self.store.write(Batch(chat.record.pool, sources, commits, None, None, ledger, clock=clock))
        except BaseException:
            self._lose(chat)
            raise
        self._take(chat.home, sources, commits)
        self._check_home(chat)

    async def purge(self, name: str) -> tuple[ChatRecord, Purge, Purged]:
        """Remove a chat for good, and its pool with the last chat that stands on it. Raises NotFound."""
        for _ in range(ROUNDS):
            async with self.lock:
                await self.catch_up()
                record = self._record(name)
                others = frozenset(each.id for each in self.named.all() if each.pool == record.pool and each.id != record.id)
                clock = max(self.tick(await self.home(record.pool)), await self.store.newest(record.pool))
                purge = made_purge(record.pool, clock, chats=((record.id, record.parent),), whole=not others)
                try:
                    return record, purge, await self.bury(Burial(purge, others=others))
                except Conflict:
                    continue
        raise Conflict("Other writers keep changing this chat.", "Try again.")

    async def bury(self, burial: Burial) -> Purged:
        """Carry out a purge. Call with the lock held. Raises Conflict when the store is another one than it was worked out for."""
        try:
            counts = await self.store.purge(burial)
        finally:
            # All is read anew, also after a purge that failed or was cancelled, so that nobody here knows what is stored.
            self._pools.pop(burial.purge.pool, None)
            self.reread()
        await self.catch_up()
        return counts

    def reread(self) -> None:
        """What is stored was changed other than by the methods here."""
        self._version = -1

    async def note(self, kind: str, chat: str, body: Mapping[str, Any]) -> None:
        """One row of the ledger."""
        await self.store.write(Batch(ledger=[LedgerRow(kind, chat, self.now(), body)]))


def _no_message(raw: Any) -> Message:
    raise BadInput(f"A scope has no messages, not even {raw!r}.")
