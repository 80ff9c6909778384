"""The ports of the engine as the page has them: each call is a question over the channel."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

from engine_channel import Channel, PortFailed
from tidelore.engine.bulk import in_bulk
from tidelore.engine.codec import canonical, commit_in, content_out, digest
from tidelore.engine.errors import (
    BadInput,
    Cancelled,
    Conflict,
    ModelAnswer,
    ModelRefused,
    ModelUnreachable,
    StoreError,
    TideloreError,
)
from tidelore.engine.extract.run import MODEL_SECONDS
from tidelore.engine.keys import Entry
from tidelore.engine.model import Commit, Source
from tidelore.engine.ports import (
    SHARED_LEDGER,
    Batch,
    Body,
    Burial,
    ChatRecord,
    ChatRows,
    CommitText,
    Head,
    LedgerRow,
    PoolRows,
    Purge,
    Purged,
    Record,
    VectorModel,
)
from tidelore.engine.sync.burial import commit_marks, delivery_id, graves_of
from tidelore.engine.sync.wire import purge_in, purge_out

T = TypeVar("T")
STORE_SECONDS = 60.0
QUERY_SECONDS = 1.0
# For one batch of texts. Nobody waits for it, and a model on a slow machine may need minutes.
EMBED_SECONDS = 300.0
# What a person may allow a model that thinks on a slow machine (extension/settings.js).
MOST_MODEL_SECONDS = 1800.0
# Clocks and orders have more digits than JavaScript's numbers: they cross as texts of this length, which sort as the numbers do.
DIGITS = 20
PORT_ERRORS: Mapping[str, type[TideloreError]] = {
    each.code: each for each in (BadInput, Cancelled, Conflict, ModelAnswer, ModelRefused, ModelUnreachable, StoreError)
}


class PageStore:
    """See `tidelore.engine.ports.Store`. Contents, bodies and settings are canonical JSON texts for the page: it keeps them as they are."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def _ask(self, read: Callable[[Any], T], method: str, *arguments: Any) -> T:
        late = StoreError("The page's store did not answer.", "Close other tabs of this page, or reload it.")
        try:
            return read(await self._channel.ask("store", method, *arguments, seconds=STORE_SECONDS, late=late))
        except PortFailed as failed:
            known = PORT_ERRORS.get(failed.code, StoreError)
            raise known(failed.sentence, failed.hint) from failed
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise StoreError(
                f"What the page's store holds cannot be read ({error}).", "Restore a backup, or export and import it."
            ) from error

    async def replica(self) -> str:
        return await self._ask(str, "replica")

    async def version(self) -> int:
        return await self._ask(int, "version")

    async def chats(self) -> Sequence[ChatRecord]:
        def read(rows: Any) -> list[ChatRecord]:
            return [_chat_in(row) for row in rows]

        return await self._ask(read, "chats")

    async def pool(self, pool: str, cursor: int) -> PoolRows:
        def read(rows: Any) -> PoolRows:
            sources = [Source(row["key"], row["role"], row["text"]) for row in rows["sources"]]
            with in_bulk():
                commits = [_commit_in(row) for row in rows["commits"]]
            return PoolRows(sources, commits, int(rows["cursor"]), rows["purged"], int(rows["burials"]), int(rows["floor"]))

        return await self._ask(read, "pool", pool, cursor)

    async def chat(self, chat: str) -> ChatRows:
        def read(found: Any) -> ChatRows:
            rows = [
                (Entry(row["key"], row["role"], row["name"], bool(row["hidden"]), row["date"]), int(row["order"])) for row in found["rows"]
            ]
            return ChatRows(int(found["revision"]), sorted(rows, key=lambda row: row[1]))

        return await self._ask(read, "chat", chat)

    async def revisions(self) -> Mapping[str, int]:
        return await self._ask(_numbers, "revisions")

    async def sizes(self) -> Mapping[str, int]:
        return await self._ask(_numbers, "sizes")

    async def write(self, batch: Batch) -> None:
        await self._ask(lambda _: None, "write", _batch_out(batch))

    async def heads(self) -> Mapping[str, Head]:
        def read(found: Any) -> dict[str, Head]:
            return {str(origin): Head(int(head["sequence"]), str(head["chain"])) for origin, head in found.items()}

        return await self._ask(read, "heads")

    async def chains(self, asked: Sequence[tuple[str, int]]) -> Sequence[str]:
        return await self._ask(lambda found: list(map(str, found)), "chains", [list(each) for each in asked])

    async def log(self, origin: str, after: int, limit: int) -> Sequence[Record]:
        def read(rows: Any) -> list[Record]:
            with in_bulk():
                return [_record_in(row) for row in rows]

        return await self._ask(read, "log", origin, after, limit)

    async def newest(self, pool: str) -> int:
        return await self._ask(int, "newest", pool)

    async def purges(self) -> Sequence[Record]:
        return await self._ask(lambda rows: [_record_in(row) for row in rows], "purges")

    async def rename(self, replica: str, origin: str = "", sequence: int = 0) -> None:
        await self._ask(lambda _: None, "rename", replica, origin, sequence)

    async def purge(self, burial: Burial) -> Purged:
        def read(found: Any) -> Purged:
            return Purged(int(found["messages"]), int(found["sources"]), int(found["commits"]), bool(found["shared"]))

        return await self._ask(read, "purge", _burial_out(burial))

    async def ledger(self, kind: str, chat: str, limit: int) -> Sequence[LedgerRow]:
        def read(rows: Any) -> list[LedgerRow]:
            return [LedgerRow(row["kind"], row["chat"], row["at"], json.loads(row["body"]), row["id"]) for row in rows]

        return await self._ask(read, "ledger", kind, chat, limit)

    async def settings(self) -> Mapping[str, Any]:
        return await self._ask(lambda found: {str(name): json.loads(value) for name, value in found.items()}, "settings")


