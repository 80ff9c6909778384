"""The demo as a person reads it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tidelore.commands.measure import clip, flat, width
from tidelore.commands.nodes import show_beliefs
from tidelore.commands.recall import show_trace
from tidelore.commands.terminal import Terminal
from tidelore.demo.results import Answered, Piece, Remembered, StoryResult
from tidelore.demo.scenarios import EXPECTED, Scenario
from tidelore.texts import Texts

_HUBS, _FACTS, _TRACED, _BELIEFS = 6, 5, 3, 1


def show_start(out: Terminal, texts: Texts) -> None:
    out.title(texts("demo.title"))
    out.text(texts("demo.intro"))


def show_story(out: Terminal, texts: Texts, number: int, result: StoryResult) -> None:
    story = result.story
    out.line()
    out.line()
    language = texts(f"language.{story.language}")
    out.title(texts("demo.story", number=number, title=story.title, language=language, messages=len(story.messages())))
    _remembered(out, texts, result.remembered)
    _heading(out, texts("demo.questions"), texts("demo.questions_note"))
    for at, answered in enumerate(result.answers, 1):
        _answer(out, texts, at, answered)
    traced = result.answers[0]
    _heading(out, texts("demo.trace"), texts("demo.trace_note"))
    out.line()
    show_trace(out, texts, traced.trace, _TRACED)
    if result.why:
        _heading(out, texts("demo.why"), texts("demo.why_note"))
        if all(result.why["text"] not in message["text"] for belief in result.why["beliefs"][:1] for message in belief["messages"]):
            out.line()
            out.text(_sentence(result.why["text"]), indent=2)
        show_beliefs(out, texts, result.why["beliefs"], _BELIEFS)
    _table(out, texts, result.scenarios)


def _heading(out: Terminal, title: str, note: str = "") -> None:
    out.line()
    out.line(title, "strong")
    if note:
        out.text(note, "dim")


def _remembered(out: Terminal, texts: Texts, remembered: Remembered) -> None:
    _heading(out, texts("demo.remembered"))
    seconds = f"{remembered.seconds:.2f}"
    out.text(texts("demo.counts", nodes=remembered.nodes, edges=remembered.edges, seconds=seconds), indent=2)
    kinds = texts.list(f"{count} {texts(f'kinds.{kind}', n=count)}" for kind, count in remembered.kinds.items())
    hubs = texts.list(f"{flat(node['text'])} ({edges})" for node, edges in remembered.hubs[:_HUBS])
    out.rows([(texts("demo.kinds"), kinds), (texts("demo.hubs"), hubs)])
    if remembered.piece is not None:
        _piece(out, texts, remembered.piece)
    if remembered.facts:
        out.line(texts("demo.facts"), "dim", indent=2)
        for node, index in remembered.facts[:_FACTS]:
            place = f"#{index}" if index is not None else ""
            out.line(f"{place:>5}  {clip(node['text'], out.width - 11)}", indent=4)


def _piece(out: Terminal, texts: Texts, piece: Piece) -> None:
    """One name and what hangs on it, drawn as a tree."""
    out.line(texts("demo.piece"), "dim", indent=2)
    out.line(flat(piece.centre["text"]), "name", indent=4)
    for at, branch in enumerate(piece.branches):
        stem = "└─" if at == len(piece.branches) - 1 and not piece.more else "├─"
        head = f"{stem} {texts.word('edge', branch.edge)} ─ {f'#{branch.index} ' if branch.index is not None else ''}"
        out.line(head + clip(branch.node["text"], out.width - 4 - width(head)), indent=4)
    if piece.more:
        out.line("└─ " + texts("demo.piece_more", n=piece.more), indent=4)


def _answer(out: Terminal, texts: Texts, number: int, answered: Answered) -> None:
    out.line()
    out.text(answered.question.text, "strong", first=f"{number}. ")
    if not answered.found:
        out.text(texts("demo.not_found"), "bad", indent=3)
    first = answered.hits[0] if answered.hits else 0
    for at, card in enumerate(answered.cards):
        place = f"#{answered.at[at][0]}" if answered.at[at] else ""
        speaker = flat(card["speaker"])
        if at == first:
            mark = "✓" if answered.found else "·"
            out.text(f"{place} {speaker}", "good" if answered.found else "dim", indent=3, first=f"{mark} ")
            out.text(_sentence(card["text"]), indent=5)
    rest = [f"#{places[0]}" for at, places in enumerate(answered.at) if at != first and places]
    rank = texts("demo.rank", rank=first + 1, rest=texts.list(rest)) if answered.found else texts("demo.others", rest=texts.list(rest))
    out.text(rank, "dim", indent=5)
    if len(answered.question.evidence) > 1:
        out.text(texts("demo.evidence", places=texts.list(f"#{place}" for place in answered.question.evidence)), "dim", indent=5)


def _sentence(text: str) -> str:
    """As much of a memory as fits on a few lines."""
    return clip(text, 3 * 72)


def _table(out: Terminal, texts: Texts, scenarios: Sequence[Scenario]) -> None:
    _heading(out, texts("demo.table"), texts("demo.table_note"))
    out.line()
    head = tuple(texts(f"demo.table.{name}") for name in ("you", "what", "memories", "calls", "same"))
    rows = [head]
    for each in scenarios:
        what = texts(f"demo.do.{each.name.replace(' ', '_')}", index=each.index)
        moved = " ".join(part for part in (f"-{each.gone}" * bool(each.gone), f"+{each.new}" * bool(each.new)) if part) or "="
        calls = str(each.model_calls) + ("" if each.model_calls == EXPECTED[each.name] else f" (!{EXPECTED[each.name]})")
        same = texts("demo.yes") if each.equals_scratch else texts("demo.no")
        rows.append((texts(f"demo.name.{each.name.replace(' ', '_')}"), what, moved, calls, same))
    out.table(rows, "<<>>>", head=True, styles=("strong", "", "", "", "good"))


def show_end(out: Terminal, texts: Texts, results: Sequence[StoryResult], keep: Path | None, *, goes_on: bool = False) -> None:
    """`goes_on`: the panel comes after this, on the same data."""
    answers = [each for result in results for each in result.answers]
    scenarios = [each for result in results for each in result.scenarios]
    out.line()
    out.line()
    out.title(texts("demo.end"))
    found, held = sum(each.found for each in answers), sum(each.holds for each in scenarios)
    summary: dict[str, Any] = {"found": found, "questions": len(answers), "held": held, "scenarios": len(scenarios)}
    out.text(texts("demo.summary", **summary), "good" if found == len(answers) and held == len(scenarios) else "bad")
    out.line()
    out.advice(texts("demo.kept", folder=keep) if keep else texts("demo.removed_later" if goes_on else "demo.removed"))
    out.line()
    out.line(texts("demo.next"), "strong")
    for name in ("import", "recall", "graph", "doctor"):
        out.line(texts(f"demo.next.{name}.command"), "name", indent=2)
        out.text(texts(f"demo.next.{name}"), "dim", indent=4)
    out.line()
    out.advice(texts("demo.docs"))


def show_panel(out: Terminal, texts: Texts, url: str, *, opens: bool) -> None:
    """Where the stories can be looked at."""
    out.line()
    out.line()
    out.title(texts("demo.panel"))
    out.text(texts("demo.panel_note"))
    out.line()
    out.line(url, "name", indent=2)
    out.line()
    out.text(texts("console.opens" if opens else "console.once"), "dim")
    out.text(texts("serve.stop"), "dim")
