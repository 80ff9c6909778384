"""Moving in, in SillyTavern: what another memory extension left in this browser, in the chat and in the person's files."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

from tests.live.extension import ROOT
from tests.live.memory import graph, lawful, ready
from tests.live.panel import open_panel, panel
from tests.live.stage import Tab

LEFT = ROOT / "tests" / "engine" / "st_bme"
# As ST-BME makes its database of a chat.
LEAVE = """new Promise((done, fail) => {
  const asked = indexedDB.open(value.name, 30);
  asked.onupgradeneeded = () => ["nodes", "edges"].forEach(name => asked.result.createObjectStore(name, { keyPath: "id" }));
  asked.onerror = () => fail(asked.error);
  asked.onsuccess = () => {
    const writing = asked.result.transaction(["nodes", "edges"], "readwrite");
    for (const name of ["nodes", "edges"]) for (const row of value[name]) writing.objectStore(name).put(row);
    writing.oncomplete = () => { asked.result.close(); done(null); };
  };
})"""


def test_what_st_bme_left_is_found_in_database_chat_and_files_shown_and_brought_in_once(tab: Tab) -> None:
    ready(tab)
    tab.send("My cat is called Biscuit.")
    lawful(tab)
    old: dict[str, Any] = json.loads((LEFT / "version9.json").read_text("utf-8"))
    chat = tab.evaluate("ctx.chatMetadata.integrity")
    rows = {name: list(old[name].values()) if isinstance(old[name], dict) else old[name] for name in ("nodes", "edges")}
    tab.evaluate(LEAVE, {"name": f"STBME_{chat}", **rows})
    tab.evaluate(
        "(ctx.chatMetadata.st_bme_graph = value, ctx.saveMetadata().then(() => null))",
        json.loads((LEFT / "version1.json").read_text("utf-8")),
    )
    status, _ = tab.api(
        "/api/files/upload", {"name": f"ST-BME_sync_{chat}.json", "data": base64.b64encode(json.dumps(old).encode()).decode()}
    )
    assert status == 200
    part = open_panel(tab, "actions")
    part.get_by_role("button", name="Look for its memories").click()
    part.locator(".tidelore-left").first.wait_for()
    found = [text for text in part.locator(".tidelore-left").all_inner_texts() if "this chat" in text]
    assert len(found) == 3, found
    part.get_by_role("button", name=f"Look at Database STBME_{chat}").click()
    bring = part.get_by_role("button", name="Bring these in")
    bring.wait_for()
    before = len(graph(tab)["nodes"])
    bring.click()
    panel(tab).get_by_text("Memories brought in:").wait_for()
    assert len(graph(tab)["nodes"]) > before + 5
    # What lies elsewhere too is known; only what the database did not hold is new.
    file = part.get_by_role("button", name=f"Look at File ST-BME_sync_{chat}.json")
    file.click()
    part.get_by_text(re.compile("known already: [1-9]")).wait_for()
    part.get_by_role("button", name="Bring these in").click()
    panel(tab).get_by_text("Memories brought in:").wait_for()
    file.click()
    part.get_by_text("All of it is here already.").wait_for()
    part.get_by_role("button", name="Cancel").first.click()
    again = json.loads(str(tab.slash(f"/tidelore-move-in dry=true STBME_{chat}")))
    assert (again["nodes"], again["edges"]) == (0, 0)
