"""How the sidecar starts with the session of its person: files and commands for systemd, launchd and the Windows task scheduler. Makes
them as values; `carry_out` does what they say."""

from __future__ import annotations

import plistlib
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias
from xml.sax.saxutils import escape

from tidelore.engine.errors import StoreError, TideloreError

System: TypeAlias = Literal["linux", "macos", "windows"]
UNIT, LABEL, TASK = "tidelore.service", "tidelore.serve", "Tidelore"
SECONDS = 60.0


class ServiceFailed(TideloreError):
    """The system would not do it."""

    code = "service_failed"


@dataclass(frozen=True, slots=True)
class Place:
    """Where files of a person lie. `config`: on Linux ~/.config; `user`: the number of the person on macOS."""

    home: Path
    config: Path
    data: Path
    user: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """A command. One that is `optional` may fail, since what it takes away may not be there."""

    command: tuple[str, ...]
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Service:
    """`file` with `content` is written before the steps of `install`, and goes after those of `remove`."""

    file: Path
    content: bytes
    install: Sequence[Step]
    remove: Sequence[Step]


def service(system: System, command: Sequence[str], place: Place) -> Service:
    """`command`: what is to run."""
    match system:
        case "linux":
            return _systemd(command, place)
        case "macos":
            return _launchd(command, place)
        case "windows":
            return _task(command, place)


def system_of(platform: str) -> System:
    """As `sys.platform` calls it. Raises ServiceFailed for a system that is not known."""
    if platform.startswith("linux"):
        return "linux"
    if platform == "darwin":
        return "macos"
    if platform == "win32":
        return "windows"
    raise ServiceFailed(f"How programs are started on {platform} is not known.", "Start `tidelore serve` in the way of that system.")


def _systemd(command: Sequence[str], place: Place) -> Service:
    # https://www.freedesktop.org/software/systemd/man/latest/systemd.service.html
    content = f"""[Unit]
Description=Tidelore: one memory for the programs on this machine

[Service]
Type=exec
ExecStart={" ".join(map(_for_systemd, command))}
Restart=on-failure
RestartSec=5
TimeoutStopSec=30
UMask=0077
NoNewPrivileges=true

[Install]
WantedBy=default.target
"""
    systemctl = ("systemctl", "--user")
    return Service(
        place.config / "systemd" / "user" / UNIT,
        content.encode(),
        (Step((*systemctl, "daemon-reload")), Step((*systemctl, "enable", UNIT)), Step((*systemctl, "restart", UNIT))),
        (Step((*systemctl, "disable", "--now", UNIT), optional=True), Step((*systemctl, "daemon-reload"), optional=True)),
    )


def _for_systemd(word: str) -> str:
    """A word in quotes; % and $ stand for themselves."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("%", "%%").replace("$", "$$")
    return f'"{plain}"'


def _launchd(command: Sequence[str], place: Place) -> Service:
    # man 5 launchd.plist
    file = place.home / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    told = {
        "Label": LABEL,
        "ProgramArguments": list(command),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ProcessType": "Background",
        "ExitTimeOut": 30,
        "Umask": 0o077,
        "StandardErrorPath": str(place.home / "Library" / "Logs" / "tidelore.log"),
    }
    domain = f"gui/{place.user}"
    out = Step(("launchctl", "bootout", f"{domain}/{LABEL}"), optional=True)
    return Service(file, plistlib.dumps(told), (out, Step(("launchctl", "bootstrap", domain, str(file)))), (out,))


def _task(command: Sequence[str], place: Place) -> Service:
    # https://learn.microsoft.com/windows/win32/taskschd/task-scheduler-schema; without the limit a task ends after three days.
    program, arguments = command[0], subprocess.list2cmdline(command[1:])
    content = f"""<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo><Description>Tidelore: one memory for the programs on this machine</Description></RegistrationInfo>
  <Triggers><LogonTrigger><Enabled>true</Enabled></LogonTrigger></Triggers>
  <Principals><Principal id="Author"><LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel></Principal></Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure><Interval>PT1M</Interval><Count>10</Count></RestartOnFailure>
  </Settings>
  <Actions Context="Author"><Exec><Command>{escape(program)}</Command><Arguments>{escape(arguments)}</Arguments></Exec></Actions>
</Task>
"""
    file = place.data / "service.xml"
    named = ("/TN", TASK)
    return Service(
        file,
        content.replace("\n", "\r\n").encode("utf-16"),
        (Step(("schtasks", "/Create", *named, "/XML", str(file), "/F")), Step(("schtasks", "/Run", *named))),
        (Step(("schtasks", "/End", *named), optional=True), Step(("schtasks", "/Delete", *named, "/F"), optional=True)),
    )


def install(found: Service) -> None:
    """Writes the file and runs the steps. Raises StoreError, ServiceFailed; then the file stands, and the hint says what is left to do."""
    try:
        found.file.parent.mkdir(parents=True, exist_ok=True)
        found.file.write_bytes(found.content)
    except OSError as error:
        raise StoreError(f"{found.file} cannot be written: {error}.", "Check that its folder may be written.") from error
    carry_out(found.install)


def remove(found: Service) -> bool:
    """Runs the steps and removes the file; whether it was there. Raises StoreError."""
    there = found.file.exists()
    if there:
        carry_out(found.remove[:1])
    try:
        found.file.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"{found.file} cannot be removed: {error}.", "Remove it by hand.") from error
    if there:
        carry_out(found.remove[1:])
    return there


def carry_out(steps: Sequence[Step]) -> None:
    """Raises ServiceFailed."""
    for step in steps:
        program = shutil.which(step.command[0])
        said = "it is not here"
        if program is not None:
            try:
                done = subprocess.run([program, *step.command[1:]], capture_output=True, timeout=SECONDS, check=False)
            except (OSError, subprocess.TimeoutExpired) as error:
                said = type(error).__name__
            else:
                if done.returncode == 0:
                    continue
                said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[:300] or f"exit code {done.returncode}"
        if not step.optional:
            raise ServiceFailed(f"{' '.join(step.command)}: {said}", "The file is written; `tidelore serve` starts it by hand meanwhile.")
