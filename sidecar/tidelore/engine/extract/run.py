"""Runs of the two extractors: rules over single messages, the model over windows. What a run stores is stored when it says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tidelore.engine.chats import Chats, OpenChat
from tidelore.engine.codec import windowed
from tidelore.engine.errors import Cancelled, ModelAnswer, ModelError, ModelRefused, ModelUnreachable
from tidelore.engine.extract.answer import parse_answer
from tidelore.engine.extract.known import known_nodes
from tidelore.engine.extract.plan import Window, by_hand, due_for_model, due_for_rules, next_for_model, settled, window_id
from tidelore.engine.extract.prompt import NO_TEMPLATES, PromptMessage, answer_schema, build
from tidelore.engine.extract.resolve import resolve
from tidelore.engine.extract.rules import extract
from tidelore.engine.history import Timeline
from tidelore.engine.model import Commit, Operation
from tidelore.engine.ports import Complete, LedgerRow
from tidelore.engine.schema import Schema
from tidelore.engine.text.language import language

RULES_AT_ONCE = 256
CONTEXT_MESSAGES = 4
ATTEMPTS = 3
MODEL_SECONDS = 300.0
RAW_KEPT = 20_000
LANGUAGE_SAMPLE = 40
# Characters of each of them: no one pasted book decides.
LANGUAGE_OF_EACH = 4_000
# From so many characters on a message is read beside the event loop, where the host can do that.
LONG = 20_000

Progress: TypeAlias = Callable[[int, int], None]


@dataclass(slots=True)
class Attempts:
    """What the ledger says of windows that gave nothing: how often tried, and the last try."""

    tries: dict[str, int] = field(default_factory=dict[str, int])
    last: dict[str, Attempt] = field(default_factory=dict[str, "Attempt"])

    def aside(self, window: str) -> bool:
        """Whether to leave a window alone until someone asks for it: answered as empty, or tried too often."""
        return self.last.get(window, NEVER).outcome == "empty" or self.tries.get(window, 0) >= ATTEMPTS

    def take(self, window: str, outcome: str, error: str, raw: str) -> None:
        self.last[window] = Attempt(outcome, error, raw)
        if outcome == "failed":
            self.tries[window] = self.tries.get(window, 0) + 1


@dataclass(frozen=True, slots=True)
class Attempt:
    """`outcome`: failed or empty; `raw`: the model's answer where it was of no use, else empty."""

    outcome: str
    error: str
    raw: str


NEVER = Attempt("", "", "")


@dataclass(frozen=True, slots=True)
class Failed:
    window: Window
    error: str
    raw: str


@dataclass(slots=True)
class Outcome:
    """`windows` extracted and stored, `dropped` operations of the model by reason, `aside` windows set aside in this run."""

    windows: int = 0
    commits: int = 0
    empty: int = 0
    dropped: int = 0
    problems: dict[str, int] = field(default_factory=dict[str, int])
    failed: list[Failed] = field(default_factory=list[Failed])
    interrupted: str = ""


def chat_language(chat: OpenChat) -> str:
    """The main language of a chat, by its newest messages."""
    standing = tuple(chat.timeline.keys[-LANGUAGE_SAMPLE:])
    if chat.language[0] != standing:
        chat.language = (standing, _language(chat))
    return chat.language[1]


def _language(chat: OpenChat) -> str:
    sources = chat.pool.sources
    newest = chat.timeline.slots[-LANGUAGE_SAMPLE:]
    return language(sources[slot.key].text[:LANGUAGE_OF_EACH] for slot in newest if slot.key in sources)


async def run_rules(
    chats: Chats, chat: OpenChat, lag: int, hand: tuple[int, int] | None, progress: Progress, cancelled: Callable[[], bool]
) -> Outcome:
    """Every due message, or those of a range by hand. One commit covers all messages of one text."""
    outcome = Outcome()
    name = chat.record.name
    if hand is not None:
        await _rules_over(chats, name, chat.timeline.keys[hand[0] : hand[1] + 1], outcome, progress, cancelled)
        return outcome
    while keys := [chat.timeline.keys[at] for at in due_for_rules(chat.timeline, lag)]:
        await _rules_over(chats, name, keys, outcome, progress, cancelled)
        chat = await chats.open(name)
    return outcome


def _stop_if(cancelled: Callable[[], bool], outcome: Outcome) -> None:
    if cancelled():
        raise Cancelled("The extraction was stopped.", f"{outcome.windows} windows are stored; run it again for the rest.")


