"""`tidelore doctor` as a person meets it: one thing is wrong at a time, and it says which and what to do."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.sidecar.cli_kit import answered, sample, tidelore
from tests.sidecar.model_server import ModelServer, Reply, Request, failed, said, serving
from tests.sidecar.serve.kit import process
from tidelore.host import diagnosis_models
from tidelore.host.config import EmbedderConfig
from tidelore.host.diagnosis_models import without_secrets
from tidelore.host.embedding_queue import BEGUN
from tidelore.host.models import vectors_name
from tidelore.host.profiles import Profiles
from tidelore.host.vector_files import Saved, save

pytestmark = pytest.mark.slow
SECRET = "sk-0123456789abcdefghij"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def level(found: Mapping[str, Any], check: str) -> list[tuple[str, str]]:
    """(level, message) of a check."""
    return [(each["level"], each["message"]) for each in found["findings"] if each["check"] == check]


def wrong(found: Mapping[str, Any]) -> dict[str, str]:
    """What is not well, with what to do about it, which is always said."""
    out = {each["check"]: each["todo"] for each in found["findings"] if each["level"] != "ok"}
    assert all(out.values()), out
    return out


def config(data: Path, text: str) -> None:
    data.mkdir(parents=True, exist_ok=True)
    (data / "config.toml").write_text(text, "utf-8")


def vectors(request: Request, dimension: int = 3) -> Reply:
    rows = [{"index": at, "embedding": [1.0, *[0.5] * (dimension - 1)]} for at in range(len(request.body["input"]))]
    return Reply(json.dumps({"data": rows}))


def models(request: Request) -> Reply:
    return vectors(request) if request.path.endswith("/embeddings") else said('{"ok": true}')


@pytest.fixture
def both() -> Iterator[ModelServer]:
    with serving(models) as server:
        yield server


def settings(server: ModelServer, embedder: str = "small") -> str:
    return (
        f'[model]\nurl = "{server.url}"\nname = "qwen"\nkey_env = "MY_MODEL_KEY"\n'
        f'[embedder]\nurl = "{server.url}"\nname = "{embedder}"\nkey_env = "MY_MODEL_KEY"\n'
    )


@pytest.mark.skipif(os.name != "posix", reason="rights of files are those of POSIX")
@pytest.mark.parametrize("file", ["key", "paired.json", "tidelore.db", "profiles/berta/key"])
def test_a_file_that_others_can_read_is_named_and_how_to_close_it(data: Path, tmp_path: Path, file: str) -> None:
    answered(data, "import", str(sample(tmp_path / "a.jsonl")), "--yes")
    answered(data, "key")
    answered(data, "profile", "add", "berta")
    (data / "paired.json").write_text('{"paired": []}')
    (data / "paired.json").chmod(0o600)
    assert answered(data, "doctor")["ok"]
    (data / file).chmod(0o644)
    found = answered(data, "doctor", code=1)
    assert f"chmod 600 {data / file}" in wrong(found)["rights"]
    assert file in level(found, "rights")[0][1]


def test_settings_that_cannot_be_read_are_told_and_other_verbs_say_so_too(data: Path) -> None:
    config(data, "[serve]\nportt = 1\n")
    found = answered(data, "doctor", code=1)
    assert "portt" in level(found, "config")[0][1]
    assert wrong(found)["config"]
    assert answered(data, "recall", "x", code=1)["error"]["code"] in ("bad_input", "not_found")


@pytest.mark.req("P119")
@pytest.mark.parametrize(
    ("text", "place"),
    [
        (f'[model]\nkey_env = "{SECRET}"\n', "model.key_env"),
        (f'[model]\nurl = "http://127.0.0.1:9/v1?api_key={SECRET}"\n', "model.url"),
        (f'[embedder]\nurl = "http://me:{SECRET}@127.0.0.1:9/v1"\n', "embedder.url"),
        (f'[[upstream]]\nname = "a"\nurl = "http://127.0.0.1:9"\nkey_env = "{SECRET}"\n', "upstream[0].key_env"),
        (f'[model]\nkey = "{SECRET}"\n', "model.key"),
        (f'[serve]\norigins = ["Bearer {SECRET}"]\n', "serve.origins[0]"),
    ],
)
def test_a_key_in_the_settings_is_found_named_by_its_place_and_never_shown(data: Path, text: str, place: str) -> None:
    config(data, text)
    for form in ([], ["--json"], ["--lang", "zh"]):
        done = tidelore(data, "doctor", *form)
        assert done.returncode == 1
        assert SECRET not in done.stdout + done.stderr
        assert place in done.stdout.replace("\n      ", "").replace("\n", " ")


def test_the_models_are_asked_a_real_thing_with_the_key_of_the_named_variable(data: Path, both: ModelServer) -> None:
    config(data, settings(both))
    found = answered(data, "doctor", env={"MY_MODEL_KEY": SECRET})
    assert [level(found, name)[0][0] for name in ("model", "embedder")] == ["ok", "ok"]
    assert {request.path.rpartition("/v1")[2] for request in both.requests} == {"/chat/completions", "/embeddings"}
    assert {request.headers["Authorization"] for request in both.requests} == {f"Bearer {SECRET}"}
    assert SECRET not in json.dumps(found)


def test_a_key_file_of_its_owner_serves_as_well_as_a_variable(data: Path, both: ModelServer) -> None:
    config(data, settings(both))
    (data / "keys.toml").write_text(f'MY_MODEL_KEY = "{SECRET}"\n')
    (data / "keys.toml").chmod(0o600)
    assert answered(data, "doctor")["ok"]
    assert {request.headers["Authorization"] for request in both.requests} == {f"Bearer {SECRET}"}


@pytest.mark.parametrize(
    ("rule", "check"),
    [
        (lambda request: failed(401, f"no {SECRET}"), "model"),
        (lambda request: said("") if "messages" in request.body else vectors(request), "model"),
        (lambda request: said("{}") if "messages" in request.body else Reply("{}"), "embedder"),
    ],
)
def test_a_model_that_does_not_do_its_work_fails(data: Path, rule: Callable[[Request], Reply], check: str) -> None:
    with serving(rule) as server:
        config(data, settings(server))
        found = answered(data, "doctor", code=1, env={"MY_MODEL_KEY": SECRET})
    assert level(found, check)[0][0] == "fail"
    assert wrong(found)[check]
    assert SECRET not in json.dumps(found), "the words of a service may quote the key"


def test_vectors_of_another_model_are_told_and_can_be_made_anew(data: Path, tmp_path: Path, both: ModelServer) -> None:
    config(data, settings(both))
    answered(data, "import", str(sample(tmp_path / "a.jsonl")), "--yes")
    assert level(answered(data, "doctor"), "vectors")[0][0] == "ok"
    config(data, settings(both, embedder="other"))
    found = answered(data, "doctor")
    assert [each[0] for each in level(found, "vectors")] == ["warn"]
    assert "embed" in wrong(found)["vectors"]
    assert answered(data, "embed")["degraded"] == []
    assert level(answered(data, "doctor"), "vectors")[0][0] == "ok"
    both.rule = lambda request: vectors(request, 5) if request.path.endswith("/embeddings") else said("{}")
    assert level(answered(data, "doctor"), "vectors")[0][0] == "warn", "the same name, another size"


def test_memories_without_a_vector_are_told(tmp_path: Path) -> None:
    folder = Profiles(tmp_path).folder("default")
    fit = EmbedderConfig(name="e", url="http://127.0.0.1:1/v1")
    for mark, expected in ((BEGUN, ["fit", "lacking"]), ("2:1.1", ["fit"])):
        save(folder / "vectors.json", Saved(vectors_name(fit), {}, np.zeros((0, 3), np.float16), {"chat": mark}))
        assert [each.outcome for each in diagnosis_models.vectors(tmp_path, fit, 0)] == expected


def test_a_sidecar_that_runs_is_asked_whether_it_keeps_its_rules(data: Path) -> None:
    with process(data) as (_, said_):
        found = answered(data, "doctor")
        assert said_["url"] in level(found, "sidecar")[0][1]
        assert level(found, "rules")[0][0] == "ok"
        assert level(found, "reach")[0][0] == "ok"
        assert said_["key"] not in json.dumps(found)
    found = answered(data, "doctor")
    assert [each[0] for each in level(found, "sidecar")] == ["warn"], "it was killed, and left its record behind"


def test_a_port_that_another_program_has_fails(data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        config(data, f"[serve]\nport = {other.getsockname()[1]}\n")
        found = answered(data, "doctor", code=1)
    assert level(found, "port")[0][0] == "fail"
    assert "--port 0" in wrong(found)["port"]


def test_listening_beyond_this_machine_deserves_a_look(data: Path) -> None:
    config(data, '[serve]\nhost = "0.0.0.0"\nport = 0\norigins = ["http://127.0.0.1:8000"]\n')
    found = answered(data, "doctor")
    assert found["ok"]
    assert "ssh -L" in wrong(found)["reach"]
    assert "http://127.0.0.1:8000" in level(found, "origins")[0][1]


def test_profiles_and_pages_that_were_let_in_are_listed(data: Path) -> None:
    answered(data, "key")
    answered(data, "profile", "add", "berta")
    grants = [
        {"origin": origin, "client": "page", "profile": profile, "key": "0" * 64, "at": 0}
        for origin, profile in (("http://127.0.0.1:8000", "default"), ("http://127.0.0.1:9000", "gone"))
    ]
    (data / "paired.json").write_text(json.dumps({"paired": grants}))
    (data / "paired.json").chmod(0o600)
    found = answered(data, "doctor")
    assert "berta" in level(found, "profiles")[0][1]
    assert [each[0] for each in level(found, "paired")] == ["ok", "warn"]
    assert "9000" in level(found, "paired")[1][1]
    (data / "paired.json").write_text("[")
    assert "paired" in wrong(answered(data, "doctor", code=1))


def test_a_damaged_store_of_another_profile_is_noticed(data: Path) -> None:
    answered(data, "profile", "add", "berta")
    (data / "profiles" / "berta" / "tidelore.db").write_bytes(b"\0" * 5000)
    (data / "profiles" / "berta" / "tidelore.db").chmod(0o600)
    found = answered(data, "doctor", code=1)
    assert "berta" in level(found, "store")[1][1]


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://me:secret@host.example/v1?key=secret#x", "https://host.example/v1"),
        ("host.example:8080/v1", "host.example:8080/v1"),
        ("http://a@b@host/v1", "http://host/v1"),
    ],
)
def test_an_address_is_shown_without_what_may_be_a_key(url: str, shown: str) -> None:
    assert without_secrets(url) == shown
