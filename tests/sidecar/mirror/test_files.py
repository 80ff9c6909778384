"""The mirror's folder on a disk: what a process that was killed has begun there, and what belongs to others."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest

from tests.sidecar.store_contract import run
from tidelore.engine.errors import StoreError, Unusable
from tidelore.host.mirror.files import FolderFiles
from tidelore.host.whole_files import written_whole

NAME = "tidelore-aa-tail0.gz"


def begun(folder: Path) -> Path:
    """The file that a writer has at work, as a kill leaves it."""
    writing = written_whole(folder / NAME)
    with writing as file:
        file.write(b"half of it")
        file.flush()
        [path] = [each for each in folder.iterdir() if each.name.startswith(".")]
        left = path.read_bytes()
    path.write_bytes(left)
    (folder / NAME).unlink()
    return path


def test_what_a_killed_process_has_begun_is_removed_once_it_is_old(tmp_path: Path) -> None:
    files, left = FolderFiles(tmp_path), begun(tmp_path)
    assert run(files.list()) == {}
    assert left.exists(), "somebody may be writing it"
    os.utime(left, (0, 0))
    assert run(files.list()) == {}
    assert not left.exists()


@pytest.mark.parametrize(
    "name", [".tidelore-aa-tail0.gz", ".other.gz.0123456789ab", "tidelore-aa-tail0.gz.0123456789ab", ".tidelore-x.gz.z"]
)
def test_what_belongs_to_others_is_not_touched(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"not ours")
    os.utime(tmp_path / name, (0, 0))
    run(FolderFiles(tmp_path).list())
    assert (tmp_path / name).exists()


def test_a_folder_that_is_not_there_is_an_empty_one_and_is_made_by_the_first_write(tmp_path: Path) -> None:
    files = FolderFiles(tmp_path / "user" / "files")
    assert run(files.list()) == {}
    run(files.write(NAME, b"whole"))
    assert run(files.list()) == {NAME: 5}
    assert run(files.read(NAME)) == b"whole"


def test_what_stands_under_the_name_of_a_file_and_is_none_is_told_of_that_name_alone(tmp_path: Path) -> None:
    files = FolderFiles(tmp_path)
    (tmp_path / NAME).mkdir()
    with pytest.raises(Unusable):
        run(files.read(NAME))
    with pytest.raises(Unusable):
        run(files.write(NAME, b"x"))
    with pytest.raises(Unusable):
        run(files.remove(NAME))
    assert run(files.list()) == {}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes by name here")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / NAME)
    with pytest.raises(Unusable):
        run(FolderFiles(tmp_path).read(NAME))


@pytest.mark.parametrize("name", ["../secret.json", "chat.json", "tidelore-a/b.gz", "tidelore-a.gz.gz"])
def test_no_other_file_is_read_or_written(name: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        run(FolderFiles(tmp_path).write(name, b"x"))
    with pytest.raises(StoreError):
        run(FolderFiles(tmp_path).read(name))


def test_a_file_that_goes_while_the_folder_is_listed_takes_no_other_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (NAME, "tidelore-bb-tail0.gz"):
        (tmp_path / name).write_bytes(b"data")
    with os.scandir(tmp_path) as entries:
        listed = list(entries)
    (tmp_path / NAME).unlink()
    monkeypatch.setattr(os, "scandir", lambda path: contextlib.nullcontext(listed))
    assert FolderFiles(tmp_path).sizes() == {"tidelore-bb-tail0.gz": 4}