def _numbers(found: Any) -> dict[str, int]:
    return {str(name): int(number) for name, number in found.items()}


def _digits(number: int) -> str:
    return f"{number:0{DIGITS}d}"


def _commit_out(commit: Commit, content: str = "") -> dict[str, Any]:
    """`marks`: what of a purge would take it along. `content`: its canonical text, where that is known."""
    return {
        "marks": commit_marks(commit),
        "windowless": not commit.window,
        "id": commit.id,
        "clock": _digits(commit.clock),
        "replica": commit.replica,
        "maker": commit.maker,
        "content": content or canonical(content_out(commit)),
    }


def _commit_in(row: Mapping[str, Any]) -> Commit:
    # What is stored is the canonical text, so the id can be checked without writing it once more.
    if digest("commit", row["content"]) != row["id"]:
        raise ValueError(f"commit {row['id']} is not what was written")
    return commit_in(json.loads(row["content"]), int(row["clock"]), row["replica"], row["maker"], row["id"])


def _chat_out(record: ChatRecord) -> dict[str, Any]:
    names = {"name": record.name, "title": record.title}
    return {"id": record.id, "pool": record.pool, "parent": record.parent, "clock": _digits(record.clock), **names}


def _chat_in(row: Mapping[str, Any]) -> ChatRecord:
    return ChatRecord(row["id"], row["name"], row["pool"], row["parent"], int(row["clock"]), row["title"])


def _note_out(row: LedgerRow) -> dict[str, Any]:
    """`record`: its id as a record, where it is one."""
    record = delivery_id(row) if row.kind in SHARED_LEDGER else ""
    return {"kind": row.kind, "chat": row.chat, "at": row.at, "body": canonical(row.body), "record": record}


def _body_out(body: Body | None, text: str) -> Any:
    match body:
        case Source(key, role, text):
            return {"key": key, "role": role, "text": text}
        case Commit() as commit:
            return _commit_out(commit, text)
        case ChatRecord() as chat:
            return _chat_out(chat)
        case LedgerRow() as row:
            return _note_out(row)
        case Purge() | CommitText() | None:
            return None


def _record_out(record: Record) -> dict[str, Any]:
    place = {"origin": record.origin, "sequence": record.sequence, "kind": record.kind, "pool": record.pool, "id": record.id}
    return {**place, "clock": _digits(record.clock), "body": _body_out(record.body, record.text)}


def _record_in(row: Mapping[str, Any]) -> Record:
    raw = row["body"]
    body: Body | None = None
    if raw is not None:
        match row["kind"]:
            case "source":
                body = Source(raw["key"], raw["role"], raw["text"])
            case "commit":
                body = CommitText(raw["content"], int(raw["clock"]), raw["replica"], raw["maker"])
            case "chat":
                body = _chat_in(raw)
            case "delivery":
                body = LedgerRow(raw["kind"], raw["chat"], raw["at"], json.loads(raw["body"]), raw["id"])
            case _:
                body = purge_in(json.loads(raw))
    return Record(row["origin"], int(row["sequence"]), row["kind"], row["pool"], row["id"], int(row["clock"]), body)


