"""Asks the sidecar that runs on this machine, as the command line does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from tidelore.engine.errors import StoreError
from tidelore.host.daemon import Daemon
from tidelore.serve.faults import Refusal

SECONDS = 10.0


async def ask(daemon: Daemon, key: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """GET, or POST where there is a body; the object that is answered. Raises Refusal with the sidecar's own code, StoreError when it
    cannot be reached."""
    headers = {"Authorization": f"Bearer {key}"}
    try:
        # A proxy that the environment names cannot reach this machine.
        async with httpx.AsyncClient(trust_env=False, timeout=SECONDS, headers=headers) as client:
            answer = await (client.get(daemon.url + path) if body is None else client.post(daemon.url + path, json=dict(body)))
        found = answer.json()
    except (httpx.HTTPError, ValueError) as error:
        reason = str(error) or type(error).__name__
        raise StoreError(f"The sidecar at {daemon.url} does not answer: {reason}.", f"Process {daemon.pid} may hang: end it.") from error
    if answer.is_success and isinstance(found, dict):
        return found
    told = found.get("error", {}) if isinstance(found, dict) else {}
    raise Refusal(answer.status_code, str(told.get("code", "error")), str(told.get("message", "")), str(told.get("hint", "")))
