"""What a first page shows, the long works of this process, and the indexes made anew."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tidelore.engine import methods as m
from tidelore.engine import methods_care as mc
from tidelore.engine import results as r
from tidelore.engine import results_overview as ro
from tidelore.engine.chats import OpenChat
from tidelore.engine.errors import NotFound, TideloreError
from tidelore.engine.extract import plan
from tidelore.engine.jobs import Job
from tidelore.engine.model import Commit
from tidelore.engine.operations.choosing import Wanted
from tidelore.engine.operations.deciding import open_doubts
from tidelore.engine.operations.extraction import attempts_of, embed_all
from tidelore.engine.operations.settings import value_of
from tidelore.engine.table import Call, method, positive
from tidelore.engine.upkeep.versions import when
from tidelore.engine.view import STATES, graph_counts, state_of

if TYPE_CHECKING:
    from tidelore.engine.service import Service

SHOWN_WINDOWS = 20
RECEIPTS_READ = 1000


@method("overview", m.ChatOnly, ro.Overview)
async def overview(service: Service, params: m.ChatOnly, call: Call) -> ro.Overview:
    """All that a first page shows of a chat, in one call: what is remembered, what waits, what failed and why, the models, the last
    extraction and the last recall."""
    del call
    chat = await service.chats.open(params.chat)
    cards, _ = await open_doubts(service, chat)
    counts = graph_counts(chat.graph)
    nodes = list(Wanted(states=STATES, private=True).among(chat.graph, chat.timeline))
    lag = int(await value_of(service, "extract.lag"))
    due, failed = await _windows(service, chat, lag)
    states = Counter(state_of(chat.graph, node) for node in nodes)
    shown = [node for node in nodes if not node.retired]
    return ro.Overview(
        chat.record.name,
        len(chat.timeline.slots),
        len(chat.pool.commits),
        counts.nodes,
        {state: states[state] for state in STATES},
        sum(counts.edges.values()),
        sum(node.marked("pinned") for node in shown),
        sum(node.marked("private") for node in shown),
        len(plan.due_for_rules(chat.timeline, lag)),
        len(due),
        [r.WindowInfo(window.first, window.last) for window in due[:SHOWN_WINDOWS]],
        failed,
        len(chat.graph.waiting()),
        len(cards),
        service.complete.name if service.complete is not None else "",
        _embedder(service, chat),
        _extraction(chat),
        await _recall(service, chat),
        [_job(job) for job in service.jobs.all() if job.chat == chat.record.name],
    )


async def _windows(service: Service, chat: OpenChat, lag: int) -> tuple[list[plan.Window], list[r.FailedWindow]]:
    """What is due for the model, and what was set aside and why."""
    attempts = await attempts_of(service, chat)
    due: list[plan.Window] = []
    failed: list[r.FailedWindow] = []
    for window in plan.due_for_model(chat.timeline, lag, int(await value_of(service, "extract.exchanges"))):
        name = plan.window_id(chat.timeline.keys[window.first : window.last + 1])
        if attempts.aside(name):
            last = attempts.last[name]
            failed.append(r.FailedWindow(window.first, window.last, last.error or "The model found nothing worth keeping here.", last.raw))
        else:
            due.append(window)
    return due, failed


def _embedder(service: Service, chat: OpenChat) -> ro.EmbedderInfo:
    """A service that is not reached yet has no model to tell of."""
    if service.vectors is None:
        return ro.EmbedderInfo("", 0, len(chat.index.documents))
    try:
        model = service.vectors.model()
    except TideloreError:
        return ro.EmbedderInfo("", 0, len(chat.index.documents))
    return ro.EmbedderInfo(model.name, model.dimension, len(chat.index.documents))


def _extraction(chat: OpenChat) -> ro.LastExtraction:
    newest: Commit | None = max(
        (commit for commit in chat.pool.commits.values() if commit.window), key=lambda each: (each.clock, each.id), default=None
    )
    if newest is None:
        return ro.LastExtraction(0, "", "", None, None)
    at = sorted(chat.timeline.index(slot) for slot in chat.timeline.places.get(newest.window[-1], ()))
    last = at[-1] if at else None
    first = last - len(newest.window) + 1 if last is not None else None
    stands = first is not None and last is not None and first >= 0 and tuple(chat.timeline.keys[first : last + 1]) == newest.window
    maker = newest.maker if newest.author == "model" else ""
    return ro.LastExtraction(when(newest.clock), newest.author, maker, first if stands else None, last if stands else None)


async def _recall(service: Service, chat: OpenChat) -> ro.RecallSummary | None:
    """The newest recall of this session, else the newest receipt."""
    receipts = await service.store.ledger("delivery", chat.record.id, RECEIPTS_READ)
    found = next(service.recalls.newest(chat.record.id), None)
    if found is not None:
        id_, held = found
        delivered = any(row.body["recall"] == id_ for row in receipts)
        return ro.RecallSummary(id_, held.at, held.query, len(held.nodes), held.tokens, delivered)
    if not receipts:
        return None
    body = receipts[0].body
    return ro.RecallSummary(body["recall"], receipts[0].at, "", len(body["nodes"]), 0, True)


@method("index.rebuild", m.ChatOnly, ro.Rebuilt, writes=True)
async def index_rebuild(service: Service, params: m.ChatOnly, call: Call) -> ro.Rebuilt:
    """Throw away what was worked out of a chat, graph and indexes, and make it anew from what is stored. It changes no memory."""
    with service.jobs.run("index.rebuild", params.chat, call) as job:
        async with service.chats.lock:
            service.chats.forget(await service.chats.open(params.chat))
            chat = await service.chats.open(params.chat)
            chat.index.refresh()
        texts, degraded = 0, list[str]()
        if service.vectors is not None:
            done = await embed_all(service, service.vectors, chat, job)
            texts, degraded = done.texts, done.degraded
        return ro.Rebuilt(sum(1 for _ in chat.graph.shown()), len(chat.graph.edges), len(chat.index.documents), texts, degraded)


@method("index.refresh", mc.IndexRefresh, ro.Refreshed)
async def index_refresh(service: Service, params: mc.IndexRefresh, call: Call) -> ro.Refreshed:
    """Index what changed since the last recall, so that the next one need not; with `most` a part of it, so that calls come in between."""
    del call
    index = (await service.chats.open(params.chat)).index
    left = 0 if params.most is None else index.take_in(positive(params.most, "most"))
    if not left:
        index.refresh()
    return ro.Refreshed(len(index.documents), left)


@method("job.list", mc.JobList, ro.Jobs)
async def job_list(service: Service, params: mc.JobList, call: Call) -> ro.Jobs:
    """The long works of this process: extraction, vectors, indexes; how far each is, or how it ended."""
    del call
    return ro.Jobs([_job(job) for job in service.jobs.all() if params.chat in ("", job.chat)])


@method("job.stop", mc.JobStop, ro.JobStopped)
async def job_stop(service: Service, params: mc.JobStop, call: Call) -> ro.JobStopped:
    """Ask a job to stop: it ends after the window or the batch that it is at, and what is stored stays."""
    del call
    job = service.jobs.find(params.job)
    if job is None:
        raise NotFound(f"There is no job {params.job[:40]!r}.", "job.list names them; those that ended long ago are forgotten.")
    running = job.state == "running"
    job.stopping = running
    return ro.JobStopped(job.id, running)


def _job(job: Job) -> ro.Job:
    return ro.Job(job.id, job.work, job.chat, job.state, job.done, job.total, job.started, job.ended, job.error)
