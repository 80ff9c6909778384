// Chats that are remembered though SillyTavern has them no more: a list, and a button of two steps to forget one for good.
import { receiptList } from "../panel/receipts.js";
import { h } from "./dom.js";
import { button } from "./fields.js";
import { createTwoSteps } from "./two_steps.js";
import { attempt } from "./view.js";

/**
 * @param {import("../types.js").App} app
 * @param {() => void} redraw
 * @param {string} [prefix] of its ids, where a page shows it twice
 * @returns {() => import("./dom.js").Described}
 */
export function orphanSection(app, redraw, prefix = "tidelore") {
  const { t } = app.text;
  const twoSteps = createTwoSteps(redraw);
  /** @type {Awaited<ReturnType<typeof app.orphans>> | null} null: not looked for */
  let found = null;
  /** @type {{title: string, receipts: import("../types.js").Receipt[]} | null} */
  let gone = null;
  let busy = false;

  async function look() {
    if (busy) return;
    busy = true;
    redraw();
    await attempt(app, async () => void (found = await app.orphans()));
    busy = false;
    redraw();
  }

  /** @param {string} chat @param {string} title */
  async function purge(chat, title) {
    gone = null;
    if (await attempt(app, async () => void (gone = { title, receipts: await app.purge(chat) }))) await look();
    else redraw();
  }

  return () =>
    h("section", { key: "orphans", "aria-labelledby": `${prefix}-orphans-title` }, [
      h("h4", { id: `${prefix}-orphans-title` }, t("orphans.title")),
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
                twoSteps(
                  chat,
                  { text: t("orphans.purge"), sure: t("orphans.purge_sure"), label: t("orphans.purge_it", { title }), sureLabel: t("orphans.purge_sure_it", { title }) },
                  () => void purge(chat, title),
                ),
              ]),
            ),
          )
        : null,
      gone && h("div", { key: "gone", role: "status" }, [h("p", { key: "title" }, t("command.done.purge", { title: gone.title })), receiptList(app, gone.receipts)]),
    ]);
}
