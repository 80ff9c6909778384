"""Runs the demo in folders of its own, story by story."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from tidelore.demo.results import StoryResult, ask, remember
from tidelore.demo.scenarios import Stage
from tidelore.demo.stand_in import StandIn
from tidelore.demo.story import LANGUAGES, load_story
from tidelore.engine.memory import MemoryStore
from tidelore.engine.service import Service
from tidelore.host.open import now, open_service, token


async def run_demo(keep: Path | None) -> AsyncGenerator[StoryResult, None]:
    """The results of each story. `keep`: where the store with the stories stays; everything else is removed."""
    stand_in = StandIn()
    async with AsyncExitStack() as stack:
        temporary = Path(stack.enter_context(TemporaryDirectory(prefix="tidelore-demo-", ignore_cleanup_errors=True)))
        rules = await stack.enter_async_context(open_service(keep or temporary))
        # These two are only compared with the first, which is on disk as a user's is.
        model = Service(MemoryStore(), now, token, stand_in)
        scratch = Service(MemoryStore(), now, token)
        for language in LANGUAGES:
            story = load_story(language)
            remembered = await remember(rules, story)
            answers = [await ask(rules, story, question) for question in story.questions]
            shown = next((card["node"] for each in answers for card in (each.cards[at] for at in each.hits)), None)
            why = await rules.call("why", {"chat": story.title, "node": shown}) if shown else {}
            scenarios = [each async for each in Stage(story, rules, model, stand_in, scratch).play()]
            yield StoryResult(story, remembered, answers, why, scenarios)
