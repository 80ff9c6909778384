"""The routes of the gateway."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from tidelore.host.config import GatewayConfig, UpstreamConfig
from tidelore.serve.faults import Refusal
from tidelore.serve.gate import room
from tidelore.serve.gateway import outgoing, splice
from tidelore.serve.gateway.answer import Answer, ChatReader, MessagesReader
from tidelore.serve.gateway.asked import Asked, Form, read
from tidelore.serve.gateway.exchange import Incoming, Outgoing, exchange
from tidelore.serve.gateway.memory import Memory, Prepared
from tidelore.serve.gateway.messages_answer import Translator
from tidelore.serve.gateway.messages_request import request as translated
from tidelore.serve.gateway.thoughts import Thoughts
from tidelore.serve.gateway.upstreams import Upstream, Upstreams, connected
from tidelore.serve.rooms import closing

_MOST_IDS = 50


@contextlib.asynccontextmanager
async def routes(
    config: GatewayConfig, upstreams: Sequence[UpstreamConfig], secret: Callable[[str], str]
) -> AsyncIterator[list[BaseRoute]]:
    """Routes for `tidelore.serve.app.build`. `secret` gives the key of a variable's name. Raises BadInput for settings that cannot be."""
    async with connected(upstreams, secret) as found:
        yield _routes(found, Memory(config), config)


