"""A page that came over https, and a sidecar without it: what the page says is the page's own code, so that is what runs here."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
NAME = "a secure page with an insecure sidecar gets the cause and the fix named, and nothing is tried"


@pytest.mark.req("P109")
@pytest.mark.slow
def test_a_secure_page_gets_the_cause_and_the_fix_named_before_anything_is_tried() -> None:
    command = ["node", "--test", "--test-reporter=tap", f"--test-name-pattern=^{NAME}$", "tests/extension/sidecar.test.mjs"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    ran = [line for line in done.stdout.splitlines() if line.startswith("ok ") and "# SKIP" not in line]
    assert [line.partition(" - ")[2] for line in ran] == [NAME], "it is that very test that ran"
