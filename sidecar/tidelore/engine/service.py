"""The one table of methods that every transport serves. Each is typed and documented; transports only translate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tidelore.engine import methods as m
from tidelore.engine.chats import Chats, OpenChat, check_index
from tidelore.engine.codec import field_value, named_id, windowless
from tidelore.engine.errors import BadInput, Conflict, NotFound, TideloreError
from tidelore.engine.explain import card, trace, why
from tidelore.engine.extract import plan
from tidelore.engine.extract.run import Attempts, Outcome, Progress, chat_language, read_attempts, run_model, run_rules
from tidelore.engine.graph import Graph
from tidelore.engine.model import Commit, EnsureNode, FieldValue, Message, Named, Operation, Patch, Retire
from tidelore.engine.nodes import NodeState
from tidelore.engine.params import parse, to_json
from tidelore.engine.ports import Batch, Complete, LedgerRow, Now, Store, Token, Vectors
from tidelore.engine.recall.presets import PRESETS
from tidelore.engine.recall.run import Recall, Request, recall
from tidelore.engine.schema import DEFAULT, Schema
from tidelore.engine.view import GraphView, NodeView, graph_view, node_view

DEFAULT_LAG = 1
KEPT_RECALLS = 64


def _silent(done: int, total: int) -> None:
    del done, total


@dataclass(frozen=True, slots=True)
class Call:
    """What rides along with one call: where progress goes, and whether the caller has lost interest."""

    progress: Progress = _silent
    cancelled: Callable[[], bool] = lambda: False


@dataclass(frozen=True, slots=True)
class Method:
    """A row of the table. `writes` is false for methods that change nothing."""

    name: str
    params: type[Any]
    result: type[Any]
    handler: Callable[[Service, Any, Call], Awaitable[Any]]
    writes: bool

    @property
    def doc(self) -> str:
        return " ".join((self.handler.__doc__ or "").split())


METHODS: dict[str, Method] = {}


def method(
    name: str, params: type[Any], result: type[Any], *, writes: bool = False
) -> Callable[[Callable[[Service, Any, Call], Awaitable[Any]]], Callable[[Service, Any, Call], Awaitable[Any]]]:
    """Puts a handler into the table."""

    def enter(
        handler: Callable[[Service, Any, Call], Awaitable[Any]],
    ) -> Callable[[Service, Any, Call], Awaitable[Any]]:
        METHODS[name] = Method(name, params, result, handler, writes)
        return handler

    return enter


class Service:
    """One profile's memory. `complete` and `vectors` may be absent: then the rules remember, and words and names recall."""

    def __init__(self, store: Store, now: Now, token: Token, complete: Complete | None = None, vectors: Vectors | None = None) -> None:
        self.store = store
        self.chats = Chats(store, now, token)
        self.complete = complete
        self.vectors = vectors
        self._attempts: dict[str, Attempts] = {}
        self._extracting: set[str] = set()
        self._recalls: dict[str, tuple[str, tuple[str, ...]]] = {}

    async def call(self, name: str, params: object, call: Call = Call()) -> Any:
        """Run a method by name with JSON parameters; the result is JSON. Raises TideloreError."""
        found = METHODS.get(name)
        if found is None:
            raise BadInput(f"There is no method named {name!r}.", f"Methods: {', '.join(sorted(METHODS))}.")
        return to_json(await found.handler(self, parse(found.params, {} if params is None else params), call))

    # ---- chats ----

    @method("chat.update", m.ChatUpdate, m.Updated, writes=True)
    async def chat_update(self, params: m.ChatUpdate, call: Call) -> m.Updated:
        """Tell the engine the whole chat as it now stands; it finds the difference. The chat is made if it is new. An empty list is
        a valid chat: nothing of the memory is deleted, and it is back when the messages are."""
        del call
        _check_name(params.chat)
        chat, change, skipped = await self.chats.update(params.chat, params.messages, _message, params.branch_of)
        return m.Updated(
            params.chat,
            len(chat.timeline.slots),
            len(change.slots_in),
            len(change.slots_out),
            len(change.removed),
            len(change.added),
            skipped,
        )

    @method("chat.list", m.NoParams, m.ChatInfos)
    async def chat_list(self, params: m.NoParams, call: Call) -> m.ChatInfos:
        """All chats, oldest first."""
        del params, call
        records = await self.chats.records()
        names = {record.id: record.name for record in records}
        sizes = await self.store.sizes()
        return m.ChatInfos([m.ChatInfo(each.name, sizes.get(each.id, 0), names.get(each.parent, "")) for each in records])

    # ---- extraction ----

    @method("extract.plan", m.ExtractPlan, m.Plan)
    async def extract_plan(self, params: m.ExtractPlan, call: Call) -> m.Plan:
        """What extraction would work on next: the messages that nothing live covers, as whole windows."""
        del call
        chat = await self.chats.open(params.chat)
        lag = _lag(params.lag)
        if params.by == "rules":
            due = plan.due_for_rules(chat.timeline, lag)
            return m.Plan([m.WindowInfo(at, at) for at in due], [], lag)
        attempts = await self._attempts_of(chat)
        windows: list[m.WindowInfo] = []
        aside: list[m.AsideInfo] = []
        for window in plan.due_for_model(chat.timeline, lag, _positive(params.exchanges, "exchanges")):
            name = plan.window_id(chat.timeline.keys[window.first : window.last + 1])
            if attempts.aside(name):
                reason = attempts.error.get(name) or "The model found nothing worth keeping here."
                aside.append(m.AsideInfo(window.first, window.last, reason, attempts.tries.get(name, 0)))
            else:
                windows.append(m.WindowInfo(window.first, window.last))
        return m.Plan(windows, aside, lag)

    @method("extract.run", m.ExtractRun, m.Extracted, writes=True)
    async def extract_run(self, params: m.ExtractRun, call: Call) -> m.Extracted:
        """Extract what is due, or a range by hand. Answers when everything is stored."""
        chat = await self.chats.open(params.chat)
        lag = _lag(params.lag)
        exchanges = _positive(params.exchanges, "exchanges")
        hand = _range(chat, params.range)
        if chat.record.id in self._extracting:
            raise Conflict("An extraction of this chat is already running.", "Wait until it is done.")
        if params.by == "model" and self.complete is None:
            raise BadInput("No memory model is set.", 'Set one (docs/cli.md, "Memory model"), or extract by "rules".')
        attempts = await self._attempts_of(chat)
        if params.retry:
            await self.chats.note("attempt", chat.record.pool, {"window": "", "outcome": "retry", "error": "", "raw": ""})
            attempts = self._attempts[chat.record.pool] = Attempts()
        self._extracting.add(chat.record.id)
        try:
            if params.by == "rules":
                outcome = await run_rules(self.chats, chat, lag, hand, call.progress)
            else:
                assert self.complete is not None
                schema = await self._schema()
                outcome = await run_model(
                    self.chats, chat, self.complete, schema, attempts, lag, exchanges, hand, call.progress, call.cancelled
                )
        finally:
            self._extracting.discard(chat.record.id)
        chat = await self.chats.open(params.chat)
        degraded = await self._embed(chat)
        return _extracted(outcome, await self._remaining(chat, params.by, attempts, lag, exchanges), degraded)

    async def _embed(self, chat: OpenChat) -> list[str]:
        """Hand the texts of the memories to the embedder; what failed stays pending there, and words keep recall going."""
        if self.vectors is None:
            return []
        chat.index.refresh()
        try:
            await self.vectors.put(chat.index.passages())
        except TideloreError as error:
            return [f"embedder: {error.sentence}"]
        return []

    async def _remaining(self, chat: OpenChat, by: str, attempts: Attempts, lag: int, exchanges: int) -> int:
        if by == "rules":
            return len(plan.due_for_rules(chat.timeline, lag))
        keys = chat.timeline.keys
        due = plan.due_for_model(chat.timeline, lag, exchanges)
        return sum(1 for window in due if not attempts.aside(plan.window_id(keys[window.first : window.last + 1])))

    async def _attempts_of(self, chat: OpenChat) -> Attempts:
        attempts = self._attempts.get(chat.record.pool)
        if attempts is None:
            attempts = self._attempts[chat.record.pool] = await read_attempts(self.chats, chat.record.pool)
        return attempts

    # ---- graph ----

    @method("graph.get", m.GraphGet, GraphView)
    async def graph_get(self, params: m.GraphGet, call: Call) -> GraphView:
        """The graph of a chat: nodes and edges sorted by id, without clocks, so that two graphs are equal when their JSON is."""
        del call
        chat = await self.chats.open(params.chat)
        if params.at is None:
            return graph_view(chat.graph)
        check_index(chat, params.at, "at")
        return graph_view(self.chats.as_of(chat, params.at)[1])

    @method("node.get", m.NodeOnly, NodeView)
    async def node_get(self, params: m.NodeOnly, call: Call) -> NodeView:
        """One node, with its fields and evidence."""
        del call
        chat = await self.chats.open(params.chat)
        return node_view(chat.graph, _node(chat.graph, params.node))

    @method("node.edit", m.NodeEdit, m.Changed, writes=True)
    async def node_edit(self, params: m.NodeEdit, call: Call) -> m.Changed:
        """Change fields of a node by hand. The change stays on top of whatever is extracted, and waits while the node is gone or reads
        differently."""
        del call
        if not params.fields:
            raise BadInput("params.fields is empty.", 'Name the fields to change, as in {"text": "the new text"}.')
        async with self.chats.lock:
            chat = await self.chats.open(params.chat)
            node = _node(chat.graph, params.node)
            seen = node.fields
            for name, value in (params.expects or {}).items():
                if seen.get(name) != (None if value is None else field_value(value)):
                    raise Conflict(f"The field {name!r} reads {seen.get(name)!r} by now.", "Read the node again before you change it.")
            operations: list[Operation] = []
            for name, value in params.fields.items():
                new = None if value is None else field_value(value)
                if seen.get(name) != new:
                    operations.append(Patch(node.id, name, seen.get(name), new))
            if not operations:
                raise BadInput("Nothing would change: the node reads like this already.")
            commit = await self._by_hand(chat, operations)
            return m.Changed(commit.id, node.id, node.text)

    @method("node.retire", m.NodeOnly, m.Changed, writes=True)
    async def node_retire(self, params: m.NodeOnly, call: Call) -> m.Changed:
        """Hide a node from graph and recall. It can be undone."""
        del call
        async with self.chats.lock:
            chat = await self.chats.open(params.chat)
            node = _node(chat.graph, params.node)
            text = node.text
            commit = await self._by_hand(chat, [Retire(node.id, text)])
            return m.Changed(commit.id, node.id, text)

    @method("entity.alias", m.AliasAdd, m.Changed, writes=True)
    async def entity_alias(self, params: m.AliasAdd, call: Call) -> m.Changed:
        """Another name of an entity, as when a character or persona was renamed: both names lead to one node from now on."""
        del call
        if not params.name.strip() or not params.alias.strip():
            raise BadInput("Both names must hold a letter.")
        async with self.chats.lock:
            chat = await self.chats.open(params.chat)
            known = chat.graph.node(_entity_id(params.name))
            sub = known.sub if known is not None else "character"
            before = known.fields.get("aliases") if known is not None else ()
            aliases = tuple(dict.fromkeys((*(before if isinstance(before, tuple) else ()), params.alias)))
            commit = await self._by_hand(chat, [EnsureNode(Named(params.name), sub, {"aliases": aliases})])
            return m.Changed(commit.id, _entity_id(params.name), params.name)

    @method("undo", m.Undo, m.Changed, writes=True)
    async def undo(self, params: m.Undo, call: Call) -> m.Changed:
        """Take back a change by hand or an upkeep; undoing the undo is a redo."""
        del call
        async with self.chats.lock:
            chat = await self.chats.open(params.chat)
            wanted = params.commit or self._newest(chat)
            commit = chat.pool.commits.get(wanted)
            if commit is None or commit.window:
                raise NotFound("There is no such change in this chat.", "node.edit and the other changes answer with the id to undo.")
            if commit.id not in {each.id for each in chat.pool.standing(chat.timeline.lineage)}:
                raise Conflict("This change is undone already.", "Undo the undo to bring it back.")
            undone = await self._by_hand(chat, [], undoes=commit.id)
            return m.Changed(undone.id, "", "")

    @staticmethod
    def _newest(chat: OpenChat) -> str:
        for commit in reversed(chat.pool.standing(chat.timeline.lineage)):
            if commit.author == "person" and commit.chat == chat.record.id and not commit.undoes:
                return commit.id
        raise NotFound("There is nothing to undo in this chat.")

    async def _by_hand(self, chat: OpenChat, operations: Sequence[Operation], undoes: str = "") -> Commit:
        keys = chat.timeline.keys
        commit = windowless(
            "person",
            operations,
            clock=self.chats.tick(),
            replica=self.chats.replica,
            chat=chat.record.id,
            anchor=keys[-1] if keys else "",
            undoes=undoes,
        )
        await self.chats.commit(chat, [commit])
        return commit

    @method("why", m.NodeOnly, m.Why)
    async def why(self, params: m.NodeOnly, call: Call) -> m.Why:
        """Why the engine believes something: commit, window, and the very words."""
        del call
        chat = await self.chats.open(params.chat)
        return why(chat, _node(chat.graph, params.node))

    # ---- recall ----

    @method("recall.run", m.RecallRun, m.Recalled)
    async def recall_run(self, params: m.RecallRun, call: Call) -> m.Recalled:
        """From what the user wrote to the memories for the prompt, with a trace. Nothing counts as delivered yet."""
        del call
        preset = PRESETS.get(params.preset)
        if preset is None:
            raise BadInput(f"There is no preset named {params.preset!r}.", f"Presets: {', '.join(PRESETS)}.")
        chat = await self.chats.open(params.chat)
        request = Request(
            params.query,
            preset,
            preset.budget if params.budget is None else _positive(params.budget, "budget"),
            preset.limit if params.limit is None else _positive(params.limit, "limit"),
            chat_language(chat),
            params.reply,
            params.earlier,
            params.context_from,
            await self._cooling(chat, params.window, preset.cooldown),
        )
        found = await recall(request, chat.index, self.vectors)
        return self._recalled(chat, found, wants_trace=params.trace)

    def _recalled(self, chat: OpenChat, found: Recall, *, wants_trace: bool) -> m.Recalled:
        id_ = self.chats.token()
        nodes = (*found.core.nodes, *(each.document.id for each in found.cards))
        self._recalls[id_] = (chat.record.id, nodes)
        while len(self._recalls) > KEPT_RECALLS:
            del self._recalls[next(iter(self._recalls))]
        return m.Recalled(
            id_,
            [card(chat, each) for each in found.cards],
            found.core.text,
            found.recalled.text,
            found.core.tokens + found.recalled.tokens,
            list(found.degraded),
            trace(chat, found) if wants_trace else None,
        )

    async def _cooling(self, chat: OpenChat, window: str, answers: int) -> frozenset[str]:
        if not answers:
            return frozenset()
        rows = await self.store.ledger("delivery", chat.record.id, answers * 8)
        mine = [row for row in rows if row.body["window"] == window][:answers]
        return frozenset(node for row in mine for node in row.body["nodes"])

    @method("recall.delivered", m.RecallDelivered, m.Delivered, writes=True)
    async def recall_delivered(self, params: m.RecallDelivered, call: Call) -> m.Delivered:
        """A receipt: these memories were in a request that succeeded. The same receipt twice is one; with other memories it is a
        conflict."""
        del call
        async with self.chats.lock:
            chat = await self.chats.open(params.chat)
            known = await self._receipt(chat, params.recall)
            held = self._recalls.get(params.recall)
            if held is None and params.nodes is None and known is None:
                raise NotFound("This recall is not known any more.", "Name the delivered memories in `nodes`.")
            nodes = params.nodes if params.nodes is not None else list(held[1]) if held is not None else known or []
            if known is not None:
                if known != nodes:
                    raise Conflict("This receipt was given already, for other memories.", "Give each recall one receipt.")
                return m.Delivered(params.recall, nodes, False)
            body = {"recall": params.recall, "nodes": nodes, "window": params.window}
            await self.store.write(Batch(ledger=[LedgerRow("delivery", chat.record.id, self.chats.now(), body)]))
            return m.Delivered(params.recall, nodes, True)

    async def _receipt(self, chat: OpenChat, id_: str) -> list[str] | None:
        for row in await self.store.ledger("delivery", chat.record.id, 10_000):
            if row.body["recall"] == id_:
                return list(row.body["nodes"])
        return None

    # ---- the rest ----

    @method("stats", m.ChatOnly, m.Stats)
    async def stats(self, params: m.ChatOnly, call: Call) -> m.Stats:
        """What is remembered, what is waiting, and what is still to be extracted."""
        del call
        chat = await self.chats.open(params.chat)
        view = graph_view(chat.graph)
        attempts = await self._attempts_of(chat)
        keys = chat.timeline.keys
        due = [plan.window_id(keys[w.first : w.last + 1]) for w in plan.due_for_model(chat.timeline, DEFAULT_LAG)]
        return m.Stats(
            len(chat.timeline.slots),
            len(chat.pool.sources),
            len(chat.pool.commits),
            sum(1 for _ in chat.timeline.placements()),
            dict(sorted(Counter(node.kind for node in view.nodes).items())),
            dict(sorted(Counter(edge.type for edge in view.edges).items())),
            sum(1 for node in view.nodes if node.state == "superseded"),
            [m.Waiting(node, _said(operation)) for node, _, operation in chat.graph.waiting()],
            len(plan.due_for_rules(chat.timeline, DEFAULT_LAG)),
            sum(1 for name in due if not attempts.aside(name)),
            sum(1 for name in due if attempts.aside(name)),
        )

    @method("schema.get", m.NoParams, m.SchemaView)
    async def schema_get(self, params: m.NoParams, call: Call) -> m.SchemaView:
        """The kinds, subs and fields that extraction by model fills."""
        del params, call
        return m.SchemaView(dict((await self._schema()).to_json()))

    @method("schema.set", m.SchemaSet, m.SchemaView, writes=True)
    async def schema_set(self, params: m.SchemaSet, call: Call) -> m.SchemaView:
        """Replace the schema: own subs and fields may be added to the kinds."""
        del call
        schema = Schema.from_json(params.schema)
        await self.store.write(Batch(settings={"schema": schema.to_json()}))
        return m.SchemaView(dict(schema.to_json()))

    async def _schema(self) -> Schema:
        stored = (await self.store.settings()).get("schema")
        return DEFAULT if stored is None else Schema.from_json(stored)


