"""Other names of an entity: which node id a name leads to, from the claims that stand."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from typing import TypeAlias

from tidelore.engine.codec import named_id
from tidelore.engine.text.unicode14 import fold_name

Claim: TypeAlias = tuple[tuple[int, int, str, int], str]
# Words of a name on screen that mean nobody by themselves.
NO_NAMES = frozenset(
    "the a an of and old young big little captain doctor dr dr. mr mr. mrs mrs. ms ms. miss lady lord sir dame king queen prince princess"
    " duke duchess count countess baron father mother brother sister uncle aunt grandma grandpa saint st st. professor prof prof. master"
    " mistress general colonel major sergeant officer agent inspector detective judge nurse van von de der den del della di da la le el al"
    " bin ibn ben user assistant narrator character system bot ai".split()
)


class Aliases:
    """The latest claim in fold order decides where an alias leads; without one, what the voices make short for a name. Chains are
    followed; a ring leads to its smallest id. `short`: short names of who speaks to full ones, all folded."""

    def __init__(self) -> None:
        self._claims: dict[str, list[Claim]] = {}
        self._short: dict[str, str] = {}
        self.short: dict[str, str] = {}
        self.voices = Voices()

    def hear(self) -> list[str]:
        """Take over what short names the voices have by now; the ids that lead elsewhere than before."""
        if not self.voices.changed:
            return []
        old = self._short
        self.short = self.voices.short()
        self._short = {_person(short): _person(name) for short, name in self.short.items()}
        return [id_ for id_ in old.keys() | self._short.keys() if old.get(id_) != self._short.get(id_)]

    def claim(self, alias: str, key: tuple[int, int, str, int], target: str) -> bool:
        """True when the alias leads elsewhere than before."""
        rows = self._claims.setdefault(alias, [])
        before = rows[-1][1] if rows else alias
        insort(rows, (key, target))
        return rows[-1][1] != before

    def drop(self, alias: str, key: tuple[int, int, str, int]) -> bool:
        rows = self._claims[alias]
        before = rows[-1][1]
        del rows[bisect_left(rows, key, key=lambda row: row[0])]
        if not rows:
            del self._claims[alias]
            return before != alias
        return rows[-1][1] != before

    def through(self, ids: list[str]) -> set[str]:
        """These ids and every alias whose way leads over one of them."""
        leading: dict[str, list[str]] = {}
        for alias in self._claims.keys() | self._short.keys():
            to = self._next(alias)
            if to is not None:
                leading.setdefault(to, []).append(alias)
        out, waiting = set(ids), list(ids)
        while waiting:
            fresh = [alias for alias in leading.get(waiting.pop(), ()) if alias not in out]
            out.update(fresh)
            waiting += fresh
        return out

    def canonical(self, id_: str) -> str:
        """Where a name leads in the end."""
        if id_ not in self._claims and id_ not in self._short:
            return id_
        to = self._next(id_)
        seen = {id_: 0}
        while to is not None:
            if to in seen:
                return min(each for each, at in seen.items() if at >= seen[to])
            seen[to] = len(seen)
            id_, to = to, self._next(to)
        return id_

    def _next(self, id_: str) -> str | None:
        """One step: what is claimed goes before what is heard."""
        rows = self._claims.get(id_)
        return rows[-1][1] if rows else self._short.get(id_)


def _person(name: str) -> str:
    return named_id("entity", "chat", name)


class Voices:
    """The names of those who speak on screen. A word of a longer name that no other one shares is short for it: who speaks as "Corwin
    Threlfall" is meant by "Corwin"."""

    def __init__(self) -> None:
        self._names: Counter[str] = Counter()
        self.changed = False

    def add(self, name: str) -> None:
        self.changed |= name not in self._names
        self._names[name] += 1

    def drop(self, name: str) -> None:
        self._names[name] -= 1
        if not self._names[name]:
            del self._names[name]
            self.changed = True

    def short(self) -> dict[str, str]:
        """Short name to full name, both folded."""
        self.changed = False
        full = {fold_name(name) for name in self._names}
        found: dict[str, set[str]] = {}
        for name in full:
            words = name.split()
            for word in words if len(words) > 1 else ():
                if len(word) > 1 and word not in NO_NAMES and word not in full:
                    found.setdefault(word, set()).add(name)
        return {word: names.pop() for word, names in found.items() if len(names) == 1}
