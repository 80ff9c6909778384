"""The texts that people read, in their language. They live in locales/; code names them by key."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Literal, get_args

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


@dataclass(frozen=True, slots=True)
class Texts:
    """The table of one language. A text "one|many" is chosen by the value `n`; {tidelore} stands for `command`, this program as a person
    can type it."""

    language: Language
    table: Mapping[str, str]
    command: str = "tidelore"

    def __call__(self, key: str, /, **values: object) -> str:
        """The text of a key with its placeholders filled in. Raises KeyError for an unknown key."""
        template = self.table[key]
        if "n" in values and "|" in template:
            one, many = template.split("|")
            template = one if values["n"] == 1 else many
        return template.format(tidelore=self.command, **values)

    def list(self, items: Iterable[str]) -> str:
        return self.table["list.between"].join(items)

    def has(self, key: str) -> bool:
        return key in self.table

    def word(self, group: str, name: str) -> str:
        """A word of the engine such as "moment" or "about"; one that has no translation (a schema's own sub) stands as it is."""
        return self.table.get(f"{group}.{name}", name)


def load(language: Language, command: str = "tidelore") -> Texts:
    table = json.loads(resources.files("tidelore").joinpath("locales", f"{language}.json").read_text("utf-8"))
    return Texts(language, table, command)


def choose(arguments: Sequence[str], environment: Mapping[str, str]) -> Language:
    """The language of the interface: --lang, TIDELORE_LANG, then what the system says (POSIX order). English unless Chinese."""
    for at, argument in enumerate(arguments):
        if argument.startswith("--lang="):
            return _language(argument.removeprefix("--lang="))
        if argument == "--lang" and at + 1 < len(arguments):
            return _language(arguments[at + 1])
    for name in ("TIDELORE_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        if environment.get(name):
            return _language(environment[name])
    return "en"


def _language(value: str) -> Language:
    return "zh" if value.lower().startswith("zh") else "en"
