"""A backup brings everything back, piece by piece, into an empty store and into a full one; a damaged one brings nothing."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.engine.service_kit import Kit, rows
from tests.engine.sync.kit import records_of
from tidelore.engine.codec import canonical, digest
from tidelore.engine.errors import BadInput
from tidelore.engine.sync.backup import Place, read

POOL = "0123456789abcdef0123456789abcdef"
STORY = rows(("Ana", "My brother is called Tomas."), ("Mira", "I remember."), ("Ana", "My cat is called Biscuit."), ("Mira", "A fine cat."))


def made(kit: Kit, limit: int = 1_000_000) -> list[str]:
    lines: list[str] = []
    at = ""
    while True:
        piece = kit.call("backup.read", at=at, limit_bytes=limit)
        lines += piece["lines"]
        at = piece["at"]
        if not at:
            return lines


def restored(kit: Kit, lines: list[str], step: int = 1000) -> dict[str, int]:
    total = {"new": 0, "chats": 0, "kept": 0, "settings": 0}
    at, whole = "", False
    for first in range(0, len(lines), step):
        done = kit.call("backup.restore", lines=lines[first : first + step], at=at)
        at, whole = done["at"], done["whole"]
        for name in total:
            total[name] += done[name]
    assert whole
    return total


def checked(kit: Kit, lines: list[str]) -> Any:
    return kit.call("backup.check", lines=lines)


def story() -> Kit:
    kit = Kit("one")
    kit.remember("night", STORY, pool=POOL)
    kit.call("node.write", chat="night", kind="fact", text="The lamp is out of oil.")
    kit.remember("branch", STORY[:2], branch_of="night")
    return kit


@pytest.mark.parametrize("limit", [1, 700, 1_000_000])
def test_an_empty_store_becomes_the_one_that_was_backed_up(limit: int) -> None:
    one, other = story(), Kit("two")
    lines = made(one, limit)
    assert checked(other, lines)["whole"]
    done = restored(other, lines, 3)
    assert (done["chats"], done["kept"]) == (2, 0)
    for chat in ("night", "branch"):
        assert other.graph(chat) == one.graph(chat)
    other.restart()
    assert other.graph("night") == one.graph("night")
    assert restored(other, lines)["new"] == 0


def test_into_a_full_store_it_comes_by_union_and_what_is_on_screen_stays() -> None:
    one, other = story(), Kit("two")
    lines = made(one)
    other.remember("another", rows(("Ana", "My sister is called Ottilie.")))
    other.remember("night", STORY[:2], pool=POOL)
    before = other.graph("another")
    done = restored(other, lines)
    assert (done["chats"], done["kept"]) == (1, 1)
    assert other.graph("another") == before
    texts = " ".join(node["text"] for node in other.graph("night")["nodes"])
    assert "Tomas" in texts
    assert "lamp" in texts
    assert "Biscuit" not in texts
    other.show("night", STORY)
    assert other.graph("night") == one.graph("night")


def test_what_was_purged_since_the_backup_stays_away() -> None:
    one = story()
    lines = made(one)
    one.call("chat.purge", chat="branch")
    node = next(node for node in one.graph("night")["nodes"] if node["text"] == "The lamp is out of oil.")
    one.call("node.purge", chat="night", node=node["id"])
    before = one.graph("night")
    restored(one, lines)
    assert one.graph("night") == before
    assert [each["chat"] for each in one.call("chat.list")["chats"]] == ["night"]


def test_what_a_person_chose_comes_back_where_nothing_else_was_chosen() -> None:
    one, other = story(), Kit("two")
    prompt = one.call("prompt.list")["prompts"][0]["prompt"]
    text = "Read closely. " + one.call("prompt.get", prompt=prompt)["text"]
    one.call("prompt.set", prompt=prompt, text=text)
    lines = made(one)
    settings = [json.loads(line)["settings"] for line in lines if line.startswith('{"settings"')]
    assert len(settings) == 1
    assert not any(name.startswith("replica ") or name == "mirror" for name in settings[0])
    assert restored(other, lines)["settings"] == len(settings[0]) > 0
    assert other.call("prompt.get", prompt=prompt)["text"] == text
    other.call("prompt.set", prompt=prompt, text="Mine. " + text)
    assert restored(other, lines)["settings"] == 0
    assert other.call("prompt.get", prompt=prompt)["text"] == "Mine. " + text


@pytest.mark.parametrize(
    "broken", ["a line is missing", "two lines are swapped", "a letter is another one", "the end is missing", "one line more"]
)
@pytest.mark.req("F33")
def test_a_backup_that_is_not_as_it_was_written_is_told(broken: str) -> None:
    kit = story()
    lines = made(kit)
    match broken:
        case "a line is missing":
            del lines[3]
        case "two lines are swapped":
            lines[2], lines[3] = lines[3], lines[2]
        case "a letter is another one":
            at = next(number for number, line in enumerate(lines) if "Tomas" in line)
            lines[at] = lines[at].replace("Tomas", "Tomaz")
        case "the end is missing":
            del lines[-1]
        case _:
            lines.append(lines[-2])
    if broken == "the end is missing":
        assert not checked(kit, lines)["whole"]
        return
    with pytest.raises(BadInput, match="backup"):
        checked(kit, lines)


@pytest.mark.parametrize(
    "lines",
    [
        ["hello"],
        ['{"tidelore": "something else"}'],
        ['{"tidelore": "backup", "format": 2}'],
        ["[1]"],
        ["null"],
        ['{"tidelore": "backup", "format": 1}', '{"odd": {}}'],
    ],
)
def test_what_is_no_backup_is_refused(lines: list[str]) -> None:
    kit = Kit()
    with pytest.raises(BadInput):
        kit.call("backup.restore", lines=lines)
    assert kit.call("chat.list")["chats"] == []


def test_a_place_that_is_none_of_ours_is_refused() -> None:
    kit = story()
    for at in ("x", "{}", '{"lines": "1"}', "[]"):
        with pytest.raises(BadInput):
            kit.call("backup.read", at=at)


def test_a_record_that_was_changed_with_its_digest_is_refused_whole() -> None:
    kit, other = story(), Kit("two")
    lines = [line.replace("Tomas", "Tomaz") for line in made(kit)]
    with pytest.raises(BadInput):
        read(lines, Place())
    with pytest.raises(BadInput):
        other.call("backup.restore", lines=lines)


def sealed(lines: list[str]) -> list[str]:
    """As whoever changes a backup and knows its format would close it."""
    known = ""
    for line in lines:
        known = digest(known, line)
    return [*lines, canonical({"end": {"lines": len(lines), "digest": known}})]


def changed(kit: Kit, kind: str, change: Callable[[Any], object]) -> list[str]:
    """A backup of the kit with what is in its first line of a kind changed."""
    lines = made(kit)[:-1]
    at = next(number for number, line in enumerate(lines) if (line.startswith(f'{{"{kind}"') if kind else number == 0))
    raw = json.loads(lines[at])
    change(raw[kind] if kind else raw)
    lines[at] = json.dumps(raw)
    return sealed(lines)


def written(at: object) -> tuple[str, Callable[[Any], object]]:
    return "", lambda raw: raw.update(at=at)


def placed(order: object) -> tuple[str, Callable[[Any], object]]:
    return "screen", lambda raw: raw["rows"][0].__setitem__(0, order)


HOSTILE: dict[str, tuple[str, Callable[[Any], object]]] = {
    **{f"written at {at!r}": written(at) for at in ("x", [1], 1e300, float("inf"), 10**30, True)},
    "a format that is none": ("", lambda raw: raw.update(format=[1])),
    **{f"a place {str(order)[:40]!r}": placed(order) for order in (float("inf"), str(10**30), "9" * 5000, "x", None)},
    "two messages in one place": ("screen", lambda raw: raw["rows"].append(raw["rows"][-1])),
    "a name of half a character": ("screen", lambda raw: raw["rows"][0].__setitem__(3, "\ud800")),
    "rows that are none": ("screen", lambda raw: raw.update(rows=5)),
    "a chat that is none": ("screen", lambda raw: raw.update(chat=["a"])),
    "a setting that is no number": ("settings", lambda raw: raw.update(x=float("nan"))),
    "a setting of half a character": ("settings", lambda raw: raw.update({"\ud800": 1})),
    "a record without an origin": ("record", lambda raw: raw.pop("origin")),
    "a record that comes too late": ("record", lambda raw: raw.update(sequence=7)),
    "a record of a kind of later": ("record", lambda raw: raw.update(kind="dream")),
    "a record with an endless clock": ("record", lambda raw: raw.update(clock=float("inf"))),
    "a record of half a character": ("record", lambda raw: raw.update(pool="\ud800")),
}


@pytest.mark.req("F33")
@pytest.mark.parametrize("what", HOSTILE)
def test_what_could_not_be_restored_is_told_by_the_check(what: str) -> None:
    lines = changed(story(), *HOSTILE[what])
    with pytest.raises(BadInput):
        checked(Kit("two"), lines)
    kit = Kit("two")
    with pytest.raises(BadInput):
        restored(kit, lines)


def test_the_check_of_a_backup_goes_on_from_piece_to_piece() -> None:
    lines, at = made(story()), ""
    for line in lines:
        done = Kit("two").call("backup.check", lines=[line], at=at)
        at = done["at"]
    assert done["whole"]
    with pytest.raises(BadInput):
        Kit("two").call("backup.read", at='{"chat":"","digest":"","heads":{"a":[1e400,""]},"lines":1,"screens":false}')


@pytest.mark.parametrize("step", [1, 2, 3, 50])
@pytest.mark.parametrize("written", [1, 4, 10])
def test_a_store_that_went_on_after_it_was_copied_loses_nothing_when_a_backup_of_the_other_copy_comes_back(step: int, written: int) -> None:
    one = Kit("one")
    one.remember("story", STORY[:2])
    other = Kit("one", store=copy.deepcopy(one.store))
    one.remember("story", STORY)
    lines = made(one, limit=2000)
    other.remember("other", rows(*(("Ana", f"Dora owns castle {at} in Vienna.") for at in range(written))))
    mine = records_of(other)
    restored(other, lines, step)
    assert records_of(one) | mine <= records_of(other)
    # The messages on screen stay as they were here.
    other.show("story", STORY)
    assert other.graph("story") == one.graph("story")
    again = records_of(other)
    restored(other, lines, step)
    assert records_of(other) == again


@pytest.mark.parametrize("clock", [-5_000_000_000_000, 10**15])
def test_a_backup_that_was_made_with_an_absurd_clock_can_be_restored(clock: int) -> None:
    kit = Kit()
    kit.remember("story", STORY)
    kit.service.chats.now = lambda: clock
    lines = made(kit)
    new = Kit("new")
    assert restored(new, lines)["new"] > 0
    assert new.graph("story") == kit.graph("story")
