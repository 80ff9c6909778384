"""Text with a speaker at the start of each message: "Name: text", or Markdown with "**Name:** text".

A list mark or a time of day before the name ("- Name: text", "12:30 Name: text") is dropped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tidelore.engine.errors import BadInput

from .chat import ChatBuilder, ImportedChat, Origin, Reason
from .dates import iso_date
from .reading import ACCEPTED

# The name that is the user's, the first that the file has.
USER_NAMES = ("user", "you", "me", "我", "用户", "human")
_ASSISTANT_NAMES = frozenset({"assistant", "ai", "chatgpt", "claude", "gemini", "deepseek", "bot", "character", "助手", "角色"})
_LEFT_OUT: dict[str, Reason] = {"system": "system", "系统": "system", "tool": "tool", "function": "tool", "工具": "tool"}
# What stands before a colon in running text more often than a speaker does.
_NO_NAMES = frozenset({
    "note", "notes", "ps", "p.s", "ooc", "edit", "update", "warning", "example", "tip", "title", "date", "time", "summary", "todo",
    "http", "https", "注", "注意", "例如", "比如", "标题", "日期", "时间", "总结", "提示",
})  # fmt: skip

_DATE = r"[ \t]*(?:\[(?P<date>[^\]\n]{6,40})\][ \t]*)?"
_PLAIN = re.compile(_DATE + r"(?P<name>[^\s:：][^:：\n]{0,39})[:：][ \t]?(?P<text>.*)")
_BOLD = re.compile(
    _DATE
    + r"(?:[-*>][ \t]+)?(?:\*\*|__)(?P<name>[^*_:：\n]{1,40})"
    + r"(?:[:：][ \t]*(?:\*\*|__)|(?:\*\*|__)[ \t]*[:：])[ \t]*(?P<text>.*)"
)
_TIME = r"\[?(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?:[ \t]?[AaPp][Mm])?\]?"
_MARK = re.compile(rf"[ \t]*(?:[-*+•>][ \t]+(?:{_TIME}[ \t]+)?|{_TIME}[ \t]+(?:[-–—][ \t]+)?)(?=\S)")
_NOT_IN_NAMES = re.compile(r'[,!?;"“”「」。，！？；、/\\<>|=*#()（）\[\]]')
_RULE = re.compile(r"\s*(?:-{3,}|\*{3,}|_{3,})\s*")


@dataclass(frozen=True, slots=True)
class _Line:
    """`loose`: something stood before the name, as in a list; such a line may also be a list within a message."""

    text: str
    name: str = ""
    date: str = ""
    rest: str = ""
    loose: bool = False


def load(title: str, text: str, user_name: str, notes: Iterable[str]) -> ImportedChat:
    """The chat in `text`; BadInput when it has no speakers.

    The user is the first of USER_NAMES that speaks, else `user_name`, else the first speaker that is no assistant by name.
    """
    lines = text.split("\n")
    bold = [_bold(line) for line in lines]
    plain = [_plain(line) for line in lines]
    # One bold word before a colon in a plain chat is emphasis.
    marked = sum(1 for line in bold if line.name)
    origin: Origin = "markdown" if marked >= 2 or (marked and not any(line.name for line in plain)) else "text"
    chat = ChatBuilder(title, origin, notes)
    read = bold if origin == "markdown" else _sure(plain)
    speakers = _speakers(read, chat)
    if origin == "markdown":
        # Whoever speaks in bold is known, and speaks without it too.
        read = [with_bold if with_bold.name or line.name not in speakers else line for with_bold, line in zip(bold, plain, strict=True)]
    if not speakers:
        raise BadInput("No line of the text begins with a speaker's name and a colon.", ACCEPTED)
    user = _user(speakers, user_name)
    _collect(read, speakers, user, chat)
    chat.note(f"The user is {user}." if user else "None of the speakers is the user.")
    return chat.build()


def _sure(lines: Sequence[_Line]) -> list[_Line]:
    """Without the names of loose lines, except where most lines are so, or somebody speaks who speaks elsewhere too."""
    known = {line.name for line in lines if line.name and not line.loose}
    loose = sum(line.loose for line in lines)
    if loose * 2 > sum(1 for line in lines if line.name):
        return list(lines)
    return [line if not line.loose or line.name in known else _Line(line.text) for line in lines]


def _plain(line: str) -> _Line:
    mark = _MARK.match(line)
    if mark:
        found = _named(line[mark.end() :])
        return replace(found, text=line, loose=True) if found.name else _Line(line)
    return _named(line)


def _named(line: str) -> _Line:
    match = _PLAIN.fullmatch(line)
    if not match:
        return _Line(line)
    name, rest = match["name"].strip(), match["text"]
    # "https://…", "at 10:30"
    if rest.startswith("//") or (name[-1:].isdigit() and rest[:1].isdigit()):
        return _Line(line)
    return _labelled(line, name, match["date"] or "", rest)


def _bold(line: str) -> _Line:
    match = _BOLD.fullmatch(line)
    return _labelled(line, match["name"].strip(), match["date"] or "", match["text"]) if match else _Line(line)


def _labelled(line: str, name: str, date: str, rest: str) -> _Line:
    return _Line(line, name, date, rest) if _is_name(name) and (not date or iso_date(date)) else _Line(line)


def _is_name(name: str) -> bool:
    if not name or name[0] in "-+~`'.&" or len(name.split()) > 4 or _NOT_IN_NAMES.search(name):
        return False
    return any(char.isalpha() for char in name) and name.lower().rstrip(".") not in _NO_NAMES


def _speakers(lines: Sequence[_Line], chat: ChatBuilder) -> list[str]:
    """The names that speak, in order. Where two speak again and again, a name that stands once is a word before a colon."""
    counts = Counter(line.name for line in lines if line.name)
    again = [name for name, count in counts.items() if count > 1]
    if len(again) < 2:
        return list(counts)
    known = {*USER_NAMES, *_ASSISTANT_NAMES, *_LEFT_OUT}
    once = [name for name, count in counts.items() if count == 1 and name.lower() not in known]
    if once:
        shown = ", ".join(once[:10]) + (" and others" if len(once) > 10 else "")
        chat.note(f"Taken for text, not for speakers, because they stand only once: {shown}.")
    return [name for name in counts if name not in once]


def _user(speakers: Sequence[str], user_name: str) -> str:
    by_name = {name.lower(): name for name in reversed(speakers)}
    for name in (*USER_NAMES, user_name.strip().lower()):
        if name in by_name:
            return by_name[name]
    people = [name for name in speakers if name.lower() not in _LEFT_OUT]
    return next((name for name in people if name.lower() not in _ASSISTANT_NAMES), "")


def _collect(lines: Sequence[_Line], speakers: Iterable[str], user: str, chat: ChatBuilder) -> None:
    names = frozenset(speakers)
    speaker = date = ""
    body: list[str] = []
    for line in (*lines, None):
        if line is not None and line.name not in names:
            if speaker:
                body.append(line.text)
            elif line.text.strip():
                chat.skip("preamble")
            continue
        if speaker:
            _add(chat, speaker, _body(body, chat.origin), user, date)
        if line is not None:
            speaker, date = line.name, line.date
            body = [line.rest]


def _body(lines: list[str], origin: Origin) -> str:
    # Exporters to Markdown draw a rule between messages.
    while origin == "markdown" and lines and (not lines[-1].strip() or _RULE.fullmatch(lines[-1])):
        lines.pop()
    return "\n".join(lines).strip()


def _add(chat: ChatBuilder, speaker: str, text: str, user: str, date: str) -> None:
    reason = _LEFT_OUT.get(speaker.lower())
    if reason:
        chat.skip(reason)
    else:
        chat.add("user" if speaker == user else "assistant", text, speaker, date=date)
