"""One stage for all live tests, and a fresh chat on it for each."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests import chromium
from tests.live.artefacts import keep
from tests.live.data_root import CONTEXT, Setup
from tests.live.extension import NAME, copy_probe, copy_repository
from tests.live.memory import SETTINGS, configure, ready
from tests.live.page import LiveError
from tests.live.stage import Stage, Tab

HERE = Path(__file__).parent
FAILED = pytest.StashKey[bool]()
# SillyTavern throws this itself when a reply that is no stream is stopped.
EXPECTED_ERRORS = ("Clicked stop button",)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.live)
            item.add_marker(pytest.mark.slow)
            # A browser and a server on a machine with other work: what fails twice is a fault.
            item.add_marker(pytest.mark.flaky(reruns=1))
    # They share one stage and take longest: the first process begins with them, the others leave it to them and steal the rest.
    items.sort(key=lambda item: HERE not in item.path.parents)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    return report


# Not for the session: while Playwright is in use, nothing else can run an event loop in this thread.
@pytest.fixture(scope="package")
def shared_stage() -> Iterator[Stage]:
    setup = Setup(settings={"extension_settings": {"tidelore": SETTINGS}})
    with Stage(chromium.need(), setup, install={NAME: copy_repository, "tidelore-probe": copy_probe}) as stage:
        yield stage


@pytest.fixture
def stage(shared_stage: Stage, request: pytest.FixtureRequest) -> Iterator[Stage]:
    """The shared stage with a new chat of Mira's in its only tab, and a model that was asked nothing yet."""
    try:
        _tidy(shared_stage)
        yield shared_stage
        faults = shared_stage.model.faults
        errors = [text for text in shared_stage.told.errors if not any(expected in text for expected in EXPECTED_ERRORS)]
        if not request.node.stash.get(FAILED, False):
            assert faults == []
            assert errors == [], "errors in the page that nobody caught"
    except BaseException:
        request.node.stash[FAILED] = True
        raise
    finally:
        if request.node.stash.get(FAILED, False):
            print(f"What it looked like: {keep(request.node.name, shared_stage)}")
            shared_stage.close_others()
            shared_stage.model.release()
            # A page that was left with a group would open none of the chats again.
            shared_stage.tab.open_character(shared_stage.setup.characters[0].name)
            shared_stage.tab.open()
            _as_at_first(shared_stage.tab)


def _as_at_first(tab: Tab) -> None:
    """The settings that a test leaves when it ends well: another is not to fail because this one did."""
    try:
        ready(tab)
    except LiveError:
        return
    configure(tab, lag=0, mirror=True, model__use="none", model__agreed=False, model__asked=True, model__stream=True)


@pytest.fixture
def tab(stage: Stage) -> Tab:
    """The tab of the stage."""
    return stage.tab


@pytest.fixture
def unmirrored(tab: Tab) -> Iterator[None]:
    """What a browser remembers stays in it."""
    ready(tab)
    configure(tab, mirror=False)
    # SillyTavern saves settings a second later; another browser reads what is saved.
    tab.wait_rest(1500)
    yield
    configure(tab, mirror=True)


def _tidy(stage: Stage) -> None:
    stage.model.clear()
    stage.close_others()
    tab = stage.tab
    tab.set_viewport(1280, 800)
    tab.set_streaming(stage.setup.stream)
    tab.set_context(CONTEXT)
    first = stage.setup.characters[0].name
    if tab.evaluate("ctx.groupId ? null : ctx.characters[ctx.characterId]?.name ?? null") != first:
        tab.open_character(first)
    tab.new_chat()
    stage.told.clear()
    if stage.model.calls:
        raise LiveError("something asked the model before the test began")
