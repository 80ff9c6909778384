"""The prompts that the memory model reads, as a person may change them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tidelore.engine import methods as m
from tidelore.engine import methods_care as mc
from tidelore.engine import results_overview as ro
from tidelore.engine.codec import digest
from tidelore.engine.errors import BadInput
from tidelore.engine.extract.templates import TEMPLATES, Template
from tidelore.engine.ports import Batch
from tidelore.engine.table import Call, method

if TYPE_CHECKING:
    from tidelore.engine.service import Service

# Where the store keeps them: {id: {"text": ..., "of": the digest of the default that it was made from}}.
KEY = "prompts"


@method("prompt.list", m.NoParams, ro.PromptInfos)
async def prompt_list(service: Service, params: m.NoParams, call: Call) -> ro.PromptInfos:
    """The prompts that can be changed, and of which changed ones the default has improved since."""
    del params, call
    stored = await _stored(service)
    return ro.PromptInfos(
        [ro.PromptInfo(each.id, each.language, each.id in stored, _improved(each, stored)) for each in TEMPLATES.values()]
    )


@method("prompt.get", mc.PromptOnly, ro.PromptView)
async def prompt_get(service: Service, params: mc.PromptOnly, call: Call) -> ro.PromptView:
    """A prompt as it is used and as it comes by default."""
    del call
    return _view(_known(params.prompt), await _stored(service))


@method("prompt.set", mc.PromptSet, ro.PromptView, writes=True)
async def prompt_set(service: Service, params: mc.PromptSet, call: Call) -> ro.PromptView:
    """Change a prompt, for all chats. The same text as the default is no change."""
    del call
    template = _known(params.prompt)
    text = params.text.replace("\r\n", "\n")
    template.check(text)
    stored = {name: value for name, value in (await _stored(service)).items() if name != template.id}
    if text != template.default:
        stored[template.id] = {"text": text, "of": _mark(template)}
    await service.store.write(Batch(settings={KEY: stored}))
    return _view(template, stored)


@method("prompt.reset", mc.PromptOnly, ro.PromptView, writes=True)
async def prompt_reset(service: Service, params: mc.PromptOnly, call: Call) -> ro.PromptView:
    """Take a prompt back to its default."""
    del call
    template = _known(params.prompt)
    stored = {name: value for name, value in (await _stored(service)).items() if name != template.id}
    await service.store.write(Batch(settings={KEY: stored}))
    return _view(template, stored)


async def templates_of(service: Service) -> Mapping[str, str]:
    """The texts of the prompts that were changed, by id."""
    return {name: value["text"] for name, value in (await _stored(service)).items()}


def _known(id_: str) -> Template:
    found = TEMPLATES.get(id_)
    if found is None:
        raise BadInput(f"There is no prompt named {id_[:60]!r}.", f"Prompts: {', '.join(TEMPLATES)}.")
    return found


async def _stored(service: Service) -> dict[str, Any]:
    """What was changed, as far as this version has such a prompt."""
    stored = (await service.store.settings()).get(KEY)
    return {name: value for name, value in stored.items() if name in TEMPLATES} if isinstance(stored, Mapping) else {}


def _mark(template: Template) -> str:
    return digest("prompt", template.id, template.default.replace("\0", " "))


def _improved(template: Template, stored: Mapping[str, Any]) -> bool:
    return template.id in stored and stored[template.id]["of"] != _mark(template)


def _view(template: Template, stored: Mapping[str, Any]) -> ro.PromptView:
    return ro.PromptView(
        template.id,
        template.language,
        stored[template.id]["text"] if template.id in stored else template.default,
        template.default,
        template.id in stored,
        _improved(template, stored),
        list(template.placeholders),
        list(template.needed),
    )
