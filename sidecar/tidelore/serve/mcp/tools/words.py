"""What the same argument says of itself in every tool."""

from __future__ import annotations

CHAT = "The chat to work on. Leave it out for what is remembered beyond one chat."
SCOPE = 'Where a memory holds: "profile" (everywhere, the default), "character:NAME" or "persona:NAME".'
CURSOR = "From the result before, for its next page; all other arguments the same."
NEXT = "Asks for the next page; empty at the end."
ID = "A memory's id, or the first eight digits of it."
NODE = "A memory's id, or the name of a person, place or thread."
