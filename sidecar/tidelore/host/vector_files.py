"""Vectors on disk: an index in JSON that names its matrix, an npz of half floats beside it. Written whole, by rename."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Saved:
    """`hashes`: of the text of each node, in the order of the rows of `vectors`. `chats`: up to which state each chat (id) is in them."""

    model: str
    hashes: Mapping[str, str]
    vectors: NDArray[np.float16]
    chats: Mapping[str, str] = field(default_factory=dict[str, str])


def save(path: Path, saved: Saved) -> None:
    """The index is renamed last, so that it always names a whole matrix. Raises OSError; then the old files stand."""
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = blake2b(repr((saved.model, list(saved.hashes))).encode("utf-8", "surrogatepass"), digest_size=8)
    digest.update(np.ascontiguousarray(saved.vectors).data)
    matrix = path.with_name(f"{path.stem}-{digest.hexdigest()}.npz")
    index = {
        "format": FORMAT,
        "model": saved.model,
        "dimension": saved.vectors.shape[1],
        "matrix": matrix.name,
        "hashes": dict(saved.hashes),
        "chats": dict(saved.chats),
    }
    temporary = path.with_name(f"{path.stem}-{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            np.savez(file, vectors=saved.vectors)
        temporary.replace(matrix)
        temporary.write_text(json.dumps(index), encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    for old in path.parent.glob(f"{path.stem}-*.npz"):
        if old != matrix:
            old.unlink(missing_ok=True)


def load(path: Path) -> Saved | None:
    """What was saved; None when there is nothing, or nothing that can be used."""
    try:
        index = json.loads(path.read_text(encoding="utf-8"))
        if not _is_index(index):
            return None
        with path.with_name(Path(index["matrix"]).name).open("rb") as file:
            arrays = np.load(file)
            vectors = arrays["vectors"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    if vectors.dtype != np.float16 or vectors.shape != (len(index["hashes"]), index["dimension"]):
        return None
    return Saved(index["model"], index["hashes"], vectors, index.get("chats", {})) if np.isfinite(vectors).all() else None


def chats_in(path: Path) -> frozenset[str]:
    """The chats (ids) whose vectors are in the files; none where they cannot be read."""
    return _names(path, "chats")


def nodes_in(path: Path) -> frozenset[str]:
    """The nodes whose vectors are in the files; none where they cannot be read."""
    return _names(path, "hashes")


def _names(path: Path, of: str) -> frozenset[str]:
    try:
        index = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return frozenset()
    return frozenset(index.get(of, {})) if _is_index(index) else frozenset()


def remove(path: Path) -> None:
    """The index first, so that it never names a matrix that is not there. Raises OSError."""
    path.unlink(missing_ok=True)
    for matrix in path.parent.glob(f"{path.stem}-*.npz"):
        matrix.unlink(missing_ok=True)


def _is_index(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("format") == FORMAT
        and isinstance(value.get("model"), str)
        and isinstance(value.get("dimension"), int)
        and isinstance(value.get("matrix"), str)
        and _maps_texts(value.get("hashes"))
        and _maps_texts(value.get("chats", {}))
    )


def _maps_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())
