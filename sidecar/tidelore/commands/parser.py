"""The grammar of the command line. Help comes from the locale files: the key of a text follows from verb and argument."""

from __future__ import annotations

import argparse
import re
from collections.abc import Awaitable, Callable
from difflib import get_close_matches
from typing import Any, NoReturn

from tidelore import __version__
from tidelore.commands.context import Context
from tidelore.commands.measure import width as measure
from tidelore.commands.measure import wrap
from tidelore.texts import LANGUAGES, Texts

# They are about the data folder as a whole, or about no memory that is there.
FOR_ALL_PROFILES = frozenset({"demo", "doctor", "serve", "service", "profile"})

Run = Callable[[Context, argparse.Namespace], Awaitable[int]]

_COLUMNS = 80
# What argparse says, by version of Python the same up to the quotes; the key of our text for it.
_COMPLAINTS = (
    (re.compile(r"the following arguments are required: (?P<what>.+)"), "usage.required"),
    (re.compile(r"unrecognized arguments: (?P<what>.+)"), "usage.unknown"),
    (re.compile(r"(?:argument (?P<where>[^:]+): )?invalid choice: '?(?P<what>[^']*)'? \(choose from (?P<known>.+)\)"), "usage.choice"),
    (re.compile(r"argument (?P<where>[^:]+): expected (?:one argument|at least one argument)"), "usage.value"),
    (re.compile(r"argument (?P<where>[^:]+): not allowed with argument (?P<what>.+)"), "usage.together"),
    (re.compile(r"argument (?P<where>[^:]+): (?P<what>.+)"), "usage.wrong"),
)


class Parser(argparse.ArgumentParser):
    """argparse, in the language of the interface. A usage error is exit code 2."""

    texts: Texts

    def error(self, message: str) -> NoReturn:
        for pattern, key in _COMPLAINTS:
            found = pattern.fullmatch(message)
            if found:
                said = {name: value or "" for name, value in found.groupdict().items()}
                message = self.texts(key, **said)
                near = get_close_matches(said.get("what", "").casefold(), re.findall(r"[\w-]+", said.get("known", "")), 1)
                message += " " + self.texts("usage.nearest", near=near[0]) if near else ""
                break
        lines = [self.texts("usage.error", message=message), self.texts("usage.help", command=self.prog)]
        self.exit(2, "\n".join(lines) + "\n")


def _formatter(texts: Texts) -> type[argparse.HelpFormatter]:
    class Formatter(argparse.HelpFormatter):
        """Breaks lines by columns, not characters, so that Chinese fits."""

        def __init__(self, prog: str) -> None:
            # argparse counts characters, and those of the prefix may be wide.
            prefix = texts("usage.prefix")
            super().__init__(prog, max_help_position=28, width=_COLUMNS - measure(prefix) + len(prefix))

        def _split_lines(self, text: str, width: int) -> list[str]:
            return wrap(" ".join(text.split()), width)

        def _fill_text(self, text: str, width: int, indent: str) -> str:
            return "\n".join(indent + line for line in wrap(text, width - len(indent)))

        def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
            super().add_usage(usage, actions, groups, texts("usage.prefix") if prefix is None else prefix)

    return Formatter


