"""Files of another Tidelore and of the MCP memory server that somebody has changed: refused with a reason, or read for what is sound
in them; never a chat that cannot be opened any more."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.engine.care_kit import CHAT, CareKit
from tests.engine.service_kit import Kit
from tidelore.engine.errors import BadInput


def _entity(name: object, *observations: object, **more: object) -> dict[str, object]:
    return {"type": "entity", "name": name, "entityType": "person", "observations": list(observations), **more}


def _relation(start: str, end: str, label: str = "knows") -> dict[str, object]:
    return {"type": "relation", "from": start, "to": end, "relationType": label}


def _lines(*rows: object) -> str:
    return "\n".join(json.dumps(each, ensure_ascii=False) for each in rows)


# ---- the MCP memory server ----


def test_a_separator_inside_a_text_parts_no_line() -> None:
    said = "one\u2028two\x85three\u2029four"
    kit = Kit()
    assert kit.call("import", chat="new", text=_lines(_entity("Wend", said)))["nodes"] == 2
    assert kit.texts("new", "fact") == [said]


@pytest.mark.parametrize("observations", ["digs graves", {"a": 1}, 7, [None], [["deep"]]])
def test_observations_of_another_type_are_read_or_counted(observations: Any) -> None:
    done = Kit().call("import", chat="new", text=_lines({**_entity("Wend"), "observations": observations}))
    assert (done["nodes"] == 2) != (done["left_out"] == {"observation without text": 1})


def test_one_name_in_several_spellings_is_one_entity_with_all_that_is_known() -> None:
    kit = Kit()
    text = _lines(_entity("Wend", "digs"), _entity(" WEND ", "rows", entityType="place"), _entity("wend", "digs"))
    assert kit.call("import", chat="new", text=text)["nodes"] == 3
    assert [node["sub"] for node in kit.nodes("new", "entity")] == ["character"]
    assert sorted(kit.texts("new", "fact")) == ["digs", "rows"]


def test_relations_lead_to_who_is_there_also_under_a_very_long_name() -> None:
    kit, long = Kit(), "Wend of " + "the far marshes " * 40
    text = _lines(_entity(long), _entity("Ob"), _relation(f" {long}", "OB "), _relation("Ob", "Nobody"), _relation("Ob", "ob"))
    done = kit.call("import", chat="new", text=text)
    assert (done["edges"], done["known"]) == (1, 0)
    assert done["left_out"] == {"relation without its entities": 1, "relation of an entity to itself": 1}


@pytest.mark.parametrize("junk", ["\0", "\ud800", "a\0b\ud800c"])
def test_signs_that_are_none_harm_nothing_and_are_known_again(junk: str) -> None:
    kit = Kit()
    text = (
        json.dumps(_entity(f"Wend{junk}", f"digs{junk}"))
        + "\n"
        + json.dumps(_entity("Ob"))
        + "\n"
        + json.dumps(_relation(f"Wend{junk}", "Ob", junk + "x"))
    )
    assert kit.call("import", chat="new", text=text)["nodes"] == 3
    kit.restart()
    assert kit.call("import", chat="new", text=text)["commits"] == 0


@pytest.mark.parametrize(
    "text",
    [
        '{"type": "entity", "name": "A"}\n' + "[" * 100_000,
        '{"type": "entity", "name": "A", "observations": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"type": "entity", "name": "A", "weight": ' + "9" * 5000 + "}",
        _lines(_entity(5)),
        _lines(_entity("  ")),
        _lines(_relation("A", "B")),
        _lines(_entity("A"), {"type": "relation", "from": "A", "to": 3, "relationType": "x"}),
        "{}",
        "[]",
    ],
    ids=range(9),
)
def test_lines_that_cannot_be_read_are_refused_and_make_no_chat(text: str) -> None:
    for form in ("", "jsonl"):
        kit = Kit()
        with pytest.raises(BadInput) as refused:
            kit.call("import", chat="new", text=text, format=form)
        assert refused.value.hint
        assert kit.call("chat.list")["chats"] == []


# ---- another Tidelore ----


def _exported() -> str:
    kit = CareKit()
    kit.fact(3, "The ferryman drowned.", "Harl")
    kit.call("node.write", chat=CHAT, text="The toll is a copper.")
    text: str = kit.call("export", chat=CHAT)["text"]
    return text


TEXT = _exported()


def _stated(**operation: Any) -> Callable[[Any], object]:
    """A commit of the file with one operation more."""
    return lambda file: file["commits"][0]["content"]["operations"].append(operation)


def _node(ref: list[Any], **more: Any) -> Callable[[Any], object]:
    return _stated(node=ref, sub="context", **more)


def _own(**more: Any) -> Callable[[Any], object]:
    return _node(["own", "fact", "t", "chat"], **{"fields": {"text": "x"}, **more})


def _edge(**more: Any) -> Callable[[Any], object]:
    return _stated(**{"edge": "relates", "from": ["named", "A", "entity", "chat"], "to": ["named", "B", "entity", "chat"], **more})


def _content(at: int, **members: Any) -> Callable[[Any], object]:
    return lambda file: file["commits"][at]["content"].update(members)


def _by_hand(file: Any) -> Any:
    return next(each["content"] for each in file["commits"] if each["content"]["author"] == "person")


CHANGES: dict[str, Callable[[Any], object]] = {
    "a version that is none": lambda file: file.update(tidelore=True),
    "a version before the first": lambda file: file.update(tidelore=0),
    "a clock before all time": lambda file: file["commits"][0].update(clock=-1),
    "a clock after all time": lambda file: file["commits"][0].update(clock=10**30),
    "an author that is none": _content(0, author="villain"),
    "a window of numbers": _content(0, window=[1, 2]),
    "a window that is a word": _content(0, window="abc"),
    "no window": _content(0, window=[]),
    "a generation that is a word": _content(0, generation="x"),
    "a generation past all": _content(0, generation=10**40),
    "needs that are none": _content(0, needs=[1]),
    "a message that is not in the window": _node(["evident", "moment", [99], 0]),
    "a message before the window": _node(["speaker", -1]),
    "a speaker who is not in the window": _node(["speaker", 99]),
    "a speaker in a field": _own(fields={"text": {"speaker": 99}}),
    "evidence that is not in the window": _own(evidence=[[99, "x"]]),
    "a quote that is a number": _own(evidence=[[0, 7]]),
    "a node stated by its id": _node(["known", "a" * 32]),
    "a kind that is none": _node(["own", "spook", "t", "chat"]),
    "a name of a fact": _node(["named", "a", "fact", "chat"]),
    "a scope that is none": _node(["own", "fact", "t", "moon"]),
    "a scope that is a list": _node(["own", "fact", "t", ["chat"]]),
    "a token with a NUL": _node(["own", "fact", "t\0t", "chat"]),
    "a reference that is none": _node(["somebody"]),
    "a certainty that is none": _own(certainty="sure"),
    "a sub that is a number": _stated(node=["own", "fact", "t", "chat"], sub=5),
    "a field that is nested": _own(fields={"text": {"a": {"b": 1}}}),
    "an edge type that is none": _edge(edge="eats"),
    "a label that is a number": _edge(label=7),
    "a patch in an extraction": _stated(patch="a" * 32, field="text", expects=None, value="x"),
    "an operation that is none": _stated(eat="all"),
    "operations that are none": _content(0, operations=[7]),
    "an undo of a list": lambda file: _by_hand(file).update(undoes=[1]),
    "an anchor that is a number": lambda file: _by_hand(file).update(anchor=9),
    "a message without a key": lambda file: file["messages"][0].pop("key"),
    "a message with half a key": lambda file: file["messages"][0].update(key="zz"),
    "a message that is a number": lambda file: file["messages"].append(7),
    "a source of nobody": lambda file: file["sources"][0].__setitem__(1, "villain"),
    "a pool that is none": lambda file: file.update(pool=""),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_export_is_refused_before_anything_is_stored(change: str) -> None:
    file = json.loads(TEXT)
    before = json.dumps(file)
    CHANGES[change](file)
    kit = Kit("there")
    text = json.dumps(file)
    assert text != before
    assert text.startswith('{"tidelore"')
    for dry in (True, False):
        with pytest.raises(BadInput) as refused:
            kit.call("import", chat="new", text=text, dry=dry)
        assert refused.value.hint
        kit.restart()
        assert kit.call("chat.list")["chats"] == []


def test_what_is_sound_comes_and_opens_again() -> None:
    file = json.loads(TEXT)
    _own(fields={"text": 5, "aliases": "A", "attribute": 7})(file)
    _node(["named", "A", "entity", "chat"], fields={"aliases": "B"})(file)
    file["more"] = {"of": "a later version"}
    kit = Kit("there")
    kit.call("import", chat="new", text=json.dumps(file))
    before = kit.graph("new")
    kit.restart()
    assert kit.graph("new") == before
    assert kit.call("import", chat="new", text=json.dumps(file))["commits"] == 0


@pytest.mark.parametrize("rest", ['"x":' + "[" * 200_000 + "]" * 200_000 + "}", '"x":' + "9" * 5000 + "}", '"x":'])
def test_what_no_reader_of_json_takes_is_refused(rest: str) -> None:
    kit = Kit("there")
    with pytest.raises(BadInput) as refused:
        kit.call("import", chat="new", text=f"{TEXT.rstrip()[:-1]},{rest}")
    assert refused.value.hint
    assert kit.call("chat.list")["chats"] == []
