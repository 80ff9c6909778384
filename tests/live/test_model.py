"""Extraction by a memory model: asked first, in the background, for the chat it was meant for, and said to be done when it is stored."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from tests.live.memory import ask, call, configure, graph, holds, ready, settled, texts
from tests.live.reader import Reader, agree, busy, extracted, newest, state, waiting
from tests.live.replies import Answer, Failure, Reply
from tests.live.stage import Tab
from tests.sidecar.fakes import Asked, one_fact_each

DIALOG = "() => document.querySelector('dialog[open] .tidelore-dialog')"


@pytest.fixture
def reader(tab: Tab) -> Iterator[Reader]:
    """A memory model on the current connection, which nobody has agreed to. Settings are as a person has them at first but for that."""
    ready(tab)
    configure(tab, lag=1)
    reader = Reader(tab.model)
    tab.model.reply_with(reader)
    yield reader
    ask(tab, "/tidelore-resume quiet=true")
    ask(tab, "/tidelore-stop quiet=true")
    configure(tab, lag=0, model__use="none", model__agreed=False, model__asked=True, model__stream=True)


@pytest.fixture
def story(tab: Tab, reader: Reader) -> Tab:
    """Three exchanges, of which the model has read the first two."""
    agree(tab)
    reader.replies += ["Biscuit is a fine name.", "Lisbon has seven hills.", "The Grey Widow frightens me."]
    for words in ("My cat is called Biscuit.", "I was born in Lisbon.", "What frightens you?"):
        tab.send(words)
    extracted(tab)
    return tab


def test_the_first_question_says_which_model_and_how_much_and_not_now_is_an_answer(tab: Tab, reader: Reader) -> None:
    tab.send("My cat is called Biscuit.")
    tab.send("I was born in Lisbon.")
    settled(tab)
    configure(tab, model__asked=False, model__use="current")
    tab.wait(DIALOG, "the question")
    shown = tab.dialog_text()
    cost = json.loads(ask(tab, "/tidelore-estimate"))
    assert cost["model"] == "scripted"
    assert cost["windows"] >= 1
    assert "scripted" in shown
    assert f"{cost['tokens']:,}" in shown
    tab.confirm("Not now")
    tab.send("What is my cat called?")
    settled(tab)
    assert tab.dialog_text() == ""
    assert reader.asked == [], "nobody has agreed"
    assert holds(tab, "Biscuit"), "the rules remember meanwhile"


def test_agreeing_in_the_question_lets_the_model_read_what_is_due(tab: Tab, reader: Reader) -> None:
    tab.send("My cat is called Biscuit.")
    tab.send("I was born in Lisbon.")
    settled(tab)
    configure(tab, model__asked=False, model__use="current")
    tab.wait(DIALOG, "the question")
    tab.confirm("Agree")
    extracted(tab)
    assert holds(tab, "Sam said: My cat is called Biscuit.")
    assert ["I was born in Lisbon.", "I see."] not in reader.windows, "the newest exchange may still change"
    tab.reload()
    ready(tab)
    settled(tab)
    assert tab.dialog_text() == ""


def test_an_exchange_is_read_once_it_has_settled_and_a_swipe_or_an_edit_costs_what_it_must(story: Tab, reader: Reader) -> None:
    assert reader.windows[-2:] == [
        ["My cat is called Biscuit.", "Biscuit is a fine name."],
        ["I was born in Lisbon.", "Lisbon has seven hills."],
    ]
    before = graph(story)
    assert holds(story, "Mira said: Biscuit is a fine name.")
    assert not holds(story, "said: What frightens you?")
    reader.forget()
    story.swipe_right()
    story.swipe_left()
    extracted(story)
    assert graph(story) == before
    assert reader.asked == []
    story.edit(3, "I was born in Porto.")
    extracted(story)
    assert reader.windows == [["I was born in Porto.", "Lisbon has seven hills."]]
    assert holds(story, "Sam said: I was born in Porto.")
    assert not holds(story, "I was born in Lisbon.")


@pytest.mark.req("LAW-SWIPE")
def test_without_a_lag_each_swipe_is_read_once_and_swiping_between_them_costs_nothing(story: Tab, reader: Reader) -> None:
    configure(story, lag=0)
    ask(story, "/tidelore-extract quiet=true")  # a change of the lag is seen at the next change of the chat
    extracted(story, lag=0)
    before = graph(story)
    assert holds(story, "Mira said: The Grey Widow frightens me.")
    reader.replies.append("Nothing frightens me.")
    reader.forget()
    story.swipe_right()
    extracted(story, lag=0)
    assert reader.windows == [["What frightens you?", "Nothing frightens me."]]
    other = graph(story)
    assert not holds(story, "Grey Widow")
    story.swipe_left()
    extracted(story, lag=0)
    assert graph(story) == before
    story.swipe_right()
    extracted(story, lag=0)
    assert graph(story) == other
    assert len(reader.asked) == 1


HALF = '{"operations": [{"op": "node", "kind": "fact", "sub": "context", "text": "My c'


def half_of_it(asked: Asked) -> str:
    """One whole item, and one that was cut off."""
    whole = one_fact_each(asked)
    return whole[: whole.index("},", 20) + 30]


BAD: dict[str, tuple[Answer, str]] = {
    "Pepper": (Failure(500, "the model has no memory left"), ""),
    "Ginger": ("I'm sorry, but I can't help with that.", "can't help"),
    "Saffron": ("", "choices"),
    "Nutmeg": (HALF, "My c"),
}


def test_a_model_that_fails_is_shown_with_its_words_and_the_rules_memories_stay(story: Tab, reader: Reader) -> None:
    story.open_extensions()
    for name, (bad, raw) in BAD.items():
        words = f"My cat is called {name}."
        reader.forget()
        reader.rule = lambda asked, bad=bad: bad  # type: ignore[misc]
        story.edit(1, words)
        waiting(story, lambda: bool(reader.asked) and newest(story)["state"] == "failed", "a job that failed")
        job = newest(story)
        assert reader.windows[0] == [words, "Biscuit is a fine name."]
        assert job["error"]
        assert raw in "".join(failure["raw"] for failure in job["failures"])
        assert story.evaluate(SHOWN) == [job["error"]]
        remembered = texts(story)
        assert words in remembered, "the rules remember"
        assert f"Sam said: {words}" not in remembered
        assert any("Sam said: I was born in Lisbon." in text for text in remembered)
        reader.rule = one_fact_each
        ask(story, f"/tidelore-again quiet=true {job['id']}")
        extracted(story)
        assert holds(story, f"Sam said: {words}")


SHOWN = "[...document.querySelectorAll('.tidelore-settings .tidelore-job:first-child > .tidelore-bad')].map(each => each.textContent)"


WAYS = [("current", False), ("endpoint", False), ("endpoint", True), ("profile", False), ("profile", True)]


@pytest.mark.parametrize(("way", "streaming"), WAYS, ids=[f"{way} {'streamed' if streaming else 'whole'}" for way, streaming in WAYS])
def test_each_way_to_a_model_reads_reasoning_before_json_and_what_a_cut_answer_still_holds(
    tab: Tab, reader: Reader, way: str, streaming: bool
) -> None:
    def reasoned(asked: Asked) -> Answer:
        return Reply(content=f'<think>Perhaps {{"operations": []}}?</think>\n```json\n{one_fact_each(asked)}\n```', reasoning="Hm.")

    answers: dict[str, Callable[[Asked], Answer]] = {"My cat is called Biscuit.": reasoned, "I was born in Lisbon.": half_of_it}
    reader.rule = lambda asked: answers.get(asked.texts[0], one_fact_each)(asked)
    settings = {"current": {}, "endpoint": {"url": tab.model.url, "name": "reader"}, "profile": {"profile": "reading"}}[way]
    if way == "profile":
        add_profile(tab)
    agree(tab, use=way, stream=streaming, **settings)
    for words in ("My cat is called Biscuit.", "I was born in Lisbon.", "And now?"):
        tab.send(words)
    extracted(tab)
    assert holds(tab, "Sam said: My cat is called Biscuit.")
    assert holds(tab, "Sam said: I was born in Lisbon.")
    assert not holds(tab, "Mira said: I see. I was")
    assert all(bool(body.get("stream")) == streaming for body in reader.bodies)
    assert {body["model"] for body in reader.bodies} == {{"current": "scripted", "endpoint": "reader", "profile": "scripted"}[way]}


def add_profile(tab: Tab) -> None:
    """A connection profile, as SillyTavern's own extension stores them."""
    tab.evaluate(
        """(() => {
          const { extensionSettings: settings } = ctx;
          settings.disabledExtensions = settings.disabledExtensions.filter(name => name !== "connection-manager");
          settings.connectionManager = { selectedProfile: null, profiles: [
            { id: "reading", mode: "cc", name: "Reading", api: "custom", model: "scripted", "api-url": value, exclude: [] },
          ] };
        })()""",
        tab.model.url,
    )


