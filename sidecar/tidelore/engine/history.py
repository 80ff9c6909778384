"""Which commits are live on a chat as it stands (architecture, section 1). Kept up to date in place: a change costs what it
touches, and the outcome depends on pool and chat alone, never on the path there."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tidelore.engine.keys import Entry
from tidelore.engine.model import Commit, Role
from tidelore.engine.pool import Pool

ORDER_STEP = 1 << 40
# Up to so many texts, looking at every bare slot is cheaper than sorting them.
FEW_TEXTS = 8


class Slot:
    """One position of a chat. `order` sorts slots and stays as they move; the index is found from it."""

    __slots__ = ("date", "hidden", "key", "maybe", "model", "name", "order", "role", "rule")

    def __init__(self, entry: Entry, order: int) -> None:
        self.key = entry.key
        self.role: Role = entry.role
        self.name = entry.name
        self.hidden = entry.hidden
        self.date = entry.date
        self.order = order
        self.model: Placement | None = None
        self.rule: Placement | None = None
        self.maybe: Placement | None = None

    @property
    def entry(self) -> Entry:
        return Entry(self.key, self.role, self.name, self.hidden, self.date)

    @property
    def starts(self) -> bool:
        """True where a decision about model windows falls: at an uncovered slot, or the first of a window."""
        return self.model is None or self.model.slots[0] is self


class Placement:
    """A commit at one place where it is live; windowless ones have no slots. `claims`, `voices` and `undo` are the graph's: the
    other names it states, who speaks in it, and how to take it out again."""

    __slots__ = ("claims", "commit", "slots", "undo", "voices")

    def __init__(self, commit: Commit, slots: tuple[Slot, ...] = ()) -> None:
        self.commit = commit
        self.slots = slots
        self.claims: list[tuple[str, tuple[int, int, str, int]]] = []
        self.voices: list[str] = []
        self.undo: list[Callable[[], None]] = []

    def same(self, commit: Commit | None, slots: tuple[Slot, ...]) -> bool:
        return self.commit is commit and self.slots == slots


@dataclass(slots=True)
class Change:
    """What an update did. `removed` and `added` are for the graph, the slots for the store."""

    removed: list[Placement] = field(default_factory=list[Placement])
    added: dict[Placement, None] = field(default_factory=dict[Placement, None])
    slots_out: list[Slot] = field(default_factory=list[Slot])
    slots_in: list[Slot] = field(default_factory=list[Slot])
    slots_changed: list[Slot] = field(default_factory=list[Slot])
    rebuilt: bool = False

    def swap(self, old: Placement | None, new: Placement | None) -> None:
        if old is not None and old in self.added:
            del self.added[old]
        elif old is not None:
            self.removed.append(old)
        if new is not None:
            self.added[new] = None


class Timeline:
    """A chat as it stands and what is live on it.

    `lineage`: the ids of the chats that this one branched from. `prefix`: the timeline stands for an earlier state of its chat,
    so a person's later commits do not count. `shown` is another number whenever the messages or what is shown of them are others.
    `others_from`: up to this index messages, names and dates are what they were when whoever reads it last set it to the end.
    """

    def __init__(self, pool: Pool, chat: str, lineage: Iterable[str] = (), *, prefix: bool = False) -> None:
        self.pool = pool
        self.chat = chat
        self.lineage = frozenset(lineage) | {chat}
        self.prefix = prefix
        self.shown = 0
        self._clear()

    def _clear(self) -> None:
        self.others_from = 0
        self.slots: list[Slot] = []
        self.keys: list[str] = []
        self.orders: list[int] = []
        self.places: dict[str, set[Slot]] = {}
        self.bare: set[Slot] = set()
        self.windowless: dict[str, Placement] = {}
        self._lost: set[Placement] = set()
        self._by_text: list[tuple[str, int, Slot]] | None = None

    def index(self, slot: Slot) -> int:
        """The position of a slot that stands."""
        return bisect_left(self.orders, slot.order)

    def stands(self, key: str) -> bool:
        return key in self.places

    def placements(self) -> Iterator[Placement]:
        """All that is live, windowed ones in order of place, then windowless ones by (clock, id)."""
        for slot in self.slots:
            if slot.model is not None and slot.model.slots[-1] is slot:
                yield slot.model
            for placement in (slot.rule, slot.maybe):
                if placement is not None:
                    yield placement
        yield from self.windowless.values()

    # ---- the chat changes ----

    def load(self, rows: Sequence[tuple[Entry, int]]) -> Change:
        """Take over a stored chat: entries with their orders, ascending. Only for a new timeline."""
        change = Change()
        self._splice(0, 0, [Slot(entry, order) for entry, order in rows], change)
        self._settle(0, len(self.slots), change)
        self._refresh_windowless(change)
        return change

    def update(self, entries: Sequence[Entry], start: int = 0, end: int | None = None) -> Change:
        """slots[start:end] became `entries`; by default the whole chat as it now stands."""
        change = Change()
        end = len(self.slots) if end is None else end
        front, back = self._shared(entries, start, end)
        for at in range(front):
            self._relabel(start + at, entries[at], change)
        for at in range(1, back + 1):
            self._relabel(end - at, entries[-at], change)
        fresh_entries = entries[front : len(entries) - back]
        start, end = start + front, end - back
        if start < end or fresh_entries:
            orders = self._orders_between(start, end, len(fresh_entries))
            if orders is None:
                standing = [slot.entry for slot in self.slots]
                return self._rebuild([*standing[:start], *fresh_entries, *standing[end:]], change)
            fresh = [Slot(entry, order) for entry, order in zip(fresh_entries, orders, strict=True)]
            toggled = {slot.key for slot in self.slots[start:end]} ^ {slot.key for slot in fresh}
            self._splice(start, end, fresh, change)
            self._settle(start, start + len(fresh), change)
            if not toggled.isdisjoint(self.pool.watched):
                self._refresh_windowless(change)
        return change

    def _shared(self, entries: Sequence[Entry], start: int, end: int) -> tuple[int, int]:
        """How many keys at the front and at the back of slots[start:end] and of `entries` are equal."""
        shorter = min(end - start, len(entries))
        front = 0
        while front < shorter and self.keys[start + front] == entries[front].key:
            front += 1
        back = 0
        while back < shorter - front and self.keys[end - 1 - back] == entries[-1 - back].key:
            back += 1
        return front, back

    def _orders_between(self, start: int, old_end: int, count: int) -> list[int] | None:
        """Orders for new slots; None when there is no room left between the neighbours."""
        low = self.orders[start - 1] if start else 0
        if old_end == len(self.orders):
            return [low + ORDER_STEP * (n + 1) for n in range(count)]
        step = (self.orders[old_end] - low) // (count + 1)
        return [low + step * (n + 1) for n in range(count)] if step else None

    def _rebuild(self, entries: Sequence[Entry], change: Change) -> Change:
        removed, slots_out = [*self.placements(), *change.removed], self.slots
        self._clear()
        change = self.load([(entry, ORDER_STEP * (n + 1)) for n, entry in enumerate(entries)])
        change.removed, change.slots_out, change.rebuilt = removed, slots_out, True
        return change

    def _relabel(self, at: int, entry: Entry, change: Change) -> None:
        """Name, hidden flag and date may change while the key stands. A new name or date is a new fold of what rests on them."""
        slot = self.slots[at]
        if slot.name == entry.name and slot.hidden == entry.hidden and slot.date == entry.date:
            return
        refold = slot.name != entry.name or slot.date != entry.date
        slot.name, slot.hidden, slot.date = entry.name, entry.hidden, entry.date
        self.shown += 1
        change.slots_changed.append(slot)
        if not refold:
            return
        self.others_from = min(self.others_from, at)
        for kind in ("model", "rule"):
            self._replace(slot, kind, change)
        for later in self.slots[at : at + self.pool.longest]:
            if later.maybe is not None and slot in later.maybe.slots:
                self._replace(later, "maybe", change)

    def _replace(self, slot: Slot, kind: str, change: Change) -> None:
        old: Placement | None = getattr(slot, kind)
        if old is None or old in change.added:
            return
        new = Placement(old.commit, old.slots)
        for each in old.slots if kind == "model" else (slot,):
            setattr(each, kind, new)
        change.swap(old, new)

    def _splice(self, start: int, end: int, fresh: list[Slot], change: Change) -> None:
        self.shown += 1
        self.others_from = min(self.others_from, start)
        out = self.slots[start:end]
        for slot in out:
            here = self.places[slot.key]
            here.discard(slot)
            if not here:
                del self.places[slot.key]
            self.bare.discard(slot)
            change.swap(slot.rule, None)
            change.swap(slot.maybe, None)
        for slot in fresh:
            self.places.setdefault(slot.key, set()).add(slot)
        self.slots[start:end] = fresh
        self.keys[start:end] = [slot.key for slot in fresh]
        self.orders[start:end] = [slot.order for slot in fresh]
        change.slots_out += out
        change.slots_in += fresh
        self._lost = {slot.model for slot in out if slot.model is not None}

    # ---- live windowed commits ----

    def _settle(self, start: int, stop: int, change: Change) -> int:
        """Decide anew wherever keys[start:stop] can matter. Returns the position up to which decisions were taken."""
        first = max(0, start - self.pool.longest + 1)
        while first < len(self.slots) and not self.slots[first].starts and self.slots[first].model not in self._lost:
            first += 1
        decisions: list[tuple[int, Commit | None]] = []
        at = first
        while at < len(self.slots) and not (at >= stop and self.slots[at].starts):
            commit = self.pool.model_at(self.keys, at)
            decisions.append((at, commit))
            at += len(commit.window) if commit else 1
        self._place_models(first, at, decisions, change)
        for position in range(first, at):
            self._place_rule(position, change)
        for position in range(first, min(len(self.slots), at + self.pool.longest)):
            self._place_maybe(position, change)
        return at

    def _place_models(self, first: int, end: int, decisions: list[tuple[int, Commit | None]], change: Change) -> None:
        old = {slot.model for slot in self.slots[first:end] if slot.model is not None} | self._lost
        self._lost = set()
        kept: set[Placement] = set()
        for at, commit in decisions:
            slots = tuple(self.slots[at : at + (len(commit.window) if commit else 1)])
            now = slots[0].model
            if commit is None:
                slots[0].model = None
            elif now is not None and now.same(commit, slots):
                kept.add(now)
            else:
                new = Placement(commit, slots)
                change.swap(None, new)
                for slot in slots:
                    slot.model = new
        for placement in sorted(old - kept, key=lambda each: each.slots[-1].order):
            change.swap(placement, None)

    def _place_rule(self, at: int, change: Change) -> None:
        slot = self.slots[at]
        commit = None if slot.model is not None else self.pool.rules_at(slot.key)
        if slot.rule is None or slot.rule.commit is not commit:
            new = Placement(commit, (slot,)) if commit else None
            change.swap(slot.rule, new)
            slot.rule = new
        if slot.model is None and slot.rule is None:
            if slot not in self.bare:
                self.bare.add(slot)
                self._by_text = None
        else:
            self.bare.discard(slot)

    def _place_maybe(self, at: int, change: Change) -> None:
        slot = self.slots[at]
        commit = self.pool.continued_at(self.keys, at) if slot in self.bare else None
        slots = tuple(self.slots[at + 1 - len(commit.window) : at + 1]) if commit else ()
        if commit is None and slot.maybe is None:
            return
        if slot.maybe is None or not slot.maybe.same(commit, slots):
            new = Placement(commit, slots) if commit else None
            change.swap(slot.maybe, new)
            slot.maybe = new

    # ---- the pool grew ----

    def grow(self, commits: Sequence[Commit]) -> Change:
        """Commits were added to the pool (or came back with a smaller clock)."""
        change = Change()
        starts: list[int] = []
        rules: set[int] = set()
        for commit in commits:
            if not commit.window:
                continue
            here = self.places.get(commit.window[0], ())
            if commit.author == "model":
                size = len(commit.window)
                starts += [at for at in map(self.index, here) if tuple(self.keys[at : at + size]) == commit.window]
            else:
                rules.update(map(self.index, here))
        done = 0
        for at in sorted(starts):
            if at >= done:
                done = self._settle(at, at + 1, change)
        for at in rules:
            self._place_rule(at, change)
            self._place_maybe(at, change)
        self._refresh_bare([commit for commit in commits if commit.window], change)
        if len(commits) > sum(1 for commit in commits if commit.window):
            self._refresh_windowless(change)
        return change

    def _refresh_bare(self, commits: Sequence[Commit], change: Change) -> None:
        """New commits may be provisionally live where nothing exact is: at texts that begin with their last message."""
        if not self.bare or not commits:
            return
        sources = self.pool.sources
        texts = {sources[commit.window[-1]].text for commit in commits if commit.window[-1] in sources}
        if self._by_text is None and len(texts) <= FEW_TEXTS:
            prefixes = tuple(texts)
            slots = [slot for slot in self.bare if slot.key in sources and sources[slot.key].text.startswith(prefixes)]
        else:
            slots = [slot for text in texts for slot in self._beginning_with(text)]
        for at in sorted(set(map(self.index, slots))):
            self._place_maybe(at, change)

    def _beginning_with(self, text: str) -> Iterator[Slot]:
        """Bare slots whose text begins so. The sorted list is made once and outlives slots that are covered meanwhile."""
        if self._by_text is None:
            sources = self.pool.sources
            self._by_text = sorted((sources[slot.key].text, slot.order, slot) for slot in self.bare if slot.key in sources)
        at = bisect_left(self._by_text, (text,))
        while at < len(self._by_text) and self._by_text[at][0].startswith(text):
            slot = self._by_text[at][2]
            if slot in self.bare:
                yield slot
            at += 1

    # ---- windowless commits ----

    def _refresh_windowless(self, change: Change) -> None:
        old, self.windowless = self.windowless, {}
        for commit in self.pool.standing(self.lineage):
            if self._lives(commit):
                now = old.pop(commit.id, None)
                if now is None:
                    now = Placement(commit)
                    change.swap(None, now)
                self.windowless[commit.id] = now
        change.removed += old.values()

    def _lives(self, commit: Commit) -> bool:
        # What an import needs is only what its memories quote: each of them stays when another one's message goes.
        if commit.author != "import" and not all(map(self.stands, commit.needs.keys)):
            return False
        if not all(needed in self.windowless for needed in commit.needs.commits):
            return False
        if commit.author == "upkeep":
            return True
        if not commit.chat or (commit.chat == self.chat and not self.prefix):
            return True
        return commit.chat in self.lineage and (not commit.anchor or self.stands(commit.anchor))
