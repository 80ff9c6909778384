"""A first page in one call; long works that are listed and stopped; indexes made anew; settings and prompts of the engine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.engine.care_kit import CHAT, STORY, CareKit
from tidelore.engine.errors import BadInput, Cancelled, ModelUnreachable, NotFound
from tidelore.engine.extract import templates
from tidelore.engine.ports import Batch, VectorModel
from tidelore.engine.service import Call


class Model:
    """A memory model that answers, fails or waits as it is told."""

    name = "scripted"

    def __init__(self, answer: str = '{"operations": []}') -> None:
        self.answer = answer
        self.systems: list[str] = []
        self.gate: asyncio.Event | None = None
        self.started: asyncio.Event | None = None

    async def __call__(self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any], budget: float) -> str:
        del schema, budget
        self.systems.append(messages[0]["content"])
        if self.started is not None and self.gate is not None:
            self.started.set()
            await self.gate.wait()
        return self.answer


class Vectors:
    """An embedder that keeps texts; it may be down."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.down = False

    async def put(self, texts: Mapping[str, str]) -> None:
        if self.down:
            raise ModelUnreachable("It is down.")
        self.texts.update(texts)

    async def score(self, query: str, k: int, allowed: Collection[str] | None) -> Sequence[tuple[str, float]]:
        del query, k, allowed
        return []

    async def gram(self, nodes: Sequence[str]) -> Sequence[Sequence[float]]:
        return [[float(one == other) for other in nodes] for one in nodes]

    def model(self) -> VectorModel:
        if self.down:
            raise ModelUnreachable("It is down.")
        return VectorModel("small", 8, 1.0, 0.5)


def test_a_first_page_says_what_is_remembered_what_waits_and_what_was_last_done() -> None:
    kit = CareKit(vectors=Vectors(), complete=Model())
    kit.fact(0, "It burns.", "Lantern", attribute="light")
    kit.fact(3, "It is out.", "Lantern", attribute="light")
    node = kit.id_of(STORY[1]["text"])
    kit.call("node.pin", chat=CHAT, node=node)
    kit.call("node.private", chat=CHAT, node=kit.id_of("Mara"))
    kit.call("node.archive", chat=CHAT, node=kit.id_of(STORY[2]["text"]))
    kit.call("node.retire", chat=CHAT, node=kit.id_of(STORY[4]["text"]))
    done = kit.recall(CHAT, "Who drowned?")
    found = kit.call("overview", chat=CHAT)
    assert (found["messages"], found["nodes"]["fact"], found["pinned"], found["private"]) == (6, 2, 1, 1)
    assert found["states"]["superseded"] == found["states"]["archived"] == found["states"]["hidden"] == 1
    assert (found["model"], found["embedder"]["model"], found["embedder"]["dimension"]) == ("scripted", "small", 8)
    assert found["cards"] == len(kit.call("cards.list", chat=CHAT)["cards"]) == 1
    assert (found["extraction"]["by"], found["extraction"]["maker"], found["extraction"]["last"]) == ("model", "scripted", 3)
    assert found["extraction"]["at"] >= 1_700_000_000_000
    assert (found["recall"]["recall"], found["recall"]["memories"], found["recall"]["delivered"]) == (
        done["recall"],
        len(done["nodes"]),
        False,
    )
    kit.call("recall.delivered", chat=CHAT, recall=done["recall"])
    assert kit.call("overview", chat=CHAT)["recall"]["delivered"]
    kit.restart()
    again = kit.call("overview", chat=CHAT)["recall"]
    assert (again["recall"], again["delivered"]) == (done["recall"], True)


def test_a_first_page_of_an_empty_chat_says_that_nothing_is_there() -> None:
    kit = CareKit()
    kit.show("empty", [])
    found = kit.call("overview", chat="empty")
    assert (found["nodes"], found["extraction"]["at"], found["recall"], found["model"]) == ({}, 0, None, "")
    assert found["embedder"] == {"model": "", "dimension": 0, "documents": 0}


def test_what_failed_is_told_with_the_reason_until_it_is_taken_up_again() -> None:
    model = Model("nothing of use")
    kit = CareKit(complete=model)
    for _ in range(3):
        kit.call("extract.run", chat=CHAT, by="model", lag=2)
    found = kit.call("overview", chat=CHAT)
    assert [(each["first"], each["last"]) for each in found["failed"]] == [(0, 1)]
    assert "nothing usable" in found["failed"][0]["error"]
    assert found["failed"][0]["raw"] == "nothing of use"
    assert [(each["first"], each["last"]) for each in found["next"]] == [(2, 3)]
    assert found["model_due"] == 1
    kit.call("extract.run", chat=CHAT, by="model", lag=2, retry=True)
    assert kit.call("overview", chat=CHAT)["failed"] == []


def test_an_embedder_that_is_down_spoils_no_first_page() -> None:
    vectors = Vectors()
    kit = CareKit(vectors=vectors)
    vectors.down = True
    assert kit.call("overview", chat=CHAT)["embedder"]["model"] == ""


