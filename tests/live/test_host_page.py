"""The stage itself: SillyTavern does what the helpers say, and the model sees what SillyTavern sends."""

from __future__ import annotations

import json
import re
import urllib.request
from pathlib import Path

import pytest

from tests.live.extension import NAME, ROOT
from tests.live.page import LiveError
from tests.live.replies import Failure, Reply, text_of
from tests.live.stage import LAN, PHONE_VIEW, Stage, Tab, View


def last(tab: Tab) -> str:
    text: str = tab.chat()[-1]["mes"]
    return text


def test_what_the_user_sends_and_an_extension_adds_reaches_the_model(tab: Tab) -> None:
    tab.send("The password is marmalade.")
    (prompt,) = tab.model.prompts()
    said = {text_of(message): message["role"] for message in prompt}
    assert said["The password is marmalade."] == "user"
    assert said["[probe: 1 messages]"] == "system"
    assert last(tab) == "Reply 1 to: The password is marmalade."
    assert [line["mes"] for line in tab.chat_on_disk()[1:]] == [message["mes"] for message in tab.chat()]


def test_the_extension_under_test_is_served_as_a_clone_has_it(tab: Tab) -> None:
    folder = f"/scripts/extensions/third-party/{NAME}"
    status, text = tab.api(f"{folder}/manifest.json", method="GET")
    assert status == 200
    assert json.loads(text) == json.loads((ROOT / "manifest.json").read_text("utf-8"))
    status, text = tab.api(f"{folder}/wasm/dist/lock.json", method="GET")
    assert status == 200
    assert text == (ROOT / "build" / "wasm" / "lock.json").read_text("utf-8")
    assert tab.api(f"{folder}/node_modules/typescript/package.json", method="GET")[0] == 404


def test_every_event_that_the_extension_listens_to_is_one_of_sillytavern(tab: Tab) -> None:
    source = (ROOT / "extension" / "events.js").read_text("utf-8")
    names = sorted(set(re.findall(r'"([A-Z][A-Z_]+)"', source)))
    assert {"CHAT_CHANGED", "MESSAGE_SWIPE_DELETED", "GENERATION_STARTED", "PERSONA_CHANGED"} <= set(names)
    assert tab.evaluate("value.filter(name => typeof ctx.eventTypes[name] !== 'string')", names) == []


def test_swipes_go_right_and_left_and_can_be_deleted(tab: Tab) -> None:
    tab.send("Tell me of the sea.")
    tab.model.reply_with("It is grey today.")
    tab.swipe_right()
    assert (last(tab), tab.chat()[-1]["swipe_id"]) == ("It is grey today.", 1)
    tab.swipe_left()
    assert last(tab) == "Reply 1 to: Tell me of the sea."
    tab.swipe_right()
    assert len(tab.model.calls) == 2
    tab.delete_swipe()
    assert tab.chat()[-1]["swipes"] == ["Reply 1 to: Tell me of the sea."]


def test_an_edit_is_what_the_model_sees_from_then_on(tab: Tab) -> None:
    tab.send("The password is marmalade.")
    tab.edit(1, "The password is custard.")
    tab.model.reply_with("Custard it is.")
    tab.regenerate()
    assert last(tab) == "Custard it is."
    assert "custard" in tab.model.calls[-1].text
    assert "marmalade" not in tab.model.calls[-1].text


def test_messages_are_deleted_one_by_one_or_from_one_on(tab: Tab) -> None:
    for word in ("One.", "Two.", "Three."):
        tab.send(word)
    tab.delete(3)
    assert [message["mes"] for message in tab.chat() if message["is_user"]] == ["One.", "Three."]
    tab.delete_from(2)
    assert [message["mes"] for message in tab.chat()[1:]] == ["One."]
    with pytest.raises(LiveError, match="no message 2"):
        tab.delete(2)


def test_a_hidden_message_stays_in_the_chat_and_leaves_the_prompt(tab: Tab) -> None:
    tab.model.reply_with("I see.")
    tab.send("My secret is a lemon.")
    tab.hide(1)
    tab.send("Go on.")
    assert "lemon" not in tab.model.calls[-1].text
    tab.hide(1, hidden=False)
    tab.send("Go on.")
    assert "lemon" in tab.model.calls[-1].text


def test_a_reply_is_continued_and_the_users_words_are_written_for_them(tab: Tab) -> None:
    tab.model.queue("The lamp", "is lit.", "I climb the stairs.")
    tab.send("Is it dark?")
    tab.continue_reply()
    assert last(tab) == "The lamp is lit."
    tab.impersonate()
    assert tab.page.input_value("#send_textarea") == "I climb the stairs."
    tab.page.fill("#send_textarea", "")


def test_a_stream_is_shown_as_it_comes_and_stops_where_the_user_stops_it(tab: Tab) -> None:
    tab.set_streaming(True)
    held = tab.model.hold()
    tab.model.queue(Reply(pieces=("Once upon ", "a time ", "there was no end."), before_last=held, between_pieces=0.1))
    tab.send("Tell a story.", wait=False)
    tab.wait("() => SillyTavern.getContext().chat.at(-1).mes.trim() === 'Once upon a time'", "two pieces")
    tab.stop()
    held.set()
    (call,) = tab.model.calls
    assert call.stream
    assert call.done.wait(10)
    assert last(tab).strip() == "Once upon a time"


