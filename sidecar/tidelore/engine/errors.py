"""The errors of Tidelore.

TideloreError            code, sentence, hint
  BadInput               the caller sent something that cannot be understood
  NotFound               a chat, node or file that is not there
  Conflict               what is stored is no longer what the caller saw
  ModelError             the memory model could not be used
    ModelUnreachable     network, 429 or 5xx: try again later (transient)
    ModelRefused         the endpoint said no: key, model name, request
    ModelAnswer          an answer came, but nothing usable is in it
  StoreError             the data folder cannot be read or written
    Unusable             one file of a folder cannot; others may
  Cancelled              the caller cancelled, or the deadline passed
"""

from __future__ import annotations


class TideloreError(Exception):
    """Base of all: `code` for programs, the sentence for people, `hint` says what to do."""

    code = "error"

    def __init__(self, sentence: str, hint: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.hint = hint


class BadInput(TideloreError):
    code = "bad_input"


class NotFound(TideloreError):
    code = "not_found"


class Conflict(TideloreError):
    code = "conflict"


class ModelError(TideloreError):
    code = "model_error"
    transient = False


class ModelUnreachable(ModelError):
    """`wait`: seconds after which the service wants to be asked again, 0 where it does not say."""

    code = "model_unreachable"
    transient = True

    def __init__(self, sentence: str, hint: str = "", wait: float = 0.0) -> None:
        super().__init__(sentence, hint)
        self.wait = wait


class ModelRefused(ModelError):
    code = "model_refused"


class ModelAnswer(ModelError):
    """`raw` is the answer as it came, for the job list."""

    code = "model_answer"

    def __init__(self, sentence: str, hint: str = "", raw: str = "") -> None:
        super().__init__(sentence, hint)
        self.raw = raw


class StoreError(TideloreError):
    code = "store_error"


class Unusable(StoreError):
    """What stands under the name of a file is none, or this one alone may not be read or written."""


class Cancelled(TideloreError):
    code = "cancelled"
