// What was forgotten for good, and which replicas have not been heard to have carried it out; and, where conversations lie side by side, forgetting one whole.
import { h } from "../ui/dom.js";
import { createTwoSteps } from "../ui/two_steps.js";
import { attempt } from "../ui/view.js";
import { when } from "./changes.js";
import { createLoad } from "./load.js";
import { receiptList } from "./receipts.js";

/**
 * @typedef {import("./parts.js").Desk} Desk
 * @typedef {import("../types.js").Receipt} Receipt
 */

const SHOWN = 10;

/** @param {Desk} desk @param {() => void} redraw */
export function purgeSection(desk, redraw) {
  const { app, data, alone } = desk;
  const { t } = app.text;
  const twoSteps = createTwoSteps(redraw);
  let busy = false;
  /** @type {{title: string, receipts: Receipt[]} | null} */
  let gone = null;
  /** @type {ReturnType<typeof createLoad<{purges: {purge: string, at: number, waiting: string[]}[]}>>} */
  const load = createLoad(app, redraw, () => app.call("sync.status"));

  /** @param {string} chat @param {string} title */
  async function purge(chat, title) {
    if (busy) return;
    busy = true;
    gone = null;
    redraw();
    await attempt(app, async () => {
      gone = { title, receipts: await app.purge(chat) };
      data.renew();
      load.renew();
    });
    busy = false;
    redraw();
  }

  const list = () => {
    const purges = load.get("purges", data.version())?.purges ?? [];
    return [
      load.fault() && h("p", { key: "fault", class: "tidelore-bad" }, load.fault()),
      purges.length > 0 &&
        h(
          "ul",
          { key: "list", class: "tidelore-list" },
          purges.slice(0, SHOWN).map(({ purge: id, at, waiting }) =>
            h("li", { key: id, class: "tidelore-line" }, [
              h("span", { key: "when" }, when(app, at)),
              h("span", { key: "state", class: `tidelore-grow ${waiting.length ? "tidelore-busy" : "tidelore-dim"}` }, waiting.length ? t("purges.waiting", { n: waiting.length }) : t("purges.everywhere")),
            ]),
          ),
        ),
      !purges.length && !load.fault() && h("p", { key: "none", class: "tidelore-note" }, t("purges.none")),
    ];
  };

  return () => {
    const { chat, engine } = app.status();
    if (engine !== "ready") return null;
    return h("section", { key: "purges", "aria-labelledby": "tidelore-purges-title" }, [
      h("h4", { id: "tidelore-purges-title" }, t("purges.title")),
      ...list(),
      alone && chat && h("p", { key: "whole", class: "tidelore-note" }, t("purges.whole")),
      alone &&
        chat &&
        h("div", { key: "chat", class: "tidelore-actions" }, twoSteps(`chat ${chat.chat}`, { text: t("purges.chat"), sure: t("orphans.purge_sure"), label: t("orphans.purge_it", { title: chat.title }), sureLabel: t("orphans.purge_sure_it", { title: chat.title }), busy }, () => void purge(chat.chat, chat.title))),
      gone && h("div", { key: "gone", class: "tidelore-result", role: "status" }, [h("p", { key: "title" }, t("command.done.purge", { title: gone.title })), receiptList(app, gone.receipts)]),
    ]);
  };
}
