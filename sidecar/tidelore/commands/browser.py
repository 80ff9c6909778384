"""The browser of this machine, where there is one to be seen."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from collections.abc import Mapping


def open_page(address: str) -> None:
    """Shows a page. It goes on aside, since a browser of the terminal ends only when its person leaves it."""
    threading.Thread(target=webbrowser.open, args=(address,), name="tidelore-browser", daemon=True).start()


def has_desktop(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> bool:
    """Whether a browser that is opened here would be seen: not by who came over ssh, and not where there is no screen."""
    if "SSH_CONNECTION" in environment or "SSH_TTY" in environment:
        return False
    if platform in ("darwin", "win32"):
        return True
    return any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
