"""/resume loads what is known, to go on in a new conversation."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.sidecar.gateway.kit import PATIENT, Gateway, gateway, turns
from tests.sidecar.serve.kit import error_of


def _run(test: Any) -> None:
    asyncio.run(test)


@pytest.mark.req("S54")
def test_resume_loads_what_is_known_once_and_keeps_it_in_the_turns_that_follow(tmp_path: Path) -> None:
    async def main() -> None:
        async with gateway(tmp_path, config=replace(PATIENT, resume=True)) as here:
            await here.say("My name is Ada. I live in Ulm. I work as a baker.")
            answer = await here.say("/resume Let us plan the week.", X_Tidelore_Window="b")
            loaded = here.upstream.got[-1].last
            assert "Ulm" in loaded
            assert loaded.endswith("</tidelore-memory>\n\n Let us plan the week.")
            assert "/resume" not in loaded
            assert int(answer.headers["X-Serein-Resume-Items"]) > 0
            assert "X-Tidelore-Recall" not in answer.headers  # nothing was searched for
            await here.say("/resume Let us plan the week.", "All right.", "Begin with Monday.", X_Tidelore_Window="b")
            assert here.upstream.got[-1].messages[0]["content"] == loaded
            # Anywhere but at the start, or in an old message, it is a word.
            for words in ("Write /resume to go on.", "> /resume", "/resumed"):
                await here.say(words, X_Tidelore_Window=words[:5])
                assert words in here.upstream.got[-1].last
        async with gateway(tmp_path) as here:
            await here.say("/resume", X_Tidelore_Window="off")
            assert here.upstream.got[-1].last.endswith("/resume")

    _run(main())


def test_a_resume_without_a_wish_says_one(tmp_path: Path) -> None:
    async def main() -> None:
        async with gateway(tmp_path, config=replace(PATIENT, resume=True)) as here:
            await here.say("我叫小明，住在杭州。")
            await here.say("/resume", X_Tidelore_Window="b")
            assert here.upstream.got[-1].last.endswith("请先读上面的记忆，然后我们接着上次继续。")

    _run(main())


RESUMING = replace(PATIENT, resume=True)


@pytest.mark.req("S54")
def test_what_is_too_much_for_any_request_is_refused_before_a_model_is_asked(tmp_path: Path) -> None:
    async def main() -> None:
        async with gateway(tmp_path, config=replace(RESUMING, resume_tokens=1_000_000)) as here:
            items = [{"text": f"Fact {at}: " + "much was said about the harbour " * 20} for at in range(400)]
            await here.rpc("nodes.write", {"chat": await _chat(here), "items": items})
            asked = len(here.upstream.got)
            found = await here.post({"model": "big", "messages": turns("/resume")}, X_Tidelore_Window="b")
            assert error_of(found) == (413, "resume_too_large")
            assert len(here.upstream.got) == asked
            # In words without the command it is recalled from as usual.
            assert (await here.say("Where is the harbour?", X_Tidelore_Window="b")).status_code == 200

    _run(main())


async def _chat(here: Gateway) -> str:
    await here.say("My name is Ada.")
    (chat,) = await here.chats()
    return chat


def test_what_the_limit_left_out_is_counted_and_closed_matters_are_not_loaded(tmp_path: Path) -> None:
    async def main() -> None:
        async with gateway(tmp_path, config=replace(RESUMING, resume_tokens=200)) as here:
            chat = await _chat(here)
            for name, status in (("The lost key", "open"), ("The old feud", "done")):
                await here.rpc("node.write", {"chat": chat, "kind": "thread", "name": name, "fields": {"status": status}})
            items = [{"text": f"Fact {at}: the harbour has {at} ships."} for at in range(60)]
            await here.rpc("nodes.write", {"chat": chat, "items": items})
            answer = await here.say("/resume", X_Tidelore_Window="b")
            loaded = here.upstream.got[-1].last
            assert "The lost key" in loaded
            assert "feud" not in loaded
            left, items_ = (int(answer.headers[name]) for name in ("X-Tidelore-Resume-Left", "X-Serein-Resume-Items"))
            assert left > 0
            assert loaded.count("\n- ") == items_

    _run(main())


@pytest.mark.req("S54")
def test_a_window_keeps_the_newest_eight_of_what_was_loaded(tmp_path: Path) -> None:
    async def main() -> None:
        async with gateway(tmp_path, config=RESUMING) as here:
            await _chat(here)
            loaded = []
            for at in range(9):
                await here.say(f"/resume Plan {at}.", X_Tidelore_Window="b")
                loaded.append(here.upstream.got[-1].last)
            for at, there in ((0, False), (1, True), (8, True)):
                await here.say(f"/resume Plan {at}.", "All right.", "Go on.", X_Tidelore_Window="b")
                assert (here.upstream.got[-1].messages[0]["content"] == loaded[at]) == there

    _run(main())


@pytest.mark.req("P93", "S54")
def test_what_was_loaded_before_a_purge_is_not_told_after_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with gateway(tmp_path, config=RESUMING) as here:
            await here.say("My name is Ada and I live in Ulm.")
            await here.say("/resume Go on.", X_Tidelore_Window="b")
            await here.say("Where do I live?", X_Tidelore_Window="c")
            assert ["Ulm" in got.raw.decode() for got in here.upstream.got[-2:]] == [True, True]
            await here.rpc("chat.purge", {"chat": "gateway:main#1"})
            await here.say("/resume Go on.", "All right.", "And now?", X_Tidelore_Window="b")
            await here.say("Where do I live?", X_Tidelore_Window="c")  # the same turn once more
            await here.say("Tell me of Ulm.", X_Tidelore_Window="d")
            for got in here.upstream.got[-3:-1]:
                assert "Ulm" not in got.raw.decode()
            assert "Ada" not in here.upstream.got[-1].raw.decode()

    _run(main())
