"""Errors of engine and import in the words of the command line: its language, and hints that name commands instead of methods."""

from __future__ import annotations

import re

from tidelore.engine.errors import TideloreError
from tidelore.texts import Texts

# What the engine says, and the name of our text for it; the named parts fill the text in. Anything else stands as it is.
_FAULTS = tuple(
    (name, re.compile(pattern, re.DOTALL))
    for name, pattern in (
        ("no_file", r"There is no file (?P<file>.+)\."),
        ("unreadable", r"(?P<file>.+) cannot be read: (?P<reason>[^:]+)\."),
        ("empty", r"(?P<file>.+) is empty\."),
        ("no_text", r"(?P<file>.+) is not a text file\."),
        ("zip", r"(?P<file>.+) is a ZIP archive\."),
        ("utf32", r"(?P<file>.+) is written in UTF-32\."),
        ("encoding", r"The encoding of (?P<file>.+) is not known\."),
        ("no_chat_in_it", r"(?P<file>.+) is JSON, but holds no chat that can be read\."),
        ("deep_json", r"The JSON of (?P<file>.+) is nested too deeply\."),
        ("broken_json", r"(?P<file>.+) is broken JSON: (?P<reason>.+)\."),
        ("no_speakers", r"No line of the text begins with a speaker's name and a colon\."),
        ("nothing_in_it", r"(?P<file>.+) holds no message that can be imported \((?P<counts>.+)\)\."),
        ("file_changed", r"The file has changed meanwhile\."),
        ("no_chat", r"There is no chat named ['\"](?P<chat>.+)['\"]\."),
        ("no_node", r"There is no node ['\"](?P<node>.+)['\"] in this chat now\."),
        ("many_nodes", r"(?P<n>\d+) nodes begin with ['\"](?P<node>.+)['\"]\."),
        ("no_index", r"(?P<what>\w+) is (?P<index>-?\d+), and there is no such message\."),
        ("indexes", r"The chat ['\"](?P<chat>.+)['\"] has messages 0 to (?P<last>\d+)\."),
        ("no_indexes", r"The chat ['\"](?P<chat>.+)['\"] has no messages\."),
        ("range", r"range is \[(?P<first>\d+), (?P<last>\d+)\]\."),
        ("lag", r"lag is (?P<value>-?\d+)\."),
        ("not_positive", r"(?P<what>\w+) is (?P<value>-?\d+)\."),
        ("no_change", r"There is no such change in this chat\."),
        ("undone", r"This change is undone already\."),
        ("nothing_to_undo", r"There is nothing to undo in this chat\."),
        ("no_difference", r"Nothing would change: the node reads like this already\."),
        ("importance", r"importance cannot be (?P<value>.+)\."),
        ("running", r"An extraction of this chat is already running\."),
        ("the_user", r"The user is (?P<name>.+)\."),
        ("no_user", r"None of the speakers is the user\."),
        ("stand_once", r"Taken for text, not for speakers, because they stand only once: (?P<names>.+)\."),
    )
)


def in_words(texts: Texts, error: TideloreError) -> TideloreError:
    """The same error as a person at the command line reads it."""
    name = _name(error.sentence)
    hint = sentence(texts, error.hint)
    if name and texts.has(f"fault.{name}.hint"):
        hint = texts(f"fault.{name}.hint")
    told = TideloreError(sentence(texts, error.sentence), hint)
    told.code = error.code
    return told


def sentence(texts: Texts, said: str) -> str:
    """A sentence of engine or import, in the language of the interface where it is a known one."""
    for name, pattern in _FAULTS:
        found = pattern.fullmatch(said)
        if found:
            return texts(f"fault.{name}", **found.groupdict())
    return said


def _name(said: str) -> str:
    return next((name for name, pattern in _FAULTS if pattern.fullmatch(said)), "")
