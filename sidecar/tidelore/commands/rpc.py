"""`tidelore rpc`: the service over stdin and stdout."""

from __future__ import annotations

from argparse import Namespace

from tidelore.commands.context import Context
from tidelore.commands.parser import Verbs
from tidelore.serve.rpc import serve


def add(verbs: Verbs) -> None:
    verbs.add("rpc", run).model_options()


async def run(context: Context, arguments: Namespace) -> int:
    del arguments
    async with context.service(with_model=True, with_vectors=True) as service:
        await serve(service)
    return 0
