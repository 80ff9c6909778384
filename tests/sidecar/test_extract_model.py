"""Extraction by a memory model, through the service and the real store."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.sidecar.fakes import Asked, Rule, ScriptedModel, answer, clock, fact, one_fact_each, read_prompt, tokens
from tests.sidecar.model_server import Reply, Request, failed, said, serving, streamed
from tidelore.engine.errors import Cancelled, Conflict, ModelAnswer, ModelRefused, ModelUnreachable
from tidelore.engine.extract.prompt import ANSWER_SCHEMA
from tidelore.engine.history import Slot
from tidelore.engine.ports import Complete
from tidelore.engine.service import Call, Service
from tidelore.host.model import OpenAIModel
from tidelore.host.store import SqliteStore

T = TypeVar("T")
THINGS = "anchor barrel candle dagger engine feather goblet hammer ivory jacket kettle lantern".split()


class World:
    """A service over a store on disk, with a model that the test scripts. Its calls are plain ones."""

    def __init__(self, folder: Path, runner: asyncio.Runner, model: Complete | None = None) -> None:
        self.folder = folder
        self.model = ScriptedModel(one_fact_each)
        self._runner = runner
        self._complete = model or self.model
        self._now, self._token = clock(), tokens()
        self.open()

    def open(self) -> None:
        self.store = SqliteStore(self.folder)
        self.service = Service(self.store, self._now, self._token, self._complete)

    def restart(self) -> None:
        self.store.close()
        self.open()

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(work)

    def call(self, name: str, **params: Any) -> dict[str, Any]:
        found: dict[str, Any] = self.wait(self.service.call(name, {"chat": "c", **params}))
        return found

    def say(self, messages: Sequence[dict[str, str]]) -> dict[str, Any]:
        return self.call("chat.update", messages=list(messages))

    def extract(self, rule: Rule | None = None, **params: Any) -> dict[str, Any]:
        """A run by model, answered by this rule."""
        if rule is not None:
            self.model.rule = rule
        return self.call("extract.run", **{"by": "model", "lag": 0, **params})

    def plan(self, **params: Any) -> list[tuple[int, int]]:
        return [(window["first"], window["last"]) for window in self.call("extract.plan", lag=0, **params)["windows"]]

    def aside(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.call("extract.plan", lag=0)["aside"]
        return found

    def nodes(self, kind: str, state: str = "current") -> list[str]:
        """Texts of the nodes of a kind, sorted."""
        return sorted(node["text"] for node in self.call("graph.get")["nodes"] if node["kind"] == kind and node["state"] == state)

    def node(self, text: str) -> dict[str, Any]:
        found: dict[str, Any] = next(node for node in self.call("graph.get")["nodes"] if node["text"] == text)
        return found

    def slots(self) -> Sequence[Slot]:
        return self.wait(self.service.chats.open("c")).timeline.slots

    def generations(self) -> list[int]:
        """Of the model commit over each message, -1 where there is none."""
        return [slot.model.commit.generation if slot.model else -1 for slot in self.slots()]


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as found:
        yield found


@pytest.fixture
def world(tmp_path: Path, runner: asyncio.Runner) -> Iterator[World]:
    found = World(tmp_path, runner)
    yield found
    found.store.close()


def message(at: int, text: str = "", name: str = "") -> dict[str, str]:
    role, speaker = ("user", "Mira") if at % 2 == 0 else ("assistant", "Tom")
    return {"role": role, "name": name or speaker, "text": text or f"Number {at}: the {THINGS[at % len(THINGS)]} lies on shelf {at}."}


def talk(count: int) -> list[dict[str, str]]:
    return [message(at) for at in range(count)]


def claims(*numbers: int) -> list[str]:
    """What `one_fact_each` remembers of these messages, sorted."""
    return sorted(f"{each['name']} said: {each['text']}" for each in map(message, numbers))


def again(asked: Asked) -> str:
    return answer(*(fact(f"Anew: {line.text}", line.number, line.text) for line in asked.lines))


def must_not_ask(asked: Asked) -> str:
    raise AssertionError(f"asked about {asked.texts}")


def failing_on(word: str, fault: Callable[[], str], otherwise: Callable[[Asked], str] = one_fact_each) -> Rule:
    def rule(asked: Asked) -> str:
        return fault() if any(word in text for text in asked.texts) else otherwise(asked)

    return rule


def raising(error: Exception) -> Callable[[], str]:
    def fault() -> str:
        raise error

    return fault


# ---- what is asked ----


def test_windows_are_whole_exchanges(world: World) -> None:
    texts = [message(0, "One.")["text"], "Two.", "Three.", "Four.", "Five."]
    roles = ["assistant", "user", "user", "assistant", "user"]
    chat = [{"role": role, "name": role, "text": f"{text} There is a lamp."} for role, text in zip(roles, texts, strict=True)]
    world.say(chat)
    assert world.plan() == [(0, 0), (1, 3), (4, 4)]
    done = world.extract()
    assert world.model.windows == [[chat[0]["text"]], [each["text"] for each in chat[1:4]], [chat[4]["text"]]]
    assert (done["windows"], done["commits"], done["remaining"]) == (3, 3, 0)


def test_several_exchanges_make_one_window_when_asked(world: World) -> None:
    world.say(talk(7))
    assert world.plan(exchanges=2) == [(0, 3), (4, 6)]
    assert world.extract(exchanges=3)["windows"] == 2


@pytest.mark.req("P3")
def test_the_newest_exchange_is_left_alone(world: World) -> None:
    world.say(talk(7))
    done = world.extract(lag=None)
    assert world.model.windows == [[each["text"] for each in talk(7)[at : at + 2]] for at in (0, 2, 4)]
    assert done["remaining"] == 0
    assert world.nodes("fact") == claims(0, 1, 2, 3, 4, 5)
    world.say(talk(8))
    assert world.call("extract.plan")["windows"] == []
    world.say(talk(9))
    assert world.call("extract.plan")["windows"] == [{"first": 6, "last": 7}]


@pytest.mark.req("F11")
def test_the_model_sees_who_speaks_and_a_fact_keeps_its_speaker(world: World) -> None:
    chat = [message(0, "The sluice leaks."), message(1, "Then I mend it.", "Ana"), message(2, "I hold the lamp.", "Ben")]
    world.say(chat)
    world.extract(
        lambda asked: answer(
            *(fact(f"Said: {line.text}", line.number, line.text, subject=f"speaker:{line.number}") for line in asked.lines)
        )
    )
    assert [(line.name, line.role) for line in world.model.asked[0].lines] == [("Mira", "user"), ("Ana", "assistant")]
    edges = world.call("graph.get")["edges"]
    names = {node["id"]: node["text"] for node in world.call("graph.get")["nodes"]}
    about = {(names[edge["from"]], names[edge["to"]]) for edge in edges if edge["type"] == "about"}
    assert about == {("Said: The sluice leaks.", "Mira"), ("Said: Then I mend it.", "Ana"), ("Said: I hold the lamp.", "Ben")}


# ---- what is asked again ----


@pytest.mark.req("B49")
def test_a_range_is_closed_at_both_ends_and_takes_whole_windows(world: World) -> None:
    world.say(talk(40))
    world.extract()
    world.model.asked.clear()
    done = world.extract(again, range=[11, 20])
    assert world.model.windows == [[each["text"] for each in talk(40)[at : at + 2]] for at in range(10, 22, 2)]
    assert (done["windows"], done["remaining"]) == (6, 0)
    assert world.generations() == [0] * 10 + [1] * 12 + [0] * 18
    kept = claims(*range(10), *range(22, 40))
    assert world.nodes("fact") == sorted(kept + [f"Anew: {each['text']}" for each in talk(40)[10:22]])


@pytest.mark.req("B49")
def test_one_message_is_a_range(world: World) -> None:
    world.say(talk(6))
    world.extract()
    world.model.asked.clear()
    world.extract(again, range=[2, 2])
    world.extract(again, range=[3, 3])
    assert world.model.windows == [[each["text"] for each in talk(6)[2:4]]] * 2
    assert world.generations() == [0, 0, 2, 2, 0, 0]


@pytest.mark.req("LAW-EDIT")
def test_an_edit_of_an_old_message_costs_one_call(world: World) -> None:
    world.say(talk(60))
    world.extract()
    world.model.asked.clear()
    edited = talk(60)
    edited[3] = message(3, "The dagger was never here.")
    assert world.say(edited)["model_due"] == 1
    world.extract()
    assert world.model.windows == [[edited[2]["text"], edited[3]["text"]]]
    assert world.nodes("fact") == sorted([*claims(*(at for at in range(60) if at != 3)), "Tom said: The dagger was never here."])


def test_a_gap_in_the_middle_is_filled_alone(world: World) -> None:
    world.say(talk(20))
    world.extract(failing_on("Number 8:", lambda: "I cannot help with that."))
    assert world.generations() == [0] * 8 + [-1, -1] + [0] * 10
    world.model.asked.clear()
    world.extract(one_fact_each)
    assert world.model.windows == [[each["text"] for each in talk(20)[8:10]]]
    assert world.nodes("fact") == claims(*range(20))


@pytest.mark.req("LAW-SWIPE")
def test_a_swipe_and_back_asks_once_for_each_variant(world: World) -> None:
    first, second = talk(4), [*talk(3), message(3, "The dagger is gone.")]
    for chat in (first, second, first, second):
        world.say(chat)
        world.extract()
    assert len(world.model.asked) == 3
    assert world.nodes("fact") == sorted([*claims(0, 1, 2), "Tom said: The dagger is gone."])


def test_one_commit_covers_every_place_where_its_exchange_stands(world: World) -> None:
    world.say([*talk(4), *talk(2)])
    done = world.extract()
    assert len(world.model.asked) == 2
    assert (done["windows"], done["remaining"]) == (2, 0)
    assert world.generations() == [0] * 6
    world.say([*talk(4), *talk(2), message(6), message(7), *talk(2)])
    assert world.plan() == [(6, 7)]


@pytest.mark.req("LAW-RENAME")
def test_a_speaker_renamed_afterwards_costs_nothing(world: World) -> None:
    world.say(talk(4))
    world.extract(
        lambda asked: answer(
            *(fact(f"Kept: {line.text}", line.number, line.text, subject=f"speaker:{line.number}") for line in asked.lines)
        )
    )
    assert "Mira" in world.nodes("entity")
    world.say([{**each, "name": "Queen Mira" if each["name"] == "Mira" else "Tom"} for each in talk(4)])
    assert world.nodes("entity") == ["Queen Mira", "Tom"]
    world.extract(must_not_ask)


# ---- answers that give nothing ----


BAD_ANSWERS = [
    ("I'm sorry, but I cannot help with that request.", "refused"),
    ("asdf ;;; lorem", "nothing usable"),
    ('{"operations": [{"op": "node", "kind": "fact", "text": "[[qzx vbn]] {{wrt", "evidence": []}]}', ""),
    ("", "nothing usable"),
]


@pytest.mark.req("P39", "P43")
@pytest.mark.parametrize(("text", "reason"), BAD_ANSWERS)
def test_a_bad_answer_displaces_nothing_and_is_set_aside_with_its_reason(world: World, text: str, reason: str) -> None:
    world.say(talk(2))
    world.call("extract.run", by="rules", lag=0)
    before = world.call("graph.get")
    for tries in (1, 2, 3):
        assert world.plan() == [(0, 1)]
        done = world.extract(lambda _: text)
        assert (done["windows"], [each["first"] for each in done["failed"]]) == (0, [0])
        assert len(world.model.asked) == tries
    assert world.plan() == []
    ((aside),) = world.aside()
    assert (aside["first"], aside["last"], aside["tries"]) == (0, 1, 3)
    assert reason in aside["reason"]
    assert aside["reason"]
    world.extract(must_not_ask)
    assert world.call("graph.get") == before
    assert before["nodes"]


@pytest.mark.req("F3")
def test_nothing_to_remember_is_an_answer_and_is_not_asked_again(world: World) -> None:
    world.say(talk(2))
    world.call("extract.run", by="rules", lag=0)
    before = world.call("graph.get")
    done = world.extract(lambda _: '{"operations": []}')
    assert (done["empty"], done["windows"], done["failed"], done["remaining"]) == (1, 0, [], 0)
    assert [(each["first"], each["last"]) for each in world.aside()] == [(0, 1)]
    world.extract(must_not_ask)
    assert world.call("graph.get") == before


@pytest.mark.req("F3")
def test_words_of_the_prompt_are_not_remembered(world: World) -> None:
    world.say(talk(2))

    def echo(asked: Asked) -> str:
        line = next(line for line in asked.system.splitlines() if "greetings" in line)
        return answer(fact(line.lstrip("- "), 1, asked.texts[0]), fact("The anchor lies there.", 1, asked.texts[0]))

    done = world.extract(echo)
    assert world.nodes("fact") == ["The anchor lies there."]
    assert (done["dropped"], list(done["problems"])) == (1, ["prompt text"])


@pytest.mark.req("P65")
def test_retry_takes_up_what_was_set_aside(world: World) -> None:
    world.say(talk(4))
    for _ in range(3):
        world.extract(failing_on("Number 0:", lambda: "garbage", lambda _: '{"operations": []}'))
    assert [(each["first"], each["tries"]) for each in world.aside()] == [(0, 3), (2, 0)]
    assert world.call("stats")["aside"] == 1  # the other one is within the lag
    done = world.extract(one_fact_each, retry=True)
    assert (done["windows"], world.aside()) == (2, [])
    assert world.nodes("fact") == claims(0, 1, 2, 3)


def test_what_was_set_aside_is_known_after_a_restart(world: World) -> None:
    world.say(talk(2))
    for _ in range(3):
        world.extract(lambda _: "garbage")
    before = world.aside()
    world.restart()
    assert world.aside() == before != []
    world.extract(must_not_ask)
    assert world.extract(one_fact_each, retry=True)["windows"] == 1
    world.restart()
    assert (world.aside(), world.plan()) == ([], [])


def test_an_edit_gives_a_window_new_tries(world: World) -> None:
    world.say(talk(2))
    for _ in range(3):
        world.extract(lambda _: "garbage")
    world.say([message(0), message(1, "The barrel rolls.")])
    assert (world.plan(), world.aside()) == ([(0, 1)], [])


def test_a_window_that_fails_does_not_stop_the_later_ones(world: World) -> None:
    world.say(talk(10))
    done = world.extract(failing_on("Number 2:", raising(ModelAnswer("The model gave an empty answer.", raw="{}"))))
    assert (done["windows"], done["remaining"]) == (4, 1)
    assert done["failed"] == [{"first": 2, "last": 3, "error": "The model gave an empty answer."}]
    assert len(world.model.asked) == 5


@pytest.mark.req("P33")
def test_a_schema_sent_back_is_asked_about_once_more(world: World) -> None:
    world.say(talk(2))
    answers = [json.dumps(ANSWER_SCHEMA), answer(fact("The anchor lies there.", 1, "anchor"))]
    assert world.extract(lambda _: answers.pop(0))["windows"] == 1
    assert len(world.model.asked) == 2


@pytest.mark.req("P33")
def test_a_schema_sent_back_twice_is_a_failure(world: World) -> None:
    world.say(talk(2))
    done = world.extract(lambda _: json.dumps(ANSWER_SCHEMA))
    assert len(world.model.asked) == 2
    assert "schema" in done["failed"][0]["error"]


# ---- answers that are partly good ----


@pytest.mark.req("P29", "B43", "P35")
def test_whole_items_of_a_spoiled_answer_are_kept_and_the_others_counted(world: World) -> None:
    world.say(talk(2))
    text = (
        "<think>First {maybe [a list?</think>Sure:\n```json\n"
        + answer(
            fact("The anchor lies on shelf 0.", 1, "the anchor lies on shelf 0"),
            fact("The barrel has no text.", 2, "the barrel") | {"text": None},
            fact("The barrel lies on shelf 1.", 2, "the barrel", subject=None, attribute=None),
            fact("This one is cut off", 2, "the barrel"),
        )[:-60]
    )
    done = world.extract(lambda _: text)
    assert world.nodes("fact") == ["The anchor lies on shelf 0.", "The barrel lies on shelf 1."]
    assert (done["windows"], done["dropped"]) == (1, 2)
    assert {"cut", "missing text"} <= done["problems"].keys()


@pytest.mark.req("B43")
def test_two_objects_in_a_row_are_both_read(world: World) -> None:
    world.say(talk(2))
    both = answer(fact("The anchor lies there.", 1, "anchor")) + "\n" + answer(fact("The barrel lies there.", 2, "barrel"))
    world.extract(lambda _: both)
    assert world.nodes("fact") == ["The anchor lies there.", "The barrel lies there."]


@pytest.mark.req("B15")
def test_good_operations_beside_an_unknown_one_are_one_commit_and_stay_so_when_asked_again(world: World) -> None:
    world.say(talk(2))
    mixed = answer(
        fact("The anchor lies there.", 1, "anchor"),
        fact("The barrel lies there.", 2, "barrel"),
        {"op": "transmogrify", "kind": "spell", "text": "Abracadabra", "evidence": [{"message": 1, "quote": "anchor"}]},
    )
    done = world.extract(lambda _: mixed)
    assert (done["commits"], done["dropped"]) == (1, 1)
    world.extract(lambda _: mixed, range=[0, 1])
    assert world.nodes("fact") == ["The anchor lies there.", "The barrel lies there."]


def test_an_answer_that_the_messages_do_not_support_is_a_failure(world: World) -> None:
    world.say(talk(2))
    done = world.extract(lambda _: answer(fact("The moon is a cheese.", 7, "made of cheese")))
    assert "supported" in done["failed"][0]["error"]
    assert world.nodes("fact") == []


# ---- an endpoint that cannot be used ----


@pytest.mark.req("P65")
@pytest.mark.parametrize("error", [ModelUnreachable("It is down.", "Later."), ModelRefused("No such key.", "Check the key.")])
def test_a_fault_of_the_endpoint_ends_the_run_and_counts_against_no_window(world: World, error: Exception) -> None:
    world.say(talk(6))
    for _ in range(4):
        done = world.extract(failing_on("Number 2:", raising(error)))
        assert done["interrupted"] in ("It is down. Later.", "No such key. Check the key.")
        assert done["failed"] == []
    assert (world.plan(), world.aside()) == ([(2, 3), (4, 5)], [])
    assert world.extract(one_fact_each)["windows"] == 2


@pytest.mark.req("B47")
def test_a_full_extraction_that_breaks_off_keeps_the_old_memories(world: World) -> None:
    world.say(talk(60))
    world.extract()
    done = world.extract(failing_on("Number 30:", raising(ModelUnreachable("It is down.")), again), range=[0, 59])
    assert (done["windows"], done["interrupted"]) == (15, "It is down.")
    assert world.nodes("fact") == sorted([*(f"Anew: {each['text']}" for each in talk(30)), *claims(*range(30, 60))])


@pytest.mark.req("B47")
def test_windows_that_fail_in_a_full_extraction_keep_their_old_memories(world: World) -> None:
    world.say(talk(20))
    world.extract()
    done = world.extract(failing_on("Number 8:", lambda: "I cannot help with that.", again), range=[0, 19])
    assert (done["windows"], len(done["failed"]), done["remaining"]) == (9, 1, 0)
    anew = [f"Anew: {each['text']}" for each in (*talk(8), *talk(20)[10:])]
    assert world.nodes("fact") == sorted([*anew, *claims(8, 9)])


# ---- what is known already ----


def mood(asked: Asked) -> str:
    """An update of the mood that the model was shown, a new one at first."""
    word = asked.texts[0].split()[-1].rstrip(".")
    known = next((key for key, line in asked.known.items() if "mood" in line), "n1")
    return answer(fact(f"Mira feels {word}.", 1, asked.texts[0], key=known, sub="state", subject="speaker:1", attribute="mood", value=word))


@pytest.mark.req("B31")
def test_an_update_of_a_known_node_supersedes_it(world: World) -> None:
    chat = [message(0, "I feel glad."), message(1, "Good."), message(2, "By now I feel sad.")]
    world.say(chat)
    done = world.extract(mood)
    assert any("mood" in line for line in world.model.asked[1].known.values())
    assert (done["windows"], done["dropped"], done["problems"]) == (2, 0, {})
    assert world.nodes("fact") == ["Mira feels sad."]
    assert world.nodes("fact", "superseded") == ["Mira feels glad."]
    new, old = world.node("Mira feels sad."), world.node("Mira feels glad.")
    edges = {(edge["type"], edge["from"], edge["to"]) for edge in world.call("graph.get")["edges"]}
    assert ("replaces", new["id"], old["id"]) in edges


@pytest.mark.req("B31")
def test_an_update_by_short_key_alone_stays_in_the_line_of_the_known_fact(world: World) -> None:
    world.say([message(0, "I live in Bergen."), message(1, "Nice."), message(2, "I left Bergen and live in Oslo now.")])

    def home(asked: Asked) -> str:
        if not asked.known:
            return answer(fact("Mira lives in Bergen.", 1, "I live in Bergen", subject="Mira", attribute="home", sub="state"))
        return answer({"op": "node", "key": "G1", "text": "Mira lives in Oslo.", "evidence": [{"message": 1, "quote": "live in Oslo"}]})

    world.model.rule = home
    world.extract(lambda asked: home(asked) if not asked.known else home(asked).replace("G1", asked.key_of("lives in Bergen")))
    assert world.nodes("fact") == ["Mira lives in Oslo."]
    assert world.nodes("fact", "superseded") == ["Mira lives in Bergen."]


@pytest.mark.req("B33")
def test_ten_changes_of_a_mood_are_one_current_fact_with_a_history(world: World) -> None:
    words = "glad sad angry calm tired proud bored shy brave lonely".split()
    world.say([each for at, word in enumerate(words) for each in (message(2 * at, f"I feel {word}."), message(1, f"Noted, {word}."))])
    assert world.extract(mood)["windows"] == 10
    assert world.nodes("fact") == ["Mira feels lonely."]
    assert len(world.nodes("fact", "superseded")) == 9
    assert world.nodes("moment") == []


# ---- two at once, and stopping ----


def gated(gate: asyncio.Event, started: asyncio.Event) -> Rule:
    async def rule(asked: Asked) -> str:
        started.set()
        await gate.wait()
        return one_fact_each(asked)

    return rule


@pytest.mark.req("P25")
def test_a_second_run_at_once_is_told_that_one_is_running(world: World) -> None:
    world.say(talk(4))

    async def run() -> dict[str, Any]:
        gate, started = asyncio.Event(), asyncio.Event()
        world.model.rule = gated(gate, started)
        params = {"chat": "c", "by": "model", "lag": 0}
        first = asyncio.ensure_future(world.service.call("extract.run", params))
        await started.wait()
        with pytest.raises(Conflict, match="already running"):
            await world.service.call("extract.run", params)
        gate.set()
        done: dict[str, Any] = await first
        return done

    assert world.wait(run())["windows"] == 2
    assert len(world.model.asked) == 2
    world.extract(must_not_ask)


def test_a_stopped_run_keeps_what_is_stored_and_can_go_on(world: World) -> None:
    world.say(talk(10))
    seen: list[tuple[int, int]] = []
    call = Call(lambda done, total: seen.append((done, total)), lambda: len(seen) >= 2)
    with pytest.raises(Cancelled, match="stopped"):
        world.wait(world.service.call("extract.run", {"chat": "c", "by": "model", "lag": 0}, call))
    assert seen == [(1, 5), (2, 5)]
    world.restart()
    assert world.nodes("fact") == claims(0, 1, 2, 3)
    assert world.extract()["windows"] == 3


def test_a_task_that_is_cancelled_while_the_model_thinks_leaves_the_chat_usable(world: World) -> None:
    world.say(talk(4))

    async def run() -> None:
        gate, started = asyncio.Event(), asyncio.Event()
        world.model.rule = gated(gate, started)
        task = asyncio.ensure_future(world.service.call("extract.run", {"chat": "c", "by": "model", "lag": 0}))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    world.wait(run())
    assert world.nodes("fact") == []
    assert world.extract(one_fact_each)["windows"] == 2


@pytest.mark.req("P5", "B45")
def test_a_swipe_while_the_model_thinks_leaves_nothing_of_the_old_text(world: World) -> None:
    world.say(talk(2))
    swiped = [message(0), message(1, "The barrel is empty.")]

    async def run() -> None:
        gate, started = asyncio.Event(), asyncio.Event()
        world.model.rule = gated(gate, started)
        task = asyncio.ensure_future(world.service.call("extract.run", {"chat": "c", "by": "model", "lag": 0}))
        await started.wait()
        await world.service.call("chat.update", {"chat": "c", "messages": swiped})
        gate.set()
        await task

    world.wait(run())
    world.extract(one_fact_each)
    assert world.nodes("fact") == sorted([*claims(0), "Tom said: The barrel is empty."])


# ---- over the wire ----


def over_the_wire(rule: Rule) -> Callable[[Request], Reply]:
    def serve(request: Request) -> Reply:
        found = rule(read_prompt(request.messages))
        assert isinstance(found, str)
        return said(found)

    return serve


def test_extraction_through_a_server(tmp_path: Path, runner: asyncio.Runner) -> None:
    with serving(over_the_wire(one_fact_each)) as server:
        model = OpenAIModel(server.url, "tiny")
        world = World(tmp_path, runner, model)
        world.say(talk(6))
        assert world.extract()["windows"] == 3
        assert world.nodes("fact") == claims(*range(6))
        assert world.call("why", node=world.node(claims(3)[0])["id"])["beliefs"][0]["maker"] == "tiny"
        world.wait(model.aclose())
        world.store.close()


@pytest.mark.req("P41")
def test_extraction_through_a_server_that_streams(tmp_path: Path, runner: asyncio.Runner) -> None:
    def rule(request: Request) -> Reply:
        text = one_fact_each(read_prompt(request.messages))
        return streamed(*(text[at : at + 7] for at in range(0, len(text), 7)))

    with serving(rule) as server:
        model = OpenAIModel(server.url, "tiny")
        world = World(tmp_path, runner, model)
        world.say(talk(4))
        assert world.extract()["windows"] == 2
        assert world.nodes("fact") == claims(*range(4))
        world.wait(model.aclose())
        world.store.close()


@pytest.mark.req("P65")
def test_a_server_that_is_down_for_a_while_costs_no_window_a_try(tmp_path: Path, runner: asyncio.Runner) -> None:
    down = [True]

    async def no_sleep(seconds: float) -> None:
        del seconds

    def rule(request: Request) -> Reply:
        return failed(503, "starting up") if down[0] else over_the_wire(one_fact_each)(request)

    with serving(rule) as server:
        model = OpenAIModel(server.url, "tiny", sleep=no_sleep)
        world = World(tmp_path, runner, model)
        world.say(talk(4))
        for _ in range(4):
            assert "starting up" in world.extract()["interrupted"]
        assert (world.aside(), world.plan()) == ([], [(0, 1), (2, 3)])
        down[0] = False
        done = world.extract()
        assert (done["windows"], done["interrupted"]) == (2, "")
        world.wait(model.aclose())
        world.store.close()
