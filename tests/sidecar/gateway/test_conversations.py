"""Which conversation a request belongs to, and what is kept of it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.sidecar.gateway.kit import PATIENT, gateway

MAIN = "gateway:main#1"


def _run(test: Any) -> None:
    asyncio.run(test)


def test_a_client_that_sends_only_the_end_erases_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        async with gateway(tmp_path) as here:
            said: list[str] = []
            for at in range(12):
                said = [*said, "The spare key lies under the blue stone." if at == 1 else f"Item {at} of the list is number {at * 7}."]
                await here.say(*(said[-5:] if at > 2 else said))
                said = [*said, "All right."]
            assert await here.chats() == [MAIN]
            assert await here.texts(MAIN) == said
            # What left the client's view is recalled; what it still shows is not.
            await here.say(*said[-4:], "Where does the spare key lie?")
            assert "blue stone" in here.upstream.got[-1].last

    _run(main())


def test_after_a_restart_a_conversation_goes_on_where_it_was(tmp_path: Path) -> None:
    async def main() -> None:
        said = ["First I like tea.", "All right.", "Second I like rye bread.", "All right.", "Third I like plums."]
        async with gateway(tmp_path) as here:
            await here.say(*said)
        async with gateway(tmp_path) as here:
            await here.say(*said[2:], "All right.", "Fourth I like pears.")
            assert await here.chats() == [MAIN]
            assert await here.texts(MAIN) == [*said, "All right.", "Fourth I like pears.", "All right."]

    _run(main())


def test_a_turn_that_was_edited_replaces_what_followed_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with gateway(tmp_path) as here:
            await here.say("I live in Rome.", "All right.", "I like tea.", "All right.", "I have a dog.")
            await here.say("I live in Rome.", "All right.", "I like coffee.")
            assert await here.texts(MAIN) == ["I live in Rome.", "All right.", "I like coffee.", "All right."]
            await here.say("What do I like, and have I a dog?", X_Tidelore_Window="b")
            block = here.upstream.got[-1].last.rpartition("</tidelore-memory>")[0]
            assert "coffee" in block
            assert "tea" not in block
            assert "dog" not in block.replace("have I a dog", "")

    _run(main())


def test_conversations_of_one_client_do_not_erase_each_other(tmp_path: Path) -> None:
    async def main() -> None:
        async with gateway(tmp_path) as here:
            await here.say("Hello.", "Hi.", "I plan a trip to Oslo.")
            await here.say("Hello.")
            await here.say("Hello.", "All right.", "My sister is Ida.")
            await here.say("Hello.", "Hi.", "I plan a trip to Oslo.", "All right.", "It is in May.")
            assert await here.chats() == [MAIN, "gateway:main#2"]
            assert await here.texts(MAIN) == ["Hello.", "Hi.", "I plan a trip to Oslo.", "All right.", "It is in May.", "All right."]
            assert await here.texts("gateway:main#2") == ["Hello.", "All right.", "My sister is Ida.", "All right."]

    _run(main())


def test_a_word_that_was_said_elsewhere_too_makes_no_conversation_of_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with gateway(tmp_path) as here:
            first = ["I like tea.", "Noted.", "ok", "Noted too.", "I like plums."]
            await here.say(*first)
            # Begun elsewhere, so nothing of it is known but its last word.
            await here.say("I like figs.", "Who would not?", "ok")
            assert await here.texts(MAIN) == [*first, "All right."]
            assert await here.texts("gateway:main#2") == ["I like figs.", "Who would not?", "ok", "All right."]

    _run(main())


def test_system_and_tool_messages_and_injected_blocks_are_no_part_of_the_conversation(tmp_path: Path) -> None:
    async def main() -> None:
        async with gateway(tmp_path) as here:
            words = "<tidelore-memory kind='core'>\nold\n</tidelore-memory>\n\n<memory>x</memory> I like tea."
            messages = [
                {"role": "system", "content": "Be kind."},
                {"role": "developer", "content": "Be brief."},
                {"role": "user", "content": "<attachment id='1'>a file</attachment>\nLook."},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
                },
                {"role": "tool", "tool_call_id": "c", "content": "The password is tulip."},
                {"role": "assistant", "content": "I looked."},
                {"role": "user", "content": words},
            ]
            await here.post({"model": "big", "messages": messages})
            await here.idle()
            assert await here.texts(MAIN) == ["Look.", "I looked.", "I like tea.", "All right."]

    _run(main())


@pytest.mark.req("S52")
@pytest.mark.parametrize("app_blocks", [True, False])
def test_blocks_that_an_app_puts_around_the_words_are_no_words_of_the_user_unless_so_set(tmp_path: Path, app_blocks: bool) -> None:
    async def main() -> None:
        async with gateway(tmp_path, config=replace(PATIENT, app_blocks=app_blocks)) as here:
            await here.say("My cat is called Bo.", X_Tidelore_Window="first")
            blocks = (
                '<proxy_sender name="desk"/>',
                '<attachment id="1" filename="cat.txt">The cat of the neighbour.</attachment>',
                "<workspace_attachment>\ntree of files\n</workspace_attachment>",
                "<reply_to>An older message.</reply_to>",
            )
            sent = "\n".join(blocks[1:]) + "\nWhat is for dinner?"
            await here.say(sent)
            got = here.upstream.got[-1]
            assert got.last.endswith(sent), "the model sees all of it"
            stored = (await here.texts("gateway:main#1"))[0]
            if app_blocks:
                assert stored == "What is for dinner?"
                assert "Bo" not in got.last, "and nothing is looked for that only the block speaks of"
            else:
                assert stored == sent
                assert "Bo" in got.last

    _run(main())
