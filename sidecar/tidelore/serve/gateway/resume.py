"""/resume: what is known is loaded at once, to go on in a new conversation. Historical data, without a search."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tidelore.engine.recall.core import CLOSED
from tidelore.engine.text.unicode14 import fold_name
from tidelore.engine.view import NodeView
from tidelore.serve.faults import Refusal
from tidelore.serve.gateway import blocks
from tidelore.serve.gateway.calls import Caller

COMMAND = "/resume"
WISHES = {
    "en": "Read what is remembered above and let us take up where we left off.",
    "zh": "请先读上面的记忆，然后我们接着上次继续。",
}
MOST_CHATS = 20
MOST_CHARACTERS = 160_000
# It is asked for by name, so it may take longer than what comes along with every reply.
SECONDS = 30.0
_COMMAND = re.compile(rf"\s*{re.escape(COMMAND)}(?=\s|$)")
_HAN = re.compile("[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Resumed:
    """`wish`: what stands in place of the command; empty where the user said what they want. `left`: how many memories the limit in tokens
    left out."""

    block: str
    nodes: Sequence[str]
    wish: str
    left: int = 0


class TooLarge(Refusal):
    """What would be loaded is more than any request should hold. Nothing was asked of a model."""

    def __init__(self, size: int) -> None:
        super().__init__(
            413,
            "resume_too_large",
            f"What would be loaded has {size:,} characters, and {MOST_CHARACTERS:,} are the most.",
            "Set a smaller `resume_tokens` under [gateway].",
        )


def is_command(words: str) -> bool:
    """Only at the very start: in a quote or in an old message it is a word like any other."""
    return _COMMAND.match(words) is not None


async def resume(calls: Caller, chats: Sequence[str], words: str, budget: int) -> Resumed:
    """`chats`: what is read, the most recent first. Raises TideloreError, TooLarge among them."""
    ranked: list[tuple[int, int, int, str, str]] = []
    for near, chat in enumerate(chats[:MOST_CHATS]):
        keys = (await calls("chat.keys", {"chat": chat})).keys
        places = {key: at for at, key in enumerate(keys)}
        for node in (await calls("graph.get", {"chat": chat})).nodes:
            rank = _rank(node)
            if rank is not None and node.text.strip():
                place = max((places.get(each.source, -1) for each in node.evidence), default=-1)
                ranked.append((rank, near, -place, node.id, node.text))
    rows = list({node: text for _, _, _, node, text in sorted(ranked)}.items())
    wished = _COMMAND.sub("", words, count=1).strip()
    language = "zh" if _HAN.search(wished or "".join(text for _, text in rows[:5])) else "en"
    block, nodes = blocks.resumed(rows, language, budget)
    if len(block) > MOST_CHARACTERS:
        raise TooLarge(len(block))
    return Resumed(block, nodes, "" if wished else WISHES[language], len(rows) - len(nodes))


def _rank(node: NodeView) -> int | None:
    """Rules, then synopses and notes that hand over, then open threads, then facts that hold."""
    if node.state != "current":
        return None
    match node.kind, node.sub:
        case "fact", "rule":
            return 0
        case "digest", _:
            return 1
        case "thread", _:
            return None if fold_name(str(node.fields.get("status", ""))) in CLOSED else 2
        case "fact", _:
            return 3
        case _:
            return None
