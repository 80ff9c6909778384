"""`tidelore recall`: a question, and the memories that would go into the prompt."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from tidelore.commands.context import Context
from tidelore.commands.measure import clip, flat
from tidelore.commands.parser import Verbs, whole
from tidelore.commands.terminal import Terminal
from tidelore.engine.recall.presets import PRESETS
from tidelore.texts import Texts

_TRACED = 12


def add(verbs: Verbs) -> None:
    verb = verbs.add("recall", run).argument("QUESTION").chat_option()
    verb.option("--budget", type=whole, metavar="N").option("--preset", choices=tuple(PRESETS), default="story")
    verb.option("--limit", type=whole, metavar="N").option("--trace", action="store_true")


async def run(context: Context, arguments: Namespace) -> int:
    async with context.reading(with_vectors=True) as service:
        chat = await context.chat(service, arguments.chat)
        chats = len((await service.call("chat.list", {}))["chats"])
        where = await context.elsewhere(service, chat)
        params = {"chat": chat, "query": arguments.question, "preset": arguments.preset, "budget": arguments.budget}
        found = await service.call("recall.run", params | {"limit": arguments.limit, "trace": arguments.trace or not context.json})
    if context.json:
        context.out.json({"chat": chat, **found})
        return 0
    out, texts = context.out, context.texts
    out.title(texts("recall.title", chat=chat))
    if arguments.chat is None and chats > 1:
        out.text(texts("recall.one_of", n=chats), "dim")
    budget = PRESETS[arguments.preset].budget if arguments.budget is None else arguments.budget
    left = sum(each["reason"] == "over the budget" for each in found["trace"]["cards"])
    if not found["cards"]:
        _show_nothing(out, texts, arguments.preset, left, budget)
    for number, card in enumerate(found["cards"], 1):
        show_card(out, number, card)
    out.line()
    if found["cards"]:
        out.text(texts("recall.cost", n=len(found["cards"]), tokens=found["tokens"]), "dim")
        if left:
            out.text(texts("recall.left", n=left, budget=budget), "dim")
        out.advice(texts("recall.ask_why", node=found["cards"][0]["node"][:8], where=where), "dim")
    for reason in found["degraded"]:
        out.text(texts("recall.degraded", reason=reason), "warn")
    if arguments.trace:
        out.line()
        out.line(texts("trace.title"), "strong")
        show_trace(out, texts, found["trace"], _TRACED)
    return 0


def _show_nothing(out: Terminal, texts: Texts, preset: str, left: int, budget: int) -> None:
    """Why no memory is shown, and what may help."""
    if left:
        out.text(texts("recall.none_fits", n=left, budget=budget))
    elif preset == "strict":
        out.text(texts("recall.not_sure"))
    else:
        out.text(texts("recall.nothing"))
        out.advice(texts("recall.nothing_hint"), "dim")


def place(card: dict[str, Any]) -> int | None:
    """The index of the first message that a card rests on."""
    return next((each["index"] for each in card["evidence"] if each["index"] is not None), None)


def show_card(out: Terminal, number: int, card: dict[str, Any]) -> None:
    """A memory with its place, speaker and node id."""
    index = place(card)
    about = [f"#{index}" if index is not None else "", flat(card["speaker"]), card["date"].replace("T", " "), card["node"][:8]]
    out.line()
    out.text("  ".join(part for part in about if part), "name", first=f"{number:>2}. ")
    out.text(card["text"], indent=4)


def show_trace(out: Terminal, texts: Texts, trace: dict[str, Any], shown: int) -> None:
    """What was looked for, and the share of each signal in the score of each candidate."""
    none = texts("trace.none")
    out.rows([(texts(f"trace.{name}"), texts.list(trace[name]) or none) for name in ("words", "names")])
    out.text(texts("trace.found", n=trace["found"]), indent=2)
    for card in trace["cards"][:shown]:
        mark = "+" if card["taken"] else "-"
        head = f"{mark} {card['score']:7.3f}  "
        out.line(head + clip(card["text"], out.width - len(head) - 2), "good" if card["taken"] else "dim", indent=2)
        signals = texts.list(f"{texts.word('signal', name)} {value:+.2f}" for name, value in card["signals"].items())
        out.text(texts("trace.because", reason=texts.word("reason", card["reason"]), signals=signals), "dim", indent=13)
