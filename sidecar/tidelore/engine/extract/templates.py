"""The prompts that a person may change: what each is by default, and how a changed one is filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tidelore.engine.errors import BadInput
from tidelore.engine.extract import prompts_en, prompts_zh
from tidelore.engine.text.patterns import later

LONGEST = 20_000
_PLACEHOLDER = later(r"\{(language|schema|edges)\}")


@dataclass(frozen=True, slots=True)
class Template:
    """`default` with plain braces. `needed`: placeholders that must stay, for without them the model cannot know what it may write."""

    id: str
    language: str
    default: str
    placeholders: tuple[str, ...] = ("language", "schema", "edges")
    needed: tuple[str, ...] = ("schema",)

    def check(self, text: str) -> None:
        """Raises BadInput for what cannot be a prompt."""
        if not text.strip():
            raise BadInput("The prompt is empty.", "prompt.reset brings the default back.")
        if len(text) > LONGEST:
            raise BadInput(f"The prompt has {len(text)} characters.", f"Use at most {LONGEST}.")
        found = set(_PLACEHOLDER.findall(text))
        for name in self.needed:
            if name not in found:
                raise BadInput(f"The prompt lacks {{{name}}}.", "The kinds of memories are put in there; without them the model guesses.")


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with its placeholders filled in; all other braces stand as they are, and so does what is in the values."""
    return _PLACEHOLDER.sub(lambda match: values[match[1]], text)


def _plain(instructions: str) -> str:
    return instructions.replace("{{", "{").replace("}}", "}")


TEMPLATES = {
    each.id: each
    for each in (
        Template("extract.en", "en", _plain(prompts_en.INSTRUCTIONS)),
        Template("extract.zh", "zh", _plain(prompts_zh.INSTRUCTIONS)),
    )
}
