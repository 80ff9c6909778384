"""Plain systems to compare with: BM25 over whole turns, SQLite's full-text search, and cosines alone."""

from __future__ import annotations

import math
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing

import numpy as np

from tidelore.engine.text.tokens import tokens
from tidelore.evaluation.dataset import Conversation
from tidelore.host.embedders import Embedder, Matrix

Words = Callable[[str], Sequence[str]]

DEEP = 50
BATCH = 64


def plain(text: str) -> list[str]:
    """Lower-cased words."""
    return re.findall(r"\w+", text.casefold())


def bm25(conversation: Conversation, words: Words, k1: float, b: float) -> Iterable[list[str]]:
    """A ranking of the turns for each question."""
    documents = [Counter(words(turn.text)) for turn in conversation.turns]
    lengths = [sum(each.values()) for each in documents]
    average = sum(lengths) / max(1, len(lengths)) or 1.0
    postings: dict[str, list[int]] = {}
    for at, document in enumerate(documents):
        for word in document:
            postings.setdefault(word, []).append(at)
    for question in conversation.questions:
        scores: dict[int, float] = {}
        for word in set(words(question.text)):
            found = postings.get(word, [])
            idf = math.log(1 + (len(documents) - len(found) + 0.5) / (len(found) + 0.5))
            for at in found:
                times = documents[at][word]
                scores[at] = scores.get(at, 0.0) + idf * times * (k1 + 1) / (times + k1 * (1 - b + b * lengths[at] / average))
        yield _ids(conversation, scores)


def full_text(conversation: Conversation) -> Iterable[list[str]]:
    """SQLite FTS5 as it comes."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("create virtual table turns using fts5(text)")
        db.executemany("insert into turns (rowid, text) values (?, ?)", ((at, turn.text) for at, turn in enumerate(conversation.turns)))
        for question in conversation.questions:
            match = " or ".join(f'"{word}"' for word in dict.fromkeys(plain(question.text))).replace(" or ", " OR ")
            found = db.execute("select rowid from turns where turns match ? order by rank limit ?", (match, DEEP)) if match else ()
            yield [conversation.turns[at].id for (at,) in found]


async def dense(conversation: Conversation, embedder: Embedder) -> list[list[str]]:
    """By the cosine of question and turn alone. Raises ModelError."""
    texts = [turn.text for turn in conversation.turns]
    rows = np.vstack([await embedder.embed(texts[start : start + BATCH], "document") for start in range(0, len(texts), BATCH)])
    rows = _unit(rows)
    out: list[list[str]] = []
    for question in conversation.questions:
        cosines = rows @ _unit(await embedder.embed([question.text], "query"))[0]
        out.append(_ids(conversation, dict(enumerate(map(float, cosines)))))
    return out


def _unit(rows: Matrix) -> Matrix:
    out: Matrix = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return out


def _ids(conversation: Conversation, scores: Mapping[int, float]) -> list[str]:
    best = sorted(scores, key=lambda at: (-scores[at], at))[:DEEP]
    return [conversation.turns[at].id for at in best]


async def all_of(conversation: Conversation, embedder: Embedder | None) -> dict[str, list[list[str]]]:
    """The rankings of each baseline, by its name. Raises ModelError."""
    out = {
        "BM25, plain words (k1 1.5, b 0.75)": list(bm25(conversation, plain, 1.5, 0.75)),
        "BM25, our words (k1 0.9, b 0.3)": list(bm25(conversation, tokens, 0.9, 0.3)),
        "SQLite FTS5": list(full_text(conversation)),
    }
    if embedder is not None:
        out["cosine alone"] = await dense(conversation, embedder)
    return out
