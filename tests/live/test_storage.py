"""Browsers that store nothing, lose what they stored or are full; phones; an engine that cannot start; the extension off and on again."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Dialog, Route

from tests.live.extension import NAME
from tests.live.memory import SETTINGS, ask, call, configure, graph, holds, injected, jobs, lawful, ready, settled, texts
from tests.live.reader import busy, newest, waiting
from tests.live.stage import LAN, PHONE_VIEW, Stage, Tab, View

LANTERN = "Sam owes Mira a lantern."
# As in a private window of some browsers, or with cookies blocked.
REFUSED = "IDBFactory.prototype.open = function () { throw new DOMException('The operation is insecure.', 'SecurityError'); };"
# A store that can be filled up and emptied from outside.
FULL = """new BroadcastChannel("disk").onmessage = ({ data }) => { globalThis.isFull = data; };
for (const name of ["add", "put"]) {
  const real = IDBObjectStore.prototype[name];
  IDBObjectStore.prototype[name] = function (...values) {
    if (globalThis.isFull) throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
    return real.apply(this, values);
  };
}"""
TOO_WIDE = """[...document.querySelectorAll(".tidelore-settings, .tidelore-settings *")]
  .filter(each => each.getClientRects().length && each.getBoundingClientRect().right > innerWidth + 1)
  .map(each => each.outerHTML.slice(0, 200))"""
LISTED = "[...document.querySelectorAll('.tidelore-settings :is(li, dt, dd)')].map(each => each.textContent)"
FORGET = """indexedDB.databases().then(all => Promise.all(all.map(({ name }) => new Promise((resolve, reject) => {
  const request = indexedDB.deleteDatabase(name);
  request.onsuccess = resolve;
  request.onerror = request.onblocked = reject;
}))).then(() => all.length))"""


def told(tab: Tab, words: str) -> int:
    """How many notices have these words."""
    return sum(words in notice for notice in tab.notices())


@pytest.mark.req("P21")
def test_a_browser_that_refuses_storage_gets_one_notice_and_memory_until_the_page_closes(stage: Stage) -> None:
    tab = stage.open(View(script=REFUSED, worker=REFUSED))
    ready(tab)
    tab.new_chat()
    for words in ("My cat is called Biscuit.", "I was born in Lisbon.", "What frightens you?"):
        tab.send(words)
    tab.swipe_right()
    lawful(tab)
    by_hand(tab)
    tab.send("What does Sam owe Mira?")
    assert LANTERN in injected(tab.model.prompts()[-1])
    assert told(tab, "This browser refuses to store") == 1
    assert "in this page only" in ask(tab, "/tidelore status")
    assert [text for kind, text in tab.told.console if kind == "error" and "Tidelore" in text] == []
    tab.reload()
    ready(tab)
    assert not holds(tab, LANTERN), "nothing was stored"
    lawful(tab)


def by_hand(tab: Tab) -> None:
    call(tab, "node.write", text=LANTERN)


def test_a_full_disk_is_told_once_and_what_could_not_be_stored_is_remembered_when_there_is_room(stage: Stage) -> None:
    tab = stage.open(View(worker=FULL))
    ready(tab)
    tab.new_chat()
    tab.send("My cat is called Biscuit.")
    before = lawful(tab)
    fill(tab, True)
    tab.send("I was born in Lisbon.")
    tab.send("My sister is called Ottilie.")
    waiting(tab, lambda: told(tab, "The browser's storage is full") == 1, "the notice")
    tab.send("Go on.")
    assert told(tab, "The browser's storage is full") == 1
    assert [text for text in tab.model.calls[-1].text.splitlines() if "Go on." in text], "the chat goes on"
    fill(tab, False)
    assert lawful(tab) != before
    assert holds(tab, "Lisbon")


def fill(tab: Tab, full: bool) -> None:
    tab.page.evaluate("full => new BroadcastChannel('disk').postMessage(full)", full)


@pytest.mark.usefixtures("unmirrored")
def test_a_store_that_was_deleted_behind_our_back_comes_back_by_the_rules_and_the_person_is_told(tab: Tab) -> None:
    ready(tab)
    tab.send("My cat is called Biscuit.")
    before = lawful(tab)
    by_hand(tab)
    tab.wait_rest(1200)
    tab.page.goto(f"{tab.address}/favicon.ico")
    assert tab.page.evaluate(FORGET) >= 2
    tab.open()
    ready(tab)
    assert lawful(tab) == before
    assert told(tab, "are not in this browser") == 1
    assert "what was written by hand" in ask(tab, "/tidelore status")
    tab.reload()
    ready(tab)
    settled(tab)
    assert tab.notices() == []


def test_a_phone_in_the_house_remembers_without_a_secure_context_and_its_settings_fit_in_both_languages(stage: Stage) -> None:
    phone = stage.open(View(size=PHONE_VIEW.size, phone=True, host=LAN, locale="zh-CN"))
    ready_in(phone, "就绪")
    assert phone.evaluate("isSecureContext") is False
    phone.new_chat()
    phone.send("My cat is called Biscuit.")
    lawful(phone)
    assert holds(phone, "Biscuit")
    fits(phone, "当前状态")
    phone.page.evaluate("localStorage.setItem('language', 'en')")
    phone.reload()
    ready(phone)
    assert holds(phone, "Biscuit")
    fits(phone, "How things stand")
    phone.page.locator("#tidelore-this-chat").tap()
    waiting(phone, lambda: phone.evaluate("ctx.chatMetadata.tidelore.off") is True, "memory to be off for this chat")


def ready_in(tab: Tab, word: str) -> None:
    """Wait until the engine is ready, in another language than English."""
    waiting(tab, lambda: word in str(tab.slash("/tidelore status")), f"the engine to be {word}")


def fits(phone: Tab, words: str) -> None:
    """Open the settings, unfold all of them, and look for what sticks out."""
    show_settings(phone)
    assert words in phone.page.locator(".tidelore-settings").inner_text()
    phone.page.locator(".tidelore-settings details > summary").first.click()
    assert phone.page.evaluate(TOO_WIDE) == []
    assert phone.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def show_settings(tab: Tab) -> None:
    tab.open_extensions()
    tab.click(".tidelore-settings .inline-drawer-toggle")
    tab.page.locator(".tidelore-settings .inline-drawer-content").wait_for(state="visible")
    tab.page.locator(".tidelore-settings").scroll_into_view_if_needed()


@pytest.mark.req("P11", "P83")
def test_disabled_in_sillytavern_nothing_of_it_is_there_and_enabled_again_it_has_read_what_came_meanwhile(tab: Tab) -> None:
    ready(tab)
    tab.model.queue("Tobin named it.", "Ottilie named it.")
    tab.send("My cat is called Biscuit.")
    tab.swipe_right()
    before = lawful(tab)
    by_hand(tab)
    tab.wait_rest(1200)
    switch(tab, "disable")
    assert tab.evaluate("document.querySelector('.tidelore-settings')") is None
    tab.swipe_left()
    # What an extension notes on a message may go while it is away, and so may the time of a swipe.
    tab.evaluate("(ctx.chat.forEach(each => { each.extra = {}; delete each.swipe_info; }), null)")
    tab.swipe_right()
    tab.send("I was born in Lisbon. What does Sam owe Mira?")
    assert injected(tab.model.prompts()[-1]) == ""
    tab.wait_rest(1200)
    switch(tab, "enable")
    ready(tab)
    assert holds(tab, LANTERN)
    assert holds(tab, "Lisbon")
    assert {node["text"] for node in before["nodes"]} < set(texts(tab))
    assert "Ottilie" in str(before)
    tab.send("What does Sam owe Mira?")
    assert LANTERN in injected(tab.model.prompts()[-1])


def switch(tab: Tab, what: str) -> None:
    """Disable or enable the extension; SillyTavern loads the page anew."""
    with tab.page.expect_navigation(wait_until="commit"):
        tab.page.evaluate(f"void SillyTavern.getContext().executeSlashCommandsWithOptions('/extension-{what} reload=true {NAME}')")
    tab.open()


def test_cleaning_up_asks_what_is_to_go_and_takes_that_and_no_more(stage: Stage) -> None:
    tab = stage.open()
    ready(tab)
    name = tab.new_chat()
    tab.send("My cat is called Biscuit.")
    before = lawful(tab)
    by_hand(tab)
    asked: list[str] = []
    given_up = [""]

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.message)
        if given_up[-1] in dialog.message:
            dialog.accept()
        else:
            dialog.dismiss()

    tab.page.on("dialog", answer)
    try:
        for gone, budget, lantern in (("its settings", "900", True), ("the memories", "777", False)):
            restore(tab)
            configure(tab, budget=777)
            tab.wait_rest(1500)
            given_up.append(gone)
            asked.clear()
            clean(tab)
            assert len(asked) == 2
            assert tab.current_chat() == name
            assert ask(tab, "/tidelore-set field=budget") == budget
            assert holds(tab, LANTERN) == lantern
        assert lawful(tab) == before
    finally:
        restore(tab)


def clean(tab: Tab) -> None:
    """By SillyTavern's own button."""
    tab.open_extensions()
    tab.click("#extensions_details")
    tab.page.locator(f".btn_clean[data-name$='{NAME}']").wait_for(state="attached")
    tab.click(f".btn_clean[data-name$='{NAME}']")
    with tab.page.expect_navigation(wait_until="commit"):
        tab.page.locator("dialog[open]").last.locator(".popup-button-ok").click()
    tab.open()
    ready(tab)


