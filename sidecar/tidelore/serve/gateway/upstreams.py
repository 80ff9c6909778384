"""The services that answer, and which of them a model's name means."""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass

import httpx

from tidelore.engine.errors import BadInput
from tidelore.host.config import UpstreamConfig
from tidelore.serve.faults import Refusal
from tidelore.serve.origins import is_loopback

MOST_MODELS = 500
CONNECT_SECONDS = 10.0
LIST_SECONDS = 5.0
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
# Models that answer no chats, by the names that services give them.
_NO_CHAT = re.compile(r"embed|rerank|(?:^|[/_-])(?:bge|e5|gte)-", re.IGNORECASE)
_CONFIG = "docs/gateway.md shows the settings."


@dataclass(frozen=True, slots=True)
class Upstream:
    """`url` without its last slash. `key` goes into the header of requests to it and nowhere else."""

    config: UpstreamConfig
    url: str
    key: str
    client: httpx.AsyncClient

    @property
    def name(self) -> str:
        return self.config.name

    @property
    def auth(self) -> Mapping[str, str]:
        if not self.key:
            return {}
        return {"x-api-key": self.key} if self.config.kind == "anthropic" else {"authorization": f"Bearer {self.key}"}

    def real(self, alias: str) -> str | None:
        """The name of a model there; None where it has none of that name."""
        if not self.config.models:
            return alias or None
        return next((model.name for model in self.config.models if model.shown == alias), None)


class Upstreams:
    """All that are set up."""

    def __init__(self, upstreams: Sequence[Upstream]) -> None:
        self._all = {each.name: each for each in upstreams}

    @property
    def all(self) -> Sequence[Upstream]:
        """In the order of the settings."""
        return list(self._all.values())

    def find(self, model: str) -> tuple[Upstream, str]:
        """The upstream that a name means, and the model's name there. Raises Refusal."""
        if not self._all:
            raise Refusal(501, "no_upstream", "No upstream is set up in the sidecar.", _CONFIG)
        upstream, alias = self._split(model)
        real = upstream.real(alias)
        if real is None:
            raise Refusal(404, "model_not_found", "There is no model of this name.", "GET /v1/models lists the names.")
        return upstream, real

    def _split(self, model: str) -> tuple[Upstream, str]:
        prefix, slash, alias = model.partition("/")
        if slash and prefix in self._all:
            return self._all[prefix], alias
        if len(self._all) > 1:
            raise Refusal(400, "model_ambiguous", "There are several upstreams, and the model names none of them.", "Write UPSTREAM/MODEL.")
        only = next(iter(self._all.values()))
        if model:
            return only, model
        first = next((each.shown for each in only.config.models if each.kind == "chat"), "")
        if not first:
            raise Refusal(400, "model_missing", "The request names no model.", "GET /v1/models lists the names.")
        return only, first

    async def models(self) -> list[str]:
        """The names of all models that answer chats. An upstream without a list is asked; one that does not tell has none."""
        out: list[str] = []
        for upstream in self._all.values():
            chosen = [model.shown for model in upstream.config.models if model.kind == "chat"]
            names = chosen if upstream.config.models else await _listed(upstream)
            out += [f"{upstream.name}/{name}" for name in names]
        return out


async def ask_for_models(upstream: Upstream) -> httpx.Response:
    """Its list of models, which costs nothing. Raises httpx.HTTPError."""
    version = {"anthropic-version": "2023-06-01"} if upstream.config.kind == "anthropic" else {}
    return await upstream.client.get(f"{upstream.url}/models", headers={**upstream.auth, **version}, timeout=LIST_SECONDS)


async def _listed(upstream: Upstream) -> list[str]:
    try:
        found = await ask_for_models(upstream)
        rows = found.json().get("data", []) if found.is_success else []
    except (httpx.HTTPError, ValueError, AttributeError):
        return []
    names = [row["id"] for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str)] if isinstance(rows, list) else []
    return [name for name in names if not _NO_CHAT.search(name)][:MOST_MODELS]


@contextlib.asynccontextmanager
async def connected(configs: Sequence[UpstreamConfig], secret: Callable[[str], str]) -> AsyncIterator[Upstreams]:
    """`secret` gives the key of a variable's name. Raises BadInput for settings that cannot be."""
    async with contextlib.AsyncExitStack() as stack:
        out: list[Upstream] = []
        for config in configs:
            _check(config, {each.name for each in out})
            out.append(await stack.enter_async_context(_connected(config, secret(config.key_env) if config.key_env else "")))
        yield Upstreams(out)


@contextlib.asynccontextmanager
async def _connected(config: UpstreamConfig, key: str) -> AsyncIterator[Upstream]:
    url = _url(config)
    if not (key.isascii() and key.isprintable()):
        raise BadInput(f"The key of the upstream {config.name} holds characters that no key has.", "Copy it again.")
    timeout = httpx.Timeout(config.seconds, connect=CONNECT_SECONDS, pool=None)
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=32)
    # A proxy that the environment names cannot reach this machine.
    async with httpx.AsyncClient(timeout=timeout, limits=limits, trust_env=not is_loopback(url.host)) as client:
        # What httpx says of itself by default is not what the client sent.
        client.headers.clear()
        yield Upstream(config, str(url).rstrip("/"), key.strip(), client)


def _check(config: UpstreamConfig, others: set[str]) -> None:
    name = config.name
    if not _NAME.fullmatch(name):
        raise BadInput(f"{name[:40]!r} cannot be the name of an upstream.", "Use letters, digits, dots, - and _.")
    if name in others:
        raise BadInput(f"Two upstreams are named {name}.", "Give each a name of its own.")
    if len(config.models) > MOST_MODELS:
        raise BadInput(f"The upstream {name} has {len(config.models)} models.", f"It may have {MOST_MODELS}.")
    shown = [model.shown for model in config.models]
    twice = next((each for each in shown if shown.count(each) > 1), None)
    if twice is not None:
        raise BadInput(f"Two models of the upstream {name} are called {twice}.", "Give each an alias of its own.")
    if not all(shown):
        raise BadInput(f"A model of the upstream {name} has no name.", _CONFIG)
    if not config.seconds > 0:
        raise BadInput(f"seconds of the upstream {name} is {config.seconds:g}.", "It is how long it may be silent, above 0.")


def _url(config: UpstreamConfig) -> httpx.URL:
    try:
        url = httpx.URL(config.url.strip())
    except httpx.InvalidURL as error:
        raise BadInput(f"The address of the upstream {config.name} is not a URL.", _CONFIG) from error
    if url.scheme not in ("http", "https") or not url.host or url.query:
        raise BadInput(f"The address of the upstream {config.name} is not like https://api.example.com/v1.", _CONFIG)
    return url
