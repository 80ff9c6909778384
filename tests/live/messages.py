"""What a user does with messages, by the controls that a user has. A negative index counts from the end."""

from __future__ import annotations

from tests.live.page import LiveError, Watched


class Messages(Watched):
    """Every action waits until the page is at rest again; those with `wait=False` return at once."""

    def send(self, text: str, wait: bool = True) -> None:
        mark = self.mark()
        self.page.fill("#send_textarea", text)
        self.click("#send_but")
        if wait:
            self.wait_generation(mark)

    def regenerate(self, wait: bool = True) -> None:
        self._option("regenerate", wait)

    def continue_reply(self, wait: bool = True) -> None:
        self._option("continue", wait)

    def impersonate(self, wait: bool = True) -> None:
        """Let the model write the user's next message into the input."""
        self._option("impersonate", wait)

    def _option(self, name: str, wait: bool) -> None:
        mark = self.mark()
        self.click(f"#option_{name}")
        if wait:
            self.wait_generation(mark)

    def stop(self) -> None:
        """Stop the generation."""
        self.click("#mes_stop")
        self.wait_rest()

    def swipe_right(self, wait: bool = True) -> None:
        """To the next swipe of the last message; past the last one, another is generated."""
        self._swipe("right", wait)

    def swipe_left(self) -> None:
        self._swipe("left", True)

    def _swipe(self, way: str, wait: bool) -> None:
        mark = self.mark()
        chat = self.chat()
        at_the_end = chat[-1].get("swipe_id", 0) == len(chat[-1].get("swipes", [""])) - 1
        self.click(f"#chat .mes.last_mes .swipe_{way}")
        if wait:
            self.wait_event("message_swiped", since=mark)
            if way == "right" and at_the_end and len(chat) > 1:  # greetings go round
                self.wait_generation(mark)
            self.wait_rest(400)

    def edit(self, index: int, text: str) -> None:
        index, mark = self._index(index), self.mark()
        self._button(index, "mes_edit")
        self.page.fill("#curEditTextarea", text)
        self._button(index, "mes_edit_done")
        self.wait_event("message_updated", since=mark)
        self.wait_rest()

    def delete(self, index: int) -> None:
        index, mark = self._index(index), self.mark()
        self._button(index, "mes_edit")
        self._button(index, "mes_edit_delete")
        self.confirm("Delete Message")
        self.wait_event("message_deleted", since=mark)
        self.wait_rest(500)

    def delete_swipe(self) -> None:
        """Delete the swipe of the last message that is shown."""
        before = len(self.chat()[-1]["swipes"])
        self._button(self._index(-1), "mes_edit")
        self._button(self._index(-1), "mes_edit_delete")
        self.confirm("Delete Swipe")
        self.wait("count => SillyTavern.getContext().chat.at(-1).swipes.length === count", "the swipe to go", before - 1)
        self.wait_rest(500)

    def delete_from(self, index: int) -> None:
        """Delete a message and all after it, by the menu."""
        index, mark = self._index(index), self.mark()
        self.click("#option_delete_mes")
        box = self.page.locator(f'#chat .mes[mesid="{index}"] .del_checkbox')
        box.wait_for(state="visible")
        self.click(f'#chat .mes[mesid="{index}"] .del_checkbox')
        self.click("#dialogue_del_mes_ok")
        self.wait_event("message_deleted", since=mark)
        self.wait_rest()

    def hide(self, index: int, hidden: bool = True) -> None:
        """Hide a message from the prompt, or show it again."""
        index = self._index(index)
        self._button(index, "mes_hide" if hidden else "mes_unhide")
        state = "([index, hidden]) => SillyTavern.getContext().chat[index].is_system === hidden"
        self.wait(state, "the message to change", [index, hidden])
        self.wait_rest()

    def _button(self, index: int, name: str) -> None:
        self.click(f'#chat .mes[mesid="{index}"] .{name}')

    def _index(self, index: int) -> int:
        count: int = self.evaluate("ctx.chat.length")
        if not -count <= index < count:
            raise LiveError(f"there is no message {index} in a chat of {count}")
        return index % count
