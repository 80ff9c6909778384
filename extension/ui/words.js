// What is going on, in words: for the drawer and for /tidelore alike.

/**
 * @typedef {import("../types.js").App} App
 * @typedef {{key: string, label: string, value: string, tone?: "good" | "bad" | "busy"}} Row
 */

/** @param {Record<string, any> | null | undefined} stats as the service gives them */
export const remembered = (stats) => Object.values(stats?.nodes ?? {}).reduce((sum, count) => sum + Number(count), 0);

/** How a place that the runtime is loaded from is called. @param {App} app @param {string} source */
export function sourceName({ text: { t } }, source) {
  if (source === "extension") return t("source.extension");
  return source === "sidecar" ? t("source.sidecar") : source;
}

/**
 * @param {App} app
 * @param {{due?: boolean}} [options] `due`: with what waits, where nothing else says so
 * @returns {Row[]}
 */
export function statusRows(app, { due = true } = {}) {
  const { t } = app.text;
  const status = app.status();
  /** @type {Row[]} */
  const rows = [engineRow(app), storeRow(app)];
  rows.push({ key: "sidecar", label: t("status.sidecar"), value: t(`sidecar.${status.sidecar}`), tone: SIDECAR[status.sidecar] });
  rows.push(mirrorRow(app));
  const idle = status.engine !== "ready" && t("status.idle");
  rows.push({ key: "model", label: t("status.model"), value: idle || status.model || t("status.rules_alone") });
  rows.push({ key: "embedder", label: t("status.embedder"), value: idle || status.embedder || t("status.words_alone") });
  rows.push({ key: "remembered", label: t("status.remembered"), value: rememberedValue(app, due) });
  rows.push({ key: "last", label: t("status.last_recall"), ...lastRecall(app) });
  return rows;
}

/** @type {Record<string, Row["tone"]>} */
const SIDECAR = { connected: "good", looking: "busy", pairing: "busy", unreachable: "bad", refused: "bad" };

/** @param {App} app @returns {Row} */
function engineRow(app) {
  const { t } = app.text;
  const { engine, sources } = app.status();
  const label = t("status.engine");
  if (engine === "starting") return { key: "engine", label, value: t("engine.starting"), tone: "busy" };
  if (engine === "failed") return { key: "engine", label, value: t("engine.failed"), tone: "bad" };
  if (engine === "off") return { key: "engine", label, value: t("engine.off") };
  const from = [...new Set(sources.filter(({ outcome }) => outcome === "taken").map(({ source }) => sourceName(app, source)))];
  const value = from.length ? t("engine.ready_from", { sources: from.join(t("list.comma")) }) : t("engine.ready");
  return { key: "engine", label, value, tone: "good" };
}

/** @param {App} app @returns {Row} */
function storeRow({ text: { t }, status }) {
  const { store } = status();
  const value = t(store === "" ? "store.closed" : `store.${store}`);
  return { key: "store", label: t("status.store"), value, tone: STORE[store] };
}

/** @type {Record<string, Row["tone"]>} */
const STORE = { indexeddb: "good", memory: "bad" };

/** What the last exchange with other replicas came to. @param {App} app */
export function mirrorValue(app) {
  const { t } = app.text;
  const { mirror, sidecar, problem, size } = app.status().replicas;
  const value = t(`mirror.${app.settings.mirror ? mirror : "switched_off"}`);
  const more = [app.settings.mirror && size ? sizeText(app, size) : "", problem || (sidecar === "done" ? t("mirror.sidecar_too") : "")];
  return [value, ...more].filter(Boolean).join(t("list.between"));
}

/** @param {App} app @param {number} bytes */
function sizeText({ text: { language } }, bytes) {
  const [count, unit] = bytes < 1_000_000 ? [bytes / 1000, "kilobyte"] : [bytes / 1_000_000, "megabyte"];
  return count.toLocaleString(language, { style: "unit", unit, maximumFractionDigits: count < 10 ? 1 : 0 });
}

/** @param {App} app @returns {Row} */
function mirrorRow(app) {
  const { mirror, problem } = app.status().replicas;
  return { key: "mirror", label: app.text.t("status.mirror"), value: mirrorValue(app), tone: MIRROR[problem ? "failed" : mirror] };
}

/** @type {Record<string, Row["tone"]>} */
const MIRROR = { done: "good", going: "busy", failed: "bad" };

/** Why nothing is known of the open chat now. @param {App} app */
export function noChat(app) {
  const { t } = app.text;
  const { engine, chat } = app.status();
  if (!app.settings.enabled) return t("status.off");
  if (engine === "failed" || engine === "off") return t("status.no_engine");
  return t(engine === "starting" || chat ? "status.not_read" : "status.no_chat");
}

/** @param {App} app @param {boolean} due */
function rememberedValue(app, due) {
  const { t } = app.text;
  const { chat, stats } = app.status();
  if (!chat || app.status().engine !== "ready") return noChat(app);
  if (chat.off) return t("status.chat_off");
  if (!stats) return t("status.not_read");
  const parts = [t("status.memories", { n: remembered(stats) })];
  if (due && stats.rules_due) parts.push(t("status.due_rules", { n: stats.rules_due }));
  if (due && stats.model_due && app.settings.model.use !== "none") parts.push(t("status.due_model", { n: stats.model_due }));
  if (stats.aside) parts.push(t("status.aside", { n: stats.aside }));
  if (due && stats.waiting?.length) parts.push(t("status.waiting", { n: stats.waiting.length }));
  return parts.join(t("list.between"));
}

/** @param {App} app @returns {Pick<Row, "value" | "tone">} */
function lastRecall(app) {
  const { t } = app.text;
  const last = app.status().lastRecall;
  if (!last) return { value: t("recall.never") };
  const parts = [t(last.reason === "whole_chat" ? "recall.whole_chat" : `recall.${last.outcome}`)];
  if (last.cards) parts.push(t("recall.cost", { cards: last.cards, tokens: last.tokens }));
  parts.push(t("recall.ms", { ms: Math.round(last.ms) }));
  if (last.error) parts.push(last.error);
  const bad = last.outcome === "late" || last.outcome === "failed" || last.outcome === "too_small";
  return { value: parts.join(t("list.between")), tone: bad ? "bad" : undefined };
}

/** The state as lines of text. @param {App} app */
export function statusText(app) {
  const { t } = app.text;
  const { problem, otherTab, evicted, sidecarProblem } = app.status();
  const lines = [t(app.settings.enabled ? "status.on" : "status.off")];
  for (const { label, value } of statusRows(app)) lines.push(t("status.line", { label, value }));
  if (problem) lines.push(app.text.error(problem));
  if (sidecarProblem) lines.push(sidecarProblem);
  if (otherTab) lines.push(t("notice.other_tab"));
  if (evicted) lines.push(t("status.evicted"));
  return lines.join("\n");
}

/** Which chat a job is about, and what it does. @param {App} app @param {import("../types.js").JobView} job */
export const jobName = ({ text: { t } }, job) => t("job.name", { kind: t(`job.kind.${job.kind}`), title: job.title || t("job.untitled") });
