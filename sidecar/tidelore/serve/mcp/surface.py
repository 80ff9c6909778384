"""Which tools there are, in sets that are switched on by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tidelore.engine.errors import BadInput
from tidelore.serve.mcp.aliases.memory_server import MEMORY_SERVER
from tidelore.serve.mcp.aliases.memtether import MEMTETHER
from tidelore.serve.mcp.aliases.serein import SEREIN
from tidelore.serve.mcp.aliases.tideline import TIDELINE
from tidelore.serve.mcp.tool import Tool, absent
from tidelore.serve.mcp.tools import graphs, keeping, past, private, recalling, sources, telling, upkeep, writing

DEFAULT = "default"
SETS: Mapping[str, tuple[Tool, ...]] = {
    DEFAULT: (
        recalling.RECALL,
        recalling.READ,
        writing.WRITE,
        writing.EDIT,
        recalling.STATE,
        writing.LINK,
        sources.SEARCH,
        graphs.GRAPH,
    ),
    "more": (
        sources.READ_SOURCES,
        upkeep.WHY,
        upkeep.UNDO,
        upkeep.FORGET,
        upkeep.RESTORE,
        upkeep.ALIAS,
        telling.THREAD_FIND,
        telling.THREAD_READ,
        telling.DIGEST,
        telling.SCOPES,
        telling.RESUME,
        upkeep.REVIEW,
        upkeep.STATS,
        past.HISTORY,
        past.ATTENTION,
        keeping.PIN,
        keeping.ARCHIVE,
        keeping.DECIDE,
        *private.PAGE_TOOLS,
        *private.MEMO_TOOLS,
        *(absent(name, "There are no jobs for agents: the sidecar extracts by itself.") for name in ("job_next", "job_submit")),
    ),
    "memory-server": MEMORY_SERVER,
    "serein": SEREIN,
    "tideline": TIDELINE,
    "memtether": MEMTETHER,
}
# Where two sets have one name, it means our own tool, unless the other set is switched on after it.
TOOLS: Mapping[str, Tool] = {tool.name: tool for tools in reversed(list(SETS.values())) for tool in tools}


def pick(names: Iterable[str]) -> Mapping[str, Tool]:
    """The tools of sets and single tools, by name; "all" is all of them. Nothing named is the default set. Raises BadInput."""
    wanted = [name.strip().lower() for name in names if name.strip()] or [DEFAULT]
    chosen: dict[str, Tool] = {}
    for name in wanted:
        if name == "all":
            chosen.update(TOOLS)
        elif name in SETS:
            chosen.update({tool.name: tool for tool in SETS[name]})
        elif name in TOOLS:
            chosen[name] = TOOLS[name]
        else:
            raise BadInput(f"There is no set of tools and no tool named {name[:40]!r}.", f"Sets: all, {', '.join(SETS)}.")
    return chosen
