"""How many connections may be open at once. Many systems give a program 1,024 files by default, which a thousand sockets use up; it may
take more by itself."""

from __future__ import annotations

import sys

ENOUGH = 16_384


def allow_many() -> int:
    """Raises this process's own limit as far as the system lets it; the result is what it is now, 0 where there is none to be asked."""
    if sys.platform == "win32":
        return 0
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ENOUGH if hard == resource.RLIM_INFINITY else min(ENOUGH, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (OSError, ValueError):  # macOS has a limit of its own below what it names
            return soft
        return wanted
    return soft
