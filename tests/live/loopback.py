"""Servers on loopback that stand for the internet: a git host to install from, and a CDN with the files of the page's Python."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.live.extension import copy_files

GIT = {"GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.org", "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@example.org"}


@contextmanager
def git_host(folder: Path) -> Iterator[str]:
    """The address of a repository with the files of this one as they are now, over git's own HTTP protocol."""
    work, bare = folder / "work", folder / "hosted" / "tidelore.git"
    copy_files(work)
    for command in (["init", "-q", "-b", "main"], ["add", "-A", "-f"], ["commit", "-q", "-m", "as it is now"]):
        subprocess.run(["git", *command], cwd=work, check=True, env={**os.environ, **GIT})
    subprocess.run(["git", "clone", "-q", "--bare", str(work), str(bare)], check=True)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._backend()

        def do_POST(self) -> None:
            self._backend()

        def _backend(self) -> None:
            path, _, query = self.path.partition("?")
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            env = {
                **{name: value for name, value in os.environ.items() if name in ("PATH", "HOME")},
                "GIT_PROJECT_ROOT": str(bare.parent),
                "GIT_HTTP_EXPORT_ALL": "1",
                "REQUEST_METHOD": self.command,
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                "REMOTE_ADDR": "127.0.0.1",
            }
            answer = subprocess.run(["git", "http-backend"], input=body, capture_output=True, env=env, check=True).stdout
            head, _, content = answer.partition(b"\r\n\r\n")
            headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
            self.send_response(int(headers.pop("Status", "200 OK").split()[0]))
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None: ...

    with _serving(Handler) as url:
        yield f"{url}/tidelore.git"


@contextmanager
def cdn(folder: Path) -> Iterator[str]:
    """The address under which the files of a folder are served to pages of every origin."""

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args, directory=str(folder))

        def end_headers(self) -> None:
            self.send_header("Access-Control-Allow-Origin", "*")
            super().end_headers()

        def log_message(self, format: str, *args: Any) -> None: ...

    with _serving(Handler) as url:
        yield f"{url}/"


@contextmanager
def _serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
