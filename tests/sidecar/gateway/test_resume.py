"""/resume loads what is known, to go on in a new conversation."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.sidecar.gateway.kit import PATIENT, gateway


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
