"""A mirror of a history that parted from the one here, and one on a disk that is full."""

from __future__ import annotations

import copy

import pytest

from tests.engine.service_kit import Kit, rows
from tests.engine.sync.kit import Folder, mirror, records_of
from tests.engine.sync.test_mirror import long, small
from tidelore.engine.errors import StoreError


@pytest.mark.parametrize("seed", range(3))
def test_an_old_copy_that_wrote_on_gets_all_sealed_files_of_the_history_that_it_left(seed: int) -> None:
    folder, one = Folder(), small(Kit("xa"))
    said = [
        (("Ann", "Bob")[at % 2], f"Person {at} lives in town {at * 7919 % 1000} with {at * 104729 % 99991} horses.") for at in range(60)
    ]
    one.remember("story", rows(*said[:2]))
    store = copy.deepcopy(one.store)
    one.remember("story", rows(*said))
    mirror(one, folder)
    assert sum("tail" not in name for name in folder.files) > 3, "there are several sealed files"
    other = small(Kit("xa", store=store))
    other.remember("other", rows(("Ann", f"Dora owns castle {seed} in Vienna."), ("Bob", "Well.")))
    mine = records_of(other)
    for _ in range(3):
        done = mirror(other, folder)
        other.restart()
        small(other)
    assert records_of(one) | mine <= records_of(other)
    assert (done["behind"], done["damaged"], done["missing"]) == ([], [], [])
    held = records_of(other)
    mirror(other, folder)
    assert records_of(other) == held


def test_what_could_not_be_written_to_its_end_leaves_nothing_behind() -> None:
    class Full(Folder):
        """A disk with little room."""

        room = 1500

        async def write(self, name: str, data: bytes) -> None:
            if sum(map(len, self.files.values())) + len(data) > self.room:
                raise StoreError("There is no room left.", "Make some.")
            await super().write(name, data)

    folder, one = Full(), long("aa", 80)
    for _ in range(3):
        with pytest.raises(StoreError):
            mirror(one, folder)
        assert not [name for name in folder.files if name.endswith(".gz")]
    folder.room = 1_000_000
    assert mirror(one, folder)["written_bytes"] > 1500
    again = Kit("bb")
    mirror(again, folder)
    assert records_of(one) <= records_of(again)
