// The embedding model of the page itself: the question before its download, how far that is, and the way back.
import { create, h } from "./dom.js";
import { button } from "./fields.js";
import { attempt } from "./view.js";

/** @typedef {import("../types.js").App} App */

const MEGABYTE = 1_000_000;
/** A guess on the high side: the heap of Python, its code and the page's copies. */
const MEMORY_BYTES = 300 * MEGABYTE;
const megabytes = (/** @type {number} */ bytes) => Math.ceil(bytes / MEGABYTE);

/**
 * Asks before anything is fetched: how much, from where, and what stays in this browser. Closing the dialog is "not now".
 * @param {App} app
 */
export async function askForDownload(app) {
  const { text, ownEmbedder: own } = app;
  const { t } = text;
  if (!own) return;
  const shown = (/** @type {number} */ bytes) => megabytes(bytes).toLocaleString(text.language, { style: "unit", unit: "megabyte" });
  const size = shown(await own.size());
  const facts = [
    [t("own.ask.size"), size],
    [t("own.ask.from"), t("own.ask.places")],
    [t("own.ask.memory"), shown(MEMORY_BYTES)],
  ];
  const content = create(
    h("div", { class: "tidelore-dialog" }, [
      h("h3", null, t("own.ask.title")),
      h("p", null, t("own.ask.why")),
      h("dl", { class: "tidelore-facts" }, facts.map(([label, value]) => h("div", { key: label }, h("dt", null, label), h("dd", null, value)))),
      h("p", null, t("own.ask.stays")),
    ]),
  );
  if (await app.host.ask(content, { ok: t("own.ask.agree", { size }), cancel: t("own.ask.not_now"), cautious: true })) await own.agree();
}

/**
 * What there is to say of it, and to do. Nothing where another embedder is chosen or in use.
 * @param {App} app
 * @returns {import("./dom.js").Child}
 */
export function ownEmbedder(app) {
  const { ownEmbedder: own, text } = app;
  const { t } = text;
  const { use } = app.settings.embedder;
  if (!own || !["page", "auto"].includes(use)) return null;
  const { state, done, total, problem } = own.view();
  // Where something else makes vectors, nobody needs a download; what was downloaded can still be removed.
  if (use === "auto" && state === "absent" && app.status().embedder) return null;
  const going = state === "loading" || state === "starting";
  const line =
    state === "failed" && problem
      ? text.error(problem)
      : state === "loading" && total
        ? t("own.loading_of", { done: megabytes(done), total: megabytes(total) })
        : t(`own.state.${state}`);
  const tone = state === "failed" ? "tidelore-bad" : state === "ready" ? "tidelore-good" : "tidelore-note";
  return h("div", { key: "own", class: "tidelore-field tidelore-job tidelore-own" }, [
    h("p", { key: "state", role: "status", class: tone }, line),
    going && h("progress", { key: "bar", max: total || 1, value: state === "starting" ? null : total ? done : null, "aria-label": t("own.progress") }),
    h("div", { key: "actions", class: "tidelore-actions" }, [
      state === "absent" && button(t("own.download"), () => attempt(app, () => askForDownload(app)), { key: "get", class: "tidelore-main" }),
      state === "failed" && button(t("own.again"), () => attempt(app, () => own.again()), { key: "again", class: "tidelore-main" }),
      state !== "absent" && button(t(state === "loading" ? "own.stop" : "own.remove"), () => attempt(app, () => own.remove()), { key: "remove" }),
    ]),
  ]);
}
