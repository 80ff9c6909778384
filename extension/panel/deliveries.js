// What was really in requests that succeeded, newest first: the receipts of this chat.
import { h } from "../ui/dom.js";
import { when } from "./changes.js";
import { createLoad } from "./load.js";
import { kindChip } from "./parts.js";

/** @typedef {{recall: string, chat: string, window: string, nodes: string[], at: number}} Delivery */

const ASKED = 200;
const SHOWN = 8;

/** @param {import("./parts.js").Desk} desk @param {() => void} redraw */
export function deliverySection({ app, data, go }, redraw) {
  const { t } = app.text;
  /** @type {ReturnType<typeof createLoad<Delivery[]>>} */
  const load = createLoad(app, redraw, async (chat) => (await app.call("recall.deliveries", { limit: ASKED })).deliveries.filter((/** @type {Delivery} */ each) => each.chat === chat).slice(0, SHOWN));

  return () => {
    const { chat, stats, lastRecall } = app.status();
    if (!chat || chat.off) return null;
    const found = load.get(chat.chat, stats, lastRecall?.at);
    const memories = data.get();
    return h("section", { key: "deliveries", "aria-labelledby": "tidelore-deliveries-title" }, [
      h("h4", { id: "tidelore-deliveries-title" }, t("deliveries.title")),
      h("p", { class: "tidelore-note" }, found && !found.length ? t("deliveries.none") : t("deliveries.hint")),
      (found ?? []).map(({ recall, window, nodes, at }) =>
        h("details", { key: recall }, [
          h("summary", null, t("deliveries.one", { when: when(app, at), window, n: nodes.length })),
          h(
            "ul",
            { class: "tidelore-list" },
            nodes.map((id) => {
              const node = memories?.byId.get(id);
              return h("li", { key: id }, node ? h("button", { type: "button", class: "tidelore-edge", on: { click: () => go({ node: id }) } }, [kindChip(app, node.kind), h("span", { class: "tidelore-row-text" }, node.text)]) : h("span", { class: "tidelore-dim" }, t("node.none")));
            }),
          ),
        ]),
      ),
    ]);
  };
}