def test_a_long_work_is_listed_while_it_runs_and_stops_when_asked() -> None:
    model = Model()
    kit = CareKit(complete=model)

    async def run() -> None:
        model.gate, model.started = asyncio.Event(), asyncio.Event()
        work = asyncio.ensure_future(kit.service.call("extract.run", {"chat": CHAT, "by": "model", "lag": 0}))
        await model.started.wait()
        (job,) = (await kit.service.call("job.list", {"chat": CHAT}))["jobs"][:1]
        assert (job["work"], job["state"], job["ended"]) == ("extract.model", "running", 0)
        assert (await kit.service.call("job.stop", {"job": job["job"]}))["stopping"]
        model.gate.set()
        with pytest.raises(Cancelled):
            await work
        (job,) = (await kit.service.call("job.list", {"chat": CHAT}))["jobs"][:1]
        assert job["state"] == "stopped"
        assert job["ended"] > job["started"]
        assert not (await kit.service.call("job.stop", {"job": job["job"]}))["stopping"]

    kit.run_sync(run())
    assert len(model.systems) == 1
    with pytest.raises(NotFound, match="no job"):
        kit.call("job.stop", job="none")


def test_progress_goes_to_the_caller_and_to_the_list_and_a_fault_is_kept() -> None:
    kit = CareKit()
    seen: list[tuple[int, int]] = []
    kit.show(CHAT, [*STORY, {"role": "user", "text": "A new day dawns over the weir.", "name": "Mara"}])
    call = Call(lambda done, total: seen.append((done, total)))
    kit.run_sync(kit.service.call("extract.run", {"chat": CHAT, "lag": 0}, call))
    job = kit.call("job.list")["jobs"][0]
    assert seen[-1] == (1, 1) == (job["done"], job["total"])
    assert (job["state"], job["work"]) == ("done", "extract.rules")
    with pytest.raises(NotFound):
        kit.call("index.rebuild", chat="nowhere")
    job = kit.call("job.list")["jobs"][0]
    assert (job["state"], "no chat" in job["error"]) == ("failed", True)


def test_jobs_that_ended_long_ago_are_forgotten() -> None:
    kit = CareKit()
    for _ in range(40):
        kit.call("extract.run", chat=CHAT, lag=0)
    assert 20 <= len(kit.call("job.list")["jobs"]) <= 22


def test_an_index_that_is_made_anew_answers_the_same() -> None:
    vectors = Vectors()
    kit = CareKit(vectors=vectors)
    kit.call("node.pin", chat=CHAT, node=kit.id_of(STORY[1]["text"]))
    before, answer = kit.all(), kit.recall(CHAT, "Who drowned?")
    vectors.texts.clear()
    done = kit.call("index.rebuild", chat=CHAT)
    assert (done["documents"], done["texts"], done["degraded"]) == (6, 6, [])
    assert len(vectors.texts) == 6
    assert kit.all() == before
    assert {**kit.recall(CHAT, "Who drowned?"), "recall": ""} == {**answer, "recall": ""}
    vectors.down = True
    assert kit.call("index.rebuild", chat=CHAT)["degraded"] == ["embedder: It is down."]


def test_an_index_that_is_made_ahead_leaves_the_next_recall_nothing_to_do_and_answers_the_same() -> None:
    kit, other = CareKit(), CareKit()
    left = kit.call("index.refresh", chat=CHAT, most=1)["left"]
    assert left > 1
    assert kit.call("index.refresh", chat=CHAT, most=left - 1)["left"] == 1
    assert kit.call("index.refresh", chat=CHAT, most=1) == {"documents": 6, "left": 0}
    index = kit.run_sync(kit.service.chats.open(CHAT)).index
    revision = index.revision
    answer = kit.recall(CHAT, "Who drowned?")
    assert (index.revision, index.graph.dirty) == (revision, set())
    assert [card["text"] for card in answer["cards"]] == [card["text"] for card in other.recall(CHAT, "Who drowned?")["cards"]]


# ---- settings ----


def _setting(kit: CareKit, name: str) -> dict[str, Any]:
    return next(each for each in kit.call("settings.describe")["settings"] if each["name"] == name)


def test_settings_are_described_changed_and_taken_back() -> None:
    kit = CareKit()
    described = kit.call("settings.describe")["settings"]
    assert all(each["value"] == each["default"] and not each["changed"] for each in described)
    assert {each["level"] for each in described} == {"basic", "advanced"}
    kit.call("settings.set", values={"extract.lag": 3, "recall.preset": "strict"})
    kit.restart()
    assert (_setting(kit, "extract.lag")["value"], _setting(kit, "extract.lag")["changed"]) == (3, True)
    kit.call("settings.reset", names=["extract.lag"])
    assert (_setting(kit, "extract.lag")["value"], _setting(kit, "recall.preset")["value"]) == (1, "strict")
    kit.call("settings.reset")
    assert kit.call("settings.describe")["settings"] == described