def restore(tab: Tab) -> None:
    """The settings that the stage begins with."""
    model = SETTINGS["model"]
    assert isinstance(model, dict)
    configure(tab, budget="default", lag=SETTINGS["lag"], model__use=model["use"], model__asked=model["asked"])
    tab.wait_rest(1500)


@contextmanager
def runtime(stage: Stage, name: str, change: bytes | None) -> Iterator[None]:
    """A file of the installed runtime damaged, or gone; put back afterwards."""
    path = stage.root.extensions / NAME / "wasm" / "dist" / name
    kept = path.with_name(f"{name}.kept")
    shutil.move(path, kept)
    if change is not None:
        path.write_bytes(kept.read_bytes() + change)
    try:
        yield
    finally:
        shutil.move(kept, path)


@pytest.mark.parametrize(("change", "outcome"), [(b"\n", "refused"), (None, "missing")], ids=["damaged", "missing"])
def test_an_engine_that_cannot_start_says_why_and_replies_come_all_the_same(stage: Stage, change: bytes | None, outcome: str) -> None:
    with runtime(stage, "python_stdlib.zip", change):
        tab = stage.open()
        waiting(tab, lambda: "has failed" in str(tab.slash("/tidelore status")), "the start to fail")
    assert "python_stdlib.zip" in ask(tab, "/tidelore status")
    assert told(tab, "The memory engine could not start") == 1
    show_settings(tab)
    shown = {"refused": "refused, wrong content", "missing": "not there"}[outcome]
    assert any("python_stdlib.zip" in line and shown in line for line in tab.evaluate(LISTED)), tab.evaluate(LISTED)
    before = tab.evaluate("ctx.chat.length")
    tab.send("My cat is called Biscuit.")
    assert tab.evaluate("ctx.chat.length") == before + 2
    assert injected(tab.model.prompts()[-1]) == ""
    ask(tab, "/tidelore-restart quiet=true")
    ready(tab)
    lawful(tab)


