// Chats that are remembered though SillyTavern has them no more: a list, and a button of two steps to forget one for good.
import { h } from "./dom.js";
import { button } from "./fields.js";
import { attempt } from "./view.js";

/**
 * @param {import("../types.js").App} app
 * @param {() => void} redraw
 * @returns {() => import("./dom.js").Described}
 */
export function orphanSection(app, redraw) {
  const { t } = app.text;
  /** @type {Awaited<ReturnType<typeof app.orphans>> | null} null: not looked for */
  let found = null;
  let armed = "";
  let busy = false;

  async function look() {
    if (busy) return;
    busy = true;
    redraw();
    await attempt(app, async () => void (found = await app.orphans()));
    busy = false;
    redraw();
  }

  /** @param {string} chat */
  async function press(chat) {
    if (armed !== chat) {
      armed = chat;
      return redraw();
    }
    armed = "";
    if (await attempt(app, () => app.purge(chat))) await look();
    else redraw();
  }

  /** @param {string} chat who looks elsewhere did not mean it */
  function leave(chat) {
    if (armed !== chat) return;
    armed = "";
    redraw();
  }

  return () =>
    h("section", { key: "orphans", "aria-labelledby": "tidelore-orphans-title" }, [
      h("h4", { id: "tidelore-orphans-title" }, t("orphans.title")),
      h("p", { key: "hint", class: "tidelore-note" }, t("orphans.hint")),
      h("div", { key: "actions", class: "tidelore-actions" }, button(t("orphans.look"), look, { busy })),
      h("div", { key: "found", role: "status" }, found?.length === 0 ? t("orphans.none") : null),
      found?.length
        ? h(
            "ul",
            { key: "list", class: "tidelore-list" },
            found.map(({ chat, title, owner, messages }) =>
              h("li", { key: chat, class: "tidelore-line" }, [
                h("span", { class: "tidelore-grow" }, t("orphans.one", { title, owner, messages })),
                button(t(armed === chat ? "orphans.purge_sure" : "orphans.purge"), () => press(chat), {
                  key: "purge",
                  class: armed === chat ? "tidelore-danger" : "",
                  "aria-label": t(armed === chat ? "orphans.purge_sure_it" : "orphans.purge_it", { title }),
                  on: { blur: () => leave(chat) },
                }),
              ]),
            ),
          )
        : null,
    ]);
}
