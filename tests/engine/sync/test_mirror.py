"""A folder of files is a replica among others: it may be torn, vanish, come back old, and be written by several at once."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.service_kit import Kit, rows
from tests.engine.sync.kit import Folder, fetch, meet, mirror
from tests.engine.sync.test_exchange import POOL, SAID, copied, edit, told, write
from tidelore.engine.errors import BadInput, StoreError
from tidelore.engine.ports import Head
from tidelore.engine.sync.chain import link
from tidelore.engine.sync.segments import (
    INDEX,
    MOST_TEXT,
    Damaged,
    Manifest,
    Packer,
    Segment,
    Span,
    file_hash,
    lacking,
    manifest_out,
    unpack,
)

SMALL = 2000


def small(kit: Kit) -> Kit:
    """Seals its files early."""
    kit.service.sync.segment_bytes = SMALL
    return kit


def long(replica: str, messages: int = 40) -> Kit:
    kit = small(Kit(replica))
    said = [(("Mara", "Tobin")[at % 2], f"Message {at} tells of harbour {at * 7919 % 1009}.") for at in range(messages)]
    kit.remember("c", rows(*said), pool=POOL)
    return kit


def chains(kit: Kit) -> Any:
    return kit.call("sync.vector")["chains"]


@pytest.mark.req("P23")
@pytest.mark.parametrize("lists", [True, False], ids=["a host that lists", "a host that cannot list"])
def test_a_store_that_was_evicted_is_filled_from_the_mirror(lists: bool) -> None:
    folder, one = Folder(lists=lists), told("aa")
    edit(one, "changed by hand")
    mirror(one, folder)
    again = Kit("bb")
    done = mirror(again, folder)
    assert (done["new"], done["missing"], done["damaged"], done["behind"]) == (8, [], [], [])
    again.show("c", SAID)
    assert again.graph("c") == one.graph("c")


def test_a_round_with_nothing_new_writes_nothing_and_reads_manifests_alone() -> None:
    folder, one = Folder(), long("aa")
    first = mirror(one, folder)
    before = dict(folder.files)
    done = mirror(one, folder)
    assert (done["written_bytes"], done["new"], done["revision"]) == (0, 0, first["revision"])
    assert done["read_bytes"] == sum(len(data) for name, data in before.items() if name.endswith(".json"))
    assert folder.files == before
    assert done["size_bytes"] == sum(len(data) for name, data in before.items() if name.endswith(".gz"))


def test_what_is_new_is_a_new_tail_and_sealed_segments_never_change() -> None:
    folder, one = Folder(), long("aa")
    revisions = [mirror(one, folder)["revision"]]
    sealed = {name: data for name, data in folder.files.items() if re.fullmatch(r"tidelore-aa-\d+\.gz", name)}
    assert len(sealed) > 1
    for at in range(12):
        write(one, f"A note, number {at}, about the harbour of {at * 7919 % 1009}.")
        done = mirror(one, folder)
        revisions.append(done["revision"])
        assert sealed.items() <= folder.files.items()
        assert done["written_bytes"] < 3 * SMALL + len(folder.files["tidelore-aa-manifest.json"])
    assert revisions == sorted(set(revisions))
    assert sum("tail" in name for name in folder.files) <= 1
    assert all(len(data) < 2 * SMALL for name, data in folder.files.items() if name.endswith(".gz"))


def test_names_are_safe_everywhere_and_tell_nothing_of_a_chat() -> None:
    folder, one = Folder(), Kit("A.Kit_OF-ours")
    one.remember("../secret: chat", SAID)
    mirror(one, folder)
    assert all(re.fullmatch(r"[a-z0-9_-]+\.(json|gz)", name) and len(name) < 100 for name in folder.files)
    assert folder.files["tidelore-index.json"]
    assert b"secret" not in b"".join(folder.files.values())
    manifest = next(data for name, data in folder.files.items() if "manifest" in name)
    assert manifest.startswith(b'{"meta":{')
    other = Kit("bb")
    assert mirror(other, folder)["new"] == 7
    assert chains(other) == chains(one)


@pytest.mark.req("B25")
def test_devices_that_write_one_mirror_never_write_each_others_files() -> None:
    folder, kits = Folder(), [small(told(name)) for name in ("aa", "bb", "cc")]
    for at in range(5):
        for kit in kits:
            write(kit, f"note {at} of {kit.call('sync.vector')['replica']}")
            before = dict(folder.files)
            mirror(kit, folder)
            mine = f"tidelore-{kit.call('sync.vector')['replica']}-"
            others = {name for name in before if not name.startswith(mine)} - {"tidelore-index.json"}
            assert all(folder.files[name] == before[name] for name in others)
    for _ in range(2):
        for kit in kits:
            mirror(kit, folder)
    assert chains(kits[0]) == chains(kits[1]) == chains(kits[2])
    for kit in kits:
        kit.show("c", SAID)
    assert kits[0].graph("c") == kits[1].graph("c") == kits[2].graph("c")


def test_an_index_that_another_device_wrote_over_is_made_whole_again() -> None:
    folder, one, other = Folder(lists=False), told("aa"), told("bb")
    mirror(one, folder)
    lost = folder.files["tidelore-index.json"]
    mirror(other, folder)
    folder.files["tidelore-index.json"] = lost
    mirror(other, folder)
    assert b'"aa","bb"' in folder.files["tidelore-index.json"]
    for data in (b"", b"[]", b'{"meta":{"format":1,"revision":3},"replicas":["../x"]}'):
        folder.files["tidelore-index.json"] = data
        for kit in (one, other):
            mirror(kit, folder)
        assert b'"aa","bb"' in folder.files["tidelore-index.json"]


# ---- torn, missing, vanished ----

BREAK: Mapping[str, Callable[[bytes], bytes | None]] = {
    "gone": lambda data: None,
    "empty": lambda data: b"",
    "cut off": lambda data: data[: len(data) // 2],
    "one bit": lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:],
    "another file": lambda data: b'{"meta":{}}',
}


@pytest.mark.parametrize("how", BREAK)
@pytest.mark.parametrize("which", ["manifest.json", "000001.gz", "000002.gz", "tail0.gz"])
@pytest.mark.parametrize("mends", ["its owner", "another replica"])
def test_a_broken_file_is_noticed_deletes_nothing_and_is_mended(which: str, how: str, mends: str) -> None:
    folder, one, other = Folder(), long("aa"), small(Kit("bb"))
    mirror(one, folder)
    if mends == "another replica":
        fetch(other, one)
    name = f"tidelore-aa-{which}"
    data = BREAK[how](folder.files[name])
    if data is None:
        del folder.files[name]
    else:
        folder.files[name] = data
    before = chains(one)
    late = Kit("dd")
    found = mirror(late, folder, check=True)
    assert name in [*found["missing"], *found["damaged"]] or how == "gone"
    assert (name in found["missing"]) == (data is None) or "manifest" in name
    mirror(one if mends == "its owner" else other, folder, check=True)
    assert chains(one) == before
    fresh = Kit("cc")
    mirror(fresh, folder)
    assert chains(fresh)["aa"] == before["aa"]


def test_a_mirror_that_cannot_be_reached_fails_the_round_and_is_caught_up_later() -> None:
    folder, one = Folder(), told("aa")
    mirror(one, folder)
    folder.down = True
    write(one, "written while it was away")
    with pytest.raises(StoreError):
        mirror(one, folder)
    folder.down = False
    assert mirror(one, folder)["written_bytes"]
    other = Kit("bb")
    mirror(other, folder)
    assert chains(other) == chains(one)


def test_a_mirror_that_was_emptied_is_written_anew_under_a_higher_revision() -> None:
    folder, one = Folder(), long("aa")
    first = mirror(one, folder)
    held = dict(folder.files)
    folder.files.clear()
    done = mirror(one, folder)
    assert done["missing"] == ["tidelore-aa-manifest.json"]
    assert done["revision"] > first["revision"]
    assert {name for name in folder.files if name in held and folder.files[name] != held[name]} <= {
        *("tidelore-aa-manifest.json", "tidelore-index.json", "tidelore-aa-tail0.gz")
    }, "no name of a sealed file is given twice"
    folder.files = {**folder.files, **held}
    mirror(one, folder)
    other = Kit("bb")
    mirror(other, folder)
    assert chains(other) == chains(one)
    assert mirror(one, folder)["revision"] > done["revision"]


def test_records_of_one_replica_that_lie_in_files_of_several_are_put_together() -> None:
    folder, one, other = Folder(), told("aa"), Kit("bb")
    meet(one, other)
    mirror(other, folder)
    write(one, "later")
    mirror(one, folder)
    manifest = folder.files["tidelore-aa-manifest.json"]
    assert len(manifest) < 500, "what another file has is not written once more"
    fresh = Kit("cc")
    mirror(fresh, folder)
    assert chains(fresh)["aa"] == chains(one)["aa"]
    del folder.files["tidelore-bb-tail0.gz"]
    late = Kit("dd")
    found = mirror(late, folder)
    assert (found["behind"], found["missing"], found["new"]) == (["aa"], ["tidelore-bb-tail0.gz"], 0)


def test_a_copied_store_that_meets_its_own_files_writes_under_another_id() -> None:
    folder, one = Folder(), told("aa")
    mirror(one, folder)
    back = copied(one, "aa2")
    write(one, "written by one")
    write(back, "written by the copy")
    for _ in range(3):
        for kit in (one, back):
            mirror(kit, folder)
    fresh = Kit("cc")
    mirror(fresh, folder)
    for kit in (one, back, fresh):
        kit.show("c", SAID)
        assert {"written by one", "written by the copy"} <= set(kit.texts("c", "page"))
    done = [[mirror(kit, folder)["written_bytes"] for kit in (one, back, fresh)] for _ in range(3)]
    assert done[-1] == [0, 0, 0], "it comes to rest"


def test_the_files_of_a_replica_that_will_not_come_back_are_taken_over() -> None:
    folder, gone, one = Folder(), long("aa"), small(Kit("bb"))
    mirror(gone, folder)
    with pytest.raises(BadInput):
        mirror(one, folder, adopt=["nobody"])
    done = mirror(one, folder, adopt=["aa"])
    assert done["removed"] > 2
    assert not [name for name in folder.files if "-aa-" in name]
    fresh = Kit("cc")
    mirror(fresh, folder)
    assert chains(fresh)["aa"] == chains(gone)["aa"]
    mirror(gone, folder)
    assert mirror(one, folder)["missing"] == []


# ---- files ----


# Some of these end a line somewhere, though not in our files.
TEXTS = st.text(st.sampled_from('a\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e\r\n\\"\0'), min_size=1, max_size=9)


@given(st.lists(TEXTS, min_size=1, max_size=5))
def test_a_file_is_read_as_it_was_written_whatever_the_texts(texts: list[str]) -> None:
    packer, chain = Packer(), ""
    records = [{"origin": "aa", "sequence": at, "kind": "source", "pool": "", "id": text, "body": text} for at, text in enumerate(texts, 1)]
    for record in records:
        packer.add(record)
        chain = link(chain, "source", "", str(record["id"]))
    data = packer.close()
    assert unpack(data, Segment("x", len(data), file_hash(data), len(texts), (Span("aa", 1, len(texts), "", chain),))) == records


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\x85", "\x0c"])
def test_words_with_a_character_that_ends_lines_elsewhere_reach_everybody_and_so_does_what_comes_after(character: str) -> None:
    folder, one, other = Folder(), told("aa"), Kit("bb")
    mirror(one, folder)
    mirror(other, folder)
    one.remember("d", rows(("Mara", f"My hound is called{character} Rex."), ("Tobin", "Yes.")))
    one.call("chat.purge", chat="c")
    mirror(one, folder)
    assert mirror(other, folder)["damaged"] == []
    assert chains(other) == chains(one)
    mirror(other, folder)
    assert "herring" not in folder.text()


def forged(folder: Folder, text: bytes, **more: Any) -> str:
    """The files of a replica `ff` with these bytes as its tail; the name of that."""
    name, packed = "tidelore-ff-tail0.gz", gzip.compress(text)
    span = more.pop("span", ("ff", 1, 1, "", link("", "None", "None", "None")))
    tail = Segment(more.pop("name", name), len(packed), file_hash(packed), 1, (Span(*span),))
    folder.files[name] = packed
    folder.files["tidelore-ff-manifest.json"] = manifest_out(Manifest("ff", more.pop("revision", 1), more.pop("vector", {}), (), tail))
    return name


def spoiled(folder: Folder, name: str) -> None:
    """Something that is no file stands under this name."""
    folder.files.setdefault(name, b"")
    folder.broken.add(name)


FORGED: Mapping[str, Callable[[Folder], object]] = {
    "a line that is no object": lambda folder: forged(folder, b"1\n"),
    "a record of nothing but its place": lambda folder: forged(folder, b'{"origin":"ff","sequence":1}\n'),
    "a place that is no number": lambda folder: forged(folder, b'{"origin":"ff","sequence":true}\n'),
    "a clock without end": lambda folder: forged(
        folder,
        b'{"origin":"ff","sequence":1,"kind":"source","pool":"p","id":"i","clock":Infinity,"body":null}\n',
        span=("ff", 1, 1, "", link("", "source", "p", "i")),
    ),
    "millions of lines": lambda folder: forged(folder, b"1\n" * 3_000_000),
    "a span that no store can hold": lambda folder: forged(folder, b"{}\n", span=("ff", 2**70, 2**70, "", "x")),
    "a span before the first": lambda folder: forged(folder, b"{}\n", span=("ff", -5, -1, "", "x")),
    "an origin that is none": lambda folder: forged(folder, b"{}\n", span=("\ud800", 1, 1, "", "x")),
    "a vector that no store can hold": lambda folder: forged(folder, b"{}\n", vector={"ff": Head(2**80, "x")}),
    "a revision that no store can hold": lambda folder: forged(folder, b"{}\n", revision=2**90),
    "a file of somebody else's": lambda folder: forged(folder, b"{}\n", name="../../secret"),
    "an index without end": lambda folder: folder.files.update({INDEX: b'{"meta":{"format":1,"revision":1e400},"replicas":[]}'}),
    "a file that is none": lambda folder: spoiled(folder, forged(folder, b"{}\n")),
    "a manifest that is none": lambda folder: spoiled(folder, "tidelore-ff-manifest.json"),
    "an index that is none": lambda folder: spoiled(folder, INDEX),
}


@pytest.mark.parametrize("what", FORGED)
def test_one_bad_file_ends_no_round_and_is_named(what: str) -> None:
    folder, one, other = Folder(), told("aa"), Kit("bb")
    mirror(one, folder)
    FORGED[what](folder)
    done = mirror(other, folder)
    assert chains(other)["aa"] == chains(one)["aa"]
    assert [*done["damaged"], *done["behind"]] or "without end" in what or "nothing but" in what
    write(other, "written after it")
    for kit in (other, one):
        mirror(kit, folder)
    assert chains(one) == chains(other)


def test_a_file_that_would_be_huge_is_not_unpacked() -> None:
    packer = Packer()
    packer.add({"body": "a" * (MOST_TEXT + 1)})
    data = packer.close()
    assert len(data) < 1_000_000
    with pytest.raises(Damaged):
        unpack(data, Segment("x", len(data), file_hash(data), 1, ()))


@pytest.mark.parametrize(
    ("head", "covered", "runs"),
    [
        (0, [], []),
        (5, [], [(1, 5)]),
        (5, [(1, 5)], []),
        (5, [(2, 3)], [(1, 1), (4, 5)]),
        (9, [(4, 6), (1, 2), (5, 7)], [(3, 3), (8, 9)]),
        (3, [(2, 9)], [(1, 1)]),
        (3, [(5, 9)], [(1, 3)]),
    ],
)
def test_what_files_lack(head: int, covered: list[tuple[int, int]], runs: list[tuple[int, int]]) -> None:
    assert lacking(head, covered) == runs


def test_purged_words_leave_sealed_segments_which_are_replaced_and_not_changed() -> None:
    folder, one = Folder(), long("aa")
    mirror(one, folder)
    before = dict(folder.files)
    node = next(str(each["id"]) for each in one.nodes("c", "moment") if each["text"].startswith("Message 3 "))
    one.call("node.purge", chat="c", node=node)
    assert "Message 3 " in folder.text()
    mirror(one, folder)
    assert "Message 3 " not in folder.text()
    assert "Message 4 " in folder.text()
    sealed = {name for name in before if re.fullmatch(r"tidelore-aa-\d+\.gz", name)}
    assert {name for name in sealed if name not in folder.files}
    assert all(folder.files[name] == before[name] for name in sealed if name in folder.files)
    fresh = Kit("bb")
    assert mirror(fresh, folder)["behind"] == []
    assert chains(fresh) == chains(one)
