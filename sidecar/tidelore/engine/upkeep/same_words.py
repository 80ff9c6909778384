"""Forgetting a sentence in every memory that says it: what is hidden whole, and what only loses the sentence."""

from __future__ import annotations

from collections.abc import Iterator

from tidelore.engine.extract.greetings import says_something
from tidelore.engine.graph import Graph
from tidelore.engine.model import Patch, Retire
from tidelore.engine.nodes import NodeState
from tidelore.engine.text.patterns import later
from tidelore.engine.text.sentences import sentences
from tidelore.engine.text.unicode14 import fold_name

# An entity only has a name; a page is somebody's own writing.
KINDS = frozenset(("moment", "fact", "thread", "digest"))
_NO_WORD = later(r"[\W_]+")


def same_words(graph: Graph, node: NodeState) -> list[Patch | Retire]:
    """What takes the sentences of a memory out of all others that say one of them, sorted by node id.

    A sentence is the same one whatever its case, spaces and marks. A memory that says nothing else is hidden; from any other the
    sentence is cut, and the rest stands. Where the sentences of `node` say nothing, nothing follows.
    """
    said = {words for words in _sentences(node.text) if says_something(words)}
    out: list[Patch | Retire] = []
    for other in sorted(graph.nodes.values(), key=lambda each: each.id):
        if other.id == node.id or other.kind not in KINDS or not other.shown:
            continue
        text = other.text
        rest = _without(text, said)
        if rest == text:
            continue
        if says_something(rest) and other.fields.get("text") == text:
            out.append(Patch(other.id, "text", text, rest))
        else:
            out.append(Retire(other.id, text))
    return out


def _sentences(text: str) -> Iterator[str]:
    return (_folded(text[start:end]) for start, end in sentences(text))


def _without(text: str, said: set[str]) -> str:
    spans = sentences(text)
    kept = [(start, end) for start, end in spans if _folded(text[start:end]) not in said]
    if len(kept) == len(spans):
        return text
    return " ".join(text[start:end] for start, end in kept)


def _folded(sentence: str) -> str:
    return _NO_WORD.sub(" ", fold_name(sentence)).strip()