def _message(raw: Any) -> Message | str:
    """A message, or the role of one that is not part of a chat."""
    item = parse(m.MessageIn, raw, "messages[]")
    match item.role:
        case "user" | "assistant" as role:
            return Message(role, item.text, item.name, item.hidden, item.date)
        case "system" | "tool" | "function" | "developer" as role:
            return role
        case role:
            raise BadInput(f"A message's role cannot be {role!r}.", 'Use "user" or "assistant"; "system" and "tool" are left out.')


def _check_name(name: str) -> None:
    if not name.strip():
        raise BadInput("A chat's name must hold a letter.")


def _lag(value: int | None) -> int:
    if value is None:
        return DEFAULT_LAG
    if value < 0:
        raise BadInput(f"lag is {value}.", "0 extracts everything, 1 leaves the newest exchange alone, and so on.")
    return value


def _positive(value: int, what: str) -> int:
    if value < 1:
        raise BadInput(f"{what} is {value}.", "It must be 1 or more.")
    return value


def _range(chat: OpenChat, value: list[int] | None) -> tuple[int, int] | None:
    if value is None:
        return None
    if len(value) != 2 or value[0] > value[1]:
        raise BadInput(f"range is {value}.", "Give the first and the last message index, both in it: [10, 20].")
    for index in value:
        check_index(chat, index, "range")
    return value[0], value[1]


