"""`tidelore recall`: a question, and the memories that would go into the prompt."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from tidelore.commands.context import Context
from tidelore.commands.measure import clip, flat
from tidelore.commands.parser import Verbs, whole
from tidelore.commands.places import Sources, first_answer, shown, sources
from tidelore.commands.terminal import Terminal
from tidelore.engine.recall.presets import PRESETS
from tidelore.engine.scopes import scope_chat
from tidelore.engine.service import Service
from tidelore.texts import Texts

_TRACED = 12


def add(verbs: Verbs) -> None:
    verb = verbs.add("recall", run).argument("QUESTION").chat_option()
    verb.option("--budget", type=whole, metavar="N").option("--preset", choices=tuple(PRESETS), default="story")
    verb.option("--limit", type=whole, metavar="N").option("--trace", action="store_true")


async def run(context: Context, arguments: Namespace) -> int:
    async with context.reading(with_vectors=True) as service:
        read = await sources(context.texts, service, arguments.chat)
        where = await context.elsewhere(service, read.chat) if arguments.chat is not None else ""
        params = {"chat": read.chat, "query": arguments.question, "preset": arguments.preset, "budget": arguments.budget}
        params |= {"scopes": list(read.scopes), "beside": list(read.beside)}
        found = await service.call("recall.run", params | {"limit": arguments.limit, "trace": arguments.trace or not context.json})
        for card in found["cards"]:
            card["chat"] = shown(await _home(service, read, card["node"]))
    if context.json:
        context.out.json({"chat": shown(read.chat), **found})
        return 0
    out, texts = context.out, context.texts
    several = len(read.names()) > 1
    _show_title(out, texts, read)
    budget = PRESETS[arguments.preset].budget if arguments.budget is None else arguments.budget
    left = sum(each["reason"] == "over the budget" for each in found["trace"]["cards"])
    if not found["cards"]:
        _show_nothing(out, texts, arguments.preset, left, budget)
    for number, card in enumerate(found["cards"], 1):
        show_card(out, number, card, card["chat"] if several else "")
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


async def _home(service: Service, read: Sources, node: str) -> str:
    """The first of the chats that are read which has the memory, as recall takes it."""
    *others, last = read.names()
    found = await first_answer(service, others, "node.get", {"node": node})
    return last if found is None else found[0]


def _show_title(out: Terminal, texts: Texts, read: Sources) -> None:
    """What was read: by its name where it is one thing alone."""
    scopes = [scope_chat(each) for each in read.scopes]
    chats = [name for name in read.names() if name not in scopes]
    if not chats:
        out.title(texts("recall.title", chat=texts.list(map(shown, scopes))))
        return
    if len(chats) == 1:
        out.title(texts("recall.title", chat=shown(chats[0])))
    else:
        whole = texts("recall.title_all", n=len(chats))
        out.title(whole if len(chats) >= read.all else texts("recall.title_newest", n=len(chats), all=read.all))
    if len(read.names()) == 1:
        return
    if scopes:
        out.text(texts("recall.and_scopes", scopes=texts.list(map(shown, scopes))), "dim")
    out.text(texts("recall.one_alone"), "dim")


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


def show_card(out: Terminal, number: int, card: dict[str, Any], chat: str) -> None:
    """A memory with its place, speaker, node id, and the chat that it is from where several are read."""
    index = place(card)
    about = [f"#{index}" if index is not None else "", flat(card["speaker"]), card["date"].replace("T", " "), card["node"][:8], flat(chat)]
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
