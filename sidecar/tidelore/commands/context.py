"""What every command gets: where the data is, how to write, which memory model."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from platformdirs import user_data_dir

from tidelore.commands.invocation import quoted
from tidelore.commands.measure import flat
from tidelore.commands.terminal import Terminal
from tidelore.engine.errors import BadInput, NotFound
from tidelore.engine.ports import Complete
from tidelore.engine.service import Service
from tidelore.host.open import open_service
from tidelore.host.store import FILE
from tidelore.texts import Texts


def data_folder(named: str | None, environment: Mapping[str, str]) -> Path:
    """--data, TIDELORE_DATA, or where this system keeps the data of programs."""
    chosen = named or environment.get("TIDELORE_DATA")
    return Path(chosen).expanduser() if chosen else Path(user_data_dir("tidelore", appauthor=False))


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The memory model: an endpoint of the OpenAI form, the model's name, and the variable that holds its key. Never the key itself."""

    url: str
    name: str
    key_variable: str

    @property
    def is_set(self) -> bool:
        return bool(self.url and self.name)

    @property
    def key(self) -> str:
        return os.environ.get(self.key_variable, "")


def model_settings(arguments: Namespace, environment: Mapping[str, str]) -> ModelSettings:
    return ModelSettings(
        getattr(arguments, "model_url", None) or environment.get("TIDELORE_MODEL_URL", ""),
        getattr(arguments, "model", None) or environment.get("TIDELORE_MODEL", ""),
        getattr(arguments, "model_key_env", None) or "TIDELORE_MODEL_KEY",
    )


@dataclass(frozen=True)
class Context:
    """`json`: machine output. `data`: the folder of the store."""

    texts: Texts
    data: Path
    json: bool
    model: ModelSettings

    @cached_property
    def out(self) -> Terminal:
        return Terminal(sys.stdout)

    @cached_property
    def err(self) -> Terminal:
        return Terminal(sys.stderr)

    @asynccontextmanager
    async def service(self, *, with_model: bool = False) -> AsyncIterator[Service]:
        """The service on the data folder; with the memory model where one is set and asked for."""
        async with self._model(wanted=with_model) as model, open_service(self.data, model) as service:
            yield service

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Service]:
        """The service for a command that needs something stored; it makes no empty store. Raises NotFound."""
        if not (self.data / FILE).exists():
            raise NotFound(self.texts("error.no_store", folder=self.data), self.texts("hint.import_first"))
        async with self.service() as service:
            yield service

    @asynccontextmanager
    async def _model(self, *, wanted: bool) -> AsyncIterator[Complete | None]:
        if not wanted or not self.model.is_set:
            yield None
            return
        # Only where a model is used: the client takes longer to import than everything else together.
        model: Any = import_module("tidelore.host.model").OpenAIModel(self.model.url, self.model.name, self.model.key)
        try:
            yield model
        finally:
            await model.aclose()

    async def elsewhere(self, service: Service, chat: str) -> str:
        """What a suggested command must say to mean this chat: nothing where it is the one that is meant by default."""
        return "" if chat == await self.chat(service, None) else f" --chat {quoted(flat(chat))}"

    async def chats(self, service: Service, named: str | None) -> list[str]:
        """The chats in which a memory is looked for: the one named, else all, the one that is meant by default first. Raises NotFound."""
        first = await self.chat(service, named)
        if named is not None:
            return [first]
        names = [str(each["chat"]) for each in (await service.call("chat.list", {}))["chats"]]
        return [first, *(name for name in reversed(names) if name != first)]

    async def chat(self, service: Service, named: str | None) -> str:
        """The chat that is meant: the one named, else the only one or the newest. Raises NotFound."""
        listed = (await service.call("chat.list", {}))["chats"]
        names = [str(each["chat"]) for each in listed]
        if named is None:
            if not names:
                raise NotFound(self.texts("error.no_chats"), self.texts("hint.import_first"))
            return _newest(listed)
        if named in names:
            return named
        alike = [name for name in names if named.casefold() in name.casefold()]
        if len(alike) == 1:
            return alike[0]
        if alike:
            raise BadInput(self.texts("error.many_chats", chat=named, n=len(alike)), self.texts("hint.say_more"))
        raise NotFound(self.texts("error.no_chat", chat=named), self.texts("hint.list_chats"))


def _newest(listed: list[dict[str, Any]]) -> str:
    """The newest chat; a branch that is shorter than what it came from gives way to the newest chat that is none."""
    sizes = {each["chat"]: each["messages"] for each in listed}
    newest = listed[-1]
    if newest["branch_of"] and sizes.get(newest["branch_of"], 0) > newest["messages"]:
        newest = next((each for each in reversed(listed) if not each["branch_of"]), newest)
    return str(newest["chat"])