def test_what_was_read_for_a_chat_is_stored_there_whichever_is_open_by_then(tab: Tab, reader: Reader) -> None:
    agree(tab)
    first = tab.current_chat()
    assert first is not None
    held = tab.model.hold()
    reader.rule = lambda asked: Reply(content=one_fact_each(asked), before_first=held)
    tab.send("My cat is called Biscuit.")
    tab.send("I was born in Lisbon.")
    waiting(tab, lambda: bool(reader.asked), "the model to be asked")
    second = tab.new_chat()
    tab.open_chat(first)
    tab.open_chat(second)
    held.set()
    waiting(tab, lambda: not busy(tab), "the job to end")
    assert not holds(tab, "Biscuit")
    tab.send("My sister is called Ottilie.")
    tab.send("Go on.")
    extracted(tab)
    assert holds(tab, "Sam said: My sister is called Ottilie.")
    assert not holds(tab, "Biscuit")
    reader.forget()
    tab.open_chat(first)
    extracted(tab)
    assert holds(tab, "Sam said: My cat is called Biscuit.")
    assert not holds(tab, "Ottilie")


def test_what_is_said_to_be_done_is_there_after_the_page_is_lost_at_once(tab: Tab, reader: Reader) -> None:
    agree(tab)
    tab.send("My cat is called Biscuit.")
    tab.send("I was born in Lisbon.")
    read = ["My cat is called Biscuit.", "I see."]
    waiting(tab, lambda: read in reader.windows and newest(tab)["state"] == "done", "the job to be done")
    tab.page.goto("about:blank")
    reader.forget()
    tab.open()
    ready(tab)
    assert holds(tab, "Sam said: My cat is called Biscuit.")
    assert reader.asked == []