def _burial_out(burial: Burial) -> dict[str, Any]:
    purge = burial.purge
    said = {"id": purge.id, "pool": purge.pool, "clock": _digits(purge.clock), "whole": purge.whole, "words": purge.words}
    named = {"chats": [list(each) for each in purge.chats], "commits": list(purge.commits), "keys": list(purge.keys)}
    return {
        "purge": {**said, **named, "body": canonical(purge_out(purge))},
        "graves": [[mark, _digits(clock)] for mark, clock in graves_of(purge).items()],
        "nodes": [node for node, _ in purge.nodes],
        "dead": list(burial.dead),
        "cursor": burial.cursor,
        "others": sorted(burial.others),
        "then": _batch_out(burial.then),
        "origin": burial.origin,
        "sequence": burial.sequence,
    }


def _batch_out(batch: Batch) -> dict[str, Any]:
    record, write = batch.new_chat, batch.chat
    return {
        "pool": batch.pool,
        "sources": [{"key": each.key, "role": each.role, "text": each.text} for each in batch.sources],
        "commits": [_commit_out(commit) for commit in batch.commits],
        "newChat": record and _chat_out(record),
        "clock": _digits(batch.clock),
        "records": [_record_out(each) for each in batch.records],
        "chat": write
        and {
            "chat": write.chat,
            "revision": write.revision,
            "ordersOut": [_digits(order) for order in write.orders_out],
            "rowsIn": [
                {"order": _digits(order), "key": row.key, "role": row.role, "name": row.name, "hidden": row.hidden, "date": row.date}
                for row, order in write.rows_in
            ],
        },
        "ledger": [_note_out(row) for row in batch.ledger],
        "settings": {name: canonical(value) for name, value in batch.settings.items()},
    }


def model_seconds(model: Mapping[str, Any] | None) -> float:
    """How long the page's memory model may take for one window: what its port says, within reason."""
    said = None if model is None else model.get("seconds")
    return min(max(1.0, float(said)), MOST_MODEL_SECONDS) if isinstance(said, int | float) else MODEL_SECONDS


class PageModel:
    """See `tidelore.engine.ports.Complete`."""

    def __init__(self, channel: Channel, name: str) -> None:
        self._channel = channel
        self.name = name

    async def __call__(self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any], budget: float) -> str:
        late = ModelUnreachable(f"The memory model did not answer within {budget:.0f} s.", "Try again, or choose a faster model.")
        try:
            answer = await self._channel.ask(
                "complete", "complete", [dict(each) for each in messages], dict(schema), budget, seconds=budget, late=late
            )
        except PortFailed as failed:
            if failed.code == ModelAnswer.code:
                raise ModelAnswer(failed.sentence, failed.hint, failed.raw) from failed
            known = PORT_ERRORS.get(failed.code, ModelUnreachable)
            raise known(failed.sentence, failed.hint) from failed
        if not isinstance(answer, str):
            raise ModelAnswer("The memory model's answer is no text.", "Choose another memory model.")
        return answer


class PageVectors:
    """See `tidelore.engine.ports.Vectors`. Vectors lie in JavaScript."""

    def __init__(self, channel: Channel, model: Mapping[str, Any]) -> None:
        self._channel = channel
        self._model = VectorModel(str(model["name"]), int(model["dimension"]), float(model["scale"]), float(model["floor"]))

    def model(self) -> VectorModel:
        return self._model

    async def _ask(self, read: Callable[[Any], T], seconds: float, method: str, *arguments: Any) -> T:
        late = ModelUnreachable("The embedder is late.", "Choose a smaller embedding model, or one nearer by.")
        try:
            return read(await self._channel.ask("vectors", method, *arguments, seconds=seconds, late=late))
        except PortFailed as failed:
            known = PORT_ERRORS.get(failed.code, ModelUnreachable)
            raise known(failed.sentence, failed.hint) from failed
        except (TypeError, ValueError) as error:
            raise ModelAnswer("The embedder gave no usable answer.", "Check the embedding model.") from error

    async def put(self, texts: Mapping[str, str]) -> None:
        await self._ask(lambda _: None, EMBED_SECONDS, "put", dict(texts))

    async def forget(self, nodes: Collection[str]) -> None:
        """See `tidelore.engine.ports.Forgetting`."""
        await self._ask(lambda _: None, STORE_SECONDS, "forget", sorted(nodes))

    async def score(self, query: str, k: int, allowed: Collection[str] | None) -> Sequence[tuple[str, float]]:
        def read(rows: Any) -> list[tuple[str, float]]:
            return [(str(node), float(cosine)) for node, cosine in rows]

        return await self._ask(read, QUERY_SECONDS, "score", query, k, None if allowed is None else sorted(allowed))

    async def gram(self, nodes: Sequence[str]) -> Sequence[Sequence[float]]:
        return await self._ask(lambda rows: [[float(value) for value in row] for row in rows], QUERY_SECONDS, "gram", list(nodes))