@pytest.mark.req("P73", "P79")
def test_an_embedder_that_never_answers_holds_no_reply_and_no_memory_and_another_one_is_given_everything(tab: Tab) -> None:
    ready(tab)
    configure(tab, embedder__url=tab.model.url, embedder__name="slow", embedder__use="endpoint")
    held: list[Route] = []
    try:
        by_hand(tab)
        tab.send("My cat is called Biscuit.")
        waiting(tab, lambda: LANTERN in str(tab.model.embedded), "the memories to be embedded")
        tab.page.route("**/v1/embeddings", lambda route: held.append(route))
        tab.send("What does Sam owe Mira?")
        assert held, "the embedder was asked, and has not answered"
        assert LANTERN in injected(tab.model.prompts()[-1]), "words recall all the same"
        held.clear()
        tab.send("My dog is called Rex.")
        waiting(tab, lambda: bool(held) and ("embed", "running") in going(tab), "the new memory to be with the embedder")
        assert "My dog is called Rex." in [node["text"] for node in call(tab, "graph.get")["nodes"]]
        tab.page.unroute("**/v1/embeddings")
        tab.model.embedded.clear()
        configure(tab, embedder__name="quick")
        waiting(tab, lambda: not busy(tab), "the vectors of another model")
        embedded = str([body for body in tab.model.embedded if body["model"] == "quick"])
        assert all(words in embedded for words in (LANTERN, "Biscuit", "Rex"))
        assert newest(tab, "embed") == {}, "nothing is left of what hung"
    finally:
        tab.page.unroute("**/v1/embeddings")
        configure(tab, embedder__url="default", embedder__name="default", embedder__use="auto")


