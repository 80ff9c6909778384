"""Methods on extraction."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tidelore.engine import methods as m
from tidelore.engine import results as r
from tidelore.engine.chats import OpenChat, check_index
from tidelore.engine.errors import BadInput, Cancelled, Conflict, TideloreError
from tidelore.engine.extract import plan
from tidelore.engine.extract.cost import estimate
from tidelore.engine.extract.run import Attempts, Outcome, read_attempts, run_model, run_rules
from tidelore.engine.operations.prompts import templates_of
from tidelore.engine.operations.settings import value_of
from tidelore.engine.ports import Batch, Vectors
from tidelore.engine.schema import DEFAULT, Schema
from tidelore.engine.table import Call, method, positive

if TYPE_CHECKING:
    from tidelore.engine.service import Service

EMBEDDED_AT_ONCE = 64


@method("extract.plan", m.ExtractPlan, r.Plan)
async def extract_plan(service: Service, params: m.ExtractPlan, call: Call) -> r.Plan:
    """What extraction would work on next: the messages that nothing live covers, as whole windows."""
    del call
    chat = await service.chats.open(params.chat)
    lag = await _lag(service, params.lag)
    if params.by == "rules":
        due = plan.due_for_rules(chat.timeline, lag)
        return r.Plan([r.WindowInfo(at, at) for at in due], [], lag, 0, plan.purged_positions(chat.timeline))
    attempts = await attempts_of(service, chat)
    windows: list[plan.Window] = []
    aside: list[r.AsideInfo] = []
    for window in plan.due_for_model(chat.timeline, lag, await _exchanges(service, params.exchanges)):
        name = plan.window_id(chat.timeline.keys[window.first : window.last + 1])
        if attempts.aside(name):
            last = attempts.last[name]
            reason = last.error or "The model found nothing worth keeping here."
            aside.append(r.AsideInfo(window.first, window.last, reason, attempts.tries.get(name, 0), last.raw))
        else:
            windows.append(window)
    tokens = estimate(chat, windows, await schema_of(service), await templates_of(service))
    return r.Plan([r.WindowInfo(window.first, window.last) for window in windows], aside, lag, tokens, plan.purged_positions(chat.timeline))


@method("extract.run", m.ExtractRun, r.Extracted, writes=True)
async def extract_run(service: Service, params: m.ExtractRun, call: Call) -> r.Extracted:
    """Extract what is due, or a range by hand. Answers when everything is stored."""
    chat = await service.chats.open(params.chat)
    lag = await _lag(service, params.lag)
    exchanges = await _exchanges(service, params.exchanges)
    hand = _range(chat, params.range)
    # The rules work beside a model that thinks for minutes: what both write goes through one lock.
    mine = chat.record.id, "rules" if params.by == "rules" else "model"
    if mine in service.extracting:
        raise Conflict("An extraction of this chat is already running.", "Wait until it is done.")
    if params.by == "model" and service.complete is None:
        raise BadInput("No memory model is set.", 'Set one (docs/cli.md, "Memory model"), or extract by "rules".')
    attempts = await attempts_of(service, chat)
    if params.retry:
        await service.chats.note("attempt", chat.record.pool, {"window": "", "outcome": "retry", "error": "", "raw": ""})
        attempts = service.attempts[chat.record.pool] = Attempts()
    service.extracting.add(mine)
    try:
        with service.jobs.run(f"extract.{params.by}", chat.record.name, call) as job:
            if params.by == "rules":
                outcome = await run_rules(service.chats, chat, lag, hand, job.progress, job.cancelled)
            else:
                assert service.complete is not None
                asked = await schema_of(service), attempts, lag, exchanges, hand
                how = await templates_of(service), service.model_seconds
                outcome = await run_model(service.chats, chat, service.complete, *asked, job.progress, job.cancelled, *how)
    finally:
        service.extracting.discard(mine)
    chat = await service.chats.open(params.chat)
    degraded = await _embed(service, chat)
    return _extracted(outcome, _remaining(chat, params.by, attempts, lag, exchanges), degraded)


@method("embed.run", m.ChatOnly, r.Embedded, writes=True)
async def embed_run(service: Service, params: m.ChatOnly, call: Call) -> r.Embedded:
    """Give the embedder the texts of all that a chat can recall, as after a change of embedder or after changes by hand. What it has
    already costs nothing. Nothing else waits for it: without vectors words and names recall."""
    if service.vectors is None:
        raise BadInput("No embedder is set.", "Choose an embedding model first; without one, words and names recall.")
    chat = await service.chats.open(params.chat)
    with service.jobs.run("embed", chat.record.name, call) as job:
        return await embed_all(service, service.vectors, chat, job)


async def embed_all(service: Service, vectors: Vectors, chat: OpenChat, call: Call) -> r.Embedded:
    """All that recall knows of a chat. Raises Cancelled."""
    chat.index.refresh()
    passages = list(chat.index.passages().items())
    done = 0
    for start in range(0, len(passages), EMBEDDED_AT_ONCE):
        if call.cancelled():
            raise Cancelled("The embedding was stopped.", f"{done} of {len(passages)} texts are done; run it again for the rest.")
        batch = dict(passages[start : start + EMBEDDED_AT_ONCE])
        degraded = await _put(service, vectors, batch)
        if degraded:
            return r.Embedded(done, degraded)
        done += len(batch)
        call.progress(done, len(passages))
    return r.Embedded(done, [])


async def _embed(service: Service, chat: OpenChat) -> list[str]:
    """Hand the texts of the memories to the embedder; what failed stays pending there, and words keep recall going."""
    if service.vectors is None or service.embeds_later:
        return []
    chat.index.refresh()
    return await _put(service, service.vectors, chat.index.passages())


async def _put(service: Service, vectors: Vectors, texts: Mapping[str, str]) -> list[str]:
    """What went wrong, or nothing."""
    try:
        async with asyncio.timeout(service.embed_seconds):
            await vectors.put(texts)
    except TimeoutError:
        return ["embedder: It is late; what is left will be embedded after the next extraction."]
    except TideloreError as error:
        return [f"embedder: {error.sentence}"]
    return []


def _remaining(chat: OpenChat, by: str, attempts: Attempts, lag: int, exchanges: int) -> int:
    if by == "rules":
        return len(plan.due_for_rules(chat.timeline, lag))
    keys = chat.timeline.keys
    due = plan.due_for_model(chat.timeline, lag, exchanges)
    return sum(1 for window in due if not attempts.aside(plan.window_id(keys[window.first : window.last + 1])))


async def attempts_of(service: Service, chat: OpenChat) -> Attempts:
    attempts = service.attempts.get(chat.record.pool)
    if attempts is None:
        attempts = service.attempts[chat.record.pool] = await read_attempts(service.chats, chat.record.pool)
    return attempts


@method("schema.get", m.NoParams, r.SchemaView)
async def schema_get(service: Service, params: m.NoParams, call: Call) -> r.SchemaView:
    """The kinds, subs and fields that extraction by model fills."""
    del params, call
    return r.SchemaView(dict((await schema_of(service)).to_json()))


@method("schema.set", m.SchemaSet, r.SchemaView, writes=True)
async def schema_set(service: Service, params: m.SchemaSet, call: Call) -> r.SchemaView:
    """Replace the schema: own subs and fields may be added to the kinds."""
    del call
    schema = Schema.from_json(params.schema)
    await service.store.write(Batch(settings={"schema": schema.to_json()}))
    return r.SchemaView(dict(schema.to_json()))


async def schema_of(service: Service) -> Schema:
    stored = (await service.store.settings()).get("schema")
    return DEFAULT if stored is None else Schema.from_json(stored)


async def _exchanges(service: Service, value: int | None) -> int:
    return int(await value_of(service, "extract.exchanges")) if value is None else positive(value, "exchanges")


async def _lag(service: Service, value: int | None) -> int:
    if value is None:
        return int(await value_of(service, "extract.lag"))
    if value < 0:
        raise BadInput(f"lag is {value}.", "0 extracts everything, 1 leaves the newest exchange alone, and so on.")
    return value


def _range(chat: OpenChat, value: list[int] | None) -> tuple[int, int] | None:
    if value is None:
        return None
    if len(value) != 2 or value[0] > value[1]:
        raise BadInput(f"range is {value}.", "Give the first and the last message index, both in it: [10, 20].")
    for index in value:
        check_index(chat, index, "range")
    return value[0], value[1]


def _extracted(outcome: Outcome, remaining: int, degraded: list[str]) -> r.Extracted:
    return r.Extracted(
        outcome.windows,
        outcome.commits,
        outcome.empty,
        remaining,
        outcome.dropped,
        outcome.problems,
        [r.FailedWindow(each.window.first, each.window.last, each.error, each.raw) for each in outcome.failed],
        outcome.interrupted,
        degraded,
    )
