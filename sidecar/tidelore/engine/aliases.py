"""Other names of an entity: which node id a name leads to, from the claims that stand."""

from __future__ import annotations

from bisect import bisect_left, insort

Claim = tuple[tuple[int, int, str, int], str]


class Aliases:
    """The latest claim in fold order decides where an alias leads. Chains are followed; a ring leads to its smallest id."""

    def __init__(self) -> None:
        self._claims: dict[str, list[Claim]] = {}

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
        wanted = set(ids)
        out = set(ids)
        for alias in self._claims:
            at, seen = alias, set[str]()
            while at in self._claims and at not in seen:
                seen.add(at)
                at = self._claims[at][-1][1]
            if not wanted.isdisjoint(seen | {at}):
                out.add(alias)
        return out

    def canonical(self, id_: str) -> str:
        """Where a name leads in the end."""
        if id_ not in self._claims:
            return id_
        seen = [id_]
        while id_ in self._claims:
            id_ = self._claims[id_][-1][1]
            if id_ in seen:
                return min(seen[seen.index(id_) :])
            seen.append(id_)
        return id_
