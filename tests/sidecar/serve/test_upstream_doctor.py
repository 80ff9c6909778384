"""What `tidelore doctor` says of the services behind the gateway."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.sidecar.cli_kit import answered, tidelore
from tests.sidecar.gateway.upstream import Got, Reply, upstream

pytestmark = pytest.mark.slow
SECRET = "sk-upstream-0123456789abcdef"


def _listed(got: Got) -> Reply:
    held = got.headers.get("authorization") == f"Bearer {SECRET}" or got.headers.get("x-api-key") == SECRET
    return Reply([b'{"data": [{"id": "big"}]}']) if held else Reply([f"no such key {SECRET}".encode()], 401)


def _set(data: Path, url: str, *more: str, kind: str = "openai", key: str = SECRET) -> None:
    data.mkdir(exist_ok=True)
    lines = ["[[upstream]]", 'name = "cloud"', f'url = "{url}"', f'kind = "{kind}"', 'key_env = "CLOUD_KEY"', *more]
    (data / "config.toml").write_text("\n".join(lines), "utf-8")
    (data / "keys.toml").write_text(f'CLOUD_KEY = "{key}"\n')
    (data / "keys.toml").chmod(0o600)


def _said(data: Path, code: int) -> list[dict[str, Any]]:
    found = answered(data, "doctor", code=code)
    for form in ([], ["--lang", "zh"]):
        done = tidelore(data, "doctor", *form)
        assert done.returncode == code
        assert SECRET not in done.stdout + done.stderr
    assert SECRET not in json.dumps(found)
    return [each for each in found["findings"] if each["check"] == "upstream"]


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_one_that_answers_with_its_key_is_well(tmp_path: Path, kind: str) -> None:
    with upstream(_listed) as made:
        _set(tmp_path, made.url, kind=kind)
        (only,) = _said(tmp_path, 0)
        assert (only["level"], only["message"]) == ("ok", f"The upstream cloud answers: {made.url}")
        assert {(got.method, got.path) for got in made.got} == {("GET", "/v1/models")}, "nothing that costs"


@pytest.mark.req("P119")
@pytest.mark.parametrize(
    ("rule", "key", "level", "todo"),
    [
        (_listed, SECRET + "x", "fail", "CLOUD_KEY"),
        (_listed, "", "fail", "keys.toml"),
        (lambda got: Reply([b"none"], 404), SECRET, "warn", "config.toml"),
        (lambda got: Reply([SECRET.encode()], 500), SECRET, "warn", "config.toml"),
    ],
)
def test_what_is_wrong_is_told_with_what_to_do_and_without_the_key(
    tmp_path: Path, rule: Callable[[Got], Reply], key: str, level: str, todo: str
) -> None:
    with upstream(rule) as made:
        _set(tmp_path, made.url, key=key)
        (only,) = _said(tmp_path, 1 if level == "fail" else 0)
        assert only["level"] == level
        assert todo in only["todo"]
        assert "cloud" in only["message"]


def test_one_that_is_not_there_and_settings_that_cannot_be_are_told(tmp_path: Path) -> None:
    _set(tmp_path, "http://127.0.0.1:9/v1")
    (only,) = _said(tmp_path, 1)
    assert "cannot be reached" in only["message"]
    _set(tmp_path, "not an address")
    (only,) = _said(tmp_path, 1)
    assert "cloud" in only["message"]
    _set(tmp_path, f"http://me:{SECRET}@127.0.0.1:9/v1")
    assert _said(tmp_path, 1)