def test_a_reply_that_is_no_stream_can_be_stopped_too(tab: Tab) -> None:
    tab.model.queue(Reply(content="Too late.", before_first=tab.model.hold()))
    tab.send("Wait for it.", wait=False)
    tab.model.wait_calls(1)
    tab.stop()
    tab.model.release()
    assert "Too late." not in [message["mes"] for message in tab.chat()]


def test_a_model_that_fails_leaves_the_chat_with_the_users_words(tab: Tab) -> None:
    tab.model.queue(Failure(500, "out of tea"))
    tab.send("Hello?")
    assert last(tab) == "Hello?"
    tab.wait("() => document.querySelector('.toast-error') !== null", "the user to be told")
    assert tab.told.take_errors() == ["Internal Server Error"]
    tab.page.evaluate("toastr.clear()")


def test_chats_are_kept_renamed_branched_and_found_again(tab: Tab) -> None:
    first = tab.current_chat()
    assert first is not None
    tab.send("The first chat.")
    branch = tab.branch(1)
    assert len(tab.chat()) == 2
    second = tab.new_chat()
    assert {first, branch, second} <= set(tab.chats())
    tab.rename_chat("A chat with a name")
    tab.open_chat(first)
    tab.reload()
    assert tab.current_chat() == first
    assert len(tab.chat()) == 3
    assert second not in tab.chats()
    tab.close_chat()
    assert tab.current_chat() is None


def test_every_member_of_a_group_answers(tab: Tab) -> None:
    tab.make_group("The harbour", ["Mira", "Tova"])
    tab.model.reply_with("Aye.")
    tab.send("Mira, Tova, are you there?")
    said = [message for message in tab.chat() if message["mes"] == "Aye."]
    assert {message["name"] for message in said} == {"Mira", "Tova"}


def test_a_second_tab_and_a_second_browser_find_the_chat_that_was_saved(stage: Stage, tab: Tab) -> None:
    tab.send("Who sees this?")
    for other in (stage.open(beside=tab), stage.open()):
        assert other.current_chat() == tab.current_chat()
        assert other.chat() == tab.chat()
        assert other.evaluate("isSecureContext") is True
    assert [len(browser.pages) for browser in stage.browsers()] == [2, 1]


def test_a_phone_in_the_house_gets_a_small_page_without_a_secure_context(stage: Stage, tmp_path: Path) -> None:
    phone = stage.open(View(size=PHONE_VIEW.size, phone=True, host=LAN))
    assert phone.evaluate("[isSecureContext, innerWidth, ctx.isMobile(), location.hostname]") == [False, 390, True, LAN]
    phone.send("Hello from the kitchen.")
    assert last(phone) == "Reply 1 to: Hello from the kitchen."
    phone.open_extensions()
    assert phone.screenshot(tmp_path / "phone.png").stat().st_size > 5000


def test_the_chat_is_there_after_the_server_was_killed_and_came_back(stage: Stage, tab: Tab) -> None:
    tab.send("Keep this.")
    tab.wait_rest(1200)
    name = tab.current_chat()
    stage.server.kill()
    stage.server.start()
    tab.reload()
    assert tab.current_chat() == name
    assert [message["mes"] for message in tab.chat()[1:]] == ["Keep this.", "Reply 1 to: Keep this."]
    assert stage.root.settings()["username"] == "Sam"


def test_slash_commands_hand_on_a_value_and_events_are_logged(tab: Tab) -> None:
    mark = tab.mark()
    assert tab.slash("/echo severity=info Ahoy | /pass {{char}}") == "Mira"
    assert any("Ahoy" in text for text in tab.toasts())
    tab.send("Hello.")
    order = [entry["event"] for entry in tab.events(mark, ["message_sent", "message_received", "user_message_rendered"])]
    assert order == ["message_sent", "user_message_rendered", "message_received"]


def test_words_in_common_bring_embeddings_close(stage: Stage) -> None:
    body = json.dumps({"model": "any", "input": ["the old lighthouse", "an old lighthouse", "fish soup"]}).encode()
    request = urllib.request.Request(f"{stage.model.url}/embeddings", body, {"Content-Type": "application/json"})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
        one, two, three = (each["embedding"] for each in json.load(answer)["data"])
    near, far = (sum(a * b for a, b in zip(one, other, strict=True)) for other in (two, three))
    assert near > 0.5 > far


def test_a_fault_in_the_script_of_a_test_is_not_lost(tab: Tab) -> None:
    tab.model.reply_with(lambda messages, body: str(body["no such key"]))
    tab.send("Hello.")
    (fault,) = tab.model.faults
    assert isinstance(fault, KeyError)
    tab.model.faults.clear()
    assert tab.told.take_errors() != []
