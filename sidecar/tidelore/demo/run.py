"""Runs the demo in folders of its own, story by story."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from tidelore.demo.results import Answered, Remembered, StoryResult, ask, remember
from tidelore.demo.scenarios import EXPECTED, Stage
from tidelore.demo.stand_in import StandIn
from tidelore.demo.story import LANGUAGES, load_story
from tidelore.engine.extract.run import Progress
from tidelore.engine.memory import MemoryStore
from tidelore.engine.service import Service
from tidelore.host.open import now, open_service, token

_STEPS = 1 + 5 + len(EXPECTED)


async def run_demo(keep: Path | None, progress: Progress) -> AsyncGenerator[StoryResult, None]:
    """The results of each story. `keep`: where the store with the stories stays; everything else is removed."""
    stand_in = StandIn()
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        progress(done, _STEPS * len(LANGUAGES))

    async with AsyncExitStack() as stack:
        temporary = Path(stack.enter_context(TemporaryDirectory(prefix="tidelore-demo-", ignore_cleanup_errors=True)))
        rules = await stack.enter_async_context(open_service(keep or temporary))
        # These two are only compared with the first, which is on disk as a user's is.
        model = Service(MemoryStore(), now, token, stand_in)
        scratch = Service(MemoryStore(), now, token)
        for language in LANGUAGES:
            story = load_story(language)
            remembered = await remember(rules, story)
            step()
            answers = []
            for question in story.questions:
                answers.append(await ask(rules, story, question))
                step()
            shown = _telling(remembered, answers)
            why = await rules.call("why", {"chat": story.title, "node": shown}) if shown else {}
            scenarios = []
            async for scenario in Stage(story, rules, model, stand_in, scratch).play():
                scenarios.append(scenario)
                step()
            yield StoryResult(story, remembered, answers, why, scenarios)


def _telling(remembered: Remembered, answers: Sequence[Answered]) -> str:
    """A memory whose origin is worth showing: a fact, since its words are a part of a message, else one that answered a question."""
    if remembered.facts:
        return str(remembered.facts[0][0]["id"])
    return next((str(each.cards[each.hits[0]]["node"]) for each in answers if each.hits), "")
