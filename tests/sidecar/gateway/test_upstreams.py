"""Names, keys and failures of upstreams."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import openai
import pytest

from tests.sidecar.gateway.kit import BIG, KEY, PATIENT, Gateway, gateway, turns
from tests.sidecar.gateway.upstream import Got, Hold, Reply, upstream
from tests.sidecar.serve.kit import error_of, serving
from tidelore.engine.errors import BadInput
from tidelore.host.config import Config, GatewayConfig, UpstreamConfig, UpstreamModel, keys, load
from tidelore.serve.gateway.upstreams import connected


def _run(test: Any) -> None:
    asyncio.run(test)


SECRET = f"Wrong key {KEY} for account 4711: prompt was 'My cat'"


@pytest.mark.req("S53")
@pytest.mark.parametrize(
    ("status", "here", "code"),
    [
        (400, 400, "upstream_invalid_request"),
        (422, 422, "upstream_validation_error"),
        (401, 502, "upstream_authentication_error"),
        (403, 502, "upstream_permission_error"),
        (404, 502, "upstream_endpoint_not_found"),
        (413, 502, "upstream_request_too_large"),
        (429, 502, "upstream_rate_limit"),
        (500, 502, "upstream_service_error"),
        (503, 502, "upstream_service_error"),
        (529, 502, "upstream_service_error"),
        (302, 502, "upstream_service_error"),
        (402, 502, "upstream_service_error"),
    ],
)
@pytest.mark.parametrize("kind", ["openai", "anthropic"])
@pytest.mark.parametrize("streamed", [True, False])
def test_a_failure_of_the_upstream_is_told_by_its_class_alone(
    tmp_path: Path, status: int, here: int, code: str, kind: str, streamed: bool
) -> None:
    async def main() -> None:
        body = json.dumps({"error": {"message": SECRET, "type": SECRET}}).encode()
        reply = Reply([body], status, headers={"Retry-After": "17", "X-Secret": SECRET, "Location": "http://127.0.0.1:1/x"})
        async with gateway(tmp_path, lambda got: reply, kind=kind) as made:
            answer = await made.post({"model": "big", "stream": streamed, "messages": turns("My dog is called Rex.")})
            assert error_of(answer) == (here, code)
            assert answer.headers["retry-after"] == "17"
            told = answer.text + str(answer.headers)
            assert not [word for word in (KEY, "4711", "My cat", "Location") if word in told]
            assert len(made.upstream.got) == 1
            await made.idle()
            # No delivery, and nothing made of it.
            assert (await made.rpc("stats", {"chat": "gateway:main#1"}))["commits"] == 0

    _run(main())


@pytest.mark.req("S53")
def test_the_openai_client_sees_the_code_of_a_failure(tmp_path: Path) -> None:
    async def main() -> None:
        async with gateway(tmp_path, lambda got: Reply([SECRET.encode()], 401)) as here, here.openai() as client:
            with pytest.raises(openai.APIStatusError) as caught:
                await client.chat.completions.create(model="big", messages=[{"role": "user", "content": "?"}])
            assert (caught.value.status_code, caught.value.code) == (502, "upstream_authentication_error")

    _run(main())


def test_an_upstream_that_is_not_there_or_silent_is_told(tmp_path: Path) -> None:
    async def main() -> None:
        with upstream() as gone:
            url = gone.url
        hold = Hold()
        with upstream(lambda got: Reply([hold], streamed=True)) as silent:
            config = Config(gateway=PATIENT, upstream=[UpstreamConfig("gone", url), UpstreamConfig("silent", silent.url, seconds=0.2)])
            async with serving(tmp_path, config=config) as server, server.http() as http:
                for name, expected in (("gone", (502, "upstream_unreachable")), ("silent", (504, "upstream_timeout"))):
                    body = {"model": f"{name}/m", "messages": turns("Hello.")}
                    assert error_of(await http.post("/v1/chat/completions", json=body)) == expected
            hold.go.set()

    _run(main())


@pytest.mark.req("S48")
def test_models_are_named_by_upstream_and_those_that_answer_no_chats_are_hidden(tmp_path: Path) -> None:
    async def main() -> None:
        def listed(got: Got) -> Reply:
            names = ["m-1", "text-embedding-3", "bge-m3", "jina-reranker", "org/m-2", 7]
            return Reply([json.dumps({"data": [{"id": name} for name in names]}).encode()])

        chosen = [*BIG, UpstreamModel("e-1", "e", "embedding"), UpstreamModel("r-1", "r", "rerank"), UpstreamModel("plain-1")]
        with upstream(listed) as one, upstream() as two, upstream(lambda got: Reply([b"<html>"], 404)) as three:
            ups = [UpstreamConfig("one", one.url), UpstreamConfig("two", two.url, models=chosen), UpstreamConfig("three", three.url)]
            async with serving(tmp_path, config=Config(gateway=PATIENT, upstream=ups)) as server:
                here = Gateway(server, two)
                async with here.openai() as client:
                    names = [model.id async for model in client.models.list()]
                    assert names == ["one/m-1", "one/org/m-2", "two/big", "two/plain-1"]
                    assert (await client.models.retrieve("two/big")).owned_by == "two"
                    with pytest.raises(openai.NotFoundError):
                        await client.models.retrieve("two/e")
                # Of several one must be named.
                for model, code in (("big", "model_ambiguous"), ("", "model_ambiguous"), ("two/none", "model_not_found")):
                    answer = await here.post({"model": model, "messages": turns("Hello.")}, X_Tidelore_Memory="off")
                    assert error_of(answer)[1] == code
                assert (await here.post({"model": "two/plain-1", "messages": turns("Hello.")})).status_code == 200
                await here.post({"model": "one/org/m-2", "messages": turns("Hello.")})
                assert one.got[-1].body["model"] == "org/m-2"

    _run(main())


@pytest.mark.req("S48")
def test_with_one_upstream_its_first_model_is_the_default(tmp_path: Path) -> None:
    async def main() -> None:
        async with gateway(tmp_path, models=[UpstreamModel("e-1", "e", "embedding"), *BIG]) as here:
            for body in (
                {"messages": turns("Hello.")},
                {"model": "", "messages": turns("Hello.")},
                {"model": None, "messages": turns("Hello.")},
            ):
                assert (await here.post(body)).status_code == 200
                assert here.upstream.got[-1].body["model"] == "big-1"
        async with gateway(tmp_path, models=[]) as here:
            assert error_of(await here.post({"messages": turns("Hello.")})) == (400, "model_missing")
            await here.post({"model": "meta/m-3", "messages": turns("Hello.")})
            assert here.upstream.got[-1].body["model"] == "meta/m-3"

    _run(main())


def test_without_an_upstream_that_is_said(tmp_path: Path) -> None:
    async def main() -> None:
        async with serving(tmp_path) as server, server.http() as http:
            assert error_of(await http.post("/v1/chat/completions", json={"model": "m", "messages": []})) == (501, "no_upstream")
            assert (await http.get("/v1/models")).json()["data"] == []

    _run(main())


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages", "/v1/embeddings", "/v1/models"])
def test_the_gateway_wants_the_key_of_the_sidecar(tmp_path: Path, path: str) -> None:
    async def main() -> None:
        async with gateway(tmp_path) as here:
            for key, code in ((None, "key_missing"), ("sk-any", "key_wrong")):
                async with here.server.http(key) as http:
                    answer = await (http.get(path) if path.endswith("models") else http.post(path, json={}))
                    assert error_of(answer) == (401, code)

    _run(main())


@pytest.mark.req("S48")
@pytest.mark.parametrize(
    ("upstreams", "word"),
    [
        ([UpstreamConfig("a", "http://x/v1"), UpstreamConfig("a", "http://y/v1")], "named a"),
        ([UpstreamConfig("a/b", "http://x/v1")], "name of an upstream"),
        ([UpstreamConfig("a", "x")], "not like"),
        ([UpstreamConfig("a", "http://x/v1?key=1")], "not like"),
        ([UpstreamConfig("a", "http://x/v1", models=[UpstreamModel("m"), UpstreamModel("n", "m")])], "called m"),
        ([UpstreamConfig("a", "http://x/v1", models=[UpstreamModel(f"m{at}") for at in range(501)])], "501"),
        ([UpstreamConfig("a", "http://x/v1", models=[UpstreamModel("")])], "no name"),
        ([UpstreamConfig("a", "http://x/v1", seconds=0)], "seconds"),
        ([UpstreamConfig("a", "http://x/v1", key_env="ODD")], "key"),
    ],
)
def test_a_wrong_setting_is_refused_at_the_start(upstreams: list[UpstreamConfig], word: str) -> None:
    async def main() -> None:
        with pytest.raises(BadInput, match=word):
            async with connected(upstreams, lambda name: "a\nb"):
                pass

    _run(main())


def test_upstreams_are_set_in_config_toml_and_their_keys_beside_it(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(
        """
