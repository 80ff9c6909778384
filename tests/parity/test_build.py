"""What `make wasm` makes: the same bytes each time, everything in the lock, and nothing in the wheel that does not belong there."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from email import message_from_bytes
from pathlib import Path
from typing import Any

import pytest

from tests.parity.conftest import ROOT, run
from tidelore import __version__

pytestmark = pytest.mark.slow
LOADED = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")


def _lock(folder: Path) -> dict[str, Any]:
    lock: dict[str, Any] = json.loads((folder / "lock.json").read_text("utf-8"))
    return lock


def _wheel(folder: Path) -> zipfile.ZipFile:
    return zipfile.ZipFile(folder / f"tidelore_engine-{__version__}-py3-none-any.whl")


def test_a_second_build_in_another_folder_gives_the_same_bytes(node: str, build: Path, tmp_path: Path) -> None:
    for name in ("LICENSE", "package-lock.json", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("wasm", "sidecar/tidelore"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in (".venv", "node_modules"):
        (tmp_path / name).symlink_to(ROOT / name)
    run(node, tmp_path / "wasm" / "build.mjs", LANG="xx_YY")
    first, second = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in (build, tmp_path / "build" / "wasm"))
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


def test_a_build_that_is_up_to_date_is_left_alone(node: str, build: Path) -> None:
    before = (build / "lock.json").stat().st_mtime_ns
    assert "up to date" in run(node, "wasm/build.mjs").stdout
    assert (build / "lock.json").stat().st_mtime_ns == before


def test_the_lock_holds_every_file_that_is_loaded_with_its_hash(build: Path) -> None:
    lock = _lock(build)
    names = [file["name"] for file in lock["files"]]
    assert names == [*LOADED, f"tidelore_engine-{__version__}-py3-none-any.whl"]
    assert {path.name for path in build.iterdir()} == {*names, "lock.json", "snapshot.bin.gz", "snapshot.json"}
    for file in lock["files"]:
        data = (build / file["name"]).read_bytes()
        assert (file["size"], file["sha256"]) == (len(data), hashlib.sha256(data).hexdigest()), file["name"]
    assert lock["packages"]["packages"] == {}


def test_the_note_beside_the_snapshot_names_build_size_and_hash(build: Path) -> None:
    note = json.loads((build / "snapshot.json").read_text("utf-8"))
    data = (build / "snapshot.bin.gz").read_bytes()
    assert (note["build"], note["size"], note["sha256"]) == (_lock(build)["build"], len(data), hashlib.sha256(data).hexdigest())


def test_the_committed_wheel_and_lock_are_those_of_the_sources(build: Path) -> None:
    committed = ROOT / "wasm" / "engine"
    names = {"lock.json", f"tidelore_engine-{__version__}-py3-none-any.whl"}
    assert {path.name for path in committed.iterdir()} == names, "run `make wasm` and commit wasm/engine"
    old = [name for name in sorted(names) if (committed / name).read_bytes() != (build / name).read_bytes()]
    assert old == [], "run `make wasm` and commit wasm/engine"


def test_the_committed_part_and_the_part_for_use_without_the_net_follow_the_build(node: str, build: Path, tmp_path: Path) -> None:
    engine, dist = tmp_path / "engine", tmp_path / "dist"
    engine.mkdir()
    (engine / "tidelore_engine-0.0.1-py3-none-any.whl").write_bytes(b"of an older version")
    for _ in range(2):
        said = run(node, "wasm/build.mjs", "--engine", engine, "--dist", dist).stdout
        wheel = f"tidelore_engine-{__version__}-py3-none-any.whl"
        for folder, names in ((engine, {"lock.json", wheel}), (dist, {*LOADED, "snapshot.bin.gz", "snapshot.json"})):
            assert {path.name for path in folder.iterdir()} == names
            assert all((folder / name).read_bytes() == (build / name).read_bytes() for name in names)
    assert said.count("up to date") == 3


def test_the_lock_has_the_runtime_that_is_pinned(build: Path) -> None:
    lock = _lock(build)
    wanted = json.loads((ROOT / "package.json").read_text("utf-8"))["devDependencies"]["pyodide"]
    assert lock["pyodide"] == wanted
    assert lock["python"].startswith("3.13.")
    assert f"\njson-repair=={lock['jsonRepair']} " in (ROOT / "requirements.lock").read_text("utf-8")


def test_the_wheel_holds_the_engine_and_json_repair_and_nothing_else(build: Path) -> None:
    engine = ROOT / "sidecar" / "tidelore" / "engine"
    ours = {f"tidelore/engine/{path.relative_to(engine).as_posix()}" for path in engine.rglob("*.py")} | {"tidelore/__init__.py"}
    with _wheel(build) as wheel:
        names = set(wheel.namelist())
        sources = {name for name in names if name.endswith(".py")}
        assert {name for name in sources if name.startswith("tidelore/")} == ours
        for name in ours:
            assert wheel.read(name) == (ROOT / "sidecar" / name).read_bytes()
        others = {name.partition("/")[0] for name in sources - ours}
        assert others == {"json_repair", "engine_channel.py", "engine_files.py", "engine_garbage.py", "engine_host.py", "engine_ports.py"}
        assert {f"{name}c" for name in sources} == {name for name in names if name.endswith(".pyc")}
        assert all(".dist-info/" in name for name in names if not name.endswith((".py", ".pyc")))


def test_byte_code_is_never_compared_with_time_stamps(build: Path) -> None:
    with _wheel(build) as wheel:
        for name in wheel.namelist():
            if name.endswith(".pyc"):
                assert wheel.read(name)[4:8] == b"\x01\0\0\0", name  # PEP 552: by hash, unchecked


def test_the_wheel_is_a_wheel_with_both_licences(build: Path) -> None:
    info = f"tidelore_engine-{__version__}.dist-info"
    with _wheel(build) as wheel:
        metadata = message_from_bytes(wheel.read(f"{info}/METADATA"))
        assert (metadata["Name"], metadata["Version"]) == ("tidelore-engine", __version__)
        for name in metadata.get_all("License-File", []):
            assert b"MIT" in wheel.read(f"{info}/licenses/{name}")
        record = {line.split(",")[0] for line in wheel.read(f"{info}/RECORD").decode().splitlines()}
        assert record == set(wheel.namelist())
        assert {entry.date_time for entry in wheel.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_lock_and_build_name_no_address(build: Path) -> None:
    assert "://" not in (build / "lock.json").read_text("utf-8")
    packages = json.loads((ROOT / "package-lock.json").read_text("utf-8"))["packages"]
    assert [name for name, package in packages.items() if "resolved" in package] == []
