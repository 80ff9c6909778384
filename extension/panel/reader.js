// Messages of the chat, where no page around the panel shows them: those around one that a memory comes from.
import { create, h, patch } from "../ui/dom.js";
import { button } from "../ui/fields.js";
import { signButton } from "./parts.js";

/**
 * @typedef {{index: number, role: string, name: string, date: string, text: string}} Said as sources.read gives it
 */

const AROUND = 4;
const MORE = 12;

/**
 * @param {import("../types.js").App} app
 * @param {HTMLElement} home
 */
export function createReader(app, home) {
  const { t } = app.text;
  const dialog = /** @type {HTMLDialogElement} */ (create(h("dialog", { class: "tidelore-reader", "aria-label": t("reader.title") })));
  /** @type {Said[]} */
  let messages = [];
  let total = 0;
  let wanted = -1;
  let fault = "";
  home.append(dialog);

  /** @param {number} first @param {number} last */
  async function read(first, last) {
    const mine = wanted;
    try {
      const found = await app.call("sources.read", { first: Math.max(0, first), last });
      if (mine !== wanted) return;
      const known = new Map([...messages, ...found.messages].map((/** @type {Said} */ each) => [each.index, each]));
      messages = [...known.values()].sort((one, other) => one.index - other.index);
      total = found.total;
      fault = "";
    } catch (error) {
      fault = app.text.error(error);
    }
    redraw();
  }

  function redraw() {
    const first = messages[0]?.index ?? 0;
    const last = messages.at(-1)?.index ?? -1;
    patch(dialog, [
      h("header", { key: "head", class: "tidelore-line" }, [h("h3", { class: "tidelore-grow" }, t("reader.title")), signButton("close", t("panel.close"), () => dialog.close())]),
      fault && h("p", { key: "fault", class: "tidelore-bad" }, fault),
      !messages.length && !fault && h("p", { key: "wait", role: "status" }, t("memories.loading")),
      h("div", { key: "text", class: "tidelore-reader-text", tabindex: 0 }, [
        first > 0 && button(t("reader.earlier"), () => void read(first - MORE, first - 1)),
        messages.map(({ index, role, name, text }) =>
          h("article", { key: index, id: `tidelore-said-${index}`, class: "tidelore-said", "aria-current": index === wanted ? "true" : null }, [
            h("p", { class: "tidelore-dim" }, [h("b", null, name || t(`role.${role}`)), ` · ${t("node.floor", { floor: index })}`]),
            h("p", { class: "tidelore-said-text" }, text),
          ]),
        ),
        messages.length > 0 && last + 1 < total && button(t("reader.later"), () => void read(last + 1, Math.min(total - 1, last + MORE))),
      ]),
    ]);
  }

  return {
    /** @param {number} index of the message */
    async open(index) {
      wanted = index;
      messages = [];
      redraw();
      if (!dialog.open) dialog.showModal();
      const { messages: count = index } = app.status().stats ?? {};
      await read(index - AROUND, Math.min(Math.max(count - 1, index), index + AROUND));
      dialog.querySelector(`#tidelore-said-${index}`)?.scrollIntoView({ block: "center" });
    },
  };
}
