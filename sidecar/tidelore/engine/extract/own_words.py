"""Recognises the prompt's own instructions where a model gives them back as a memory."""

from __future__ import annotations

from functools import lru_cache

from tidelore.engine.extract.prompt import instructions
from tidelore.engine.schema import Schema
from tidelore.engine.text.patterns import later

_NO_LETTER = later(r"[\W_]+")
_SENTENCE_END = later(r"[.!?。！？；\n]+")
# Letters that a piece of the instructions must have, and a whole sentence of them: below, agreement is chance.
_PIECE, _SENTENCE = 20, 45
_PIECE_HAN, _SENTENCE_HAN = 8, 16


def is_own_words(text: str, schema: Schema) -> bool:
    """Whether a text is a piece of the instructions in either language, or holds a sentence of them."""
    solid = _solid(text)
    piece, sentence = (_PIECE, _SENTENCE) if solid.isascii() else (_PIECE_HAN, _SENTENCE_HAN)
    whole, sentences = _own(schema)
    return (len(solid) >= piece and solid in whole) or any(own in solid for own in sentences if len(own) >= sentence)


def short(text: str) -> str:
    """The beginning of a text on one line, for a list of problems."""
    flat = " ".join(text[:300].split())
    return flat if len(flat) <= 80 else flat[:79] + "…"


@lru_cache(maxsize=8)
def _own(schema: Schema) -> tuple[str, frozenset[str]]:
    texts = [instructions(schema, language) for language in ("en", "zh")]
    return "\n".join(map(_solid, texts)), frozenset(_solid(part) for text in texts for part in _SENTENCE_END.split(text))


def _solid(text: str) -> str:
    return _NO_LETTER.sub("", text.casefold())
