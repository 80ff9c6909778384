"""Whether a recall that was made earlier would still be supported: what its memories read now, as one digest."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tidelore.engine.codec import canonical, digest
from tidelore.engine.recall.core import core_lines
from tidelore.engine.recall.index import Index
from tidelore.engine.recall.pack import Block, block, line_text
from tidelore.engine.recall.run import card_line, core_of, speaker_of


def reading(nodes: Collection[str], indexes: Sequence[Index]) -> tuple[str, list[str]]:
    """The digest over what these nodes read, and those of them that are not recalled any more: gone, hidden or superseded. The indexes
    are in step with their graphs. The order of the nodes does not count."""
    rows: list[list[str]] = []
    gone: list[str] = []
    for id_ in sorted(set(nodes)):
        read = next((found for index in indexes if (found := _read(id_, index)) is not None), None)
        if read is None:
            gone.append(id_)
        else:
            rows.append([id_, *read])
    return digest("recall", canonical(rows)), gone


def made_again(nodes: Collection[str], cards: Sequence[str], indexes: Sequence[Index], language: str) -> tuple[Block, Block]:
    """The core block and the recalled one of a recall that stands: the texts that it gave. `cards`: the nodes of the second, in rank
    order."""
    late = [id_ for id_ in dict.fromkeys(cards) if id_ in nodes]
    early = set(nodes).difference(late)
    core = core_of([(index, [id_ for id_ in index.core if id_ in early]) for index in indexes])
    homes = [(id_, next((index for index in indexes if id_ in index.documents), None)) for id_ in late]
    recalled = [card_line(index.documents[id_], index) for id_, index in homes if index is not None]
    return block(core, "core", language), block(recalled, "recalled", language)


def _read(id_: str, index: Index) -> list[str] | None:
    """A memory as each block would print it; empty for a block in which it cannot stand."""
    core = [line.text for line in core_lines(index.graph, [id_])] if id_ in index.core else []
    document = index.documents.get(id_)
    if not core and document is None:
        return None
    card = line_text(document.text, speaker_of(index, document), document.date) if document is not None else ""
    return ["".join(core), card]
