// What a person must hear of without looking: each cause once in the life of a page.

/** @typedef {import("../types.js").App} App */

/** @type {Record<string, "info" | "warning" | "error">} */
export const KINDS = {
  engine_failed: "error",
  store_memory: "warning",
  store_blocked: "warning",
  store_closed: "warning",
  quota: "error",
  evicted: "warning",
  restored: "info",
  other_tab: "warning",
  model_failed: "warning",
  embedder_failed: "warning",
  too_small: "warning",
  engine_restarted: "warning",
  engine_gone: "error",
};

/** @type {WeakMap<object, Set<string>>} what each app has told */
const told = new WeakMap();

/**
 * @param {Pick<App, "host" | "text">} app
 * @param {string} cause one of those above
 * @param {Record<string, string | number>} [values] `detail`: a sentence on what happened
 */
export function notice(app, cause, { detail = "", ...values } = {}) {
  const known = told.get(app) ?? new Set();
  told.set(app, known);
  if (known.has(cause)) return;
  known.add(cause);
  app.host.notify(KINDS[cause] ?? "warning", app.text.t(`notice.${cause}`, { detail, ...values }).trim());
}