def going(tab: Tab) -> set[tuple[str, str]]:
    """Kind and state of each job."""
    return {(job["kind"], job["state"]) for job in jobs(tab)}


# The page asks the worker once a second here, so that twelve questions without an answer take seconds and not minutes.
HASTY = "{ const real = setTimeout; window.setTimeout = (run, ms, ...rest) => real(run, ms === 10_000 ? 1_000 : ms, ...rest); }"
# A worker that ends when it is told to; a browser tells the page nothing of it.
MORTAL = 'new BroadcastChannel("end").onmessage = () => self.close();'
# A worker that computes for so many milliseconds when the next message comes, and says when it begins and ends.
BUSY = """{
  const says = new BroadcastChannel("busy says");
  const real = self.addEventListener.bind(self);
  let milliseconds = 0;
  new BroadcastChannel("busy").onmessage = ({ data }) => { milliseconds = data; };
  self.addEventListener = (type, listener, ...rest) => real(type, type !== "message" ? listener : (event) => {
    if (milliseconds && event.data?.type === "call") {
      const end = performance.now() + milliseconds;
      milliseconds = 0;
      says.postMessage("begins");
      while (performance.now() < end);
      says.postMessage("ends");
    }
    return listener(event);
  }, ...rest);
}"""
HEAR = "window.busy = []; new BroadcastChannel('busy says').onmessage = ({ data }) => window.busy.push(data);"


def test_a_worker_that_ends_without_a_word_is_noticed_and_memory_comes_back_by_itself(stage: Stage) -> None:
    tab = stage.open(View(script=HASTY, worker=MORTAL))
    ready(tab)
    tab.new_chat()
    tab.send("My cat is called Biscuit.")
    by_hand(tab)
    before = graph(tab)
    tab.page.evaluate("new BroadcastChannel('end').postMessage(null)")
    tab.send("I was born in Lisbon.")
    assert injected(tab.model.prompts()[-1]) == "", "the reply came without memory"
    waiting(tab, lambda: told(tab, "is being started again") == 1, "the notice", seconds=60)
    ready(tab)
    after = graph(tab)
    assert {node["text"] for node in before["nodes"]} < {node["text"] for node in after["nodes"]}
    assert holds(tab, "Lisbon")
    assert told(tab, "is being started again") == 1
    assert "started again" not in ask(tab, "/tidelore status")
    tab.send("What does Sam owe Mira?")
    assert LANTERN in injected(tab.model.prompts()[-1])


def test_a_worker_that_is_busy_for_long_holds_no_reply_and_the_person_can_see_why(stage: Stage) -> None:
    tab = stage.open(View(script=HEAR, worker=BUSY))
    ready(tab)
    tab.new_chat()
    tab.send("My cat is called Biscuit.")
    by_hand(tab)
    settled(tab)
    tab.page.evaluate("new BroadcastChannel('busy').postMessage(20_000)")
    tab.send("What does Sam owe Mira?")
    assert tab.evaluate("window.busy") == ["begins"], "the reply was there before the worker had time again"
    assert injected(tab.model.prompts()[-1]) == ""
    shown = tab.slash("/tidelore status")
    assert "too late for the reply" in shown
    assert "still taking in this chat" in shown
    waiting(tab, lambda: tab.evaluate("window.busy") == ["begins", "ends"], "the worker to have time again", seconds=60)
    tab.regenerate()
    assert LANTERN in injected(tab.model.prompts()[-1])
    tab.send("Go on.")
    settled(tab)
