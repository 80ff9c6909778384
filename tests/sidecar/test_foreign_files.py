"""A file of a form that nobody expected gets a clear message, and stays as it is."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from tests.sidecar.cli_kit import answered, sample
from tests.sidecar.serve.kit import error_of, process

CONTENTS = [b"{}", b"[]", b"null", b"\xff\xfe\x00", b"{" * 3000]


@pytest.mark.req("P87")
@pytest.mark.slow
@pytest.mark.parametrize("content", [b"{}", b"[]"])
@pytest.mark.parametrize("name", ["tidelore.db", "config.toml", "keys.toml", "paired.json"])
def test_a_file_of_the_data_folder_that_is_something_else_is_named_and_not_overwritten(tmp_path: Path, name: str, content: bytes) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / name).write_bytes(content)
    (data / name).chmod(0o600)
    with process(data) as (started, said):
        if name == "paired.json":
            # It matters only to pages, which are told; nobody is let in by mistake.
            answer = httpx.get(said["url"] + "/status", headers={"Origin": "http://127.0.0.1:8000"}, trust_env=False)
            assert answer.status_code in (403, 500)
        elif name == "tidelore.db":
            # A store is opened at the first visit of its profile.
            answer = httpx.get(said["url"] + "/status", headers={"Authorization": f"Bearer {said['key']}"}, trust_env=False)
            assert error_of(answer) == (500, "store_error")
            assert name in answer.json()["error"]["message"]
        else:
            assert name in said["error"]["message"], said  # type: ignore[index]
            assert started.wait(60) == 1
    assert (data / name).read_bytes() == content
    found = answered(data, "doctor", code=0 if name == "paired.json" and content == b"{}" else 1)
    wrong = [each for each in found["findings"] if each["level"] == "fail"]
    assert all(each["todo"] for each in wrong)
    assert (data / name).read_bytes() == content


@pytest.mark.req("P87")
@pytest.mark.slow
@pytest.mark.parametrize("content", CONTENTS)
def test_an_import_of_something_else_says_so_and_stores_nothing(tmp_path: Path, content: bytes) -> None:
    data, file = tmp_path / "data", tmp_path / "memory.json"
    file.write_bytes(content)
    found = answered(data, "import", str(file), "--yes", code=1)["error"]
    assert found["code"] == "bad_input"
    assert found["message"]
    assert file.read_bytes() == content
    assert answered(data, "chats")["chats"] == []


@pytest.mark.req("P87")
@pytest.mark.slow
@pytest.mark.parametrize("content", CONTENTS)
def test_vectors_that_are_something_else_are_told_and_made_again_without_loss(tmp_path: Path, content: bytes) -> None:
    data = tmp_path / "data"
    answered(data, "import", str(sample(tmp_path / "a.jsonl")), "--yes")
    (data / "vectors.json").write_bytes(content)
    found = answered(data, "doctor")
    assert [each["level"] for each in found["findings"] if each["check"] == "vectors"] == ["warn"]
    assert answered(data, "recall", "clock")["chat"]