@pytest.mark.parametrize(
    "values",
    [
        {"extract.lag": -1},
        {"extract.lag": 1.5},
        {"extract.lag": True},
        {"recall.preset": "loud"},
        {"recall.patience": 61},
        {"cards.alike": "half"},
        {"colour": "red"},
        {"extract.exchanges": 2, "recall.limit": 10_000},
    ],
)
def test_a_value_that_is_none_is_refused_and_changes_nothing(values: dict[str, Any]) -> None:
    kit = CareKit()
    before = kit.call("settings.describe")
    with pytest.raises(BadInput) as refused:
        kit.call("settings.set", values=values)
    assert refused.value.hint
    assert kit.call("settings.describe") == before


def test_a_call_that_says_nothing_itself_follows_the_settings() -> None:
    kit = CareKit()
    assert kit.call("extract.plan", chat=CHAT)["lag"] == 1
    kit.call("settings.set", values={"extract.lag": 2, "extract.exchanges": 2, "recall.limit": 1})
    plan = kit.call("extract.plan", chat=CHAT)
    assert (plan["lag"], [(each["first"], each["last"]) for each in plan["windows"]]) == (2, [(0, 1)])
    kit.call("settings.set", values={"extract.lag": 1})
    assert [(each["first"], each["last"]) for each in kit.call("extract.plan", chat=CHAT)["windows"]] == [(0, 3)]
    assert len(kit.recall(CHAT, "the ferryman of Alder Bridge drowned")["cards"]) == 1
    assert len(kit.recall(CHAT, "the ferryman of Alder Bridge drowned", limit=5)["cards"]) > 1
    kit.call("settings.set", values={"recall.preset": "strict", "recall.limit": 0})
    strict = kit.recall(CHAT, "the ferryman of Alder Bridge drowned", preset="strict")
    assert [card["node"] for card in kit.recall(CHAT, "the ferryman of Alder Bridge drowned")["cards"]] == [
        card["node"] for card in strict["cards"]
    ]


def test_a_stored_value_of_another_version_is_as_if_it_were_not_there() -> None:
    kit = CareKit()
    kit.run_sync(kit.store.write(Batch(settings={"settings": {"extract.lag": "many", "colour": "red", "recall.limit": 7}})))
    assert (_setting(kit, "extract.lag")["value"], _setting(kit, "recall.limit")["value"]) == (1, 7)


# ---- prompts ----


def test_a_prompt_is_changed_used_and_taken_back() -> None:
    model = Model()
    kit = CareKit(complete=model)
    kit.call("extract.run", chat=CHAT, by="model", range=[0, 1])
    view = kit.call("prompt.get", prompt="extract.en")
    assert (view["text"], view["changed"]) == (view["default"], False)
    assert '{"op":"node"' in view["text"]
    changed = 'Keep it short {as ever}: {"x": 1}. {schema} / {language} / {edges}'
    kit.call("prompt.set", prompt="extract.en", text=changed)
    kit.restart()
    kit.call("extract.run", chat=CHAT, by="model", range=[2, 3])
    assert model.systems[-1].startswith('Keep it short {as ever}: {"x": 1}. entity/character: ')
    assert "relates" in model.systems[-1]
    assert [(each["prompt"], each["changed"]) for each in kit.call("prompt.list")["prompts"]] == [
        ("extract.en", True),
        ("extract.zh", False),
    ]
    kit.call("prompt.reset", prompt="extract.en")
    kit.call("extract.run", chat=CHAT, by="model", range=[4, 5])
    assert model.systems[-1] == model.systems[0]


def test_a_default_that_improved_since_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    kit = CareKit()
    kit.call("prompt.set", prompt="extract.en", text="Mine: {schema}")
    assert not kit.call("prompt.get", prompt="extract.en")["improved"]
    old = templates.TEMPLATES["extract.en"]
    monkeypatch.setitem(templates.TEMPLATES, "extract.en", replace(old, default=old.default + " Better."))
    view = kit.call("prompt.get", prompt="extract.en")
    assert (view["improved"], view["text"], view["default"].endswith("Better.")) == (True, "Mine: {schema}", True)
    assert [each["improved"] for each in kit.call("prompt.list")["prompts"]] == [True, False]
    # Set once more, it is made from the default of today.
    assert not kit.call("prompt.set", prompt="extract.en", text="Mine still: {schema}")["improved"]


@pytest.mark.parametrize("text", ["", "  ", "Write down what matters.", "{schema}" + "x" * 20_000])
def test_a_text_that_can_be_no_prompt_is_refused(text: str) -> None:
    kit = CareKit()
    with pytest.raises(BadInput):
        kit.call("prompt.set", prompt="extract.en", text=text)
    with pytest.raises(BadInput, match="no prompt"):
        kit.call("prompt.get", prompt="extract.tlh")
    assert not kit.call("prompt.get", prompt="extract.en")["changed"]


def test_the_default_text_is_no_change() -> None:
    kit = CareKit()
    default = kit.call("prompt.get", prompt="extract.zh")["default"]
    assert not kit.call("prompt.set", prompt="extract.zh", text=default.replace("\n", "\r\n"))["changed"]
    assert json.dumps(default)
