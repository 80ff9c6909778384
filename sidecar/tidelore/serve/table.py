"""What a transport can call: the methods of the service, and more where a transport has them. One look-up for all transports."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

from tidelore.engine.service import METHODS, Call, Service
from tidelore.serve.discover import discover


@dataclass(frozen=True, slots=True)
class Bound:
    """A method that can be called: the dataclass of its parameters, and what runs it. `writes`: it is not to be torn out of its work."""

    params: type[Any]
    run: Callable[[Any, Call], Awaitable[Any]]
    writes: bool = False


class Table(Protocol):
    def find(self, name: str) -> Bound | None: ...

    def discover(self) -> dict[str, Any]:
        """The table as data."""
        ...


class ServiceTable:
    """The service's own methods and no others."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def find(self, name: str) -> Bound | None:
        method = METHODS.get(name)
        if method is None:
            return None
        return Bound(method.params, lambda params, call: method.handler(self._service, params, call))

    def discover(self) -> dict[str, Any]:
        return discover()
