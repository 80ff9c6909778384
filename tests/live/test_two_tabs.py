"""One chat in two places, copies of a chat, and chats that go: no memory is lost, none turns up where it does not belong."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Route

from tests.live.cards import Card, picture
from tests.live.memory import ask, call, graph, holds, lawful, ready, settled
from tests.live.reader import waiting
from tests.live.stage import Stage, Tab

OTHER_WINDOW = "Another window has this chat open."
NOTHING_HERE = "The earlier memories of this chat are not in this browser"
LANTERN = "Sam owes Mira a lantern."


@pytest.fixture
def story(tab: Tab) -> Tab:
    """Two exchanges, remembered and saved."""
    ready(tab)
    tab.model.queue("Biscuit is a fine name for a cat.", "Lisbon has seven hills.")
    tab.send("My cat is called Biscuit.")
    tab.send("I was born in Lisbon.")
    lawful(tab)
    tab.wait_rest(1200)
    return tab


def is_told(tab: Tab, words: str) -> None:
    waiting(tab, lambda: any(words in notice for notice in tab.notices()), f"a notice: {words}")


def by_hand(tab: Tab, text: str) -> None:
    call(tab, "node.write", text=text)


@pytest.mark.req("P15")
def test_two_windows_on_one_chat_lose_no_memory_and_both_are_told(stage: Stage, story: Tab) -> None:
    second = stage.open(beside=story)
    ready(second)
    assert lawful(second) == graph(story)
    is_told(second, OTHER_WINDOW)
    is_told(story, OTHER_WINDOW)
    assert OTHER_WINDOW in ask(story, "/tidelore status")
    by_hand(story, LANTERN)
    by_hand(second, "Tova owes Sam a boat.")
    second.send("My sister is called Ottilie.")
    assert holds(second, "Ottilie")
    story.send("My brother is called Anselm.")
    for tab, own, other in ((story, "Anselm", "Ottilie"), (second, "Ottilie", "Anselm")):
        tab.model.queue("I see.")
        tab.send(f"Good night, {own}.")
        assert holds(tab, f"is called {own}")
        assert not holds(tab, f"is called {other}")
        assert holds(tab, LANTERN)
        assert holds(tab, "Tova owes Sam a boat.")
    second.wait_rest(1200)
    second.page.close()
    story.page.reload(wait_until="commit")
    story.open()
    ready(story)
    assert holds(story, LANTERN)
    assert holds(story, "Tova owes Sam a boat.")
    assert OTHER_WINDOW not in ask(story, "/tidelore status")


def test_two_windows_on_two_chats_are_told_nothing(stage: Stage, story: Tab) -> None:
    second = stage.open(beside=story)
    ready(second)
    second.new_chat()
    before, said = graph(story), (story.notices(), second.notices())
    second.send("My sister is called Ottilie.")
    lawful(second)
    assert not holds(second, "Biscuit")
    assert graph(story) == before
    assert (story.notices(), second.notices()) == said


@pytest.mark.usefixtures("unmirrored")
def test_another_browser_remembers_by_the_rules_and_says_what_it_does_not_have(stage: Stage, story: Tab) -> None:
    by_hand(story, LANTERN)
    story.model.clear()
    other = stage.open()
    ready(other)
    assert lawful(other) != graph(story)
    is_told(other, NOTHING_HERE)
    other.reload()
    ready(other)
    lawful(other)
    assert other.notices() == [], "it is known here now"
    assert story.model.calls == []


@pytest.mark.req("P17")
@pytest.mark.parametrize("body", ["{}", "[]"], ids=["nothing", "no messages"])
def test_a_failed_read_of_the_chat_wipes_nothing(story: Tab, body: str) -> None:
    by_hand(story, LANTERN)
    before, name = graph(story), story.current_chat()
    assert name is not None
    story.new_chat()

    def empty(route: Route) -> None:
        route.fulfill(status=200, content_type="application/json", body=body)

    story.page.route("**/api/chats/get", empty)
    # SillyTavern notices when it saves that this is another chat than the file's, asks, and loads the page anew.
    story.page.evaluate("name => void SillyTavern.getContext().openCharacterChat(name)", name)
    story.page.locator("dialog[open]", has_text="integrity").wait_for(state="visible")
    assert "Biscuit" not in ask(story, "/tidelore-graph"), "it was read as it seemed to be"
    story.page.unroute("**/api/chats/get")
    with story.page.expect_navigation(wait_until="commit"):
        story.page.locator("dialog[open] .popup-button-ok").click()
    story.open()
    ready(story)
    if story.current_chat() != name:
        story.open_chat(name)
    assert graph(story) == before


@pytest.mark.req("P17")
def test_a_chat_that_takes_long_to_load_is_not_taken_for_an_empty_one(story: Tab) -> None:
    before, name = graph(story), story.current_chat()
    assert name is not None
    saved = story.root.chat(name)
    story.new_chat()

    def slow(route: Route) -> None:
        answer = route.fetch()
        story.page.wait_for_timeout(4000)
        route.fulfill(response=answer)

    story.page.route("**/api/chats/get", slow)
    story.page.evaluate("name => void SillyTavern.getContext().openCharacterChat(name)", name)
    story.wait("name => SillyTavern.getContext().getCurrentChatId() === name", "the chat to be named", name)
    # Whatever else goes on makes a run: another window, a replica, the engine that is ready.
    story.evaluate("ctx.eventSource.emit(ctx.eventTypes.PERSONA_CHANGED)")
    story.wait("name => SillyTavern.getContext().chat.length > 1", "its messages", name)
    story.page.unroute("**/api/chats/get")
    assert lawful(story) == before
    assert [line.get("mes") for line in story.root.chat(name)] == [line.get("mes") for line in saved]


@pytest.mark.req("P37")
def test_an_event_past_the_end_of_the_chat_changes_nothing(story: Tab) -> None:
    before = graph(story)
    names = ["MESSAGE_SENT", "MESSAGE_RECEIVED", "CHARACTER_MESSAGE_RENDERED", "MESSAGE_EDITED", "MESSAGE_UPDATED", "MESSAGE_SWIPED"]
    for name in [*names, "MESSAGE_DELETED", "MESSAGE_SWIPE_DELETED"]:
        story.evaluate("ctx.eventSource.emit(ctx.eventTypes[value], 99)", name)
    assert lawful(story) == before
    logged = [text for _, text in story.told.console if "names message 99" in text]
    assert [text.split()[1] for text in logged] == names


@pytest.mark.req("P13")
def test_a_checkpoint_is_a_chat_of_its_own_and_outlives_the_old_one_which_stays_as_it_was(story: Tab) -> None:
    by_hand(story, LANTERN)
    before, first = graph(story), story.current_chat()
    assert first is not None
    mark = story.evaluate("ctx.chatMetadata.tidelore")
    name = story.slash("/checkpoint-create mesId=4 The lamp is lit")
    assert graph(story) == before
    story.open_chat(name)
    assert graph(story) == before, "all its messages stand, so does what a person wrote on them"
    copied = story.evaluate("ctx.chatMetadata.tidelore")
    assert copied["pool"] == mark["pool"]
    assert copied["chat"] != mark["chat"]
    assert copied["integrity"] == story.evaluate("ctx.chatMetadata.integrity") != mark["integrity"]
    story.send("My sister is called Ottilie.")
    assert holds(story, "Ottilie")
    story.open_chat(first)
    assert graph(story) == before
    assert story.evaluate("ctx.chatMetadata.tidelore") == mark
    story.open_chat(name)
    assert holds(story, "Ottilie")
    assert story.api("/api/chats/delete", {"chatfile": f"{first}.jsonl", "avatar_url": "Mira.png"})[0] == 200
    assert "purged" in ask(story, f"/tidelore-purge quiet=true sure=true {mark['chat']}")
    after = {node["text"] for node in graph(story)["nodes"]}
    assert {node["text"] for node in before["nodes"]} <= after, "it keeps what its own messages support"
    listed = {each["chat"]: each for each in call(story, "chat.list")["chats"]}
    assert mark["chat"] not in listed
    assert listed[copied["chat"]]["parent_gone"] is True, "and says that the chat it branched from is gone"


def test_a_chat_file_that_was_copied_by_hand_does_not_share_its_future(story: Tab) -> None:
    before, first = graph(story), story.current_chat()
    assert first is not None
    folder = story.root.user / "chats" / "Mira"
    copy = f"{first} (copy)"
    shutil.copy(folder / f"{first}.jsonl", folder / f"{copy}.jsonl")
    story.open_chat(copy)
    assert graph(story) == before
    story.delete_from(3)
    story.send("My sister is called Ottilie.")
    lawful(story)
    story.open_chat(first)
    assert graph(story) == before
    assert not holds(story, "Ottilie")


@pytest.fixture
def nils(stage: Stage, tab: Tab) -> Iterator[Tab]:
    """The tab, with one character more. Everything of that one is gone afterwards."""
    card = Card(name="Nils", description="Nils counts gulls.", first_mes="Forty-one.")
    (stage.root.user / "characters" / card.file).write_bytes(picture(card))
    tab.evaluate("ctx.getCharacters().then(() => null)")
    yield tab
    tab.open_character("Mira")
    tab.api("/api/characters/delete", {"avatar_url": card.file, "delete_chats": True})
    tab.evaluate("ctx.getCharacters().then(() => null)")


def orphans(tab: Tab) -> dict[str, int]:
    """Messages of each chat that has no file any more, by its title."""
    return {each["title"]: each["messages"] for each in json.loads(ask(tab, "/tidelore-orphans"))}


def test_what_is_deleted_in_sillytavern_leaves_an_orphan_that_can_be_purged_and_nothing_else_goes(nils: Tab) -> None:
    tab = nils
    ready(tab)
    tab.send("My cat is called Biscuit.")
    before, home = lawful(tab), tab.current_chat()
    assert home is not None
    assert orphans(tab) == {} or home not in orphans(tab)
    known = orphans(tab)
    tab.open_character("Nils")
    tab.send("My sister is called Ottilie.")
    settled(tab)
    kept = tab.current_chat()
    gone = tab.new_chat()
    tab.send("My brother is called Anselm.")
    settled(tab)
    assert kept is not None
    tab.open_chat(kept)
    assert tab.api("/api/chats/delete", {"chatfile": f"{gone}.jsonl", "avatar_url": "Nils.png"})[0] == 200
    assert orphans(tab).keys() - known.keys() == {gone}
    group = tab.make_group("The gulls", ["Nils", "Tova"])
    tab.send("My aunt is called Ida.")
    settled(tab)
    title = tab.evaluate("ctx.groups.find(each => each.id === ctx.groupId).name") + " · " + str(tab.current_chat())
    tab.open_character("Mira")
    assert tab.api("/api/groups/delete", {"id": group})[0] == 200
    assert tab.api("/api/characters/delete", {"avatar_url": "Nils.png", "delete_chats": True})[0] == 200
    tab.evaluate("ctx.getCharacters().then(() => null)")
    fresh = {name: count for name, count in orphans(tab).items() if name not in known}
    assert fresh.keys() == {gone, kept, title}
    assert fresh[kept] == 3
    names = {each["title"]: each["chat"] for each in json.loads(ask(tab, "/tidelore-orphans"))}
    for name in fresh:
        assert "purged" in ask(tab, f"/tidelore-purge quiet=true sure=true {names[name]}")
    assert orphans(tab) == known
    if tab.current_chat() != home:
        tab.open_chat(home)
    assert graph(tab) == before
    assert not {names[name] for name in fresh} & {each["chat"] for each in call(tab, "chat.list")["chats"]}
