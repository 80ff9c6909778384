"""Parameters of the methods that look after memories, as callers see them. Those of all others are in methods.py."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class NodeList:
    """`query`: words that must all be in a memory, in any form, or the beginning of what it says; empty finds every memory. `kinds`,
    `subs`, `scopes`: of these alone, empty for all. `states`: current, superseded, archived, hidden; all but hidden where it is left out.
    `about`: a node's id or a name: itself and what hangs together with it. `first` and `last`: only what rests on messages from this
    index to that one. `marked`: pinned or private alone. `private`: whether what is private is listed too."""

    chat: str
    query: str = ""
    kinds: list[str] = field(default_factory=list[str])
    subs: list[str] = field(default_factory=list[str])
    scopes: list[str] = field(default_factory=list[str])
    states: list[str] = field(default_factory=list[str])
    about: str = ""
    first: int | None = None
    last: int | None = None
    marked: Literal["", "pinned", "private"] = ""
    private: bool = True
    sort: Literal["newest", "oldest", "changed", "importance", "text"] = "newest"
    offset: int = 0
    limit: int = 50


@dataclass(frozen=True, slots=True)
class NodeMerge:
    """`keep`: the memory that stays, `others` those that go into it; ids, beginnings of ids that no other has, or names. `text`: what the
    one memory says; left out, what the newest of them says. Of entities it is the name, and all names lead to the one."""

    chat: str
    keep: str
    others: list[str]
    text: str = ""


@dataclass(frozen=True, slots=True)
class NodeSplit:
    """Of a memory with a text, `texts`: what each part says, two or more; the first stays the memory itself. Of an entity, `names`: those
    of its other names that mean somebody else."""

    chat: str
    node: str
    texts: list[str] = field(default_factory=list[str])
    names: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class CardsList:
    """`limit`: how many cards, `alike`: from which share of common words on two facts count as the same, 0.5 to 1."""

    chat: str
    alike: float | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class CardsDecide:
    """`card`: its id from cards.list. `text`: with the choice "merge", what the one memory says; left out, what the newer one says."""

    chat: str
    card: str
    choice: Literal["keep_old", "keep_new", "keep_both", "merge"]
    text: str = ""


@dataclass(frozen=True, slots=True)
class UndoList:
    """`before`: the commit of the last row of the page before. `authors`: of these alone, empty for all."""

    chat: str
    before: str = ""
    limit: int = 50
    authors: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Redo:
    """`commit`: the undo that is to be taken back, or what it undid; by default the newest undo of this chat."""

    chat: str
    commit: str = ""


@dataclass(frozen=True, slots=True)
class Export:
    """`format`: "tidelore" is everything, to go on elsewhere; "markdown" is for people; "jsonl" is the file of the MCP memory server.
    `private`: whether what is private goes along; "tidelore" always holds all."""

    chat: str
    format: Literal["tidelore", "markdown", "jsonl"] = "tidelore"
    private: bool = False


@dataclass(frozen=True, slots=True)
class Import:
    """`text`: the file. `format`: one of those that the result of export names; left out, it is found out. `dry`: only say what would
    come. `chat`: where it goes; one that is not there is made."""

    chat: str
    text: str
    format: str = ""
    dry: bool = False


@dataclass(frozen=True, slots=True)
class IndexRefresh:
    """`most`: nodes at most, all without it."""

    chat: str
    most: int | None = None


@dataclass(frozen=True, slots=True)
class JobList:
    """`chat`: of this one alone."""

    chat: str = ""


@dataclass(frozen=True, slots=True)
class JobStop:
    """`job`: its id from job.list."""

    job: str


@dataclass(frozen=True, slots=True)
class PromptOnly:
    """`prompt`: its id from prompt.list."""

    prompt: str


@dataclass(frozen=True, slots=True)
class PromptSet:
    """`text` with the placeholders that prompt.get lists, each in braces."""

    prompt: str
    text: str


@dataclass(frozen=True, slots=True)
class SettingsSet:
    """`values` by name, as settings.describe lists them. All are taken or, after an error, none."""

    values: dict[str, Any]


@dataclass(frozen=True, slots=True)
class SettingsReset:
    """`names`: which go back to their defaults; empty for all."""

    names: list[str] = field(default_factory=list[str])
