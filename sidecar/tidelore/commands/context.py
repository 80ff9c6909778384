"""What every command gets: where the data is, how to write, which memory model."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from platformdirs import user_data_dir

from tidelore.commands import places
from tidelore.commands.invocation import quoted
from tidelore.commands.measure import flat
from tidelore.commands.places import shown
from tidelore.commands.terminal import Terminal
from tidelore.engine.errors import NotFound
from tidelore.engine.ports import Complete, Vectors
from tidelore.engine.service import Service
from tidelore.host.config import Config, ModelConfig, load
from tidelore.host.open import open_service
from tidelore.host.profiles import DEFAULT, Profiles
from tidelore.host.store import FILE
from tidelore.texts import Texts

# Beside the store, as the sidecar has them.
VECTORS = "vectors.json"


def data_folder(named: str | None, environment: Mapping[str, str]) -> Path:
    """--data, TIDELORE_DATA, or where this system keeps the data of programs."""
    chosen = named or environment.get("TIDELORE_DATA")
    return Path(chosen).expanduser() if chosen else Path(user_data_dir("tidelore", appauthor=False))


def model_options(arguments: Namespace) -> ModelConfig:
    """What --model-url, --model and --model-key-env say of the memory model; members are empty where they say nothing."""
    names = ("model_url", "model", "model_key_env")
    return ModelConfig(*(getattr(arguments, name, None) or "" for name in names))


@dataclass(frozen=True)
class Context:
    """`json`: machine output. `data`: the data folder, `profile` whose memory in it is meant. `said`: what the options say of the memory
    model."""

    texts: Texts
    data: Path
    json: bool
    profile: str = DEFAULT
    said: ModelConfig = field(default_factory=lambda: ModelConfig("", "", ""))

    @cached_property
    def config(self) -> Config:
        """config.toml, then the environment, then the options, each over the one before. Raises BadInput."""
        config = load(self.data, os.environ)
        said, model = self.said, config.model
        model = replace(model, url=said.url or model.url, name=said.name or model.name, key_env=said.key_env or model.key_env)
        return replace(config, model=model)

    @property
    def model(self) -> ModelConfig:
        """The memory model. Raises BadInput."""
        return self.config.model

    @cached_property
    def folder(self) -> Path:
        """The folder of the profile's store. Raises BadInput, NotFound."""
        found = Profiles(self.data).folder(self.profile)
        if self.profile != DEFAULT and not found.is_dir():
            raise NotFound(self.texts("error.no_profile", name=self.profile), self.texts("hint.profiles"))
        return found

    @cached_property
    def out(self) -> Terminal:
        return Terminal(sys.stdout)

    @cached_property
    def err(self) -> Terminal:
        return Terminal(sys.stderr)

    @asynccontextmanager
    async def service(self, *, with_model: bool = False, with_vectors: bool = False, first_vectors: bool = False) -> AsyncIterator[Service]:
        """The service on the profile's store; with the memory model and the embedder where they are set and asked for."""
        async with (
            self._model(wanted=with_model) as model,
            self._vectors(wanted=with_vectors, first=first_vectors) as vectors,
            open_service(self.folder, model, vectors) as service,
        ):
            yield service

    @asynccontextmanager
    async def reading(self, *, with_vectors: bool = False, first_vectors: bool = False) -> AsyncIterator[Service]:
        """The service for a command that needs something stored; it makes no empty store. Raises NotFound."""
        if not (self.folder / FILE).exists():
            raise NotFound(self.texts("error.no_store", folder=self.folder), self.texts("hint.import_first"))
        async with self.service(with_vectors=with_vectors, first_vectors=first_vectors) as service:
            yield service

    @asynccontextmanager
    async def _model(self, *, wanted: bool) -> AsyncIterator[Complete | None]:
        if not wanted or not self.model.is_set:
            yield None
            return
        # Only where a model is used: the client takes longer to import than everything else together.
        models: Any = import_module("tidelore.host.models")
        model: Any = models.memory_model(self.model, models.secrets(self.data))
        try:
            yield model
        finally:
            await model.aclose()

    @asynccontextmanager
    async def _vectors(self, *, wanted: bool, first: bool) -> AsyncIterator[Vectors | None]:
        """A model that would run in this process takes seconds to load, so where nothing was embedded yet that is left to the sidecar and
        to `tidelore embed`, which asks for the `first` vectors too."""
        here = not self.config.embedder.url
        if not wanted or not self.config.embedder.is_set or (here and not first and not (self.folder / VECTORS).exists()):
            yield None
            return
        # For the same reason.
        models: Any = import_module("tidelore.host.models")
        embedder: Any = models.embedding_model(self.config.embedder, models.secrets(self.data))
        vectors: Any = import_module("tidelore.host.vectors").MatrixVectors(embedder, self.folder / VECTORS)
        try:
            if here:
                await embedder.loaded()
            yield vectors
        finally:
            await vectors.save()
            await embedder.aclose()

    async def elsewhere(self, service: Service, chat: str) -> str:
        """What a suggested command must say to mean this chat: nothing where it is the one that is meant by default."""
        return "" if chat == await self.chat(service, None) else f" --chat {quoted(flat(shown(chat)))}"

    async def chats(self, service: Service, named: str | None) -> list[str]:
        """The chats in which a memory is looked for: the one named, else all, the one that is meant by default first, then those that hold
        scopes. Raises NotFound, BadInput."""
        return await places.all_of(self.texts, service, named)

    async def chat(self, service: Service, named: str | None, *, read: bool = False) -> str:
        """The chat that is meant: the one named, else the newest that holds a memory; to be `read`, the newest. Raises NotFound,
        BadInput."""
        return await places.chosen(self.texts, service, named, read=read)
