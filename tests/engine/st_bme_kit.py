"""Files as ST-BME writes them, made by hand, and a chat that they are brought into."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from tests.engine.service_kit import Kit, rows
from tidelore.engine.importing import Bundle, read

FOLDER = Path(__file__).parent / "st_bme"
FILES: dict[str, Any] = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}
# Six messages; the replies stand at odd floors, as the files have it.
SAID = rows(
    ("Ash", "Who keeps the light?"),
    ("Mira", "It just went out."),
    ("Ash", "Then we land in the dark."),
    ("Mira", "Pay first."),
    ("Ash", "Look by the quay."),
    ("Mira", "Here it is."),
)
GONE_HIDDEN = ["current", "superseded", "archived", "hidden"]


def graph_file(name: str = "version9") -> Any:
    return copy.deepcopy(FILES[name])


def text_of(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def bundle(value: Any) -> Bundle:
    form, found = read(text_of(value))
    assert form == "st-bme"
    assert isinstance(found, Bundle)
    return found


def chat_kit() -> Kit:
    kit = Kit()
    kit.show("c", SAID)
    return kit


def bring(kit: Kit, value: Any, **more: Any) -> Any:
    return kit.call("import", chat="c", text=text_of(value), **more)


def whole(kit: Kit) -> Any:
    return kit.call("graph.get", chat="c", private=True, states=GONE_HIDDEN)


def node(kit: Kit, text: str) -> Any:
    (found,) = [each for each in whole(kit)["nodes"] if each["text"] == text]
    return found


def edges(kit: Kit) -> set[tuple[str, str, str, str]]:
    graph = whole(kit)
    texts = {each["id"]: each["text"] for each in graph["nodes"]}
    return {(each["type"], texts[each["from"]], texts[each["to"]], each["label"]) for each in graph["edges"]}
