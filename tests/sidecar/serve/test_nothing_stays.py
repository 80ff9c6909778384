"""After a purge no file of the data folder holds what was purged; and no answer, output or file holds the key of a provider."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.sidecar.cli_kit import answered, tidelore
from tests.sidecar.gateway.kit import until
from tests.sidecar.model_server import Reply, Request, failed, said
from tests.sidecar.model_server import serving as model_serving
from tests.sidecar.serve.kit import Server, process, serving
from tidelore.host.config import Config, EmbedderConfig, ModelConfig
from tidelore.host.private_files import OWNER_ONLY

WORD = "Quillfeather"
KEPT = "Thistledown"
SECRET = "sk-provider-0123456789abcdef"
pytestmark = pytest.mark.slow


def holders(folder: Path, *words: str) -> list[str]:
    """The files that hold one of the words."""
    forms = [form for word in words for form in (word.encode(), word.lower().encode(), word.encode("utf-16-le"))]
    files = [path for path in folder.rglob("*") if path.is_file()]
    return sorted(path.name for path in files if any(form in path.read_bytes() for form in forms))


def _answers(request: Request) -> Reply:
    """Vectors; and as a memory model nonsense that repeats what it read, which is kept to be shown."""
    if request.path.endswith("/embeddings"):
        return Reply(
            json.dumps(
                {"data": [{"index": at, "embedding": [1.0, 0.5, float(len(text))]} for at, text in enumerate(request.body["input"])]}
            )
        )
    return said(f"I cannot do that: {request.messages[-1]['content']}")


async def _calls(server: Server, *calls: tuple[str, Mapping[str, Any]]) -> list[Any]:
    async with server.http() as http:
        out = []
        for method, params in calls:
            found = (await http.post("/rpc", json={"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(params)})).json()
            assert "error" not in found, found
            out.append(found["result"])
        return out


async def _embedded(server: Server) -> bool:
    (status,) = await _calls(server, ("status", {}))
    return not status["embedder"]["pending"] and not status["writing"]


@pytest.mark.req("P93")
def test_after_a_purge_no_file_holds_a_word_of_the_chat_or_a_vector_of_it(tmp_path: Path) -> None:
    async def main() -> None:
        with model_serving(_answers) as models:
            config = Config(model=ModelConfig(models.url, "m"), embedder=EmbedderConfig(models.url, "e"))
            async with serving(tmp_path, config=config) as server:
                await _filled(server)
                graph, kept = await _calls(server, ("graph.get", {"chat": WORD}), ("graph.get", {"chat": KEPT}))
                gone = {node["id"] for node in graph["nodes"]} - {node["id"] for node in kept["nodes"]}
                assert gone
                assert holders(tmp_path, WORD)
                await until(lambda: _hashes(tmp_path) & gone)
                await _calls(server, ("chat.purge", {"chat": WORD}))

                def vanished() -> bool:
                    return not gone & _hashes(tmp_path) and not holders(tmp_path, WORD)

                await until(vanished)
                (left,) = await _calls(server, ("graph.get", {"chat": KEPT}))
                assert left == kept, "what was not purged is as it was"
            assert holders(tmp_path, WORD) == []
            assert "tidelore.db" in holders(tmp_path, KEPT)

    asyncio.run(main())


def _hashes(data: Path) -> set[str]:
    """The nodes whose vectors are on disk."""
    vectors = data / "vectors.json"
    return set(json.loads(vectors.read_text())["hashes"]) if vectors.exists() else set()


async def _filled(server: Server) -> None:
    """Two chats, with all that comes to be of one: memories of every maker, a failed extraction, a recall, a receipt, vectors."""
    for chat in (WORD, KEPT):
        messages = [
            {"role": "user", "name": chat, "text": f"My sister {chat} keeps bees in Bristol."},
            {"role": "assistant", "text": "How lovely."},
        ]
        await _calls(server, ("chat.update", {"chat": chat, "messages": messages}), ("extract.run", {"chat": chat, "lag": 0}))
        for _ in range(3):
            await _calls(server, ("extract.run", {"chat": chat, "by": "model", "lag": 0}))
        (recalled,) = await _calls(server, ("recall.run", {"chat": chat, "query": f"What does {chat} keep?"}))
        await _calls(
            server,
            ("recall.delivered", {"chat": chat, "recall": recalled["recall"], "window": "w"}),
            ("node.write", {"chat": chat, "text": f"{chat} sells honey.", "about": chat}),
            ("entity.alias", {"chat": chat, "name": chat, "alias": f"{chat} the Younger"}),
        )
    await until(lambda: _embedded(server))


@pytest.mark.req("P119")
def test_no_answer_no_file_and_no_output_holds_the_key_of_a_provider(tmp_path: Path) -> None:
    def refusing(request: Request) -> Reply:
        del request
        return failed(401, f"no such key: {SECRET}")

    def told() -> str:
        """All that routes and commands say, with the sidecar running."""
        out: list[str] = []
        with process(tmp_path) as (serve, ready):
            server = Server(ready["url"], ready["key"])

            async def ask() -> None:
                async with server.http() as http:
                    out.append((await http.post("/v1/memory/write", json={"content": "The door is green."})).text)
                    for path in ("/", "/status", "/openapi.json", "/health", "/v1/models", "/pairings", "/v1/host/deliveries"):
                        out.append((await http.get(path)).text)
                    talk = {"model": "cloud/big", "messages": [{"role": "user", "content": "Which door?"}]}
                    for path, body in (
                        ("/v1/chat/completions", talk),
                        ("/v1/chat/completions", {**talk, "stream": True}),
                        ("/v1/embeddings", {"model": "cloud/big", "input": "x"}),
                        ("/v1/memory/recall", {"query": "Which door?"}),
                        ("/api/hook/recall", {"query": "Which door?"}),
                    ):
                        answer = await http.post(path, json=body)
                        out.append(answer.text + str(answer.headers))
                    for method, params in (
                        ("rpc.discover", {}),
                        ("status", {}),
                        ("model.complete", {"messages": [{"role": "user", "content": "x"}], "schema": {}, "budget": 5}),
                        ("embed", {"texts": ["x"], "kind": "query"}),
                        ("extract.run", {"chat": "gateway:main#1", "by": "model", "lag": 0}),
                        ("extract.plan", {"chat": "gateway:main#1"}),
                        ("stats", {"chat": "gateway:main#1"}),
                        ("graph.get", {"chat": "\x1fprofile"}),
                        ("settings.describe", {}),
                        ("export", {"chat": "\x1fprofile"}),
                    ):
                        call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
                        out.append((await http.post("/rpc", json=call)).text)

            asyncio.run(ask())
            for verb in (["doctor"], ["profile", "list"], ["pair"], ["chats"], ["recall", "door"], ["graph", "--scope", "profile"]):
                for form in ([], ["--json"]):
                    done = tidelore(tmp_path, *verb, *form)
                    out.append(done.stdout + done.stderr)
            serve.terminate()
            out += [text for text in serve.communicate(timeout=30) if text]
        return "\n".join(out)

    with model_serving(refusing) as models:
        lines = [f'[model]\nurl = "{models.url}"\nname = "m"\nkey_env = "PROVIDER"\n[embedder]\nurl = "{models.url}"\nname = "e"']
        lines += ['key_env = "PROVIDER"\n[[upstream]]\nname = "cloud"', f'url = "{models.url}"\nkey_env = "PROVIDER"']
        (tmp_path / "config.toml").write_text("\n".join(lines))
        (tmp_path / "keys.toml").write_text(f'PROVIDER = "{SECRET}"\n')
        (tmp_path / "keys.toml").chmod(OWNER_ONLY)
        said_ = told()
        held = [dict(request.headers) for request in models.requests]
        assert any(SECRET in str(each) for each in held), "the services themselves did get it"
    assert "upstream_authentication_error" in said_
    assert SECRET not in said_
    assert holders(tmp_path, SECRET) == ["keys.toml"]
    assert answered(tmp_path, "key")["key"]
