"""How figures are printed, and what says how busy the machine is."""

from __future__ import annotations

import os
import statistics
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter


def row(name: str, figures: Sequence[float], goal: str = "") -> None:
    """Median and 95th percentile."""
    ordered = sorted(figures)
    print(f"{name:58} {statistics.median(ordered):9.2f} {ordered[int(len(ordered) * 0.95)]:9.2f}   {goal}", flush=True)


def one(name: str, figure: float, goal: str = "") -> None:
    print(f"{name:58} {figure:9.2f} {'':9}   {goal}", flush=True)


def head(name: str) -> None:
    print(f"\n{name:58} {'median':>9} {'p95':>9}   goal", flush=True)


def pace() -> float:
    """Milliseconds for a million steps of a plain loop: to compare runs on different machines."""
    begin = perf_counter()
    total = 0
    for number in range(1_000_000):
        total += number & 7
    return (perf_counter() - begin) * 1000


def machine() -> str:
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{os.cpu_count()} cores{load}; a million steps of a plain loop take {min(pace() for _ in range(3)):.0f} ms"


def resident(pid: int) -> float:
    """MB of a process that runs. Linux only."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024