@pytest.mark.req("P25")
def test_a_model_that_never_answers_holds_up_no_rule_in_this_chat_or_another(tab: Tab, reader: Reader) -> None:
    agree(tab, use="endpoint", url=tab.model.url, name="reader")
    held = tab.model.hold()
    reader.rule = lambda asked: Reply(content=one_fact_each(asked), before_first=held)
    first = tab.current_chat()
    assert first is not None
    tab.send("My cat is called Biscuit.")
    tab.send("I was born in Lisbon.")
    waiting(tab, lambda: bool(reader.asked), "the model to be asked")
    for _ in range(3):
        ask(tab, "/tidelore-extract quiet=true")
    tab.send("My sister is called Ottilie.")
    tab.send("Go on.")
    waiting(tab, lambda: "Ottilie" in str(texts_now(tab)), "the rules to remember in this chat")
    tab.new_chat()
    tab.send("My dog is called Rex.")
    tab.send("Go on.")
    waiting(tab, lambda: "Rex" in str(texts_now(tab)), "the rules to remember in another chat")
    assert state(tab, "running", "waiting")["chat"]
    assert len(reader.asked) == 1, "the model is still at its first window"
    held.set()
    tab.open_chat(first)
    extracted(tab)
    assert holds(tab, "Sam said: My sister is called Ottilie.")
    assert len(reader.windows) == len(set(map(tuple, reader.windows))), "however often it was asked for, no window was read twice"


