"""SillyTavern's server as a process on a free port of loopback."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

from tests.live.data_root import DataRoot
from tests.live.extension import ROOT

HERE = Path(__file__).parent
PACKAGE = HERE / "node_modules" / "sillytavern"
FRONT_END = ROOT / "build" / "live-front-end"
SECONDS = 180.0


class Server:
    """Runs while it is entered; `restart` keeps the data root and the port."""

    def __init__(self, root: DataRoot) -> None:
        self.root = root
        self.port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Server:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def log(self) -> str:
        return self.root.log.read_text("utf-8", "replace") if self.root.log.exists() else ""

    def start(self) -> None:
        """Start and wait until it answers. Raises RuntimeError with the end of its log."""
        node = shutil.which("node")
        if node is None or not (HERE / "node_modules" / ".tidelore-ready").exists():
            raise RuntimeError("Node.js and SillyTavern are needed: run `make test-live`, which says what is missing.")
        compiled = self.root.data / "_webpack"
        if FRONT_END.is_dir() and not compiled.exists():
            shutil.copytree(FRONT_END, compiled)
        command = [node, "--require", str(HERE / "leash.cjs"), "server.js", "--port", str(self.port), "--listen", "false"]
        command += ["--dataRoot", str(self.root.data), "--configPath", str(self.root.config), "--browserLaunchEnabled", "false"]
        with self.root.log.open("ab") as log:
            self._process = subprocess.Popen(command, cwd=PACKAGE, env=_environment(), stdin=subprocess.PIPE, stdout=log, stderr=log)
        self._wait(self._process)
        if compiled.is_dir():
            _keep(compiled)

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        end = time.monotonic() + SECONDS
        while process.poll() is None and time.monotonic() < end:
            try:
                with direct.open(f"{self.address}/csrf-token", timeout=5) as answer:
                    answer.read()
            except OSError:
                time.sleep(0.1)
            else:
                return
        state = "does not answer" if process.poll() is None else f"ended with {process.returncode}"
        raise RuntimeError(f"SillyTavern {state}:\n{self.log()[-3000:]}")

    def stop(self) -> None:
        """End the process that this object started."""
        process, self._process = self._process, None
        if process is None:
            return
        with process:  # closes the pipe and waits
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()

    def kill(self) -> None:
        """As when the machine goes down: no chance to save anything."""
        if self._process is not None:
            self._process.kill()
        self.stop()

    def restart(self) -> None:
        self.stop()
        self.start()


def _environment() -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("SILLYTAVERN_")}
    # SillyTavern asks git for its revision and compiles its front end anew when that changes: ours is not its.
    return {**own, "GIT_CEILING_DIRECTORIES": str(PACKAGE.parent)}


def _keep(compiled: Path) -> None:
    """Keep the compiled front end for the next start, unless it is kept already."""
    if {path.name for path in compiled.iterdir()} == ({path.name for path in FRONT_END.iterdir()} if FRONT_END.is_dir() else set()):
        return
    fresh = FRONT_END.with_name(f"{FRONT_END.name}.{os.getpid()}")
    shutil.copytree(compiled, fresh)
    shutil.rmtree(FRONT_END, ignore_errors=True)
    try:
        fresh.rename(FRONT_END)
    except OSError:  # another run was quicker
        shutil.rmtree(fresh)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
