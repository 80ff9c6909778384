"""Asks the models that are set up one small thing each, and looks whether the vectors on disk are theirs. Shows no secret."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tidelore.engine.errors import BadInput, ModelAnswer, ModelError, ModelRefused
from tidelore.host.config import EmbedderConfig, ModelConfig
from tidelore.host.diagnosis import Finding
from tidelore.host.embedding_queue import BEGUN
from tidelore.host.local_embedder import PACKAGED
from tidelore.host.models import Secret, embedding_model, memory_model, vectors_name
from tidelore.host.profiles import Profiles
from tidelore.host.vector_files import load

MODEL_SECONDS, EMBEDDER_SECONDS = 20.0, 10.0
VECTORS = "vectors.json"
_ASKED = 'Answer with this JSON object and nothing else: {"ok": true}'
_SAMPLE = "The harbour of Bergen."


async def model(config: ModelConfig, key: Secret) -> Finding:
    """The memory model is asked for a few words."""
    if not config.url and not config.name:
        return Finding("model", "ok", "none")
    if not config.is_set:
        return Finding("model", "warn", "half")
    values: dict[str, Any] = {"url": without_secrets(config.url), "model": config.name}
    try:
        found = memory_model(config, key)
        assert found is not None
        try:
            await found([{"role": "user", "content": _ASKED}], {}, MODEL_SECONDS)
        finally:
            await found.aclose()
    except (ModelError, BadInput) as error:
        return _failed("model", error, values)
    return Finding("model", "ok", "answers", values)


async def embedder(config: EmbedderConfig, key: Secret) -> tuple[Finding, int]:
    """The embedder is asked for one vector; the second result is its dimension, 0 where that is not known."""
    if not config.is_set:
        return Finding("embedder", "ok", "none"), 0
    if bool(config.url) != (config.name not in PACKAGED):
        return Finding("embedder", "warn", "half"), 0
    values: dict[str, Any] = {"url": without_secrets(config.url), "model": vectors_name(config)}
    if not config.url:
        # One that runs here is only looked for: to load it takes seconds.
        packaged = PACKAGED[config.name]
        values |= {"dimension": packaged.dimension, "package": packaged.install}
        installed = packaged.installed
        return Finding("embedder", "ok" if installed else "fail", "here" if installed else "missing", values), packaged.dimension
    try:
        found = embedding_model(config, key)
        assert found is not None
        try:
            dimension = int((await found.embed([_SAMPLE], "document")).shape[1])
        finally:
            await found.aclose()
    except (ModelError, BadInput) as error:
        return _failed("embedder", error, values), 0
    return Finding("embedder", "ok", "answers" if config.url else "here", {**values, "dimension": dimension}), dimension


def _failed(name: str, error: ModelError | BadInput, values: dict[str, Any]) -> Finding:
    """The words of the service are left out: they may quote the key."""
    outcome = {ModelRefused: "refused", ModelAnswer: "odd", BadInput: "wrong"}.get(type(error), "unreachable")
    return Finding(name, "fail", outcome, values)


def vectors(data: Path, config: EmbedderConfig, dimension: int) -> Iterator[Finding]:
    """Whether the vectors of each profile are of the model that is set. `dimension`: of that model, 0 where it is not known."""
    profiles = Profiles(data)
    for name in profiles.names():
        path = profiles.folder(name) / VECTORS
        if not path.exists():
            continue
        values: dict[str, Any] = {"profile": name}
        saved = load(path)
        if saved is None:
            yield Finding("vectors", "warn", "damaged", values)
            continue
        size = saved.vectors.shape[1]
        values |= {"n": len(saved.hashes), "model": saved.model, "dimension": size, "wanted": vectors_name(config)}
        if not config.is_set:
            yield Finding("vectors", "ok", "unused", values)
        elif saved.model != vectors_name(config) or dimension not in (0, size):
            yield Finding("vectors", "warn", "other", values)
        else:
            yield Finding("vectors", "ok", "fit", values)
            if unfinished := sum(mark == BEGUN for mark in saved.chats.values()):
                yield Finding("vectors", "warn", "lacking", {"profile": name, "n": unfinished})


def without_secrets(url: str) -> str:
    """Without user, password and query, in which some services want their key."""
    scheme, _, rest = url.partition("://")
    if not rest:
        scheme, rest = "", url
    rest = rest.split("?")[0].split("#")[0]
    host, slash, path = rest.partition("/")
    host = host.rpartition("@")[2]
    return f"{scheme}://{host}{slash}{path}" if scheme else host + slash + path
