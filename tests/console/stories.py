"""What the sidecar of these tests remembers, written by its own methods before it serves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.sidecar.cli_kit import tidelore

HOSTILE = '<img src=x onerror="window.caught=1"><b>Bo</b>'
STORY = "The harbour"
CONVERSATION = (
    ("Ann", "My cat is called Biscuit."),
    ("Mira", "Biscuit is a fine name for a cat."),
    ("Ann", "I was born in Lisbon, and I live in Porto now."),
    ("Mira", "Lisbon has seven hills. The wreck of the Grey Widow lies off Porto."),
    ("Ann", "Mira, what frightens you?"),
    ("Mira", "The wreck of the Grey Widow frightens me."),
)
# What contradicts and what is said twice, so that there is something to decide.
FACTS = (
    "Mira owes the harbour master forty crowns.",
    "Mira owes the harbour master forty crowns for oil.",
    "The lantern of Mira hangs in the north tower.",
    "The lantern of Mira was sold in spring.",
)
BIG = "The town"
STREETS, LAMPS, BATCH = 400, 20_000, 2_000


Asked = tuple[str, dict[str, Any]]


def write(data: Path, calls: list[Asked]) -> list[Any]:
    """The results of these calls on a data folder that nobody serves."""
    lines = [json.dumps({"jsonrpc": "2.0", "id": at, "method": name, "params": params}) for at, (name, params) in enumerate(calls)]
    done = tidelore(data, "rpc", input_="".join(f"{line}\n" for line in lines).encode())
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert all("result" in answer for answer in answers), answers
    return [answer["result"] for answer in answers]


def tell(chat: str, said: tuple[tuple[str, str], ...]) -> list[Asked]:
    messages = [{"role": "user" if who == "Ann" else "assistant", "name": who, "text": text} for who, text in said]
    return [("chat.update", {"chat": chat, "messages": messages}), ("extract.run", {"chat": chat, "lag": 0})]


def harbour(data: Path) -> None:
    """A conversation, facts that somebody wrote down, and another conversation with markup in every name."""
    about: list[Asked] = [("node.write", {"chat": STORY, "text": text, "about": "Mira"}) for text in FACTS]
    hostile = tell(HOSTILE, (("Ann", f"{HOSTILE} owes me a lantern."), (HOSTILE, f"I owe Ann nothing, says {HOSTILE}.")))
    notes: list[Asked] = [
        ("node.write", {"chat": HOSTILE, "kind": "entity", "sub": "character", "name": HOSTILE}),
        ("node.write", {"chat": HOSTILE, "text": f"{HOSTILE} owes Ann a lantern.", "about": HOSTILE, "fields": {"attribute": HOSTILE}}),
        ("node.write", {"chat": HOSTILE, "text": f"{HOSTILE} owes Ann a lantern, too.", "about": HOSTILE}),
        ("node.write", {"scope": f"character:{HOSTILE}", "text": f"{HOSTILE} is shy."}),
    ]
    write(data, [*tell(STORY, CONVERSATION), *about, *hostile, *notes])


def town(data: Path) -> None:
    """More than twenty thousand memories in one chat."""
    lamps = [{"text": f"Lamp {at} burns in street {at % STREETS}.", "about": f"Street {at % STREETS}"} for at in range(LAMPS)]
    batches: list[Asked] = [("nodes.write", {"chat": BIG, "items": lamps[at : at + BATCH]}) for at in range(0, LAMPS, BATCH)]
    write(data, [("chat.update", {"chat": BIG, "messages": []}), *batches])
