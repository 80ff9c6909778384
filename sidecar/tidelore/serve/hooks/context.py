"""The text that a host puts before the user's message, within the host's limits in characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tidelore.engine.recall.pack import NOTICES, Line, line_text, pack
from tidelore.engine.results import Card

# More tokens than any text within the limits in characters has.
_ROOM = 1_000_000


@dataclass(frozen=True, slots=True)
class Context:
    """`cards` are those that stand in the text, in rank order, `lines` their texts."""

    text: str
    cards: Sequence[Card]
    lines: Sequence[str]


def context(cards: Sequence[Card], block: str, longest: int, room: int) -> Context:
    """`block`: all cards as the engine wrote them, which gives their order and language. Each memory takes `longest` characters at most;
    the weakest go until all takes no more than `room`."""
    order = {line: at for at, line in enumerate(block.splitlines())}
    language = next((name for name, notice in NOTICES.items() if notice in block), "en")
    rows = [
        Line(card.node, line_text(_cut(card.text, longest), card.speaker, card.date), order.get(_whole(card), len(order))) for card in cards
    ]
    while rows:
        text = pack(rows, "recalled", language, _ROOM).text
        if len(text) <= room:
            return Context(text, cards[: len(rows)], [row.text.removeprefix("- ") for row in rows])
        rows.pop()
    return Context("", (), ())


def _whole(card: Card) -> str:
    return line_text(card.text, card.speaker, card.date)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
