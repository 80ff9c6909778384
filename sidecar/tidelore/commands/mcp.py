"""`tidelore mcp`: the memory as a server of the Model Context Protocol on standard input and output."""

from __future__ import annotations

from argparse import Namespace

from tidelore.commands.context import Context
from tidelore.commands.parser import Verbs
from tidelore.host.profiles import Profiles


def add(verbs: Verbs) -> None:
    verbs.add("mcp", run).option("--tools", metavar="SETS")


async def run(context: Context, arguments: Namespace) -> int:
    # Only here: the protocol takes longer to import than most commands to run.
    from tidelore.serve.mcp.stdio import serve

    tools = [each.strip() for each in (arguments.tools or "").split(",") if each.strip()]
    await serve(context.data, Profiles(context.data).key(context.profile), tools)
    return 0
