"""Two stores that know each other's vector send what is new, once, and take nothing that does not fit."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from tests.engine.service_kit import Kit, rows
from tests.engine.sync.kit import fetch, meet, over_the_wire
from tidelore.engine.clock import COUNTER_BITS, FOLLOWED_MS, LATEST
from tidelore.engine.codec import canonical, digest, windowless
from tidelore.engine.errors import BadInput
from tidelore.engine.model import EnsureNode, Named
from tidelore.engine.ports import Batch

POOL = "0f" * 16
SAID = rows(
    ("Mara", "My cat is called Biscuit and she sleeps in the mill."),
    ("Tobin", "Biscuit stole a herring from the stove."),
    ("Mara", "Then she is forgiven, since the herring was old."),
)


def told(replica: str) -> Kit:
    kit = Kit(replica)
    kit.remember("c", SAID, pool=POOL)
    return kit


def pulled(to: Kit, source: Kit, **more: Any) -> Any:
    return source.call("sync.pull", **over_the_wire(to.call("sync.vector", peer=source.call("sync.vector")["replica"])), **more)


def edit(kit: Kit, text: str, chat: str = "c") -> str:
    node = str(kit.nodes(chat, "moment")[0]["id"])
    kit.call("node.edit", chat=chat, node=node, fields={"text": text})
    return node


@pytest.mark.req("LAW-2", "P19")
def test_what_one_replica_remembers_another_remembers_once_it_is_shown_the_chat() -> None:
    one, other = told("aa"), Kit("bb")
    edit(one, "changed by hand")
    assert fetch(other, one) == 8
    assert other.graph("c") == {"nodes": [], "edges": []}, "what is on screen is each host's own"
    other.show("c", SAID)
    assert other.graph("c") == one.graph("c")
    assert other.call("extract.plan", chat="c", by="rules", lag=0)["windows"] == []


def test_a_round_with_nothing_new_sends_no_record_and_a_later_one_only_what_is_new() -> None:
    one, other = told("aa"), Kit("bb")
    fetch(other, one)
    assert pulled(other, one)["records"] == []
    edit(one, "changed by hand")
    assert [each["kind"] for each in pulled(other, one)["records"]] == ["commit"]
    assert fetch(other, one) == 1


def test_an_exchange_in_parts_goes_on_where_it_was_cut_off() -> None:
    one, other = told("aa"), Kit("bb")
    sizes = []
    while True:
        found = pulled(other, one, limit_bytes=1)
        sizes.append(len(found["records"]))
        other.restart()
        other.call("sync.push", **found)
        if not found["more"]:
            break
    assert sizes == [1] * 7
    other.show("c", SAID)
    assert other.graph("c") == one.graph("c")


def test_what_comes_twice_or_late_changes_nothing_and_a_gap_is_named() -> None:
    one, other = told("aa"), Kit("bb")
    found = pulled(other, one)
    parts = [{**found, "records": found["records"][first:last]} for first, last in ((0, 2), (2, 4), (4, 7))]
    done = other.call("sync.push", **parts[1])
    assert (done["new"], done["wanted"], done["vector"]) == (0, {"aa": 1}, {})
    new = [other.call("sync.push", **each)["new"] for each in (parts[0], parts[0], parts[2], parts[1], parts[0], parts[2], found)]
    assert new == [2, 0, 0, 2, 0, 3, 0]
    other.show("c", SAID)
    assert other.graph("c") == one.graph("c")


def test_records_are_passed_on_under_the_number_of_who_wrote_them() -> None:
    one, between, last = told("aa"), Kit("bb"), Kit("cc")
    meet(one, between)
    meet(between, last)
    assert last.call("sync.vector")["vector"] == {"aa": 7}
    assert meet(one, last) == 0


def test_equal_commits_of_two_replicas_are_one_with_the_smaller_clock_on_both() -> None:
    one, other = told("aa"), told("bb")
    other.call("extract.run", chat="c", lag=0)
    meet(one, other)
    stored = [{each.id: each.clock for each in kit.run_sync(kit.store.pool(POOL, 0)).commits} for kit in (one, other)]
    assert stored[0] == stored[1]
    assert one.call("sync.vector")["chains"] == other.call("sync.vector")["chains"]


def test_deliveries_and_branches_come_along() -> None:
    one, other = told("aa"), Kit("bb")
    recall = one.recall("c", "Who stole the herring?")["recall"]
    one.call("recall.delivered", chat="c", recall=recall)
    one.show("branch", SAID[:2], branch_of="c")
    fetch(other, one)
    assert [each["recall"] for each in other.call("recall.deliveries")["deliveries"]] == [recall]
    listed = {each["chat"]: each["branch_of"] for each in other.call("chat.list")["chats"]}
    assert listed == {"c": "", "branch": "c"}


def test_what_is_remembered_under_a_scope_comes_together() -> None:
    one, other = told("aa"), told("bb")
    one.call("node.write", scope="profile", text="I sing in a choir.")
    other.call("node.write", scope="profile", text="I paint boats.")
    meet(one, other)
    for kit in (one, other):
        assert [each["scope"] for each in kit.call("scope.list")["scopes"]] == ["profile"]
        found = kit.recall("c", "Where do I sing, what do I paint?", scopes=["profile"])
        assert {"I sing in a choir.", "I paint boats."} <= {card["text"] for card in found["cards"]}


# ---- records that are wrong ----


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kind", "dream"),
        ("body", '{"author":"rules"'),
        ("body", '{"author":"rules","operations":[]}'),
        ("id", "00" * 16),
        ("clock", "soon"),
    ],
)
def test_a_record_that_was_changed_on_the_way_is_refused_with_all_of_its_origin_after_it(name: str, value: str) -> None:
    one, other = told("aa"), Kit("bb")
    found = pulled(other, one)
    at = next(at for at, each in enumerate(found["records"]) if each["kind"] == "commit")
    broken = copy.deepcopy(found)
    broken["records"][at][name] = value
    done = other.call("sync.push", **broken)
    assert (done["new"], list(done["refused"]), done["vector"]) == (at, ["aa"], {"aa": at})
    assert fetch(other, one) == 7 - at


@pytest.mark.parametrize("ref", [["evident", "moment", [7], 0], ["speaker", 9], ["evident", "moment", [], 0]])
def test_a_commit_that_could_not_be_folded_is_refused_though_its_id_is_right(ref: list[Any]) -> None:
    one, other = told("one"), Kit("other")
    found = pulled(other, one)
    record = next(each for each in found["records"] if each["kind"] == "commit")
    body = json.loads(record["body"])
    body["operations"][0]["node"] = ref
    record["body"] = canonical(body)
    record["id"] = digest("commit", record["body"])
    done = other.call("sync.push", **found)
    assert "one" in done["refused"]
    other.show("c", SAID, pool=POOL)
    other.restart()
    assert other.graph("c")["nodes"] is not None


@pytest.mark.parametrize("record", [7, {}, {"origin": "aa"}, {"origin": "a/../b", "sequence": 1}, {"origin": "aa", "sequence": 0}])
def test_what_is_no_record_is_bad_input(record: object) -> None:
    with pytest.raises(BadInput) as caught:
        Kit("bb").call("sync.push", records=[record])
    assert caught.value.hint


@pytest.mark.parametrize(
    "params",
    [
        {"records": [], "vector": {"aa": "many"}},
        {"records": [], "before": {"aa": 7}},
        {"records": [], "before": {"aa": [1]}},
        {"records": [], "trails": {"aa": []}},
        {"records": [], "trails": {"aa": {"x": "y"}}},
    ],
)
def test_what_no_store_says_of_itself_is_bad_input(params: dict[str, Any]) -> None:
    with pytest.raises(BadInput) as caught:
        Kit("bb").call("sync.push", **params)
    assert caught.value.hint


# ---- clocks ----


def test_a_replica_whose_clock_is_days_ahead_does_not_pull_the_others_along() -> None:
    one, other = told("aa"), told("bb")
    ahead = 30 * 24 * 3600 * 1000
    one.service.chats.now = lambda: 1_700_000_000_000 + ahead
    edit(one, "changed by one")
    meet(one, other)
    assert other.service.chats.clock.last >> COUNTER_BITS <= 1_700_000_000_000 + FOLLOWED_MS + 1000
    other.show("another", SAID[:1], pool="ab" * 16)
    chats = other.run_sync(other.store.chats())
    assert next(each.clock for each in chats if each.name == "another") >> COUNTER_BITS < 1_700_000_000_000 + 2 * FOLLOWED_MS


def test_a_change_on_top_of_one_from_days_ahead_is_on_top_everywhere() -> None:
    one, other = told("aa"), told("bb")
    one.service.chats.now = lambda: 1_700_000_000_000 + 30 * 24 * 3600 * 1000
    node = edit(one, "changed by one")
    meet(one, other)
    for kit in (one, other):
        kit.show("c", SAID)
    other.call("node.edit", chat="c", node=node, fields={"text": "changed by the other"})
    meet(one, other)
    assert "changed by the other" in one.texts("c", "moment")
    other.call("undo", chat="c")
    meet(one, other)
    assert one.graph("c") == other.graph("c")
    assert "changed by one" in one.texts("c", "moment")


def test_a_clock_beyond_all_time_is_the_latest_one_and_leaves_room() -> None:
    one, other = told("aa"), Kit("bb")

    async def write() -> None:
        commit = windowless("person", [EnsureNode(Named("Zoe"), "character")], clock=(1 << 62) - 1, replica="aa", chat="x")
        await one.store.write(Batch(POOL, (), [commit]))

    one.run_sync(write())
    fetch(other, one)
    other.show("c", SAID)
    other.call("node.write", chat="c", text="Still written.")
    clocks = sorted(each.clock for each in other.run_sync(other.store.pool(POOL, 0)).commits)
    assert clocks[-2:] == [LATEST, LATEST + 1]


# ---- a store that was copied, or came back from a backup ----


def copied(kit: Kit, replica: str) -> Kit:
    """The same store once more, as after copying its folder."""
    return Kit(replica, store=copy.deepcopy(kit.store))


def hold(kits: list[Kit], texts: list[str]) -> None:
    for kit in kits:
        kit.show("c", SAID)
        assert sorted(text for text in kit.texts("c", "page") if text in texts) == sorted(texts)
    assert len({json.dumps(kit.graph("c"), sort_keys=True) for kit in kits}) == 1
    assert len({json.dumps(kit.call("sync.vector")["chains"], sort_keys=True) for kit in kits}) == 1


def write(kit: Kit, text: str) -> None:
    kit.call("node.write", chat="c", kind="page", text=text)


def test_a_store_that_lost_its_last_records_gets_them_back_and_writes_under_another_id() -> None:
    one, other = told("aa"), Kit("bb")
    back = copied(one, "aa2")
    write(one, "lost here")
    meet(one, other)
    meet(back, other)
    assert back.call("sync.vector")["replica"] != "aa"
    write(back, "written after")
    meet(back, other)
    hold([back, other], ["lost here", "written after"])


@pytest.mark.parametrize("through", ["each other", "a third", "a third that has one side only"])
def test_two_stores_that_wrote_different_things_under_one_id_keep_both(through: str) -> None:
    one, third = told("aa"), Kit("cc")
    meet(one, third)
    copy_ = copied(one, "aa2")
    for at in range(3):
        write(one, f"first {at}")
        write(copy_, f"second {at}")
    write(copy_, "second 3")
    if through == "a third that has one side only":
        meet(third, one)
    pairs = [(one, copy_)] if through == "each other" else [(one, third), (copy_, third)]
    for _ in range(6):
        for pair in pairs:
            meet(*pair)
    for pair in ((one, third), (copy_, third), (one, copy_), (one, third), (copy_, third)):
        meet(*pair)
    hold([one, copy_, third], [*(f"first {at}" for at in range(3)), *(f"second {at}" for at in range(4))])
    write(one, "after")
    write(copy_, "after, too")
    for pair in ((one, third), (copy_, third), (one, third)):
        meet(*pair)
    hold([one, copy_, third], [*(f"first {at}" for at in range(3)), *(f"second {at}" for at in range(4)), "after", "after, too"])


def test_a_late_answer_of_another_history_is_not_appended_to_ours() -> None:
    one, third = told("aa"), Kit("cc")
    meet(one, third)
    copy_ = copied(one, "aa2")
    late = Kit("dd")
    meet(late, one)
    for at in range(3):
        write(one, f"first {at}")
        write(copy_, f"second {at}")
    letter = pulled(late, copy_)
    found = pulled(late, one)
    late.call("sync.push", **{**found, "records": found["records"][:2]})
    late.call("sync.push", **letter)
    chains = late.call("sync.vector")
    ours = one.run_sync(one.store.chains([("aa", chains["vector"]["aa"])]))[0]
    theirs = copy_.run_sync(copy_.store.chains([("aa", chains["vector"]["aa"])]))[0]
    assert chains["chains"]["aa"] in (ours, theirs), "one history or the other, never a mixture"