def _routes(upstreams: Upstreams, memory: Memory, config: GatewayConfig) -> list[BaseRoute]:
    thoughts = Thoughts(time.monotonic)

    async def asked(request: Request, form: Form) -> Response:
        found = read(await request.body(), request.headers, form, app_blocks=config.app_blocks)
        return _Chat(upstreams, memory, thoughts, found, request)

    async def chat(request: Request) -> Response:
        return await asked(request, "chat")

    async def messages(request: Request) -> Response:
        return await asked(request, "messages")

    async def count(request: Request) -> Response:
        return _plain(upstreams, await request.body(), request, "/messages/count_tokens", "anthropic")

    async def embeddings(request: Request) -> Response:
        return _plain(upstreams, await request.body(), request, "/embeddings", "openai")

    async def models(request: Request) -> Response:
        del request
        rows = [_model(name) for name in await upstreams.models()]
        ends = {"first_id": rows[0]["id"], "last_id": rows[-1]["id"]} if rows else {"first_id": None, "last_id": None}
        return JSONResponse({"object": "list", "data": rows, "has_more": False, **ends})

    async def model(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in await upstreams.models():
            raise Refusal(404, "model_not_found", "There is no model of this name.", "GET /v1/models lists the names.")
        return JSONResponse(_model(name))

    return [
        Route("/v1/chat/completions", chat, methods=["POST"]),
        Route("/v1/messages", messages, methods=["POST"]),
        Route("/v1/messages/count_tokens", count, methods=["POST"]),
        Route("/v1/embeddings", embeddings, methods=["POST"]),
        Route("/v1/models", models, methods=["GET"]),
        Route("/v1/models/{name:path}", model, methods=["GET"]),
    ]


def _model(name: str) -> dict[str, object]:
    """As both forms list models."""
    upstream = name.partition("/")[0]
    anthropic = {"type": "model", "display_name": name, "created_at": "1970-01-01T00:00:00Z"}
    return {"id": name, "object": "model", "created": 0, "owned_by": upstream, **anthropic}


class _Chat(Response):
    """The answer to a chat request: asks the upstream when it is sent, so that it can see the client go."""

    def __init__(self, upstreams: Upstreams, memory: Memory, thoughts: Thoughts, asked: Asked, request: Request) -> None:
        self._upstream, self._model = upstreams.find(_name(asked.model))
        if asked.form == "messages" and self._upstream.config.kind != "anthropic":
            hint = "Use /v1/chat/completions, or a model of an upstream of the kind anthropic."
            raise Refusal(400, "wrong_form", "This model's upstream does not speak Anthropic's form.", hint)
        self._memory = memory
        self._asked = asked
        self._given = request.headers
        self._room = room(request.scope)
        self._thoughts = thoughts
        self._translator: Translator | None = None
        self.background = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope
        work = self._room.work
        if work.closed:
            raise closing()
        # From here on the end of the process waits for it, and for what is remembered of it.
        work.begin()
        try:
            prepared = await self._memory.prepare(self._room, self._asked) if self._memory.wanted(self._asked) else None
            await exchange(self._outgoing(prepared), self._incoming(prepared), receive, send, lambda answer: self._told(prepared, answer))
        finally:
            work.end()

    def _told(self, prepared: Prepared | None, answer: Answer) -> None:
        if self._translator is not None and answer.outcome == "tools":
            self._thoughts.keep(self._room.profile, self._translator.thought)
        if prepared is not None:
            self._memory.after(self._room, self._asked, prepared, answer)

    def _outgoing(self, prepared: Prepared | None) -> Outgoing:
        edits = self._memory.edits(self._room, self._asked, prepared) if prepared is not None else []
        text = outgoing.body(self._asked, self._model, edits)
        kind = self._upstream.config.kind
        if kind == "anthropic" and self._asked.form == "chat":
            found = translated(json.loads(text), self._model, lambda calls: self._thoughts.of(self._room.profile, calls))
            text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
        path = "/messages" if kind == "anthropic" else "/chat/completions"
        headers = outgoing.headers(self._given, self._upstream.auth, kind)
        return Outgoing(self._upstream, path, headers, text.encode("utf-8", "surrogatepass"))

    def _incoming(self, prepared: Prepared | None) -> Incoming:
        streamed = _member(self._asked, "stream") is True
        if self._asked.form == "messages":
            return Incoming(MessagesReader(streamed=streamed), _told_headers(prepared))
        reader = ChatReader(streamed=streamed)
        if self._upstream.config.kind == "openai":
            return Incoming(reader, _told_headers(prepared))
        options = _member(self._asked, "stream_options")
        wants_usage = isinstance(options, dict) and options.get("include_usage") is True
        kind = "text/event-stream; charset=utf-8" if streamed else "application/json"
        self._translator = Translator(streamed=streamed, wants_usage=wants_usage)
        return Incoming(reader, _told_headers(prepared), self._translator, kind)


class _Plain(Response):
    """A request without memory, passed through."""

    def __init__(self, out: Outgoing) -> None:
        self._out = out
        self.background = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope
        await exchange(self._out, Incoming(), receive, send, lambda _: None)


def _plain(upstreams: Upstreams, body: bytes, request: Request, path: str, kind: str) -> Response:
    try:
        text = body.decode("utf-8")
        model = next((each for each in splice.members(text) if each.name == "model"), None)
    except (ValueError, RecursionError) as error:
        raise Refusal(400, "bad_json", "The body must be a JSON object.") from error
    upstream, name = upstreams.find(_name(model))
    if upstream.config.kind != kind:
        raise Refusal(400, "wrong_form", "This model's upstream has no such address.", "Choose a model of another upstream.")
    changed = splice.apply(text, outgoing.with_model(text, model, name))
    return _Plain(_to(upstream, path, request, changed.encode("utf-8", "surrogatepass")))


def _to(upstream: Upstream, path: str, request: Request, body: bytes) -> Outgoing:
    return Outgoing(upstream, path, outgoing.headers(request.headers, upstream.auth, upstream.config.kind), body)


def _name(model: splice.Member | None) -> str:
    if model is None or model.value is None:
        return ""
    if not isinstance(model.value, str):
        raise Refusal(400, "bad_request", "`model` must be a text.")
    return model.value


def _member(asked: Asked, name: str) -> object:
    found = asked.top.get(name)
    return found.value if found is not None else None


def _told_headers(prepared: Prepared | None) -> dict[str, str]:
    """What was put into the request. Serein's names stand beside ours."""
    if prepared is None:
        return {"X-Tidelore-Injected": "off"}
    ids = ",".join(prepared.nodes[:_MOST_IDS]) if prepared.block else ""
    out = {"X-Tidelore-Injected": str(len(prepared.nodes) if prepared.block else 0), "X-Tidelore-Nodes": ids, "X-Serein-Selected-Ids": ids}
    if prepared.place is not None:
        # A window's name may be in any script.
        out["X-Tidelore-Chat"] = prepared.place.chat.encode("ascii", "backslashreplace").decode()
    if prepared.recall:
        out["X-Tidelore-Recall"] = prepared.recall
    if prepared.missing:
        out["X-Tidelore-Missing"] = prepared.missing
    if prepared.resumed:
        out |= {"X-Serein-Resume": "1", "X-Serein-Resume-Items": str(len(prepared.nodes)), "X-Tidelore-Resume-Left": str(prepared.left)}
    return out
