"""Results of the methods on the whole: the first page, jobs, prompts, settings. Others are in results.py and results_care.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tidelore.engine.results import FailedWindow, WindowInfo


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """`texts`: how many have a vector by now. `degraded`: why the embedder could not do all of them."""

    nodes: int
    edges: int
    documents: int
    texts: int
    degraded: list[str]


@dataclass(frozen=True, slots=True)
class Refreshed:
    """`documents`: the memories that can become cards, as far as they are indexed. `left`: how many changed nodes are not."""

    documents: int
    left: int


@dataclass(frozen=True, slots=True)
class Job:
    """`state`: running, done, failed or stopped. `error`: why it failed. Times in ms since 1970; `ended` is 0 while it runs."""

    job: str
    work: str
    chat: str
    state: str
    done: int
    total: int
    started: int
    ended: int
    error: str


@dataclass(frozen=True, slots=True)
class Jobs:
    """Newest first: what runs, and the last ones that ended since the start of the process."""

    jobs: list[Job]


@dataclass(frozen=True, slots=True)
class JobStopped:
    """`stopping` is false when the job had ended."""

    job: str
    stopping: bool


@dataclass(frozen=True, slots=True)
class LastExtraction:
    """`at`: ms since 1970, 0 for none. `by`: rules or model, `maker` the model's name. `first` and `last` index of its messages, null where
    they do not stand now."""

    at: int
    by: str
    maker: str
    first: int | None
    last: int | None


@dataclass(frozen=True, slots=True)
class RecallSummary:
    """`delivered`: whether there is a receipt for it."""

    recall: str
    at: int
    query: str
    memories: int
    tokens: int
    delivered: bool


@dataclass(frozen=True, slots=True)
class EmbedderInfo:
    """`documents` that recall knows. `model` is empty where there is none."""

    model: str
    dimension: int
    documents: int


@dataclass(frozen=True, slots=True)
class Overview:
    """All that a first page shows. `nodes` by kind and `states` by state, `rules_due` messages and `model_due` windows are still to be
    extracted, `failed` windows are set aside with the reason, `waiting` changes by hand wait, `cards` are to be decided. `model`: the
    memory model's name, empty where none is set."""

    chat: str
    messages: int
    commits: int
    nodes: dict[str, int]
    states: dict[str, int]
    edges: int
    pinned: int
    private: int
    rules_due: int
    model_due: int
    next: list[WindowInfo]
    failed: list[FailedWindow]
    waiting: int
    cards: int
    model: str
    embedder: EmbedderInfo
    extraction: LastExtraction
    recall: RecallSummary | None
    jobs: list[Job]


@dataclass(frozen=True, slots=True)
class PromptInfo:
    """`changed`: it is not the default. `improved`: the default has become another one since it was changed."""

    prompt: str
    language: str
    changed: bool
    improved: bool


@dataclass(frozen=True, slots=True)
class PromptInfos:
    prompts: list[PromptInfo]


@dataclass(frozen=True, slots=True)
class PromptView:
    """`text` as it is used, `default` as it comes. `placeholders`: what stands in braces; `needed` are those that must stay."""

    prompt: str
    language: str
    text: str
    default: str
    changed: bool
    improved: bool
    placeholders: list[str]
    needed: list[str]


@dataclass(frozen=True, slots=True)
class Setting:
    """`type`: number, whole or choice. `least` and `most` for numbers, `choices` for choices. `group` and `level` (basic or advanced)
    say where it is shown; names and meanings are in the locale files under `setting.NAME`. `changed`: it is not the default."""

    name: str
    type: str
    value: Any
    default: Any
    least: float | None
    most: float | None
    choices: list[str]
    group: str
    level: str
    changed: bool


@dataclass(frozen=True, slots=True)
class Settings:
    settings: list[Setting]