async def _rules_over(
    chats: Chats, name: str, keys: Sequence[str], outcome: Outcome, progress: Progress, cancelled: Callable[[], bool]
) -> None:
    messages = Counter(keys)
    distinct = list(messages)
    total = outcome.windows + len(keys)
    for start in range(0, len(distinct), RULES_AT_ONCE):
        _stop_if(cancelled, outcome)
        batch = distinct[start : start + RULES_AT_ONCE]
        outcome.commits += await _rules(chats, name, batch, await _read_off_loop(chats, name, batch))
        outcome.windows += sum(messages[key] for key in batch)
        progress(outcome.windows, total)


async def _read_off_loop(chats: Chats, name: str, keys: Sequence[str]) -> Mapping[str, tuple[Operation, ...]]:
    """What the rules make of long texts, by key. A key stands for one text, so nothing is locked meanwhile."""
    sources = (await chats.open(name)).pool.sources
    long = [(key, sources[key]) for key in keys if key in sources and len(sources[key].text) >= LONG]
    return {key: await chats.off_loop(extract, source.role, source.text) for key, source in long}


async def _rules(chats: Chats, name: str, keys: Sequence[str], read: Mapping[str, tuple[Operation, ...]]) -> int:
    """How many commits were made. `read`: what was made of some texts already. The chat is opened anew each time: it may have been read
    again from the store meanwhile."""
    async with chats.lock:
        chat = await chats.open(name)
        commits: list[Commit] = []
        for key in keys:
            source = chat.pool.sources.get(key)
            if source is None or not chat.timeline.stands(key):
                continue
            operations = read[key] if key in read else extract(source.role, source.text)
            standing = chat.pool.rules_at(key)
            if standing is not None and standing.operations == operations:
                continue
            generation = standing.generation + 1 if standing is not None else 0
            commits.append(
                windowed(
                    "rules",
                    operations,
                    (key,),
                    clock=chats.tick(chat.home),
                    replica=chats.replica,
                    generation=generation,
                    maker="rules",
                )
            )
        if commits:
            await chats.commit(chat, commits)
        return len(commits)


async def run_model(
    chats: Chats,
    chat: OpenChat,
    complete: Complete,
    schema: Schema,
    attempts: Attempts,
    lag: int,
    exchanges: int,
    hand: tuple[int, int] | None,
    progress: Progress,
    cancelled: Callable[[], bool],
    templates: Mapping[str, str] = NO_TEMPLATES,
    seconds: float = MODEL_SECONDS,
) -> Outcome:
    """Window by window; the plan is made anew after every commit, since one commit may cover several places. A window that fails is
    counted and later ones go on; an endpoint that cannot be reached or says no ends the run and counts against no window."""
    outcome = Outcome()
    name = chat.record.name
    tried: set[str] = set()
    plan = _Planned(attempts, tried, lag, exchanges) if hand is None else _ranged(chat.timeline, hand, exchanges, tried)
    while (window := plan.next(chat.timeline)) is not None:
        _stop_if(cancelled, outcome)
        keys = chat.timeline.keys[window.first : window.last + 1]
        tried.add(window_id(keys))
        try:
            commit = await _ask(chats, chat, complete, schema, window, keys, outcome, templates, seconds)
        except (ModelUnreachable, ModelRefused) as error:
            outcome.interrupted = f"{error.sentence} {error.hint}".strip()
            return outcome
        except ModelError as error:
            raw = error.raw[:RAW_KEPT] if isinstance(error, ModelAnswer) else ""
            await _note(chats, chat, attempts, keys, "failed", error.sentence, raw)
            outcome.failed.append(Failed(window, error.sentence, raw))
        else:
            if commit is None:
                await _note(chats, chat, attempts, keys, "empty", "", "")
                outcome.empty += 1
            else:
                async with chats.lock:
                    await chats.commit(await chats.open(name), [commit])
                outcome.windows += 1
                outcome.commits += 1
        # The chat may have been read again from the store while the model was thinking.
        chat = await chats.open(name)
        done = outcome.windows + outcome.empty + len(outcome.failed)
        progress(done, done + plan.remaining(chat.timeline))
    return outcome


@dataclass(slots=True)
class _Planned:
    """Due windows that are neither set aside nor tried in this run, left to right; then once more from the start, since the chat may
    change behind us."""

    attempts: Attempts
    tried: set[str]
    lag: int
    exchanges: int
    at: int = 0

    def next(self, timeline: Timeline) -> Window | None:
        end = settled(timeline, self.lag)
        for start in (self.at, 0):
            self.at = start
            while (window := next_for_model(timeline, end, self.exchanges, self.at)) is not None:
                self.at = window.last + 1
                if self._open(timeline, window):
                    return window
        return None

    def remaining(self, timeline: Timeline) -> int:
        return sum(self._open(timeline, window) for window in due_for_model(timeline, self.lag, self.exchanges))

    def _open(self, timeline: Timeline, window: Window) -> bool:
        name = window_id(timeline.keys[window.first : window.last + 1])
        return name not in self.tried and not self.attempts.aside(name)


