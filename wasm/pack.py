"""Makes the engine's wheel, inside the very Python that will load it: modules as source and as byte code, always the same bytes."""

from __future__ import annotations

import base64
import hashlib
import py_compile
import zipfile
from collections.abc import Iterator
from pathlib import Path

LONG_AGO = (1980, 1, 1, 0, 0, 0)
METADATA = """Metadata-Version: 2.4
Name: tidelore-engine
Version: {version}
Summary: The engine of Tidelore for the page, with json-repair in it.
License-Expression: MIT
License-File: LICENSE
License-File: json_repair/LICENSE
Requires-Python: >=3.11
"""
WHEEL = """Wheel-Version: 1.0
Generator: tidelore
Root-Is-Purelib: true
Tag: py3-none-any
"""


def _byte_code(path: Path, name: str, home: str) -> bytes:
    """Valid whatever the time stamp of the source says, and never compared with it."""
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    made = py_compile.compile(str(path), "/code.pyc", f"{home}/{name}", doraise=True, optimize=0, invalidation_mode=mode)
    assert made is not None
    return Path(made).read_bytes()


def _members(folder: Path, version: str, home: str) -> Iterator[tuple[str, bytes]]:
    for name, path in _files(folder / "modules"):
        yield name, path.read_bytes()
        yield f"{name}c", _byte_code(path, name, home)
    info = f"tidelore_engine-{version}.dist-info"
    yield f"{info}/METADATA", METADATA.format(version=version).encode()
    yield f"{info}/WHEEL", WHEEL.encode()
    for name, path in _files(folder / "licences"):
        yield f"{info}/licenses/{name}", path.read_bytes()


def pack(folder: str, target: str, version: str, home: str) -> None:
    """The wheel `target` from `folder`/modules and `folder`/licences. `home`: where the wheel will lie when it is used."""
    members = list(_members(Path(folder), version, home))
    record = f"tidelore_engine-{version}.dist-info/RECORD"
    lines = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in members]
    members.append((record, "\n".join([*lines, f"{record},,", ""]).encode()))
    with zipfile.ZipFile(target, "w") as wheel:
        for name, data in members:
            entry = zipfile.ZipInfo(name, LONG_AGO)
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)


def _files(folder: Path) -> list[tuple[str, Path]]:
    return sorted((path.relative_to(folder).as_posix(), path) for path in folder.rglob("*") if path.is_file())


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
