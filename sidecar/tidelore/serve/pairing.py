"""Pairing: a page asks to be let in and shows a short code; the person types that code into the sidecar; the page gets a key, once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from tidelore.serve.faults import Refusal

SECONDS = 120.0
WRONG_CODES = 5
AT_ONCE = 8
STARTS = 6
_DIGITS = 6
_LONGEST_CLIENT = 80

State: TypeAlias = Literal["waiting", "confirmed", "taken", "refused"]


@dataclass(frozen=True, slots=True)
class Pairing:
    """`origin`: of the page, "" for a program that is none. `until` by the clock of Pairings. `profile` once it is confirmed."""

    id: str
    code: str
    origin: str
    client: str
    until: float
    state: State = "waiting"
    profile: str = ""


class Pairings:
    """`grant(pairing)` makes the key, when it is fetched. `announce` shows a new one to the person."""

    def __init__(
        self,
        clock: Callable[[], float],
        token: Callable[[], str],
        number: Callable[[int], int],
        grant: Callable[[Pairing], str],
        announce: Callable[[Pairing], None] = lambda _: None,
    ) -> None:
        """`number(n)`: a random one from 0 to n - 1."""
        self._clock = clock
        self._token = token
        self._number = number
        self._grant = grant
        self.announce = announce
        self._all: dict[str, Pairing] = {}
        self._starts: deque[tuple[float, str]] = deque()
        self._wrong = 0

    def start(self, origin: str, client: str) -> Pairing:
        """A new one, which takes the place of an older one of this origin. Raises Refusal."""
        self._forget()
        now = self._clock()
        others = [each for each in self.waiting() if each.origin != origin]
        asked = sum(of == origin for _, of in self._starts)
        if len(others) >= AT_ONCE or asked >= STARTS:
            raise Refusal(429, "too_many_pairings", "Too many pairings are under way.", f"Try again in {SECONDS:.0f} seconds.")
        self._starts.append((now, origin))
        for each in [each for each in self.waiting() if each.origin == origin]:
            self._all[each.id] = replace(each, state="refused")
        used = {each.code for each in self._all.values()}
        while (code := f"{self._number(10**_DIGITS):0{_DIGITS}}") in used:
            pass
        pairing = Pairing(self._token(), code, origin, client[:_LONGEST_CLIENT], now + SECONDS)
        self._all[pairing.id] = pairing
        self.announce(pairing)
        return pairing

    def waiting(self) -> Sequence[Pairing]:
        """Those that the person can confirm, oldest first."""
        self._forget()
        return [each for each in self._all.values() if each.state == "waiting"]

    def confirm(self, code: str, profile: str) -> Pairing:
        """The one that shows this code is let in, for a profile. After some wrong codes all that wait are refused. Raises Refusal."""
        wanted = "".join(filter(str.isdigit, code))
        for each in self.waiting():
            if each.code == wanted:
                self._wrong = 0
                self._all[each.id] = replace(each, state="confirmed", profile=profile)
                return self._all[each.id]
        if not self.waiting():
            raise Refusal(404, "no_pairing", "Nothing waits to be paired.", "Press the button in the page again, then type the new code.")
        self._wrong += 1
        if self._wrong >= WRONG_CODES:
            self.refuse()
            raise Refusal(403, "code_wrong", "This code is wrong too; what waited is refused now.", "Press the button in the page again.")
        raise Refusal(403, "code_wrong", "No page shows this code.", "Type the digits that the page shows.")

    def refuse(self) -> int:
        """Turns down all that wait; the result is how many."""
        found = self.waiting()
        for each in found:
            self._all[each.id] = replace(each, state="refused")
        self._wrong = 0
        return len(found)

    def poll(self, id_: str, origin: str) -> tuple[Pairing, str]:
        """How it stands, and the key if it is confirmed: only once, and only for the origin that asked. Raises Refusal."""
        self._forget()
        found = self._all.get(id_)
        if found is None or found.origin != origin:
            raise Refusal(404, "no_pairing", "There is no such pairing any more.", "Begin a new one.")
        if found.state == "refused":
            raise Refusal(403, "pairing_refused", "The pairing was refused.", "Begin a new one, and type its code into the sidecar.")
        if found.state == "taken":
            raise Refusal(410, "pairing_taken", "The key was fetched already.", "Begin a new pairing.")
        if found.state == "waiting":
            return found, ""
        key = self._grant(found)
        self._all[id_] = replace(found, state="taken")
        return self._all[id_], key

    def expects(self, origin: str) -> bool:
        """Whether a page of this origin was let in just now and has yet to fetch its key."""
        self._forget()
        return any(each.origin == origin and each.state == "confirmed" for each in self._all.values())

    def _forget(self) -> None:
        now = self._clock()
        for each in [each for each in self._all.values() if each.until <= now]:
            del self._all[each.id]
        while self._starts and self._starts[0][0] <= now - SECONDS:
            self._starts.popleft()
        if not any(each.state == "waiting" for each in self._all.values()):
            self._wrong = 0