@dataclass(slots=True)
class _Ranged:
    """The windows of a range, wherever their messages stand by then; one that an edit has broken meanwhile is left out, and so is a
    second one of the same words, since one commit covers both."""

    left: list[tuple[Window, list[str]]]
    tried: set[str]

    def next(self, timeline: Timeline) -> Window | None:
        while self.left:
            window, keys = self.left.pop(0)
            if window_id(keys) in self.tried:
                continue
            firsts = [timeline.index(slot) for slot in timeline.places.get(keys[0], ())]
            standing = [first for first in firsts if timeline.keys[first : first + len(keys)] == keys]
            if standing:
                first = min(standing, key=lambda first: (abs(first - window.first), first))
                return Window(first, first + len(keys) - 1, window.generation)
        return None

    def remaining(self, timeline: Timeline) -> int:
        del timeline
        return len(self.left)


def _ranged(timeline: Timeline, hand: tuple[int, int], exchanges: int, tried: set[str]) -> _Ranged:
    windows = by_hand(timeline, *hand, exchanges)
    return _Ranged([(window, timeline.keys[window.first : window.last + 1]) for window in windows], tried)


async def _ask(
    chats: Chats,
    chat: OpenChat,
    complete: Complete,
    schema: Schema,
    window: Window,
    keys: Sequence[str],
    outcome: Outcome,
    templates: Mapping[str, str],
    seconds: float,
) -> Commit | None:
    """The commit of one window, or None when the model finds nothing worth keeping. The model has `seconds`. Raises ModelError."""
    inside = [_message(chat, at, number) for number, at in enumerate(window.positions, 1)]
    before = range(max(0, window.first - CONTEXT_MESSAGES), window.first)
    context = [_message(chat, at, 0) for at in before if chat.timeline.keys[at] not in chat.pool.purged]
    known = known_nodes(chat, [message.text for message in inside])
    messages = build(inside, context, known, schema, chat_language(chat), templates)
    for second in (False, True):
        raw = await complete(messages, answer_schema(schema), seconds)
        answer = parse_answer(raw)
        if answer.kind != "schema" or second:
            break
    if answer.kind in ("refusal", "schema", "excess", "nothing"):
        sentences = {
            "refusal": "The model refused to answer.",
            "schema": "The model sent the schema back instead of an answer.",
            "excess": "The model's answer is far longer than its messages could yield.",
            "nothing": "There is nothing usable in the model's answer.",
        }
        raise ModelAnswer(sentences[answer.kind], "Try again, or choose another memory model.", raw)
    resolved = resolve(answer, inside, {node.key: node for node in known}, schema)
    outcome.dropped += resolved.dropped
    for problem in resolved.problems:
        code = problem.split(":", 1)[0]
        outcome.problems[code] = outcome.problems.get(code, 0) + 1
    if not resolved.operations:
        if resolved.dropped:
            raise ModelAnswer("Nothing in the model's answer is supported by the messages.", "Try again.", raw)
        return None
    return windowed(
        "model",
        resolved.operations,
        keys,
        clock=chats.tick(chat.home),
        replica=chats.replica,
        generation=window.generation,
        maker=complete.name,
    )


def _message(chat: OpenChat, at: int, number: int) -> PromptMessage:
    slot = chat.timeline.slots[at]
    return PromptMessage(number, slot.role, slot.name, chat.pool.sources[slot.key].text)


async def _note(chats: Chats, chat: OpenChat, attempts: Attempts, keys: Sequence[str], outcome: str, error: str, raw: str) -> None:
    window = window_id(keys)
    chat = await chats.open(chat.record.name)  # of a chat that was purged meanwhile nothing is noted
    if not chat.pool.purged.isdisjoint(keys):
        return
    attempts.take(window, outcome, error, raw)
    await chats.note("attempt", chat.record.pool, {"window": window, "outcome": outcome, "error": error, "raw": raw})


async def read_attempts(chats: Chats, pool: str) -> Attempts:
    """The state of the windows that gave nothing, from the ledger. A "retry" row clears what came before it."""
    attempts = Attempts()
    for row in reversed(await chats.store.ledger("attempt", pool, 1_000_000)):
        _replay(attempts, row)
    return attempts


def _replay(attempts: Attempts, row: LedgerRow) -> None:
    window, outcome = row.body["window"], row.body["outcome"]
    if outcome == "retry":
        attempts.tries.clear()
        attempts.last.clear()
        return
    attempts.take(window, outcome, row.body["error"], row.body["raw"])