[gateway]
preset = "plain"
resume = true

[[upstream]]
name = "cloud"
kind = "anthropic"
url = "https://api.example.com/v1"
key_env = "CLOUD_KEY"

  [[upstream.models]]
  name = "big-2026"
  alias = "big"

[[upstream]]
name = "home"
url = "http://127.0.0.1:11434/v1"
"""
    )
    found = load(tmp_path, {})
    assert found.gateway == GatewayConfig(preset="plain", resume=True)
    models = [UpstreamModel("big-2026", "big")]
    cloud = UpstreamConfig("cloud", "https://api.example.com/v1", "anthropic", "CLOUD_KEY", models)
    assert found.upstream == [cloud, UpstreamConfig("home", "http://127.0.0.1:11434/v1")]
    assert keys(tmp_path) == {}
    (tmp_path / "keys.toml").write_text('CLOUD_KEY = "sk-1"')
    (tmp_path / "keys.toml").chmod(0o600)
    assert keys(tmp_path) == {"CLOUD_KEY": "sk-1"}
    (tmp_path / "keys.toml").write_text("CLOUD_KEY = 1")
    with pytest.raises(BadInput, match="CLOUD_KEY"):
        keys(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such permissions there")
def test_keys_that_others_can_read_are_refused(tmp_path: Path) -> None:
    (tmp_path / "keys.toml").write_text('CLOUD_KEY = "sk-1"')
    (tmp_path / "keys.toml").chmod(0o644)
    with pytest.raises(BadInput, match="can be read by others"):
        keys(tmp_path)