class _Given(argparse.Action):
    """Stores what was given. Where nothing was, an option of the same name keeps what it stored."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: str | None = None) -> None:
        del parser, option_string
        if values is not None:
            setattr(namespace, self.dest, values)


class Verb:
    """One verb while its arguments are declared. Texts: help.VERB, help.VERB.ARGUMENT."""

    def __init__(self, parser: Parser, name: str, texts: Texts) -> None:
        self.parser = parser
        self.name = name
        self.texts = texts
        self.arguments = parser.add_argument_group(texts("help.arguments"))
        self.options = parser.add_argument_group(texts("help.options"))
        self.everywhere = parser.add_argument_group(texts("help.everywhere"))
        add_global_options(self.everywhere, texts, top=False, profile=name.split()[0] not in FOR_ALL_PROFILES)

    def _help(self, name: str) -> str:
        key = name.lstrip("-").replace("-", "_").lower()
        own = f"help.{self.name.replace(' ', '.')}.{key}"
        return self.texts(own if self.texts.has(own) else f"help.any.{key}").replace("%", "%%")

    def argument(self, name: str, **options: Any) -> Verb:
        """A positional argument; NAME in help, name in the namespace."""
        self.arguments.add_argument(name.lower(), metavar=name, help=self._help(name), **options)
        return self

    def option(self, name: str, **options: Any) -> Verb:
        self.options.add_argument(name, help=self._help(name), **options)
        return self

    def chat_option(self) -> Verb:
        return self.option("--chat", metavar="NAME")

    def chat_argument(self) -> Verb:
        """The chat, by its name alone or after --chat, as everywhere else."""
        return self.argument("CHAT", nargs="?", action=_Given).chat_option()

    def model_options(self) -> Verb:
        self.option("--model-url", metavar="URL")
        self.option("--model", metavar="NAME")
        return self.option("--model-key-env", metavar="VARIABLE")


class Verbs:
    """Collects the verbs. `run` of the namespace is what to run."""

    def __init__(self, parser: Parser, texts: Texts, *, required: bool = False, dest: str = "verb") -> None:
        self.texts = texts
        self._parser = parser
        self._under = parser.add_subparsers(
            title=texts("help.verbs"), metavar=texts("help.verb"), dest=dest, required=required, prog=parser.prog
        )

    def add(self, name: str, run: Run | None = None, under: str = "") -> Verb:
        full = f"{under} {name}".strip()
        said = self.texts(f"help.{full.replace(' ', '.')}").replace("%", "%%")
        parser = self._under.add_parser(
            name, help=said, description=said, add_help=False, allow_abbrev=False, formatter_class=_formatter(self.texts)
        )
        parser.texts = self.texts
        parser.set_defaults(run=run)
        return Verb(parser, full, self.texts)

    def group(self, name: str) -> Verbs:
        """A verb that has verbs of its own, as `schema get`."""
        return _Group(self.add(name).parser, self.texts, name)


class _Group(Verbs):
    def __init__(self, parser: Parser, texts: Texts, name: str) -> None:
        super().__init__(parser, texts, required=True, dest="verb_of_group")
        self._name = name

    def add(self, name: str, run: Run | None = None, under: str = "") -> Verb:
        return super().add(name, run, under or self._name)


def add_global_options(group: Any, texts: Texts, *, top: bool, profile: bool = True) -> None:
    """Options that may stand before the verb or after it; after it they count when they are given. `profile`: whether help tells of it."""
    absent = None if top else argparse.SUPPRESS
    group.add_argument("--data", metavar="DIR", default=absent, help=texts("help.any.data"))
    group.add_argument("--profile", metavar="NAME", default=absent, help=texts("help.any.profile") if profile else argparse.SUPPRESS)
    group.add_argument("--json", action="store_true", default=False if top else argparse.SUPPRESS, help=texts("help.any.json"))
    group.add_argument("--lang", choices=LANGUAGES, default=absent, help=texts("help.any.lang"))
    group.add_argument("-h", "--help", action="help", help=texts("help.any.help"))


def new_parser(texts: Texts) -> tuple[Parser, Verbs]:
    """The parser without its verbs."""
    parser = Parser(
        prog=texts.command,
        description=texts("help.tidelore"),
        epilog=texts("help.epilog"),
        add_help=False,
        allow_abbrev=False,
        formatter_class=_formatter(texts),
    )
    parser.texts = texts
    verbs = Verbs(parser, texts)
    group = parser.add_argument_group(texts("help.everywhere"))
    add_global_options(group, texts, top=True)
    group.add_argument("--version", action="version", version=f"tidelore {__version__}", help=texts("help.any.version"))
    return parser, verbs


def whole(text: str) -> int:
    """A whole number. Raises ArgumentTypeError."""
    if not re.fullmatch(r"-?\d{1,9}", text):
        raise argparse.ArgumentTypeError(text)
    return int(text)


def span(text: str) -> list[int]:
    """A range "10-20", closed on both ends, or one index. Raises ArgumentTypeError."""
    found = re.fullmatch(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?", text)
    if not found:
        raise argparse.ArgumentTypeError(text)
    first = int(found[1])
    return [first, int(found[2] or first)]
