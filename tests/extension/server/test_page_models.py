"""The ways to a model that SillyTavern's page has, in that page: the connection in use, profiles, an endpoint through the server."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import chromium
from tests.live.data_root import Setup
from tests.live.extension import NAME, ROOT
from tests.live.replies import Failure, Reply, text_of
from tests.live.stage import Stage

pytestmark = [pytest.mark.slow, pytest.mark.live]

# What reads like a macro, a name before a colon and a stop string: nothing of it may be touched.
ANSWER = json.dumps({"operations": [{"text": "Sam: went to {{char}}.\nMira: stayed."}], "note": "*waves*   "}, indent=1)
STORY = "Mira gave {{user}} the lamp. {{setvar::stolen::yes}}"
WAYS = ("current", "profile", "endpoint")

ASK = """async ({model, story, profile}) => {
  const base = "/scripts/extensions/third-party/NAME/extension/";
  const { createHost } = await import(base + "host.js");
  const { completePort } = await import(base + "models.js");
  const { extensionSettings } = SillyTavern.getContext();
  extensionSettings.connectionManager.profiles = [profile, { id: "odd", name: "Odd", api: "no such api" }];
  const settings = { model: { answerTokens: 640, seconds: 60, ...model } };
  const host = createHost();
  const port = completePort({ host, settings, key: "" });
  const messages = [{ role: "system", content: "Note what happens." }, { role: "user", content: story }];
  const found = { name: port.name, profiles: host.profiles().map(({ id }) => id) };
  try {
    return { ...found, text: await port.complete(messages, {}, 30, new AbortController().signal) };
  } catch (error) {
    return { ...found, code: error.code, message: error.message };
  }
}""".replace("NAME", NAME)


def copy_modules(target: Path) -> None:
    """The modules alone: without a manifest SillyTavern serves them and starts nothing."""
    for folder in ("extension", "wasm"):
        shutil.copytree(ROOT / folder, target / folder)


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with Stage(chromium.need(), Setup(builtin=frozenset({"connection-manager"})), {NAME: copy_modules}) as found:
        yield found


def asked(stage: Stage, use: str, *, stream: bool = False) -> dict[str, Any]:
    profile = {"id": "small", "name": "Small", "api": "custom", "model": "tiny", "api-url": stage.model.url, "mode": "cc"}
    model = {"use": use, "profile": "small", "url": stage.model.url, "name": "scribe", "stream": stream}
    found: dict[str, Any] = stage.tab.page.evaluate(ASK, {"model": model, "story": STORY, "profile": profile})
    return found


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])
@pytest.mark.parametrize("use", WAYS)
def test_the_answer_arrives_as_the_model_wrote_it_and_no_macro_runs(stage: Stage, use: str, stream: bool) -> None:
    stage.model.clear()
    stage.model.reply_with(ANSWER)
    found = asked(stage, use, stream=stream)
    assert found.get("text") == ANSWER, found
    assert found["profiles"] == ["small"]
    assert found["name"] == {"profile": "tiny", "endpoint": "scribe"}.get(use, found["name"])
    (call,) = stage.model.calls
    assert call.body["max_tokens"] == 640
    texts = [text_of(message) for message in call.body["messages"]]
    assert "Sam" not in texts[-1]
    assert texts[-1] == (STORY.replace("{{", "{ {") if use == "current" else STORY)
    assert stage.tab.evaluate("ctx.variables.local.get('stolen')") in ("", None)


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])
@pytest.mark.parametrize("use", WAYS)
@pytest.mark.parametrize(("status", "code"), [(401, "model_refused"), (503, "model_unreachable")])
def test_an_error_of_the_model_keeps_its_sort(stage: Stage, use: str, stream: bool, status: int, code: str) -> None:
    stage.model.clear()
    stage.model.reply_with(Failure(status))
    found = asked(stage, use, stream=stream)
    assert found.get("code") == code, found


@pytest.mark.parametrize("use", WAYS)
def test_an_empty_answer_is_of_no_use(stage: Stage, use: str) -> None:
    stage.model.clear()
    stage.model.reply_with(Reply())
    assert asked(stage, use).get("code") == "model_answer"
