"""A pool: the commits and sources of one chat and its branches, with the look-ups that finding live commits needs."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Iterator

from tidelore.engine.model import Commit, Role, Source


def _preference(commit: Commit) -> tuple[int, int, str]:
    """Of commits with one window: the highest generation, then the smallest (clock, id)."""
    return (-commit.generation, commit.clock, commit.id)


class Prefixes:
    """The texts that some windowed commit ends with, to find the longest one that another text begins with."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._keys: dict[str, list[str]] = {}

    def add(self, text: str, key: str) -> None:
        keys = self._keys.get(text)
        if keys is None:
            self._keys[text] = [key]
            insort(self._texts, text)
        elif key not in keys:
            insort(keys, key)

    def of(self, text: str) -> Iterator[list[str]]:
        """The keys of the proper prefixes of `text`, longest first."""
        end = len(text) - 1
        while end > 0:
            at = bisect_right(self._texts, text[:end]) - 1
            if at < 0:
                return
            found = self._texts[at]
            if text.startswith(found):
                if found:
                    yield self._keys[found]
                end = len(found) - 1
            else:
                # No stored text lies between `found` and text[:end], so a prefix can be no longer than what the two share.
                end = min(end, _common(found, text))
        return


def _common(one: str, other: str) -> int:
    """Length of the common beginning, by bisection."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


class Pool:
    """Grow-only. Adding what is known changes nothing but a clock, which may become smaller."""

    def __init__(self) -> None:
        self.commits: dict[str, Commit] = {}
        self.sources: dict[str, Source] = {}
        self.models: dict[tuple[str, ...], list[Commit]] = {}
        self.rules: dict[str, list[Commit]] = {}
        self.lengths: dict[str, list[int]] = {}
        self.longest = 1
        self.ending: dict[str, list[Commit]] = {}
        self.prefixes: dict[Role, Prefixes] = {"user": Prefixes(), "assistant": Prefixes()}
        self.windowless: list[Commit] = []
        self.watched: set[str] = set()
        # Messages whose words are gone for good: nothing is extracted from them.
        self.purged: set[str] = set()
        self._unsourced: set[str] = set()

    def add_source(self, source: Source) -> bool:
        """True when it is new."""
        if source.key in self.sources:
            return False
        self.sources[source.key] = source
        if source.key in self._unsourced:
            self._unsourced.discard(source.key)
            self.prefixes[source.role].add(source.text, source.key)
        return True

    def add_commit(self, commit: Commit) -> bool:
        """True when it is new or came with a smaller clock."""
        known = self.commits.get(commit.id)
        if known is not None:
            if known.clock <= commit.clock:
                return False
            self._drop(known)
        self.commits[commit.id] = commit
        if commit.window:
            self._add_windowed(commit)
        else:
            insort(self.windowless, commit, key=_order)
            self.watched.update(commit.needs.keys)
            if commit.anchor:
                self.watched.add(commit.anchor)
        return True

    def _add_windowed(self, commit: Commit) -> None:
        first, last = commit.window[0], commit.window[-1]
        if commit.author == "model":
            insort(self.models.setdefault(commit.window, []), commit, key=_preference)
            lengths = self.lengths.setdefault(first, [])
            if len(commit.window) not in lengths:
                insort(lengths, len(commit.window))
        else:
            insort(self.rules.setdefault(first, []), commit, key=_preference)
        self.longest = max(self.longest, len(commit.window))
        if last not in self.ending:
            source = self.sources.get(last)
            if source is None:
                self._unsourced.add(last)
            else:
                self.prefixes[source.role].add(source.text, last)
        insort(self.ending.setdefault(last, []), commit, key=_preference)

    def _drop(self, commit: Commit) -> None:
        if commit.window:
            row = self.models[commit.window] if commit.author == "model" else self.rules[commit.window[0]]
            row.remove(commit)
            self.ending[commit.window[-1]].remove(commit)
        else:
            self.windowless.remove(commit)

    def add(self, sources: Iterable[Source], commits: Iterable[Commit]) -> list[Commit]:
        """Union; the commits that are new or came earlier than known."""
        for source in sources:
            self.add_source(source)
        return [commit for commit in commits if self.add_commit(commit)]

    def model_at(self, keys: list[str], at: int) -> Commit | None:
        """The model commit chosen at position `at` of `keys`: its window stands there; highest generation, smallest (clock, id)."""
        best: Commit | None = None
        for length in self.lengths.get(keys[at], ()):
            row = self.models.get(tuple(keys[at : at + length]))
            if row and len(row[0].window) == length and (best is None or _preference(row[0]) < _preference(best)):
                best = row[0]
        return best

    def rules_at(self, key: str) -> Commit | None:
        row = self.rules.get(key)
        return row[0] if row else None

    def continued_at(self, keys: list[str], at: int) -> Commit | None:
        """The commit that is provisionally live at `at`: its last message is a proper prefix of the text there, and the rest of
        its window stands before it. Longest prefix, model before rules, then as always."""
        source = self.sources.get(keys[at])
        if source is None:
            return None
        for candidates in self.prefixes[source.role].of(source.text):
            fitting = [
                commit
                for key in candidates
                for commit in self.ending.get(key, ())
                if len(commit.window) <= at + 1 and list(commit.window[:-1]) == keys[at + 1 - len(commit.window) : at]
            ]
            if fitting:
                return min(fitting, key=lambda commit: (commit.author != "model", _preference(commit)))
        return None

    def standing(self, lineage: frozenset[str]) -> list[Commit]:
        """Windowless commits that no standing one undoes, as seen from the chats in `lineage` (a chat and those it branched from)."""
        struck: set[str] = set()
        out: list[Commit] = []
        for commit in reversed(self.windowless):
            if commit.id in struck:
                continue
            out.append(commit)
            if commit.undoes and (not commit.chat or commit.chat in lineage):
                undone = self.commits.get(commit.undoes)
                if undone is not None and _order(undone) < _order(commit):
                    struck.add(commit.undoes)
        out.reverse()
        return out


def _order(commit: Commit) -> tuple[int, str]:
    return (commit.clock, commit.id)
