"""`tidelore backup` and `restore`: one file, checked before anything of it is taken in."""

from __future__ import annotations

import gzip
import stat
from pathlib import Path

import pytest

from tests.sidecar.cli_kit import answered, sample, tidelore

pytestmark = pytest.mark.slow


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    data = tmp_path / "filled"
    answered(data, "import", str(sample(tmp_path / "night.jsonl")), "--yes")
    return data


def test_a_backup_comes_back_whole_into_an_empty_store_and_changes_nothing_in_a_full_one(filled: Path, tmp_path: Path) -> None:
    file, empty = tmp_path / "all.gz", tmp_path / "empty"
    made = answered(filled, "backup", str(file))
    assert made["bytes"] == file.stat().st_size
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert answered(empty, "restore", str(file), "--check")["records"] == made["records"]
    assert answered(empty, "restore", str(file))["new"] == made["records"]
    assert answered(empty, "graph") == answered(filled, "graph")
    again = answered(filled, "restore", str(file))
    assert (again["new"], again["chats"]) == (0, 0)
    copy = tmp_path / "again.gz"
    answered(filled, "backup", str(copy))
    assert _lines(copy)[1:-1] == _lines(file)[1:-1]


def _lines(file: Path) -> list[str]:
    return gzip.decompress(file.read_bytes()).decode().split("\n")[:-1]


def test_a_file_that_is_there_is_replaced_only_when_told_to(filled: Path, tmp_path: Path) -> None:
    file = tmp_path / "all.gz"
    file.write_text("dear diary", "utf-8")
    answered(filled, "backup", str(file), code=1)
    assert file.read_text("utf-8") == "dear diary"
    answered(filled, "backup", str(file), "--force")
    assert answered(tmp_path / "empty", "restore", str(file))["new"] > 0


def test_a_folder_that_cannot_be_written_leaves_nothing_behind(filled: Path, tmp_path: Path) -> None:
    missing = tmp_path / "nowhere" / "all.gz"
    done = tidelore(filled, "backup", str(missing))
    assert done.returncode == 1
    assert "could not be written" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["filled", "night.jsonl"]


@pytest.mark.parametrize("damage", ["half", "a byte", "text", "empty", "twice"])
def test_a_damaged_backup_brings_nothing(damage: str, filled: Path, tmp_path: Path) -> None:
    file, empty = tmp_path / "all.gz", tmp_path / "empty"
    answered(filled, "backup", str(file))
    data = file.read_bytes()
    middle = len(data) // 2
    broken = {
        "half": data[:middle],
        "a byte": data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :],
        "text": b"hello\n",
        "empty": b"",
        "twice": data + data,
    }
    file.write_bytes(broken[damage])
    done = tidelore(empty, "restore", str(file))
    assert done.returncode == 1
    assert "backup" in done.stderr
    assert "Traceback" not in done.stderr
    assert not empty.exists(), "nothing is made for what brings nothing"
    assert tidelore(empty, "restore", str(file), "--check").returncode == 1
    assert not empty.exists()
    assert answered(empty, "chats")["chats"] == []
