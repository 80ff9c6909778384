"""The files of the page's Python (Pyodide): named with their hashes, from a folder or fetched once, and never passed on unchecked."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

import httpx

from tidelore.engine.errors import BadInput, StoreError
from tidelore.engine.params import parse
from tidelore.host.config import CDNS
from tidelore.serve.embedder_files import EmbedderFile, EmbedderLock, packed
from tidelore.serve.faults import Refusal

LOCK = "runtime.json"
SECONDS = 300.0
MOST = 64 * 1024 * 1024
"""Bytes that are read of a file whose size is not known."""
TYPES: Mapping[str, str] = {
    ".mjs": "text/javascript",
    ".js": "text/javascript",
    ".wasm": "application/wasm",
    ".json": "application/json",
    ".zip": "application/zip",
    ".whl": "application/zip",
    ".gz": "application/gzip",
}


@dataclass(frozen=True, slots=True)
class LockedFile:
    """`size` 0: not known, the hash alone decides."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class RuntimeLock:
    """`pyodide`: the version."""

    pyodide: str
    files: list[LockedFile] = field(default_factory=list[LockedFile])

    @property
    def by_name(self) -> Mapping[str, LockedFile]:
        return {file.name: file for file in self.files}


def shipped() -> RuntimeLock:
    """What this version of the engine runs on in a page."""
    return parse(RuntimeLock, json.loads(resources.files("tidelore.serve").joinpath(LOCK).read_text("utf-8")), LOCK)


class Runtime:
    """`cache`: where fetched files are kept. `folder`: a folder that has them, as `make wasm` fills one; it may have the engine itself
    too, by its own lock.json. `cdns`: addresses of folders, tried in order. `embedder`: what a page that embeds by itself needs
    beside it."""

    def __init__(
        self,
        lock: RuntimeLock,
        cache: Path,
        cdns: Sequence[str],
        folder: Path | None,
        client: httpx.AsyncClient | None = None,
        *,
        embedder: EmbedderLock | None = None,
    ) -> None:
        """Raises BadInput for a folder whose lock.json is none."""
        self._cache = cache / f"pyodide-{lock.pyodide}"
        self._cdns = [cdn.replace("{pyodide}", lock.pyodide).rstrip("/") + "/" for cdn in cdns]
        self._folder = folder
        self._client = client
        self._embedder = {file.name: file for file in embedder.files} if embedder else {}
        # Whoever names addresses of their own wants to be asked nowhere else.
        self._public = list(cdns) == list(CDNS)
        self._fetchable = {**lock.by_name, **{each.name: LockedFile(each.name, each.size, each.sha256) for each in self._embedder.values()}}
        self._files = {**(_lock_of(folder) if folder else {}), **self._fetchable}
        self._locks: dict[str, asyncio.Lock] = {}

    def file(self, name: str) -> LockedFile:
        """Raises Refusal."""
        found = self._files.get(name)
        if found is None:
            raise Refusal(404, "not_found", "The runtime has no such file.", "Sidecar and page may be of different versions.")
        return found

    async def read(self, name: str) -> bytes:
        """The bytes of a file, checked. Raises Refusal, StoreError."""
        file = self.file(name)
        async with self._locks.setdefault(name, asyncio.Lock()):
            for place in filter(None, (self._folder, self._cache)):
                data = await asyncio.to_thread(_checked, place / name, file)
                if data is not None:
                    return data
            if name not in self._fetchable:
                raise _unreachable(name, ["not in the folder"])
            form = self._embedder.get(name)
            if form and form.packed:
                return await asyncio.to_thread(_pack, file)
            data = await self._fetch(file, self._places(form))
            await asyncio.to_thread(_keep, self._cache / name, data)
            return data

    def _places(self, form: EmbedderFile | None) -> list[str]:
        if form is None or not self._public:
            return self._cdns
        return form.places

    async def _fetch(self, file: LockedFile, places: Sequence[str]) -> bytes:
        said: list[str] = []
        refused = False
        async with contextlib.AsyncExitStack() as stack:
            client = self._client
            if client is None:
                client = await stack.enter_async_context(httpx.AsyncClient(follow_redirects=True))
            for cdn in places:
                try:
                    data = await _download(client, cdn + file.name, file.size or MOST)
                except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
                    said.append(f"{cdn}: {str(error) or type(error).__name__}")
                    continue
                if isinstance(data, str):
                    said.append(f"{cdn}: {data}")
                    continue
                if _matches(data, file):
                    return data
                refused = True
                said.append(f"{cdn}: other bytes than this version was made with")
        if refused:
            raise Refusal(
                502,
                "runtime_refused",
                f"{file.name} was refused: what came is not what it should be ({'; '.join(said)}).",
                "Something on the way changes files; fetch it elsewhere and start with --runtime DIR.",
            )
        raise _unreachable(file.name, said)


async def _download(client: httpx.AsyncClient, url: str, size: int) -> bytes | str:
    """The bytes, or why there are none. No more is read than the file has, and one byte that shows that there is more."""
    data = bytearray()
    async with asyncio.timeout(SECONDS), client.stream("GET", url, timeout=30.0) as response:
        if response.status_code != 200:
            return f"status {response.status_code}"
        async for part in response.aiter_bytes():
            data += part
            if len(data) > size:
                break
    return bytes(data)


def _pack(file: LockedFile) -> bytes:
    """The zip of the installed package. Raises Refusal where another version of it is installed, or none."""
    data = packed()
    if data is None or not _matches(data, file):
        what = "another version of the package is installed" if data else "the package is not installed"
        hint = "Install the version that the sidecar was made with: pip install --upgrade --force-reinstall tidelore."
        raise Refusal(502, "runtime_unreachable", f"{file.name} cannot be made: {what}.", hint)
    return data


def _unreachable(name: str, said: Sequence[str]) -> Refusal:
    hint = "Check the internet connection, name other addresses in config.toml, or start with --runtime DIR."
    return Refusal(502, "runtime_unreachable", f"{name} could not be fetched ({'; '.join(said) or 'no address is set'}).", hint)


def _matches(data: bytes, file: LockedFile) -> bool:
    return file.size in (0, len(data)) and hashlib.sha256(data).hexdigest() == file.sha256


def _checked(path: Path, file: LockedFile) -> bytes | None:
    try:
        data = path.read_bytes()
    except OSError:
        return None
    return data if _matches(data, file) else None


def _keep(path: Path, data: bytes) -> None:
    beside = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(data)
        os.replace(beside, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        raise StoreError(f"{path} cannot be written: {error}.", "Free some space, or start with --runtime DIR.") from error


def _lock_of(folder: Path) -> Mapping[str, LockedFile]:
    try:
        found: Any = json.loads((folder / "lock.json").read_text("utf-8"))
        return {each["name"]: LockedFile(str(each["name"]), int(each["size"]), str(each["sha256"])) for each in found["files"]}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{folder / 'lock.json'} cannot be read: {error}.", "It is what `make wasm` writes.") from error
