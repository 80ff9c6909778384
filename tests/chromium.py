"""Where a Chromium is: TIDELORE_CHROMIUM, else the first known name on the path."""

from __future__ import annotations

import os
import shutil

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
MISSING = "There is no Chromium here: install one, or name one in TIDELORE_CHROMIUM."


def find() -> str | None:
    """The full path of a Chromium, or None. A TIDELORE_CHROMIUM that leads nowhere counts as none."""
    named = os.environ.get("TIDELORE_CHROMIUM")
    return next(filter(None, map(shutil.which, [named] if named else NAMES)), None)


def need() -> str:
    """The full path of a Chromium. Without one the test is skipped; under CI (the variable CI is set) it fails."""
    found = find()
    if found is not None:
        return found
    if os.environ.get("CI"):
        pytest.fail(MISSING, pytrace=False)
    pytest.skip(MISSING)
