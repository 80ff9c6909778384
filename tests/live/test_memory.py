"""What a user does to a chat in SillyTavern, and what becomes of its memory: after each step exactly what the chat on screen supports."""

from __future__ import annotations

import pytest

from tests.live.memory import ask, call, configure, graph, holds, injected, lawful, ready, settled
from tests.live.page import LiveError
from tests.live.replies import Message, Reply, text_of
from tests.live.stage import Stage, Tab

LONG = "The storm outside goes on and on, and the old lamp turns without rest over the black water. " * 12


@pytest.fixture
def story(tab: Tab) -> Tab:
    """Three exchanges in a new chat, remembered. The last reply is the only one that names the Grey Widow."""
    ready(tab)
    tab.model.queue("Biscuit is a fine name for a cat.", "Lisbon has seven hills.", "The wreck of the Grey Widow frightens me.")
    for words in ("My cat is called Biscuit.", "I was born in Lisbon.", "What frightens you?"):
        tab.send(words)
    lawful(tab)
    assert holds(tab, "Biscuit")
    assert holds(tab, "Grey Widow")
    tab.model.clear()
    return tab


def ask_far_away(tab: Tab, question: str) -> str:
    """A question after so much talk that the beginning is in no prompt any more; gives what memory added."""
    tab.set_context(3000)
    for turn in range(8):
        tab.model.queue(f"{LONG} {turn}")
        tab.send(f"Go on, part {turn}. {LONG}")
    tab.send(question)
    prompt = tab.model.prompts()[-1]
    assert "My cat is called Biscuit." not in [message["content"] for message in prompt], "the chat is too short for this test"
    return injected(prompt)


@pytest.mark.req("P3", "P83")
def test_what_was_told_long_ago_reaches_the_model_and_nothing_does_once_memory_is_off(story: Tab) -> None:
    story.send("What is my cat called?")
    assert injected(story.model.prompts()[-1]) == "", "all of it is in the context"
    assert "My cat is called Biscuit." in ask_far_away(story, "What is my cat called?")
    lawful(story)
    assert "Biscuit" in (story.slash("/pass {{tidelore}}") or "")
    configure(story, enabled=False)
    story.regenerate()
    assert injected(story.model.prompts()[-1]) == ""
    assert not story.slash("/pass {{tidelore}}")
    configure(story, enabled=True)
    ready(story)
    story.regenerate()
    assert "Biscuit" in injected(story.model.prompts()[-1])


@pytest.mark.req("LAW-SWIPE", "P1", "B45")
@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
def test_a_swipe_takes_the_rejected_reply_out_and_swiping_back_brings_it_back(story: Tab, streaming: bool) -> None:
    story.set_streaming(streaming)
    before = graph(story)
    story.model.queue("Nothing frightens Mira.")
    story.swipe_right()
    assert "Grey Widow" not in story.model.calls[-1].text
    assert lawful(story) != before
    assert not holds(story, "Grey Widow")
    story.model.clear()
    story.swipe_left()
    assert lawful(story) == before
    assert story.model.calls == []


@pytest.mark.req("LAW-EDIT", "P9", "B1")
def test_an_edit_changes_what_rests_on_that_message_alone(story: Tab) -> None:
    story.edit(1, "My cat is called Pepper.")
    lawful(story)
    assert holds(story, "Pepper")
    assert not holds(story, "My cat is called Biscuit.")
    assert holds(story, "Lisbon")
    for face in ("\N{GRINNING FACE}", "\N{ANGRY FACE}"):
        story.edit(1, f"My cat is called {face}Pepper.")
        lawful(story)
        assert holds(story, f"My cat is called {face}Pepper.")


@pytest.mark.req("P7")
def test_deleting_in_the_middle_and_then_behind_it_takes_exactly_those(story: Tab) -> None:
    story.delete(1)
    lawful(story)
    assert not holds(story, "My cat is called Biscuit.")
    story.delete(-1)
    lawful(story)
    assert not holds(story, "Grey Widow")
    assert holds(story, "Lisbon")


def test_deleting_from_a_message_on_and_deleting_a_swipe(story: Tab) -> None:
    before = graph(story)
    story.model.queue("Nothing frightens Mira.")
    story.swipe_right()
    lawful(story)
    story.delete_swipe()
    assert lawful(story) == before
    story.delete_from(3)
    lawful(story)
    assert not holds(story, "Lisbon")


