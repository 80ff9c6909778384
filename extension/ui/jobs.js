// The list of jobs: what works in the background, how far it is, and what went wrong with the model's own words.
import { h } from "./dom.js";
import { button } from "./fields.js";
import { attempt } from "./view.js";
import { jobName } from "./words.js";

/**
 * @typedef {import("../types.js").App} App
 * @typedef {import("../types.js").JobView} JobView
 */

const SHOWN = 10;
const GOING = new Set(["waiting", "running", "paused"]);

/**
 * @param {App} app
 * @param {() => void} redraw
 * @param {string} [prefix] of its ids, where a page shows it twice
 * @returns {() => import("./dom.js").Described}
 */
export function jobSection(app, redraw, prefix = "tidelore") {
  const { t } = app.text;
  let range = "";
  let fault = "";
  /** The range that was asked for last. */
  let asked = "";

  /** @param {any} event */
  function onRange(event) {
    event.preventDefault();
    // Whoever clicks twice does not want to pay twice.
    if (asked === range && app.jobs().some(({ kind, state }) => kind === "range" && ["waiting", "running"].includes(state))) return;
    const { length } = app.host.messages();
    const floors = parseRange(range, length);
    fault = floors ? "" : t("range.wanted", { last: Math.max(0, length - 1) });
    asked = floors ? range : "";
    if (floors) void attempt(app, () => app.extractRange(floors[0], floors[1]));
    redraw();
  }

  const rangeForm = () =>
    h("form", { key: "range", class: "tidelore-field", on: { submit: onRange } }, [
      h("label", { for: `${prefix}-range` }, t("range.label")),
      h("div", { class: "tidelore-line" }, [
        h("input", {
          id: `${prefix}-range`,
          type: "text",
          class: "text_pole",
          inputmode: "text",
          autocomplete: "off",
          placeholder: "0-20",
          value: range,
          "aria-describedby": `${prefix}-range-hint`,
          "aria-invalid": fault ? "true" : null,
          on: { input: (/** @type {any} */ event) => void (range = event.target.value) },
        }),
        h("button", { type: "submit", class: "menu_button tidelore-button" }, t("range.go")),
      ]),
      h("small", { id: `${prefix}-range-hint`, class: fault ? "tidelore-bad" : null, role: fault ? "alert" : null }, fault || t("range.hint")),
    ]);

  return () => {
    const jobs = app.jobs();
    const { chat, stats } = app.status();
    const open = Boolean(chat && !chat.off && app.settings.enabled);
    return h("section", { key: "jobs", "aria-labelledby": `${prefix}-jobs-title` }, [
      h("h4", { id: `${prefix}-jobs-title` }, t("jobs.title")),
      h("div", { key: "actions", class: "tidelore-actions" }, [
        open && button(t("jobs.extract"), () => attempt(app, () => app.extract())),
        open && stats?.aside ? button(t("jobs.retry_aside", { n: stats.aside }), () => attempt(app, () => app.retry()), { key: "aside" }) : null,
        app.paused()
          ? button(t("jobs.resume"), () => attempt(app, () => app.resume()), { key: "pause" })
          : app.settings.model.use !== "none" && button(t("jobs.pause"), () => attempt(app, () => app.pause()), { key: "pause" }),
      ]),
      open && rangeForm(),
      jobs.length
        ? h(
            "ul",
            { key: "list", class: "tidelore-list" },
            jobs.slice(0, SHOWN).map((job) => jobItem(app, job)),
          )
        : h("p", { key: "none", class: "tidelore-note" }, t("jobs.none")),
      jobs.length > SHOWN && h("p", { key: "more", class: "tidelore-note" }, t("jobs.more", { n: jobs.length - SHOWN })),
      // Said aloud when a job changes its state, not at every step of its progress.
      h("p", { key: "said", class: "tidelore-unseen", role: "status", "aria-live": "polite" }, jobs[0] && stateLine(app, jobs[0])),
    ]);
  };
}

/** @param {App} app @param {JobView} job */
function jobItem(app, job) {
  const { t } = app.text;
  const going = GOING.has(job.state);
  const retry = job.state === "failed" || job.state === "stopped";
  return h("li", { key: job.id, class: "tidelore-job" }, [
    h("div", { key: "head", class: "tidelore-line" }, [
      h("span", { class: "tidelore-grow" }, jobName(app, job)),
      h("span", { class: job.state === "failed" ? "tidelore-bad" : "tidelore-dim" }, stateText(app, job)),
    ]),
    going && h("progress", { key: "progress", "aria-label": jobName(app, job), max: job.total || 1, value: job.total ? job.done : undefined }),
    job.error && h("p", { key: "error", class: "tidelore-bad" }, [job.error, job.hint].filter(Boolean).join(" ")),
    job.failures.map((failure, index) =>
      h("details", { key: `failure-${index}` }, [
        h("summary", null, t("jobs.failure", { first: failure.first, last: failure.last, error: failure.error })),
        failure.raw ? h("pre", { class: "tidelore-raw", tabindex: 0 }, failure.raw) : h("p", { class: "tidelore-note" }, t("jobs.no_answer")),
      ]),
    ),
    (going || retry) &&
      h("div", { key: "actions", class: "tidelore-actions" }, [
        going && button(t("jobs.stop"), () => attempt(app, () => app.stop(job.id)), { "aria-label": t("jobs.stop_it", { job: jobName(app, job) }) }),
        retry && button(t("jobs.retry"), () => attempt(app, () => app.again(job.id)), { "aria-label": t("jobs.retry_it", { job: jobName(app, job) }) }),
      ]),
  ]);
}

/** @param {App} app @param {JobView} job */
function stateText({ text: { t } }, job) {
  const state = t(`job.state.${job.state}`);
  return GOING.has(job.state) && job.total ? t("job.progress", { state, done: job.done, total: job.total }) : state;
}

/** @param {App} app @param {JobView} job */
const stateLine = (app, job) => app.text.t("status.line", { label: jobName(app, job), value: app.text.t(`job.state.${job.state}`) });

/**
 * Floors as people write them: "12" or "12-20".
 * @param {string} text
 * @param {number} length of the chat
 * @returns {[number, number] | null} null: no such floors
 */
export function parseRange(text, length) {
  const found = /^(\d+)(?:\s*[-–—~]\s*(\d+))?$/.exec(text.trim());
  if (!found) return null;
  const first = Number(found[1]);
  const last = Number(found[2] ?? found[1]);
  return first <= last && last < length ? [first, last] : null;
}
