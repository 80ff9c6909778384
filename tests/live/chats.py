"""What a user does with chats, characters and groups."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tests.live.page import LiveError, Watched

LIST = """fetch("/api/characters/chats", {
  method: "POST", headers: ctx.getRequestHeaders(), body: JSON.stringify({ avatar_url: ctx.characters[ctx.characterId].avatar }),
}).then(answer => answer.json()).then(chats => Object.values(chats).map(chat => chat.file_name.replace(/\\.jsonl$/, "")).sort())"""


class Chats(Watched):
    """Every action waits until the page is at rest again."""

    def chats(self) -> list[str]:
        """The names of the chats of the open character."""
        names: list[str] = self.evaluate(LIST)
        return names

    def current_chat(self) -> str | None:
        name: str | None = self.evaluate("ctx.getCurrentChatId() ?? null")
        return name

    def new_chat(self) -> str:
        """Begin a new chat by the menu; the old one stays. Its name comes back."""
        before, mark = self.current_chat(), self.mark()
        self.click("#option_start_new_chat")
        dialog = self.page.locator("dialog[open]").last
        dialog.wait_for(state="visible")
        dialog.locator(".popup-button-ok").click()
        self.wait_event("chat_id_changed", since=mark)
        self.wait_rest(500)
        name = self.current_chat()
        if name is None or name == before:
            raise LiveError("no new chat was made")
        return name

    def open_chat(self, name: str) -> None:
        """Open another chat of the open character or group."""
        mark = self.mark()
        opening = "ctx.groupId ? ctx.openGroupChat(ctx.groupId, value) : ctx.openCharacterChat(value)"
        self.evaluate(f"({opening}).then(() => null)", name)
        self._opened(mark)
        if self.current_chat() != name:
            raise LiveError(f"the open chat is {self.current_chat()!r}, not {name!r}")

    def rename_chat(self, name: str) -> None:
        """Rename the open chat."""
        self.slash(f"/renamechat {name}")
        self.wait("name => SillyTavern.getContext().getCurrentChatId() === name", "the new name", name)
        self.wait_rest(500)

    def branch(self, index: int) -> str:
        """Branch at a message by its button; the branch is opened, and its name comes back."""
        mark = self.mark()
        self.click(f'#chat .mes[mesid="{index}"] .mes_create_branch')
        self._opened(mark)
        name = self.current_chat()
        if name is None:
            raise LiveError("no branch was made")
        return name

    def open_character(self, name: str) -> None:
        avatar = self.evaluate("ctx.characters.find(each => each.name === value)?.avatar ?? null", name)
        if avatar is None:
            raise LiveError(f"no character is called {name!r}")
        mark = self.mark()
        self.slash(f"/go {name}")
        self._opened(mark)
        self._settled("active_character", avatar)

    def make_group(self, name: str, members: Sequence[str]) -> str:
        """Make a group of characters and open it; its id comes back."""
        avatars = self.evaluate("value.map(name => ctx.characters.find(each => each.name === name).avatar)", list(members))
        status, text = self.api("/api/groups/create", {"name": name, "members": avatars})
        if status != 200:
            raise LiveError(f"the group was not made: {status} {text}")
        self.evaluate("ctx.getCharacters().then(() => null)")
        self.open_group(name)
        identity: str = json.loads(text)["id"]
        return identity

    def open_group(self, name: str) -> None:
        mark = self.mark()
        self.slash(f"/go {name}")
        self._opened(mark)
        if self.evaluate("ctx.groups.find(each => each.id === ctx.groupId)?.name ?? null") != name:
            raise LiveError(f"the group {name!r} is not open")
        self._settled("active_group", self.evaluate("ctx.groupId"))

    def close_chat(self) -> None:
        mark = self.mark()
        self.click("#option_close_chat")
        self._opened(mark)

    def _opened(self, mark: int) -> None:
        self.wait_event("chat_id_changed", since=mark)
        self.wait_rest(500)

    def _settled(self, key: str, value: str) -> None:
        """Wait until a setting is saved: a page that is loaded next reads it."""
        reading = """async ([key, value]) => {
          const headers = SillyTavern.getContext().getRequestHeaders();
          const answer = await (await fetch("/api/settings/get", { method: "POST", headers, body: "{}" })).json();
          return JSON.parse(answer.settings)[key] === value;
        }"""
        self.wait(reading, f"{key} to be saved", [key, value])
