"""The memory model behind an OpenAI-compatible address."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import httpx

from tidelore.engine.errors import ModelAnswer
from tidelore.host.http import Clock, Endpoint, Sleep

OPTIONAL: Mapping[str, Any] = {"temperature": 0.2, "response_format": {"type": "json_object"}}
"""Not every service takes these: some models have one temperature, some servers know no JSON mode."""

_RAW_KEPT = 20_000


class OpenAIModel:
    """See `tidelore.engine.ports.Complete`. `url` is the address that /chat/completions follows, with or without /v1."""

    def __init__(
        self,
        url: str,
        model: str,
        key: str = "",
        *,
        client: httpx.AsyncClient | None = None,
        sleep: Sleep = asyncio.sleep,
        clock: Clock = time.monotonic,
    ) -> None:
        """Raises BadInput for an address or a key that cannot be one."""
        self._model = model
        self._endpoint = Endpoint(url, "/chat/completions", key, optional=OPTIONAL, client=client, sleep=sleep, clock=clock)

    @property
    def name(self) -> str:
        return self._model

    async def aclose(self) -> None:
        await self._endpoint.aclose()

    async def __call__(self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any], budget: float) -> str:
        """What the model wrote, without its reasoning. Raises ModelUnreachable, ModelRefused, ModelAnswer."""
        del schema  # The prompt shows the form; servers differ too much in the schemas that they take.
        body = {"model": self._model, "messages": [dict(message) for message in messages], "stream": False}
        objects = await self._endpoint.post(body, budget)
        choices = list(_choices(objects))
        text = "".join(_text(part.get("content")) for part in choices)
        if text.strip():
            return text
        raw = self._endpoint.hidden("".join(map(str, objects)))[:_RAW_KEPT]
        if any(part.get("refusal") for part in choices):
            raise ModelAnswer("The model refused to answer.", "Choose another memory model.", raw)
        if any(part.get("reasoning_content") or part.get("reasoning") for part in choices):
            raise ModelAnswer("The model only reasoned and gave no answer.", "Allow longer answers, or switch its reasoning off.", raw)
        raise ModelAnswer("The model gave an empty answer.", "Try again, or choose another memory model.", raw)


def _choices(objects: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The messages and deltas of the first choice, in order."""
    for each in objects:
        choices = each.get("choices")
        for choice in choices if isinstance(choices, list) else []:
            if isinstance(choice, dict) and choice.get("index", 0) in (0, None):
                part = choice.get("message") or choice.get("delta")
                if isinstance(part, dict):
                    yield part


def _text(content: Any) -> str:
    """A text, or the texts of a list of parts; parts of reasoning are none."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(
        part["text"]
        for part in parts
        if isinstance(part, dict) and part.get("type", "text") in ("text", "output_text") and isinstance(part.get("text"), str)
    )
