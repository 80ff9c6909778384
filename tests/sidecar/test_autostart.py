"""`tidelore service`: what is written for each system, and what is done with it."""

from __future__ import annotations

import os
import plistlib
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.sidecar.cli_kit import answered, tidelore
from tidelore.host import autostart
from tidelore.host.autostart import Place, ServiceFailed, Step, service, system_of

ODD = ("/opt/my python/bin/python3", "-m", "tidelore", "serve", "--data", '/home/ann/100% "mine" $HOME\\x')


def place(home: Path) -> Place:
    return Place(home, home / ".config", home / "data", 501)


def test_systemd_gets_a_unit_that_it_takes(tmp_path: Path) -> None:
    found = service("linux", (sys.executable, "-m", "tidelore", "serve", "--data", "/home/ann/100% $HOME"), place(tmp_path))
    assert found.file == tmp_path / ".config" / "systemd" / "user" / "tidelore.service"
    text = found.content.decode()
    assert f'ExecStart="{sys.executable}" "-m" "tidelore" "serve" "--data" "/home/ann/100%% $$HOME"' in text
    assert found.install[0].command[:3] == ("systemctl", "--user", "daemon-reload")
    analyse = shutil.which("systemd-analyze")
    if analyse is None:
        pytest.skip("systemd is not here")
    found.file.parent.mkdir(parents=True)
    for content, code in ((text, 0), (text.replace("ExecStart=", "ExecStarted="), 1)):
        found.file.write_text(content)
        environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path)}
        command = [analyse, "verify", "--user", "--recursive-errors=no", "--man=no", str(found.file)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        assert (done.returncode != 0) == bool(code), done.stderr


def test_a_word_of_the_unit_stands_for_itself() -> None:
    text = service("linux", ODD, place(Path("/home/ann"))).content.decode()
    line = next(line for line in text.splitlines() if line.startswith("ExecStart="))
    plain = line.removeprefix("ExecStart=").replace("%%", "%").replace("$$", "$")
    assert tuple(shlex.split(plain)) == ODD


def test_launchd_gets_an_agent(tmp_path: Path) -> None:
    found = service("macos", ODD, place(tmp_path))
    told = plistlib.loads(found.content)
    assert told["ProgramArguments"] == list(ODD)
    assert (told["RunAtLoad"], told["KeepAlive"]) == (True, {"SuccessfulExit": False})
    assert found.file == tmp_path / "Library" / "LaunchAgents" / f"{told['Label']}.plist"
    assert [step.command for step in found.install] == [
        ("launchctl", "bootout", f"gui/501/{told['Label']}"),
        ("launchctl", "bootstrap", "gui/501", str(found.file)),
    ]
    assert found.install[0].optional, "it may not be there yet"


def test_windows_gets_a_task_without_the_limit_of_three_days(tmp_path: Path) -> None:
    found = service("windows", (r"C:\Program Files\Python\pythonw.exe", *ODD[1:]), place(tmp_path))
    root = ElementTree.fromstring(found.content.decode("utf-16"))
    name = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"
    assert root.findtext(f".//{name}Command") == r"C:\Program Files\Python\pythonw.exe"
    assert root.findtext(f".//{name}Arguments") == subprocess.list2cmdline(ODD[1:])
    assert root.findtext(f".//{name}ExecutionTimeLimit") == "PT0S"
    assert found.content.startswith(b"\xff\xfe")
    assert found.install[0].command == ("schtasks", "/Create", "/TN", "Tidelore", "/XML", str(found.file), "/F")
    assert found.remove[-1].command == ("schtasks", "/Delete", "/TN", "Tidelore", "/F")


@pytest.mark.parametrize(("platform", "system"), [("linux", "linux"), ("darwin", "macos"), ("win32", "windows")])
def test_the_system_is_known_by_its_name(platform: str, system: str) -> None:
    assert system_of(platform) == system


def test_a_system_that_is_not_known_is_an_error() -> None:
    with pytest.raises(ServiceFailed):
        system_of("plan9")


def test_a_step_that_fails_is_told_unless_it_may() -> None:
    with pytest.raises(ServiceFailed, match="exit code 3"):
        autostart.carry_out([Step((sys.executable, "-c", "raise SystemExit(3)"))])
    with pytest.raises(ServiceFailed, match="not here"):
        autostart.carry_out([Step(("no-such-program-anywhere",))])
    autostart.carry_out([Step((sys.executable, "-c", "raise SystemExit(3)"), optional=True)])


linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="tries the commands of Linux")


def home(tmp_path: Path, systemctl: str = "") -> dict[str, str]:
    """A person of one's own, with a systemctl that notes what it is told."""
    folder = tmp_path / "bin"
    folder.mkdir()
    if systemctl:
        (folder / "systemctl").write_text(f"#!/bin/sh\n{systemctl}\n")
        (folder / "systemctl").chmod(0o755)
    return {"HOME": str(tmp_path), "PATH": str(folder), "XDG_CONFIG_HOME": ""}


@linux
@pytest.mark.slow
def test_it_is_installed_told_of_and_removed(tmp_path: Path) -> None:
    log = tmp_path / "log"
    env = home(tmp_path, f'echo "$@" >> {shlex.quote(str(log))}')
    data = tmp_path / "data"
    assert answered(data, "service", "status", env=env)["installed"] is False
    dry = answered(data, "service", "install", "--dry-run", env=env)
    assert not log.exists()
    assert not Path(dry["file"]).exists()
    assert dry["commands"][-1] == "systemctl --user restart tidelore.service"
    shown = tidelore(data, "service", "install", "--dry-run", env=env).stdout
    assert "[Service]" in shown
    assert dry["file"] in shown.replace("\n", "")
    done = answered(data, "service", "install", env=env)
    assert Path(done["file"]).read_text() == dry["content"]
    assert f'"--data" "{data}"' in dry["content"]
    assert log.read_text().splitlines() == ["--user daemon-reload", "--user enable tidelore.service", "--user restart tidelore.service"]
    status = answered(data, "service", "status", env=env)
    assert (status["installed"], status["current"]) == (True, True)
    assert answered(tmp_path / "other", "service", "status", env=env)["current"] is False
    assert answered(data, "service", "remove", env=env)["removed"] is True
    assert not Path(done["file"]).exists()
    assert log.read_text().splitlines()[3:] == ["--user disable --now tidelore.service", "--user daemon-reload"]
    assert answered(data, "service", "remove", env=env)["removed"] is False


@linux
@pytest.mark.slow
@pytest.mark.parametrize("systemctl", ["", "echo 'Failed to connect to bus' >&2; exit 1"])
def test_where_systemd_does_not_run_it_says_so_and_can_be_removed(tmp_path: Path, systemctl: str) -> None:
    env = home(tmp_path, systemctl)
    found = answered(tmp_path / "data", "service", "install", code=1, env=env)["error"]
    assert found["code"] == "service_failed"
    assert ("Failed to connect to bus" if systemctl else "not here") in found["message"]
    assert answered(tmp_path / "data", "service", "remove", env=env)["removed"] is True
    assert list((tmp_path / ".config").rglob("*.service")) == []
