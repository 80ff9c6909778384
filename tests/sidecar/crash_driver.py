"""A process that forks one worker for each line it is told; the worker writes to a store without end, until it is killed.

The worker says `try` before a call, `ok` (or `no`) after it has returned. Forking saves the start of Python for each of many workers.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import traceback
from pathlib import Path
from typing import Any

from tidelore.engine.errors import Conflict, NotFound
from tidelore.engine.service import Service
from tidelore.host.open import open_service

PEOPLE = "Alice Bertram Celia Dorian Edith Florian Greta Hugo".split()
PLACES = ("Marrow Bay", "the Copper Heron Tavern", "Greyford", "the old mill")
LONGEST = 24
BIG_EVERY = 17
# A line must fit into what a pipe takes at once, so that a kill cannot cut it.
LINE = 4096


def message(number: int) -> dict[str, Any]:
    """Message number n, the same at every call; some are long, so that SQLite tidies up its log now and then."""
    person, place = PEOPLE[number % len(PEOPLE)], PLACES[number % len(PLACES)]
    text = f"{person} went to {place} on day {number}. My cat is called Biscuit {number % 7}."
    if number % BIG_EVERY == 0:
        text += " The rain fell on the roof all night long." * 1500
    return {
        "role": "assistant" if number % 2 else "user",
        "text": text,
        "name": person if number % 2 else "Mara",
        "hidden": number % 5 == 0,
    }


class Worker:
    """`screens`: the numbers of the messages that stand in each chat."""

    def __init__(self, service: Service, seed: int, screens: dict[str, list[int]]) -> None:
        self.service = service
        self.chance = random.Random(seed)
        self.screens = screens
        self.fresh = seed * 1000

    async def storm(self) -> None:
        steps = [self.update, self.update, self.extract, self.edit, self.alias, self.undo, self.deliver]
        await self.update()
        while True:
            await self.chance.choice(steps)()

    async def call(self, name: str, params: dict[str, Any], said: dict[str, Any] | None = None) -> Any:
        say("try", {"call": name, **(params if said is None else said)})
        try:
            result = await self.service.call(name, params)
        except (NotFound, Conflict):
            say("no", {})
            return None
        say("ok", {key: result[key] for key in ("commit", "recall", "nodes") if key in result})
        return result

    def chat(self) -> str:
        return self.chance.choice(sorted(self.screens))

    async def update(self) -> None:
        chat = "branch" if self.screens.get("main") and self.chance.random() < 0.3 else "main"
        old = self.screens.get(chat, self.screens.get("main", []))
        new = list(old)
        at = self.chance.randrange(len(new) + 1)
        self.fresh += 2
        match self.chance.randrange(6):
            case 0 | 1:
                new += [self.fresh, self.fresh + 1]
            case 2:
                new[at : at + 1] = [self.fresh]
            case 3:
                del new[at : at + self.chance.randrange(4)]
            case 4:
                self.chance.shuffle(new)
            case _:
                new[-1:] = [self.fresh + 1]
        new = new[-LONGEST:]
        params = {"chat": chat, "messages": [message(number) for number in new], "branch_of": "main" if chat == "branch" else ""}
        await self.call("chat.update", params, {"chat": chat, "screen": new})
        self.screens[chat] = new

    async def extract(self) -> None:
        await self.call("extract.run", {"chat": self.chat(), "by": "rules", "lag": 0})

    async def node(self, chat: str) -> str | None:
        nodes = (await self.service.call("graph.get", {"chat": chat}))["nodes"]
        return self.chance.choice(nodes)["id"] if nodes else None

    async def edit(self) -> None:
        chat = self.chat()
        node = await self.node(chat)
        if node is not None:
            self.fresh += 2
            await self.call("node.edit", {"chat": chat, "node": node, "fields": {"note": f"note {self.fresh}"}})

    async def alias(self) -> None:
        self.fresh += 2
        await self.call("entity.alias", {"chat": self.chat(), "name": self.chance.choice(PEOPLE), "alias": f"Captain {self.fresh}"})

    async def undo(self) -> None:
        await self.call("undo", {"chat": self.chat()})

    async def deliver(self) -> None:
        chat = self.chat()
        node = await self.node(chat)
        self.fresh += 2
        await self.call("recall.delivered", {"chat": chat, "recall": f"recall {self.fresh}", "nodes": [node] if node else []})


def say(word: str, body: dict[str, Any]) -> None:
    line = f"{word} {json.dumps(body)}\n".encode()
    assert len(line) <= LINE
    os.write(1, line)


async def work(folder: Path, seed: int, screens: dict[str, list[int]]) -> None:
    async with open_service(folder) as service:
        await Worker(service, seed, screens).storm()


def main() -> None:
    say("ready", {})
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            try:
                asyncio.run(work(Path(order["folder"]), order["seed"], order["screens"]))
            finally:
                traceback.print_exc()  # only a kill ends a worker
                os._exit(1)
        say("pid", {"pid": child})
        say("dead", {"signal": os.waitpid(child, 0)[1]})


if __name__ == "__main__":
    main()
