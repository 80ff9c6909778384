"""config.toml of the data folder, and the variables that count more than it. Keys are in variables, never in the file."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tidelore.engine.errors import BadInput
from tidelore.engine.params import parse

FILE = "config.toml"
PORT = 8414
CDNS = (
    "https://cdn.jsdelivr.net/npm/pyodide@{pyodide}/",
    "https://fastly.jsdelivr.net/npm/pyodide@{pyodide}/",
    "https://unpkg.com/pyodide@{pyodide}/",
)


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """The memory model: an address of the OpenAI form, the model's name, the variable that holds its key."""

    url: str = ""
    name: str = ""
    key_env: str = "TIDELORE_MODEL_KEY"

    @property
    def is_set(self) -> bool:
        return bool(self.url and self.name)


@dataclass(frozen=True, slots=True)
class EmbedderConfig:
    """The embedding model. `scale` and `floor` as in tidelore.engine.ports.VectorModel."""

    url: str = ""
    name: str = ""
    key_env: str = "TIDELORE_EMBEDDER_KEY"
    scale: float = 7.0
    floor: float = 0.5

    @property
    def is_set(self) -> bool:
        return bool(self.url and self.name)


@dataclass(frozen=True, slots=True)
class ServeConfig:
    """`origins`: pages that may come without pairing. `hosts`: names of this machine beside those of loopback. `runtime`: a folder with
    the files of the page's Python; `cdns`: where they are fetched from otherwise, {pyodide} stands for the version."""

    host: str = "127.0.0.1"
    port: int = PORT
    origins: list[str] = field(default_factory=list[str])
    hosts: list[str] = field(default_factory=list[str])
    runtime: str = ""
    cdns: list[str] = field(default_factory=lambda: list(CDNS))


@dataclass(frozen=True, slots=True)
class Config:
    model: ModelConfig = field(default_factory=ModelConfig)
    embedder: EmbedderConfig = field(default_factory=EmbedderConfig)
    serve: ServeConfig = field(default_factory=ServeConfig)


def load(data: Path, environment: Mapping[str, str]) -> Config:
    """The settings of a data folder; all have defaults. Raises BadInput that names the setting."""
    return _with_environment(parse(Config, _read(data / FILE), FILE), environment)


def secret(variable: str) -> str:
    """The key in a variable; empty where there is none."""
    return os.environ.get(variable, "")


def _read(path: Path) -> Mapping[str, object]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read: {error}.", "It is TOML; docs/sidecar.md shows all settings.") from error


def _with_environment(config: Config, environment: Mapping[str, str]) -> Config:
    def named(name: str, otherwise: str) -> str:
        return environment.get(name) or otherwise

    def several(name: str, otherwise: list[str]) -> list[str]:
        given = [each.strip() for each in environment.get(name, "").split(",") if each.strip()]
        return given or otherwise

    model = replace(config.model, url=named("TIDELORE_MODEL_URL", config.model.url), name=named("TIDELORE_MODEL", config.model.name))
    embedder = replace(
        config.embedder, url=named("TIDELORE_EMBEDDER_URL", config.embedder.url), name=named("TIDELORE_EMBEDDER", config.embedder.name)
    )
    serve = replace(
        config.serve,
        host=named("TIDELORE_HOST", config.serve.host),
        port=port(named("TIDELORE_PORT", str(config.serve.port)), "TIDELORE_PORT"),
        origins=several("TIDELORE_ORIGINS", config.serve.origins),
        hosts=several("TIDELORE_HOSTS", config.serve.hosts),
        runtime=named("TIDELORE_RUNTIME", config.serve.runtime),
        cdns=several("TIDELORE_RUNTIME_CDNS", config.serve.cdns),
    )
    return Config(model, embedder, serve)


def port(text: str, where: str) -> int:
    """A port; 0 lets the system pick one. Raises BadInput."""
    if not text.isdecimal() or int(text) > 65535:
        raise BadInput(f"{where} is {text[:20]!r}.", "A port is a number from 0 to 65535.")
    return int(text)