def _node(graph: Graph, wanted: str) -> NodeState:
    node = graph.node(wanted)
    if node is not None:
        return node
    found = [each for each in graph.shown() if each.id.startswith(wanted)] if len(wanted) >= 4 else []
    if len(found) == 1:
        return found[0]
    if found:
        raise BadInput(f"{len(found)} nodes begin with {wanted!r}.", "Give more of the id.")
    raise NotFound(f"There is no node {wanted!r} in this chat now.", "graph.get lists the nodes; a memory goes when its messages do.")


def _entity_id(name: str) -> str:
    return named_id("entity", "chat", name)


def _said(operation: Patch | Retire) -> str:
    if isinstance(operation, Retire):
        return f"hide: {operation.expects}"
    return f"{operation.field}: {_value(operation.expects)} -> {_value(operation.value)}"


def _value(value: FieldValue | None) -> str:
    return "nothing" if value is None else ", ".join(value) if isinstance(value, tuple) else str(value)


def _extracted(outcome: Outcome, remaining: int, degraded: list[str]) -> m.Extracted:
    return m.Extracted(
        outcome.windows,
        outcome.commits,
        outcome.empty,
        remaining,
        outcome.dropped,
        outcome.problems,
        [m.FailedWindow(window.first, window.last, error) for window, error in outcome.failed],
        outcome.interrupted,
        degraded,
    )
