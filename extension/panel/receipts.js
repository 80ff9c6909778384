// What became of words that were forgotten for good, place by place.
import { h } from "../ui/dom.js";

/** @typedef {import("../types.js").Receipt} Receipt */

/** Each place with what can be said of it. */
export const RECEIPTS = ["store.done", "ledger.done", "vectors.done", "vectors.waiting", "mirror.waiting", "replicas.done", "replicas.waiting", "records.done", "records.outside", "chat.outside"];

/** @param {import("../types.js").App} app @param {Receipt[]} receipts */
export const receiptList = (app, receipts) =>
  h(
    "ul",
    { key: "receipts", class: "tidelore-list tidelore-receipts" },
    receipts.map((receipt) =>
      h("li", { key: receipt.place, class: "tidelore-line", "data-state": receipt.state }, [
        h("span", { key: "state", class: `tidelore-receipt-state ${receipt.state === "done" ? "tidelore-good" : "tidelore-busy"}` }, app.text.t(`receipt.${receipt.state}`)),
        h("span", { key: "what", class: "tidelore-grow" }, receiptText(app, receipt)),
      ]),
    ),
  );

/** @param {import("../types.js").App} app @param {Receipt} receipt @returns {string} */
export function receiptText({ text: { t } }, { place, state, count, replicas }) {
  const key = `${place}.${state}`;
  if (!RECEIPTS.includes(key)) return place;
  return t(`receipt.${key}`, { n: count, names: replicas.map((name) => name.slice(0, 8)).join(t("list.comma")), waiting: replicas.length });
}