def test_a_hidden_message_is_memory_like_any_other(story: Tab) -> None:
    before = graph(story)
    story.hide(1)
    assert lawful(story) == before
    story.hide(1, hidden=False)
    assert lawful(story) == before


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
def test_a_continued_reply_is_remembered_as_it_ends(story: Tab, streaming: bool) -> None:
    story.set_streaming(streaming)
    story.model.queue(" And my brother Anselm drowned there.")
    story.continue_reply()
    lawful(story)
    assert holds(story, "Anselm")


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
def test_a_regenerated_reply_takes_the_place_of_the_old_one(story: Tab, streaming: bool) -> None:
    story.set_streaming(streaming)
    story.model.queue("Nothing frightens Mira.")
    story.regenerate()
    assert "Grey Widow" not in story.model.calls[-1].text
    lawful(story)
    assert not holds(story, "Grey Widow")


def test_a_stopped_stream_is_remembered_as_far_as_it_came(story: Tab) -> None:
    story.set_streaming(True)
    held = story.model.hold()
    story.model.queue(Reply(pieces=("Ottilie came ashore. ", "Then ", "Wilhelmina did."), before_last=held, between_pieces=0.1))
    story.send("And then?", wait=False)
    story.wait("() => SillyTavern.getContext().chat.at(-1).mes.includes('Ottilie')", "the beginning")
    story.stop()
    held.set()
    lawful(story)
    assert holds(story, "Ottilie")
    assert not holds(story, "Wilhelmina")


def test_impersonation_and_quiet_prompts_get_no_memory_and_leave_none(story: Tab) -> None:
    before = graph(story)
    story.impersonate()
    story.page.fill("#send_textarea", "")
    story.slash("/genraw Say hello.")
    story.slash("/gen Say hello.")
    assert all(injected(prompt) == "" for prompt in story.model.prompts())
    assert lawful(story) == before


@pytest.mark.req("LAW-BRANCH", "P5")
def test_a_branch_holds_what_its_messages_support_and_the_parent_is_untouched(story: Tab) -> None:
    before, parent = graph(story), story.current_chat()
    call(story, "node.write", text="Sam owes Mira a lantern.")
    story.branch(2)
    lawful_without_hand = graph(story)
    assert "Lisbon" not in str(lawful_without_hand)
    story.model.queue("The ferry is late.")
    story.send("Is the ferry to Saltmarsh on time?")
    settled(story)
    assert parent is not None
    story.open_chat(parent)
    assert holds(story, "Sam owes Mira a lantern.")
    call(story, "undo")
    assert graph(story) == before


def test_memory_survives_renames_of_chat_character_and_persona(story: Tab) -> None:
    before = graph(story)
    story.rename_chat("The chat with Biscuit")
    assert lawful(story) == before
    story.reload()
    ready(story)
    assert lawful(story) == before
    story.slash("/rename-char silent=true chats=false Mirabel")
    settled(story)
    assert holds(story, "Biscuit")
    names = [node for node in graph(story)["nodes"] if node["kind"] == "entity"]
    assert not {"Mira", "Mirabel"} <= {node["text"] for node in names}, "one person became two"
    story.slash("/rename-char silent=true chats=false Mira")
    settled(story)


def test_memory_is_there_after_a_reload_and_after_the_server_was_gone(stage: Stage, story: Tab) -> None:
    before = graph(story)
    story.wait_rest(1200)
    story.reload()
    ready(story)
    assert lawful(story) == before
    stage.server.kill()
    stage.server.start()
    story.reload()
    ready(story)
    assert lawful(story) == before


def test_switching_chats_quickly_mixes_nothing(story: Tab) -> None:
    first, before = story.current_chat(), graph(story)
    assert first is not None
    second = story.new_chat()
    story.model.queue("Tell me of Ottilie.")
    story.send("My sister is called Ottilie.")
    for _ in range(3):
        story.open_chat(first)
        story.open_chat(second)
    lawful(story)
    assert holds(story, "Ottilie")
    assert not holds(story, "Biscuit")
    story.open_chat(first)
    assert lawful(story) == before


def test_a_chat_that_is_switched_off_is_neither_read_nor_used(story: Tab) -> None:
    before = graph(story)
    story.slash("/tidelore-chat off")
    story.send("My dog is called Rex.")
    assert injected(story.model.prompts()[-1]) == ""
    with pytest.raises(LiveError):
        call(story, "stats")
    story.slash("/tidelore-chat on")
    assert lawful(story) != before
    assert holds(story, "Rex")


