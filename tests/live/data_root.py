"""SillyTavern's data root for a test: one user, past every first-run question, connected to the scripted model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.live.cards import MIRA, TOVA, Card, picture
from tests.live.replies import MODEL

SKIPPED_CONTENT = {"background", "character", "sprites", "world", "theme", "workflow"}
THEME = "Dark Lite"
CONTEXT = 8192


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What a data root begins with.

    `builtin` are the extensions of SillyTavern's own that stay on (the fewer, the quicker the page). `settings` and `config` are laid over
    settings.json and config.yaml, mapping by mapping.
    """

    characters: tuple[Card, ...] = (MIRA, TOVA)
    user: str = "Sam"
    stream: bool = False
    reduced_motion: bool = True
    builtin: frozenset[str] = frozenset()
    settings: Mapping[str, Any] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class DataRoot:
    """The folder that holds everything a server writes."""

    folder: Path

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def user(self) -> Path:
        """The folder of the one user."""
        return self.data / "default-user"

    @property
    def extensions(self) -> Path:
        return self.user / "extensions"

    @property
    def config(self) -> Path:
        return self.folder / "config.yaml"

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    def settings(self) -> dict[str, Any]:
        """settings.json as it was last saved."""
        return _read(self.user / "settings.json")

    def chat(self, name: str) -> list[dict[str, Any]]:
        """The saved chat of that name, line by line; line 0 is the header with the metadata. Raises FileNotFoundError."""
        for folder in ("chats", "group chats"):
            for path in (self.user / folder).rglob(f"{name}.jsonl"):
                return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        raise FileNotFoundError(f"no saved chat is called {name!r}")


def make(root: DataRoot, setup: Setup, sillytavern: Path, model_url: str) -> None:
    """Fill an empty data root. `sillytavern` is the folder of its package."""
    for name in ("characters", "chats", "extensions", "worlds", "user/files", "User Avatars"):
        (root.user / name).mkdir(parents=True, exist_ok=True)
    content = sillytavern / "default" / "content"
    # SillyTavern copies what this log does not name; every background would cost a thumbnail.
    items = json.loads((content / "index.json").read_text("utf-8"))
    skipped = [item["filename"] for item in items if item["type"] in SKIPPED_CONTENT and THEME not in item["filename"]]
    (root.user / "content.log").write_text("\n".join(skipped), "utf-8")
    for card in setup.characters:
        (root.user / "characters" / card.file).write_bytes(picture(card))
    settings = _lay(_read(content / "settings.json"), _own_settings(setup, sillytavern, model_url))
    (root.user / "settings.json").write_text(json.dumps(_lay(settings, setup.settings), indent=1), "utf-8")
    config = {"skipContentCheck": False, "whitelistDockerHosts": False, "browserLaunch": {"enabled": False}}
    root.config.write_text(json.dumps(_lay(config, setup.config)), "utf-8")  # JSON is YAML


def _own_settings(setup: Setup, sillytavern: Path, model_url: str) -> dict[str, Any]:
    version = _read(sillytavern / "package.json")["version"]
    folders = (sillytavern / "public" / "scripts" / "extensions").iterdir()
    builtin = {folder.name for folder in folders if folder.is_dir() and folder.name != "third-party"}
    if unknown := setup.builtin - builtin:
        raise ValueError(f"SillyTavern has no extension called {', '.join(sorted(unknown))}")
    return {
        "firstRun": False,
        "username": setup.user,
        "currentVersion": f"SillyTavern:{version}:Cohee#1207",  # another one would set off updates of extensions
        "main_api": "openai",
        "max_context": CONTEXT,
        "active_character": setup.characters[0].file if setup.characters else None,
        "power_user": {
            "auto_connect": True,
            "auto_load_chat": bool(setup.characters),
            "confirm_message_delete": True,
            "reduced_motion": setup.reduced_motion,
            "play_message_sound": False,
            "personas": {"user-default.png": setup.user},
            "default_persona": "user-default.png",
            "persona_show_notifications": False,
        },
        "oai_settings": {
            "chat_completion_source": "custom",
            "custom_url": model_url,
            "custom_model": MODEL,
            "custom_include_body": "",
            "custom_exclude_body": "",
            "custom_include_headers": "",
            "stream_openai": setup.stream,
            "bypass_status_check": False,
            "openai_max_context": CONTEXT,
            "openai_max_tokens": 200,
            "preset_settings_openai": "Default",
        },
        "accountStorage": {"extensionInstallationWarningShown": "1", "AlertWI_Export": "1"},
        "extension_settings": {"disabledExtensions": sorted(builtin - setup.builtin)},
    }


def _read(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return value


def _lay(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """`over` on `base`; only mappings are merged."""
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = _lay(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return merged
