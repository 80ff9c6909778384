"""Where a graph of ST-BME may lie, and what may be wrong with a file of it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.care_kit import CHAT, CareKit
from tests.engine.st_bme_kit import SAID, bring, bundle, chat_kit, graph_file, text_of, whole
from tidelore.engine.errors import BadInput
from tidelore.engine.importing import FORMATS, Bundle, read

# ---- where it lies ----


def _chunks(file: Any) -> list[Any]:
    """A sync of format 2: a table of contents and parts, small ones here."""
    nodes, edges = file.pop("nodes"), file.pop("edges")
    parts = [{"kind": "nodes", "index": at, "records": nodes[at : at + 4]} for at in range(0, len(nodes), 4)]
    parts.append({"kind": "edges", "index": 0, "records": edges})
    parts.append({"kind": "tombstones", "index": 0, "records": file.pop("tombstones")})
    meta = {"revision": 7, "chatId": "a", "nodeCount": len(nodes), "edgeCount": len(edges)}
    manifest = {"meta": meta, "formatVersion": 2, "chunks": [f"ST-BME_sync_a_{at}.json" for at in range(len(parts))], "state": file}
    return [manifest, *parts]


def _tables(file: Any) -> Any:
    """The tables of a database."""
    rows_ = {name: file.pop(name) for name in ("nodes", "edges", "tombstones")}
    meta = [{"key": name, "value": value} for name, value in file.items()]
    return {"database": "STBME_a", "tables": {**rows_, "meta": meta}}


WRAPPED: dict[str, Callable[[Any], str]] = {
    "export": lambda file: text_of({"exportedAt": 1, "graph": file}),
    "with a byte order mark": lambda file: "\ufeff" + text_of(file),
    "sync, whole": lambda file: text_of({"meta": {"revision": 3, "deviceId": "d"}, **file}),
    "sync, in parts": lambda file: "\n".join(map(text_of, _chunks(file))),
    "sync, parts in another order": lambda file: text_of(_chunks(file)[::-1]),
    "database": lambda file: text_of(_tables(file)),
    "chat metadata": lambda file: text_of({"integrity": "x", "variables": {"a": "1"}, "st_bme_graph": file}),
    "records by id": lambda file: text_of(
        {**file, "nodes": {each["id"]: each for each in file["nodes"]}, "edges": {each["id"]: each for each in file["edges"]}}
    ),
}


@pytest.mark.parametrize("form", WRAPPED)
def test_the_same_graph_is_read_wherever_it_lies(form: str) -> None:
    kit, plain = chat_kit(), chat_kit()
    done = kit.call("import", chat="c", text=WRAPPED[form](graph_file()))
    assert done["format"] == "st-bme"
    bring(plain, graph_file())
    assert whole(kit) == whole(plain)
    assert bring(kit, graph_file())["commits"] == 0


def test_a_chat_file_is_a_chat_and_gives_its_graph_only_when_asked() -> None:
    head = {"user_name": "Ash", "character_name": "Mira", "chat_metadata": {"st_bme_graph": graph_file()}}
    text = "\n".join(map(text_of, [head, *({"name": row["name"], "is_user": True, "mes": row["text"]} for row in SAID)]))
    with pytest.raises(BadInput, match="no file of a known format"):
        read(text)
    kit = chat_kit()
    kit.call("import", chat="c", text=text, format="st-bme")
    assert len(whole(kit)["nodes"]) == len(bundle(graph_file()).nodes)


def test_other_formats_are_not_taken_for_it() -> None:
    kit = CareKit()
    for format_ in ("tidelore", "jsonl", "markdown"):
        assert not FORMATS["st-bme"].recognises(kit.call("export", chat=CHAT, format=format_)["text"])
    assert not any(FORMATS[name].recognises(text_of(graph_file())) for name in ("tidelore", "jsonl"))
    # The command line shows only the beginning.
    assert FORMATS["st-bme"].recognises(text_of(graph_file())[:3000])


def test_a_table_of_contents_alone_is_refused_and_a_missing_part_is_said() -> None:
    manifest, first, *_ = _chunks(graph_file())
    manifest.pop("state")
    with pytest.raises(BadInput, match=r"in other files") as refused:
        read(text_of(manifest))
    assert "all files" in refused.value.hint
    _, found = read(text_of([manifest, first]))
    assert isinstance(found, Bundle)
    assert any("15" in note and "4" in note for note in found.notes)


# ---- broken ----


def _with(change: Callable[[Any], object]) -> str:
    file = graph_file()
    change(file)
    return text_of(file)


@pytest.mark.parametrize(
    "text",
    [
        text_of(graph_file())[:2000],
        text_of(graph_file())[:-1],
        text_of(graph_file()) + "]",
        text_of(graph_file()).replace('"fields": {', '"fields": {{', 1),
        _with(lambda file: file.update(nodes="all of them")),
        _with(lambda file: file.update(nodes=[1, 2, 3])),
        _with(lambda file: file.update(edges="none")),
        _with(lambda file: file.update(version=0)),
        _with(lambda file: file.update(version=-3)),
        _with(lambda file: (file.update(nodes=[]), file.pop("summaryState"))),
        _with(lambda file: (file.pop("summaryState"), [node.pop("fields") for node in file["nodes"]])),
        text_of({"lastProcessedSeq": 1, "nodes": [{"id": "a", "type": "event", "fields": {}}], "edges": []}),
        '{"lastProcessedSeq": 1, "nodes": ' + "[" * 200_000 + "]" * 200_000 + "}",
        '{"lastProcessedSeq": ' + "9" * 5000 + ', "nodes": []}',
        '{"nodes": {}, "storyTime": {}}',
    ],
    ids=range(15),
)
@pytest.mark.parametrize("dry", [True, False])
def test_a_broken_file_is_refused_with_a_reason_and_brings_nothing(text: str, dry: bool) -> None:
    kit = chat_kit()
    before = whole(kit)
    with pytest.raises(BadInput) as refused:
        kit.call("import", chat="c", text=text, format="st-bme", dry=dry)
    assert refused.value.sentence
    assert refused.value.hint
    assert whole(kit) == before
    with pytest.raises(BadInput):
        kit.call("import", chat="new", text=text, format="st-bme", dry=dry)
    assert [each["chat"] for each in kit.call("chat.list")["chats"]] == ["c"]


_JUNK: st.SearchStrategy[Any] = st.sampled_from(
    [
        None,
        True,
        -1,
        10**15,
        1e300,
        float("inf"),
        float("nan"),
        "",
        "\0",
        "\ud800",
        "x" * 500,
        [],
        {},
        [[]],
        [None],
        {"a": []},
        {"from": 1},
        ["n-mira", 3],
    ]
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    here = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return here + [place for key, inner in items for place in _places(inner, (*path, key))]


PLACES = _places(graph_file())


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PLACES), _JUNK), min_size=1, max_size=4))
def test_whatever_stands_in_a_file_it_is_read_or_refused_and_the_second_time_known(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    file = graph_file()
    for path, junk in changes:
        _put(file, path, copy.deepcopy(junk))
    kit = chat_kit()
    before = whole(kit)
    try:
        done = bring(kit, file)
    except BadInput as refused:
        hint = refused.hint
    else:
        assert done["nodes"] > 0
        assert bring(kit, file)["commits"] == 0
        kit.restart()
        assert bring(kit, file)["commits"] == 0
        return
    assert hint
    assert whole(kit) == before


def _put(at: Any, path: tuple[Any, ...], junk: Any) -> None:
    """What lies on the way may be junk already."""
    *way, last = path
    try:
        for key in way:
            at = at[key]
        at[last] = junk
    except (KeyError, IndexError, TypeError):
        pass
