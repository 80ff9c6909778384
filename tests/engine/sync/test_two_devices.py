"""What one device does to a memory while another one does something else to it, before they meet: all end with the same graph, by rule."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.service_kit import Kit
from tests.engine.sync.kit import meet
from tests.engine.sync.test_exchange import POOL, SAID, told


@pytest.fixture
def devices() -> tuple[Kit, Kit]:
    """Two that remember the same of one chat."""
    one, other = told("aa"), Kit("bb")
    meet(one, other)
    other.remember("c", SAID, pool=POOL)
    assert one.graph("c") == other.graph("c")
    return one, other


def joined(kit: Kit) -> tuple[str, str]:
    """Two moments, tied together by hand."""
    first, second = sorted(str(node["id"]) for node in kit.nodes("c", "moment"))[:2]
    kit.call("edge.add", chat="c", type="contrasts", start=first, end=second, label="by hand")
    return first, second


def by_hand(graph: Any) -> list[Any]:
    return [edge for edge in graph["edges"] if edge["label"] == "by hand"]


def dangling(graph: Any) -> list[Any]:
    nodes = {node["id"] for node in graph["nodes"]}
    return [edge for edge in graph["edges"] if not {edge["from"], edge["to"]} <= nodes]


def met(one: Kit, other: Kit) -> Any:
    """The graph of both."""
    while meet(one, other):
        pass
    graph = one.graph("c")
    assert other.graph("c") == graph
    assert dangling(graph) == []
    return graph


@pytest.mark.req("B27")
def test_an_edge_to_a_memory_that_another_device_hid_is_gone_with_it_and_back_with_it(devices: tuple[Kit, Kit]) -> None:
    one, other = devices
    first, _ = joined(other)
    assert by_hand(other.graph("c"))
    hidden = one.call("node.retire", chat="c", node=first)
    assert by_hand(met(one, other)) == []
    other.call("undo", chat="c", commit=hidden["commit"])
    assert len(by_hand(met(one, other))) == 1


@pytest.mark.req("B27")
@pytest.mark.parametrize("whose", ["start", "end"])
def test_an_edge_to_a_memory_that_another_device_purged_is_gone_for_good(devices: tuple[Kit, Kit], whose: str) -> None:
    one, other = devices
    ends = joined(other)
    one.call("node.purge", chat="c", node=ends[whose == "end"])
    assert by_hand(met(one, other)) == []
    one.show("c", SAID)
    one.call("extract.run", chat="c", lag=0)
    assert by_hand(met(one, other)) == []


@pytest.mark.req("B27")
def test_an_edge_to_a_memory_whose_message_went_from_the_screen_waits_for_it(devices: tuple[Kit, Kit]) -> None:
    one, other = devices
    joined(other)
    one.show("c", SAID[:1])
    other.show("c", SAID[:1])
    assert by_hand(met(one, other)) == []
    for kit in devices:
        kit.show("c", SAID)
    assert len(by_hand(met(one, other))) == 1


@pytest.mark.req("B25")
def test_what_two_devices_wrote_by_hand_from_one_base_is_on_both(devices: tuple[Kit, Kit]) -> None:
    for kit, text in zip(devices, ("The lamp is lit.", "The boat is gone."), strict=True):
        kit.call("node.write", chat="c", kind="fact", text=text)
        node = sorted(kit.nodes("c", "moment"), key=lambda each: str(each["id"]))[0]
        kit.call("node.edit", chat="c", node=node["id"], fields={"note": text})
    graph = met(*devices)
    assert {"The lamp is lit.", "The boat is gone."} <= {node["text"] for node in graph["nodes"]}
