"""Names, keys, settings, locks and logs: the parts that a sidecar stands on."""

from __future__ import annotations

import logging
import socket
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sidecar.processes import python
from tidelore.engine.errors import BadInput, Conflict, NotFound
from tidelore.host.config import CDNS, PORT, Config, ServeConfig, load
from tidelore.host.daemon import AlreadyRunning, Daemon, claimed, running
from tidelore.host.grants import Grant, Grants
from tidelore.host.keyring import Caller, Keyring
from tidelore.host.profiles import Profiles, new_key
from tidelore.serve.changes import KEPT, Changes
from tidelore.serve.logs import Formatter
from tidelore.serve.origins import host_of, is_loopback, origin_of
from tidelore.serve.process import listen

# ---- names ----


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("HTTPS://Example.COM:443/", "https://example.com"),
        ("http://example.com:80", "http://example.com"),
        ("http://[::1]:8000", "http://[::1]:8000"),
        ("chrome-extension://abcdef", "chrome-extension://abcdef"),
        *(
            (wrong, None)
            for wrong in (
                "null",
                "",
                "http://",
                "example.com",
                "http://a/b",
                "http://a?b",
                "http://u@a",
                "http://a:b",
                "http://a b",
                "http://ä.de",
            )
        ),
    ],
)
def test_an_origin_has_one_form(text: str, origin: str | None) -> None:
    assert origin_of(text) == origin


@given(st.text(max_size=40))
def test_whatever_comes_as_a_name_is_a_name_or_none(text: str) -> None:
    for found in (host_of(text), origin_of(text)):
        assert found is None or found == found.strip().lower()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.255.0.1", "::1", "localhost", "a.localhost"])
def test_loopback_is_known(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "localhost.evil.example", "evillocalhost", "127.0.0.1.nip.example", ""])
def test_what_only_looks_like_loopback_is_not(host: str) -> None:
    assert not is_loopback(host)


# ---- profiles and keys ----


def test_a_key_is_made_once_for_its_owner_alone_whoever_asks_first(tmp_path: Path) -> None:
    profiles = Profiles(tmp_path / "new")
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: profiles.key("default"), range(40)))
    assert len(keys) == 1
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["key"]
    if sys.platform != "win32":
        assert stat.S_IMODE(profiles.key_file("default").stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["", "A", "../x", "a/b", ".", "a b", "con", "lpt1", "x" * 33, "berta\n", "ü"])
def test_a_profile_has_a_name_that_every_file_system_takes(tmp_path: Path, name: str) -> None:
    for act in (Profiles(tmp_path).add, Profiles(tmp_path).folder):
        with pytest.raises(BadInput):
            act(name)


def test_profiles_are_listed_and_made_once(tmp_path: Path) -> None:
    profiles = Profiles(tmp_path)
    assert profiles.names() == ["default"]
    key = profiles.add("berta")
    assert profiles.names() == ["default", "berta"]
    assert profiles.key("berta") == key
    for name in ("berta", "default"):
        with pytest.raises(Conflict):
            profiles.add(name)
    with pytest.raises(NotFound):
        profiles.key("ann")


def test_a_key_of_a_page_counts_with_its_origin_alone(tmp_path: Path) -> None:
    keyring = Keyring(Profiles(tmp_path), Grants(tmp_path))
    page, program = new_key(), new_key()
    keyring.grants.add(Grant("http://a.example", "A", "default", "", 1), page)
    keyring.grants.add(Grant("", "script", "default", "", 2), program)
    assert keyring.find(page, "http://a.example") == Caller("default", owner=False, client="A")
    assert keyring.find(program, "") == Caller("default", owner=False, client="script")
    for key, origin in ((page, ""), (page, "http://b.example"), (program, "http://a.example"), ("", ""), ("x", "")):
        assert keyring.find(key, origin) is None
    assert keyring.find(Profiles(tmp_path).key("default"), "http://b.example") == Caller("default", owner=True)


def test_pairing_again_takes_the_place_of_the_old_key(tmp_path: Path) -> None:
    keyring = Keyring(Profiles(tmp_path), Grants(tmp_path))
    old, new = new_key(), new_key()
    for key in (old, new):
        keyring.grants.add(Grant("http://a.example", "A", "default", "", 1), key)
    assert keyring.find(old, "http://a.example") is None
    assert keyring.find(new, "http://a.example") is not None
    assert keyring.grants.remove("http://a.example", "other") == 0
    assert keyring.grants.remove("http://a.example", "default") == 1
    assert not keyring.knows("http://a.example")


# ---- one daemon for a folder ----


