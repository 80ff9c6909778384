"""A chat and all of its pool, so that it can go on elsewhere. Read by importing/tidelore_file.py."""

from __future__ import annotations

from collections.abc import Sequence

from tidelore.engine.chats import OpenChat
from tidelore.engine.codec import canonical, content_out
from tidelore.engine.importing.tidelore_file import VERSION


def write(chat: OpenChat, branch_of: str) -> str:
    """One JSON object. Sources and commits in order of their ids, so that two exports of the same are the same."""
    pool = chat.pool
    messages = [
        {
            **{"role": slot.role, "name": slot.name, "text": pool.sources[slot.key].text},
            **{"hidden": slot.hidden, "date": slot.date, "key": slot.key},
        }
        for slot in chat.timeline.slots
    ]
    commits = sorted(pool.commits.values(), key=lambda each: each.id)
    return canonical_in_order(
        [
            ("tidelore", VERSION),
            ("chat", chat.record.name),
            ("pool", chat.record.pool),
            ("branch_of", branch_of),
            ("messages", messages),
            ("sources", [[each.key, each.role, each.text] for _, each in sorted(pool.sources.items())]),
            (
                "commits",
                [{"content": content_out(each), "clock": each.clock, "replica": each.replica, "maker": each.maker} for each in commits],
            ),
        ]
    )


def canonical_in_order(members: Sequence[tuple[str, object]]) -> str:
    """An object with its members in this order, one on a line, so that the beginning tells what the file is."""
    return "{" + ",\n".join(f"{canonical(name)}:{canonical(value)}" for name, value in members) + "}\n"
