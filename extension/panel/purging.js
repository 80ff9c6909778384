// Forgetting a memory for good: first what goes along, then a button of two steps, then what became of the words in each place.
import { h } from "../ui/dom.js";
import { button } from "../ui/fields.js";
import { createTwoSteps } from "../ui/two_steps.js";
import { attempt } from "../ui/view.js";
import { kindChip } from "./parts.js";
import { receiptList } from "./receipts.js";

/**
 * @typedef {import("./parts.js").Desk} Desk
 * @typedef {import("../types.js").PurgedNode} PurgedNode
 */

const SHOWN = 12;

/** @param {Desk} desk @param {() => void} redraw */
export function nodePurge(desk, redraw) {
  const { app, data } = desk;
  const { t } = app.text;
  const twoSteps = createTwoSteps(redraw);
  let of = "";
  let busy = false;
  /** @type {PurgedNode | null} what would go, or what has gone */
  let found = null;

  /** @param {() => Promise<PurgedNode>} ask @param {string} node */
  async function during(ask, node) {
    if (busy) return;
    busy = true;
    of = node;
    redraw();
    await attempt(app, async () => void (found = await ask()));
    busy = false;
    redraw();
  }

  /** @param {string} node */
  const look = (node) => during(() => app.call("node.purge", { node, dry: true }), node);

  /** @param {string} node */
  const purge = (node) =>
    during(async () => {
      const gone = await app.purgeNode(node);
      data.renew();
      return gone;
    }, node);

  function close() {
    found = null;
    redraw();
  }

  /** @param {PurgedNode} would */
  const preview = ({ node, messages, commits, going }) =>
    h("section", { key: "purge", class: "tidelore-result", "aria-labelledby": "tidelore-purge-title" }, [
      h("h4", { id: "tidelore-purge-title" }, t("purge.title")),
      h("p", { key: "what" }, t("purge.what", { messages: messages.length, commits })),
      messages.length > 0 && h("p", { key: "floors", class: "tidelore-note" }, t("purge.floors", { floors: floors(messages) })),
      going.length > 0 && h("p", { key: "along" }, t("purge.along", { n: going.length })),
      going.length > 0 &&
        h(
          "ul",
          { key: "going", class: "tidelore-list" },
          going.slice(0, SHOWN).map((each) => h("li", { key: each.node, class: "tidelore-line" }, [kindChip(app, each.kind), h("span", { class: "tidelore-row-text tidelore-grow" }, each.text)])),
        ),
      going.length > SHOWN && h("p", { key: "more", class: "tidelore-note" }, t("purge.more", { n: going.length - SHOWN })),
      h("p", { key: "note", class: "tidelore-note" }, t("purge.note")),
      h("div", { key: "actions", class: "tidelore-actions" }, [twoSteps("purge", { text: t("purge.do"), sure: t("purge.sure"), busy }, () => void purge(node)), button(t("node.cancel"), close, { key: "cancel" })]),
    ]);

  /** @param {number[]} messages indices of the engine */
  function floors(messages) {
    const all = messages.map((index) => app.floor(index)).filter((floor) => floor >= 0);
    return all.slice(0, SHOWN).join(t("list.comma")) + (all.length > SHOWN ? " …" : "");
  }

  /** @param {PurgedNode} gone */
  const done = ({ receipts }) =>
    h("section", { key: "purged", class: "tidelore-result", role: "status", "aria-labelledby": "tidelore-purged-title" }, [
      h("h4", { id: "tidelore-purged-title" }, t("purge.done")),
      receiptList(app, receipts),
      h("div", { key: "actions", class: "tidelore-actions" }, button(t("purge.close"), close)),
    ]);

  return {
    /** @param {string} node */
    button: (node) => button(t("purge.begin"), () => look(node), { key: "purge", busy }),
    /** What is being done with this memory, or was, even where it stands no more. @param {string} node */
    draw(node) {
      if (of !== node || !found) return null;
      return found.purge ? done(found) : preview(found);
    },
  };
}