def test_a_folder_is_served_once_and_says_by_whom(tmp_path: Path) -> None:
    assert running(tmp_path) is None
    with claimed(tmp_path) as claim:
        with pytest.raises(AlreadyRunning) as caught, claimed(tmp_path):
            pass
        assert caught.value.daemon is None
        claim.announce(Daemon("http://127.0.0.1:1", 5))
        assert running(tmp_path) == Daemon("http://127.0.0.1:1", 5)
        with pytest.raises(AlreadyRunning) as caught, claimed(tmp_path):
            pass
        assert caught.value.daemon == Daemon("http://127.0.0.1:1", 5)
    assert running(tmp_path) is None
    with claimed(tmp_path):
        pass


@pytest.mark.slow
def test_a_daemon_that_was_killed_is_not_taken_for_alive(tmp_path: Path) -> None:
    lines = """
import sys
from pathlib import Path
from tidelore.host.daemon import Daemon, claimed
with claimed(Path(sys.argv[1])) as claim:
    claim.announce(Daemon("http://127.0.0.1:1", 5))
    print("claimed", flush=True)
    sys.stdin.read()
"""
    with python("-c", lines, str(tmp_path)) as other:
        assert other.hear() == "claimed"
        assert running(tmp_path) == Daemon("http://127.0.0.1:1", 5)
        other.process.kill()
        other.process.wait()
        assert (tmp_path / "serve.json").exists()
        assert running(tmp_path) is None
        with claimed(tmp_path):
            assert running(tmp_path) is None


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_what_is_accepted_is_known_as_tcp_so_that_answers_are_not_held_back(host: str) -> None:
    with closing(listen(host, 0)) as listening, closing(socket.create_connection(listening.getsockname()[:2])):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.proto == socket.IPPROTO_TCP


# ---- settings ----


def test_without_a_file_everything_has_a_default(tmp_path: Path) -> None:
    assert load(tmp_path, {}) == Config()
    assert Config().serve == ServeConfig("127.0.0.1", PORT, [], [], "", list(CDNS))


def test_variables_count_more_than_the_file(tmp_path: Path) -> None:
    text = '[model]\nurl = "http://a/v1"\nname = "a"\n[embedder]\nurl = "http://e"\nname = "e"\nfloor = 0.3\n[serve]\nport = 9'
    (tmp_path / "config.toml").write_text(text, "utf-8")
    config = load(
        tmp_path, {"TIDELORE_MODEL": "b", "TIDELORE_PORT": "10", "TIDELORE_ORIGINS": "http://p, http://q", "TIDELORE_EMBEDDER": ""}
    )
    assert (config.model.url, config.model.name, config.model.is_set) == ("http://a/v1", "b", True)
    assert (config.embedder.name, config.embedder.floor) == ("e", 0.3)
    assert (config.serve.port, config.serve.origins) == (10, ["http://p", "http://q"])


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[serve]\nport = 'x'", "config.toml.serve.port"),
        ("[server]", "'server'"),
        ("[model", "config.toml"),
        ("[model]\nkey = 'sk-1'", "'key'"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path: Path, text: str, named: str) -> None:
    (tmp_path / "config.toml").write_text(text, "utf-8")
    with pytest.raises(BadInput) as caught:
        load(tmp_path, {})
    assert named in caught.value.sentence


@pytest.mark.parametrize("port", ["x", "-1", "65536", "1.5"])
def test_a_port_is_a_port(tmp_path: Path, port: str) -> None:
    with pytest.raises(BadInput):
        load(tmp_path, {"TIDELORE_PORT": port})


# ---- changes ----


def test_changes_that_are_no_longer_known_are_not_guessed() -> None:
    changes = Changes("run")
    for number in range(KEPT + 5):
        changes.happened(str(number))
    assert changes.since("run", 4) is None
    known = changes.since("run", 5)
    assert known is not None
    assert len(known) == KEPT
    assert changes.since("run", KEPT + 5) == []
    assert changes.since("run", KEPT + 6) is None
    assert changes.since("other", 5) is None


# ---- logs ----


@pytest.mark.req("P119")
def test_the_log_has_the_place_of_an_error_and_neither_its_words_nor_a_key() -> None:
    key = new_key()
    words = " ".join(["She", "whispered"])
    try:
        try:
            raise ValueError(words)
        except ValueError as inner:
            raise RuntimeError(f"with {key}") from inner
    except RuntimeError:
        info = sys.exc_info()
    record = logging.LogRecord("x", logging.ERROR, "f", 1, "failed: %s Bearer abc.def sk-12345678", (key,), info)
    said = Formatter().format(record)
    assert words not in said
    assert "with ***" not in said
    assert key not in said
    assert "abc.def" not in said
    assert "sk-1" not in said
    assert "builtins.ValueError" in said
    assert "builtins.RuntimeError" in said
    assert "test_parts.py" in said