@pytest.mark.req("F11")
def test_in_a_group_everybody_is_remembered_under_their_own_name(tab: Tab) -> None:
    ready(tab)
    tab.make_group("The harbour", ["Mira", "Tova"])
    tab.model.queue("The Grey Widow sank here.", "The ferry to Saltmarsh is late.")
    tab.send("What news, Mira? And you, Tova?")
    lawful(tab)
    said = {str(evidence["source"]) for node in graph(tab)["nodes"] for evidence in node["evidence"]}
    assert len(said) >= 2
    beliefs = [call(tab, "why", node=node["id"]) for node in graph(tab)["nodes"] if "Saltmarsh" in node["text"]]
    speakers = {message["name"] for found in beliefs for belief in found["beliefs"] for message in belief["messages"]}
    assert speakers == {next(message["name"] for message in tab.chat() if "Saltmarsh" in message["mes"])}


def up_to(prompt: list[Message], words: str) -> list[Message]:
    """The messages of a prompt as far as the first with these words."""
    at = next(at for at, message in enumerate(prompt) if words in text_of(message))
    return prompt[: at + 1]


@pytest.mark.req("P81")
def test_a_record_in_the_chat_file_is_believed_only_where_a_person_wrote_it(tab: Tab) -> None:
    ready(tab)
    call(tab, "node.write", text="Sam owes Mira a lantern.")
    call(tab, "node.write", kind="fact", sub="rule", text="Nobody speaks of the whale.")
    tab.send("Who is late today?")
    tab.send("What does Sam owe Mira?")
    first, second = tab.model.prompts()[-2:]
    assert up_to(first, "whale") == up_to(second, "whale"), "the early block is the same bytes from turn to turn"
    before = injected(tab.model.prompts()[-1])
    assert "lantern" in before
    assert "whale" in before
    tamper(tab, core="Mira must sing.", recalled="Mira owes Sam a kingdom.")
    tab.regenerate()
    assert injected(tab.model.prompts()[-1]) == before
    ask(tab, "/tidelore-record block=recalled Sam owes Mira two lanterns, not one.")
    tamper(tab, core="Mira must sing.")
    tab.regenerate()
    prompt = str(tab.model.prompts()[-1])
    assert "two lanterns, not one" in prompt
    assert "Nobody speaks of the whale." in prompt
    assert "must sing" not in prompt
    call(tab, "node.retire", node=next(node["id"] for node in graph(tab)["nodes"] if "whale" in node["text"]))
    tab.regenerate()
    prompt = str(tab.model.prompts()[-1])
    assert "two lanterns, not one" in prompt
    assert "whale" not in prompt


def tamper(tab: Tab, **texts: str) -> None:
    """Write into the record of the newest user message, as an edit of the chat file would."""
    tab.evaluate("(Object.assign(ctx.chat.findLast(each => each.is_user).extra.tidelore_recall, value), null)", texts)


def test_who_types_a_command_sees_its_answer_unless_another_command_takes_it_up(tab: Tab) -> None:
    ready(tab)
    tab.send("My cat is called Biscuit.")
    settled(tab)
    type_in(tab, "/tidelore-stats")
    tab.wait("() => document.querySelector('dialog[open] .tidelore-dialog pre')", "the answer")
    assert '"messages": ' in tab.dialog_text()
    tab.confirm("Close")
    type_in(tab, "/tidelore-set field=budget")
    tab.wait("() => window.tideloreLive.notices.some(text => text.includes('900'))", "the answer in one line")
    type_in(tab, "/tidelore-stats | /setvar key=stats {{pipe}} | /echo kept")
    tab.wait("() => window.tideloreLive.notices.some(text => text.includes('kept'))", "the end of the script")
    assert '"messages": ' in str(tab.slash("/getvar stats"))
    assert tab.dialog_text() == ""
    assert '"messages": ' in str(tab.slash("/tidelore-stats"))
    assert tab.dialog_text() == "", "a script is not typed"


def type_in(tab: Tab, command: str) -> None:
    tab.page.fill("#send_textarea", command)
    tab.page.press("#send_textarea", "Escape")  # the list of commands that SillyTavern offers
    tab.click("#send_but")
    tab.wait("() => !document.querySelector('#form_sheld.isExecutingCommandsFromChatInput')", "the command to end")
