"""Work that takes long: what runs, how far it is, how it ended; and how to stop it from another call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

from tidelore.engine.errors import Cancelled, TideloreError
from tidelore.engine.ports import Now, Token
from tidelore.engine.table import Call

KEPT = 20


@dataclass(slots=True)
class Job:
    """`chat` is its name. `stopping`: somebody asked for its end. Times in ms since 1970."""

    id: str
    work: str
    chat: str
    started: int
    state: Literal["running", "done", "failed", "stopped"] = "running"
    done: int = 0
    total: int = 0
    ended: int = 0
    error: str = ""
    stopping: bool = False


class Jobs:
    """The jobs of this process; of those that ended, the last few."""

    def __init__(self, now: Now, token: Token) -> None:
        self._now = now
        self._token = token
        self._jobs: dict[str, Job] = {}

    def all(self) -> list[Job]:
        """Newest first."""
        return list(reversed(self._jobs.values()))

    def find(self, id_: str) -> Job | None:
        return self._jobs.get(id_)

    @contextmanager
    def run(self, work: str, chat: str, call: Call) -> Iterator[Call]:
        """Keeps the job while the body runs. The call that is handed out notes progress here too, and is cancelled by a stop."""
        job = Job(self._token(), work, chat, self._now())
        self._jobs[job.id] = job
        self._forget()

        def progress(done: int, total: int) -> None:
            job.done, job.total = done, total
            call.progress(done, total)

        try:
            yield replace(call, progress=progress, cancelled=lambda: job.stopping or call.cancelled())
        except Cancelled:
            self._end(job, "stopped", "")
            raise
        except TideloreError as error:
            self._end(job, "failed", error.sentence)
            raise
        except BaseException:
            # The caller went away, or something is broken; whoever is above says which.
            self._end(job, "failed", "")
            raise
        self._end(job, "done", "")

    def _end(self, job: Job, state: Literal["done", "failed", "stopped"], error: str) -> None:
        job.state, job.error, job.ended = state, error, self._now()

    def _forget(self) -> None:
        ended = [id_ for id_, job in self._jobs.items() if job.ended]
        for id_ in ended[: max(0, len(ended) - KEPT)]:
            del self._jobs[id_]
