"""The chain of an origin: a hash over all its records in order, so that two histories under one replica id cannot be taken for one."""

from __future__ import annotations

from hashlib import sha256

DIGITS = 16
"""64 bits: it tells accidents apart, not attackers, and stands in every row of the log."""

GENESIS = ""
"""Before the first record."""


def link(chain: str, kind: str, pool: str, id_: str) -> str:
    """The chain with one more record. Clocks are not in it: they may become smaller. SHA-256, since the page's store works it out too."""
    return sha256(f"{chain} {kind} {pool} {id_}".encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
