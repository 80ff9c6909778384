"""`tidelore console`: the panel of the sidecar that runs, in the browser."""

from __future__ import annotations

from argparse import Namespace

from tidelore.commands.browser import has_desktop, open_page
from tidelore.commands.context import Context
from tidelore.commands.parser import Verbs
from tidelore.commands.serve_pair import daemon_of
from tidelore.host.profiles import Profiles


def add(verbs: Verbs) -> None:
    verbs.add("console", run).option("--no-open", action="store_true")


async def run(context: Context, arguments: Namespace) -> int:
    """The address opens the panel once, so nobody who sees it later comes in."""
    from tidelore.commands.serve_words import in_words
    from tidelore.serve.client import ask
    from tidelore.serve.console import address

    daemon = daemon_of(context)
    with in_words(context.texts):
        found = await ask(daemon, Profiles(context.data).key(context.profile), "/pairings/console", {})
    url = address(daemon.url, str(found["code"]))
    opens = not context.json and not arguments.no_open and has_desktop()
    if context.json:
        context.out.json({"url": url})
        return 0
    context.out.line(url, "strong")
    context.out.text(context.texts("console.opens" if opens else "console.once"), "dim")
    if opens:
        context.out.stream.flush()
        open_page(url)
    return 0
