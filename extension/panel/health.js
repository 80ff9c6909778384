// What is not as it should be, and what a person can do about it.
import { askConsent } from "../ui/consent.js";
import { jobName } from "../ui/words.js";

/**
 * @typedef {object} Finding
 * @property {string} key
 * @property {"bad" | "busy" | "note"} tone
 * @property {string} text
 * @property {{label: string, run: () => any} | null} fix null: nothing can be done here
 */

/**
 * @param {import("../types.js").App} app
 * @param {(() => void) | null} settings
 * @returns {Finding[]} the worst first; none: all is well
 */
export function findings(app, settings) {
  const { t } = app.text;
  const { engine, problem, chat, store, otherTab, sidecar, sidecarProblem, stats, embedder, lastRecall } = app.status();
  const { enabled, model } = app.settings;
  /** @type {Finding[]} */
  const out = [];
  /** @param {string} key @param {Finding["tone"]} tone @param {string} text @param {Finding["fix"]} [fix] */
  const find = (key, tone, text, fix = null) => void out.push({ key, tone, text, fix });
  const toSettings = settings && { label: t("health.fix.settings"), run: settings };

  if (!enabled) {
    find("off", "note", t("status.off"), { label: t("health.fix.on"), run: () => app.set({ enabled: true }) });
    return out;
  }
  const restart = { label: t("runtime.restart"), run: () => app.restart() };
  if (engine === "failed") find("engine", "bad", problem ? app.text.error(problem) : t("engine.failed"), restart);
  else if (problem) find("problem", "bad", app.text.error(problem), restart);
  if (engine === "starting") find("engine", "busy", t("engine.starting"));
  if (store === "memory") find("store", "bad", t("store.memory"));
  for (const job of app.jobs().filter(({ state }) => state === "failed").slice(0, 3)) {
    const reason = [job.error, job.hint].filter(Boolean).join(" ");
    find(`job-${job.id}`, "bad", t("health.job", { job: jobName(app, job), reason }), { label: t("jobs.retry"), run: () => app.again(job.id) });
  }
  if (sidecar === "unreachable" || sidecar === "refused") find("sidecar", "bad", sidecarProblem || t("health.sidecar", { state: t(`sidecar.${sidecar}`) }), toSettings);
  if (lastRecall && ["late", "failed", "too_small"].includes(lastRecall.outcome)) {
    find("recall", "bad", t("health.recall", { outcome: t(`recall.${lastRecall.outcome}`), reason: lastRecall.error }).trim(), toSettings);
  }
  if (chat?.off) find("chat", "note", t("status.chat_off"), { label: t("health.fix.chat_on"), run: () => app.switchChat(true) });
  if (stats?.aside && model.use !== "none" && model.agreed) find("aside", "bad", t("status.aside", { n: stats.aside }), { label: t("health.fix.aside"), run: () => app.retry() });
  if (otherTab) find("tab", "note", t("notice.other_tab"));
  if (chat && !chat.off && stats?.model_due && model.use !== "none" && !model.agreed) {
    find("model", "note", t("health.not_agreed", { n: stats.model_due }), { label: t("health.fix.agree"), run: () => askConsent(app) });
  }
  if (engine === "ready" && model.use === "none") find("rules", "note", t("health.rules_alone"), toSettings);
  if (engine === "ready" && !embedder) find("words", "note", t("health.words_alone"), toSettings);
  return out;
}
