"""Scopes beyond one chat, such as "profile" or "character:Mira". What is remembered there lies in a chat that has no messages."""

from __future__ import annotations

from tidelore.engine.errors import BadInput

SCOPES = ("character", "persona", "profile")
# No caller's chat begins with it.
SCOPE_MARK = "\x1f"


def scope_chat(scope: str) -> str:
    """The name of the chat that holds a scope. Raises BadInput for what is no scope."""
    kind, _, of = scope.partition(":")
    if kind not in SCOPES or bool(of.strip()) == (kind == "profile"):
        raise BadInput(f"There is no scope {scope!r}.", 'Scopes are "profile", "character:NAME" and "persona:NAME".')
    return SCOPE_MARK + scope
