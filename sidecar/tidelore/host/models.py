"""The models that the settings name, made ready for use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tidelore.engine.errors import BadInput
from tidelore.host.config import EmbedderConfig, ModelConfig, keys, secret
from tidelore.host.embedders import HttpEmbedder
from tidelore.host.embedding_models import figures_of
from tidelore.host.local_embedder import PACKAGED, LocalEmbedder
from tidelore.host.model import OpenAIModel

Secret = Callable[[str], str]


def secrets(data: Path) -> Secret:
    """The key of a variable's name: from the environment, else from keys.toml of the data folder. Raises BadInput for a file that others
    can read."""
    held = keys(data)
    return lambda name: secret(name) or held.get(name, "")


def memory_model(config: ModelConfig, key: Secret) -> OpenAIModel | None:
    """Raises BadInput for an address or a key that cannot be one."""
    return OpenAIModel(config.url, config.name, key(config.key_env)) if config.is_set else None


def vectors_name(config: EmbedderConfig) -> str:
    """What the vectors of the embedder are marked with."""
    return PACKAGED[config.name].name if not config.url and config.name in PACKAGED else config.name


def embedding_model(config: EmbedderConfig, key: Secret) -> HttpEmbedder | LocalEmbedder | None:
    """The one that is set, which is the default one where nothing is said; None for "none". Raises BadInput for an address or a key that
    cannot be one, and for a name that needs an address."""
    if not config.is_set:
        return None
    if not config.url:
        if config.name not in PACKAGED:
            raise BadInput(
                f"The embedder {config.name!r} has no address.",
                f"Set `url` of [embedder] as well, or `name` to one of {', '.join(PACKAGED)} or none.",
            )
        return LocalEmbedder(PACKAGED[config.name], config.scale, config.floor)
    if config.name in ("", "default"):
        raise BadInput(f"The embedder at {config.url} has no model.", "Set `name` of [embedder] to the name of the model there.")
    figures = figures_of(config.name)
    return HttpEmbedder(
        config.url,
        config.name,
        key(config.key_env),
        scale=figures.scale if config.scale is None else config.scale,
        floor=figures.floor if config.floor is None else config.floor,
        prefix={"document": figures.passage, "query": figures.query},
    )
