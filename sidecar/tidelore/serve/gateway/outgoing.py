"""What goes to the upstream: the client's body with the model's name of there and the memory in it, and the client's headers without
those that concern only us."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from starlette.datastructures import Headers

from tidelore.serve.gateway import splice
from tidelore.serve.gateway.asked import OURS, Asked
from tidelore.serve.gateway.splice import Edit, dumped

Place = Literal["user", "system"]

# Of the connection to us, or about who and where the client is.
_KEPT_BACK = frozenset(
    "host connection keep-alive transfer-encoding te trailer upgrade content-length content-type authorization x-api-key cookie origin"
    " referer accept-encoding forwarded via expect x-real-ip priority".split()
)
_KEPT_BACK_FAMILIES = ("proxy-", "sec-", "x-forwarded-", "x-tidelore-", "x-serein-", "x-ombre-", "x-openwebui-", "access-control-", "cf-")


def headers(given: Headers, auth: Mapping[str, str], kind: str) -> dict[str, str]:
    """`kind` of the upstream."""
    out = {name: value for name, value in given.items() if name not in _KEPT_BACK and not name.startswith(_KEPT_BACK_FAMILIES)}
    out |= {"content-type": "application/json", "accept-encoding": "identity", **auth}
    if kind == "anthropic":
        out.setdefault("anthropic-version", "2023-06-01")
    return out


def body(asked: Asked, model: str, edits: Sequence[Edit]) -> str:
    """The client's JSON with these edits, the model's name, and without our own members."""
    text = splice.apply(asked.text, [*edits, *with_model(asked.text, asked.model, model)])
    return without(text, OURS) if asked.ours else text


def with_model(text: str, given: splice.Member | None, model: str) -> list[Edit]:
    if given is None:
        return [_first_member(text, f'"model":{dumped(model)}')]
    return [] if given.value == model else [Edit(given.start, given.end, dumped(model))]


def without(text: str, names: Iterable[str]) -> str:
    """One after the other, since two that stand side by side share a comma."""
    for name in names:
        while (found := next((each for each in splice.members(text) if each.name == name), None)) is not None:
            text = splice.apply(text, [splice.removal(text, found)])
    return text


def inserted(asked: Asked, block: str, place: Place) -> list[Edit]:
    """The edits that put a block before the user's words, or at the start of the system prompt."""
    if place == "user":
        return before_words(asked.text, asked.turn, block) if asked.turn is not None else []
    if asked.form == "messages":
        system = asked.top.get("system")
        return [_before(system, block)] if system is not None else [_first_member(asked.text, f'"system":{dumped(block)}')]
    rows = list(splice.items(asked.text, asked.messages.start))
    first = next((row for row in rows if row.value["role"] in ("system", "developer")), None)
    if first is not None:
        return before_words(asked.text, first, block)
    at = asked.messages.start + 1
    return [Edit(at, at, dumped({"role": "system", "content": block}) + ("," if rows else ""))]


def before_words(text: str, row: splice.Value, block: str, instead: tuple[str, str] | None = None) -> list[Edit]:
    """`instead`: what the words of the message begin with, and what stands there then."""
    content = [member for member in splice.members(text, row.start) if member.name == "content"]
    if not content:
        return [_first_member(text, f'"content":{dumped(block)}', row.start)]
    found = content[-1]
    if instead is None:
        return [_before(found, block)]
    given, new = instead
    if isinstance(found.value, list):
        for item in splice.items(text, found.start):
            if not isinstance(item.value, dict):
                continue
            member = next((each for each in splice.members(text, item.start) if each.name == "text"), None)
            if member is not None and isinstance(member.value, str):
                changed = Edit(member.start, member.end, dumped(new + member.value.lstrip().removeprefix(given)))
                return [_before(found, block), changed]
        return [_before(found, block)]
    return [Edit(found.start, found.end, dumped(f"{block}\n\n{new}{str(found.value).lstrip().removeprefix(given)}"))]


def _before(content: splice.Value, block: str) -> Edit:
    if isinstance(content.value, str):
        return Edit(content.start + 1, content.start + 1, dumped(block + "\n\n")[1:-1])
    if isinstance(content.value, list):
        part = json.dumps({"type": "text", "text": block}, separators=(",", ":"))
        return Edit(content.start + 1, content.start + 1, part + ("," if content.value else ""))
    return Edit(content.start, content.end, dumped(block))


def _first_member(text: str, member: str, start: int = 0) -> Edit:
    at = text.index("{", start) + 1
    return Edit(at, at, member + ("" if next(iter(splice.members(text, start)), None) is None else ","))
