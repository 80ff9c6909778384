"""Memories from files of other programs: what a file holds, in the words of this one, and the list of formats that are read.

A format is a module with a `Format` in FORMATS. What it reads is either a `Bundle`, memories by names and texts that are written as one
commit, or an `Archive`, the sources and commits of a pool. Reading is pure: text in, values out, BadInput for what cannot be read.
"""

from __future__ import annotations

from tidelore.engine.errors import BadInput
from tidelore.engine.importing import memory_server, st_bme, tidelore_file
from tidelore.engine.importing.bundle import Archive, Bundle, Edge, Format, Node

__all__ = ["FORMATS", "Archive", "Bundle", "Edge", "Format", "Node", "read"]

FORMATS: dict[str, Format] = {each.name: each for each in (tidelore_file.FORMAT, memory_server.FORMAT, st_bme.FORMAT)}


def read(text: str, name: str = "") -> tuple[str, Bundle | Archive]:
    """The format of a file and what is in it. Raises BadInput."""
    if not text.strip():
        raise BadInput("The file is empty.", f"Formats: {', '.join(FORMATS)}.")
    if name:
        found = FORMATS.get(name)
        if found is None:
            raise BadInput(f"There is no format {name[:40]!r} that can be read.", f"Formats: {', '.join(FORMATS)}.")
    else:
        found = next((each for each in FORMATS.values() if each.recognises(text)), None)
        if found is None:
            raise BadInput("This is no file of a known format.", f"Formats: {', '.join(FORMATS)}.")
    return found.name, found.read(text)