BACKLOG = 32


def long_chat(tab: Tab, name: str) -> None:
    """A chat of many exchanges that SillyTavern has and Tidelore has never seen."""
    lines: list[dict[str, object]] = [{"user_name": "unused", "character_name": "unused", "chat_metadata": {}}]
    for turn in range(BACKLOG):
        for name_, is_user, text in (("Sam", True, f"Keg {turn} holds {turn + 7} herrings."), ("Mira", False, f"Noted, keg {turn}.")):
            date = f"2026-03-{turn % 28 + 1:02}T10:{turn:02}:00.000Z"
            lines.append({"name": name_, "is_user": is_user, "is_system": False, "send_date": date, "mes": text, "extra": {}})
    path = tab.root.user / "chats" / "Mira" / f"{name}.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")


@pytest.mark.req("B49", "B51")
def test_a_long_chat_is_read_in_the_background_with_progress_pause_stop_and_after_a_reload(tab: Tab, reader: Reader) -> None:
    name = f"The herring book {tab.model.url.rpartition(':')[2].partition('/')[0]}"
    long_chat(tab, name)
    gates = [tab.model.hold() for _ in range(3)]
    reader.rule = lambda asked: Reply(
        content=one_fact_each(asked), before_first=gates[len(reader.asked) // 8 - 1] if len(reader.asked) in (8, 16, 24) else None
    )
    tab.evaluate("(ctx.powerUserSettings.chat_truncation = 6, null)")
    tab.open_chat(name)
    settled(tab)
    assert tab.evaluate("document.querySelectorAll('#chat .mes').length") == 6, "SillyTavern draws the newest messages only"
    agree(tab)
    waiting(tab, lambda: len(reader.asked) == 8, "eight windows")
    job = newest(tab)
    assert (job["state"], job["done"], job["total"]) == ("running", 7, BACKLOG - 1)
    ask(tab, "/tidelore-pause quiet=true")
    state(tab, "paused")
    gates[0].set()
    assert holds_count(tab) >= 7
    ask(tab, "/tidelore-resume quiet=true")
    waiting(tab, lambda: len(reader.asked) == 16, "eight more")
    ask(tab, "/tidelore-stop quiet=true")
    state(tab, "stopped")
    gates[1].set()
    ask(tab, f"/tidelore-again quiet=true {newest(tab)['id']}")
    waiting(tab, lambda: len(reader.asked) == 24, "eight more")
    tab.page.goto("about:blank")
    gates[2].set()
    tab.open()
    ready(tab)
    extracted(tab)
    assert {window[0] for window in reader.windows} == {f"Keg {turn} holds {turn + 7} herrings." for turn in range(BACKLOG - 1)}
    assert len(reader.asked) <= BACKLOG - 1 + 3, "only what was under way at a pause, a stop or a reload is read twice"
    assert holds_count(tab) == BACKLOG - 1
    reader.forget()
    ask(tab, "/tidelore-extract quiet=true by=model 10-20")
    waiting(tab, lambda: newest(tab, "range").get("state") == "done", "the range to be read again")
    assert [window[0] for window in reader.windows] == [f"Keg {turn} holds {turn + 7} herrings." for turn in range(5, 11)]
    tab.evaluate("(ctx.powerUserSettings.chat_truncation = 100, null)")


def holds_count(tab: Tab) -> int:
    """How many exchanges the model has noted."""
    return sum("Sam said: Keg" in text for text in texts_now(tab))


def texts_now(tab: Tab) -> list[str]:
    return [node["text"] for node in call(tab, "graph.get")["nodes"]]
