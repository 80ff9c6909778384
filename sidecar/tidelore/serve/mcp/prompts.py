"""Prompts that a person picks: continue where a chat was left off; what is known about somebody."""

from __future__ import annotations

from collections.abc import Mapping

import mcp_types as types

from tidelore.engine.errors import BadInput, NotFound
from tidelore.serve.mcp.memory import Memory
from tidelore.serve.mcp.tools import recalling, telling

CONTINUE, KNOWN = "continue", "what_do_you_know"
_CHAT = types.PromptArgument(name="chat", title="Chat", description="The chat; without it the newest one.", required=False)
_SCOPE = types.PromptArgument(name="scope", title="Scope", description='Such as "profile" or "character:NAME".', required=False)

PROMPTS = (
    types.Prompt(
        name=CONTINUE,
        title="Continue where we left off",
        description="Puts the rules, synopsis, open threads and last messages before the model.",
        arguments=[_CHAT, _SCOPE],
    ),
    types.Prompt(
        name=KNOWN,
        title="What do you know about ...",
        description="Puts what is remembered about somebody or something before the model.",
        arguments=[
            types.PromptArgument(name="about", title="About", description="A person, a place, a topic.", required=True),
            _CHAT.model_copy(update={"description": "The chat; without it what holds everywhere."}),
            _SCOPE,
        ],
    ),
)


async def get(memory: Memory, name: str, arguments: Mapping[str, str]) -> types.GetPromptResult:
    """Raises NotFound, BadInput."""
    found = next((each for each in PROMPTS if each.name == name), None)
    if found is None:
        raise NotFound(f"There is no prompt named {name[:80]!r}.", f"Prompts: {', '.join(each.name for each in PROMPTS)}.")
    known = {each.name for each in found.arguments or ()}
    if unknown := sorted(set(arguments) - known):
        raise BadInput(f"The prompt has no argument {unknown[0][:40]!r}.", f"Arguments: {', '.join(sorted(known))}.")
    chat, scope = arguments.get("chat", ""), arguments.get("scope", "")
    if name == CONTINUE:
        answer = await telling.resume(memory, telling.Resume(chat, scope))
        return _said(found, f"{answer.text}\n\nLet us continue where we left off. Say in a sentence or two where we are, then go on.")
    about = arguments.get("about", "").strip()
    if not about:
        raise BadInput("`about` is missing.", "Name a person, a place or a topic.")
    state = await recalling.state(memory, recalling.State(about, chat, scope))
    recalled = await recalling.recall(memory, recalling.Recall(about, chat, scope, 20, 1500))
    text = state.text if not recalled.data.memories else f"{state.text}\n{recalled.text}" if state.data.id else recalled.text
    return _said(found, f"{text}\n\nWhat do you know about {' '.join(about.split())[:200]}? Tell only what is remembered above.")


def _said(prompt: types.Prompt, text: str) -> types.GetPromptResult:
    message = types.PromptMessage(role="user", content=types.TextContent(text=text))
    return types.GetPromptResult(description=prompt.title, messages=[message])
