"""A model on loopback that says what a test told it to, over the OpenAI API, and remembers what it was asked."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.live.replies import MODEL, Answer, Body, Call, Failure, Message, Reply, Script, chunks, embeddings, text_of, whole

PATIENCE = 60.0
HUNG_UP = (BrokenPipeError, ConnectionResetError, ConnectionAbortedError)


class ScriptedModel:
    """Serves /v1/models, /v1/chat/completions, /v1/completions and /v1/embeddings while it is entered."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.embedded: list[Body] = []
        self.faults: list[BaseException] = []
        self._changed = threading.Condition()
        self._script: Script = self._echo
        self._queue: list[Answer | Script] = []
        self._held: list[threading.Event] = []
        self._server = _Server(self)

    def __enter__(self) -> ScriptedModel:
        threading.Thread(target=self._server.serve_forever, name="scripted-model", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def reply_with(self, script: Script | Answer) -> None:
        """What every request gets from now on."""
        self._script = script if callable(script) else lambda messages, body: script

    def queue(self, *answers: Answer | Script) -> None:
        """Answers used once each, in order, before the script is asked again."""
        with self._changed:
            self._queue.extend(answers)

    def hold(self) -> threading.Event:
        """An event for `Reply.before_first` or `before_last`; `clear` and leaving set it, so nothing waits for ever."""
        self._held.append(threading.Event())
        return self._held[-1]

    def release(self) -> None:
        """Let every reply that is held back go on."""
        for event in self._held:
            event.set()
        self._held.clear()

    def clear(self) -> None:
        """Forget every call and script; the answers are "Reply N to: the user's last words" again."""
        self.release()
        with self._changed:
            self.calls.clear()
            self.embedded.clear()
            self.faults.clear()
            self._queue.clear()
        self._script = self._echo

    def prompts(self) -> list[list[Message]]:
        """The messages of every completion request so far."""
        with self._changed:
            return [call.messages for call in self.calls]

    def wait_calls(self, count: int, seconds: float = PATIENCE) -> list[Call]:
        """The calls, as soon as there are `count` of them. Raises TimeoutError."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self.calls) >= count, seconds):
                raise TimeoutError(f"the scripted model has {len(self.calls)} calls, not {count}")
            return list(self.calls)

    def take(self, call: Call) -> Reply | Failure:
        """Note a call and choose its answer."""
        with self._changed:
            self.calls.append(call)
            self._changed.notify_all()
            chosen = self._queue.pop(0) if self._queue else self._script
        answer = chosen(call.messages, call.body) if callable(chosen) else chosen
        return Reply(content=answer) if isinstance(answer, str) else answer

    def _echo(self, messages: Sequence[Message], body: Body) -> str:
        said = [text_of(message) for message in messages if message.get("role") == "user"]
        return f"Reply {len(self.calls)} to: {' '.join(''.join(said[-1:]).split())[:60]}"


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: ScriptedModel) -> None:
        self.model = model
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """A fault in a test's script must be seen: the fixture looks at `faults`."""
        error = sys.exc_info()[1]
        if error is not None and not isinstance(error, HUNG_UP):
            self.model.faults.append(error)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_: object) -> None:
        pass

    def do_OPTIONS(self) -> None:
        self.send_response(204)
        for name in ("Origin", "Headers", "Methods"):
            self.send_header(f"Access-Control-Allow-{name}", "*")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        known = self.path.rstrip("/").endswith("/models")
        self._json(200, {"object": "list", "data": [{"id": MODEL, "object": "model"}]} if known else {"ok": True})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        path = self.path.split("?")[0].rstrip("/")
        if path.endswith("/embeddings"):
            self.server.model.embedded.append(body)
            self._json(200, embeddings(body))
        elif path.endswith("/completions"):
            call = Call(path, dict(self.headers), body)
            try:
                self._answer(call, self.server.model.take(call))
            except HUNG_UP:
                call.aborted = self.close_connection = True
            finally:
                call.done.set()
        else:
            self._json(404, {"error": {"message": "the scripted model has no such path"}})

    def _answer(self, call: Call, answer: Reply | Failure) -> None:
        chat = call.path.endswith("/chat/completions")
        match answer:
            case Failure(status, message):
                self._json(status, {"error": {"message": message, "type": "scripted"}})
            case Reply():
                _wait(answer.before_first)
                if call.stream:
                    self._stream(answer, chat)
                else:
                    _wait(answer.before_last)
                    self._json(200, whole(answer, chat))

    def _stream(self, reply: Reply, chat: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        left = len(reply.cut())
        for is_text, data in chunks(reply, chat):
            if is_text:
                if left == 1:
                    _wait(reply.before_last)
                left -= 1
                time.sleep(reply.between_pieces)  # otherwise the page gets them all at once, which is no stream
            self.wfile.write(data)
            self.wfile.flush()

    def _json(self, status: int, value: Mapping[str, Any]) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        self.wfile.write(data)


def _wait(event: threading.Event | None) -> None:
    if event is not None and not event.wait(PATIENCE):
        raise TimeoutError("a reply was held back and never let go")
