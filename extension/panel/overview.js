// How things stand: what is remembered, what waits, what failed, and what to do about it.
import { h } from "../ui/dom.js";
import { button } from "../ui/fields.js";
import { attempt } from "../ui/view.js";
import { jobName, remembered, statusRows } from "../ui/words.js";
import { changeName, fieldChanges, when } from "./changes.js";
import { findings } from "./health.js";
import { createLoad } from "./load.js";
import { COLOURS } from "./look.js";
import { KINDS, LANGUAGES, drawnTab, kindChip } from "./parts.js";

/**
 * @typedef {import("./parts.js").Desk} Desk
 * @typedef {object} Overview as the engine gives it, as far as it is shown
 * @property {Record<string, number>} states
 * @property {number} pinned
 * @property {number} private
 * @property {number} cards to be decided
 * @property {{at: number, by: string, maker: string, first: number | null, last: number | null}} extraction
 * @property {{at: number, query: string, memories: number, tokens: number, delivered: boolean} | null} recall
 */

/** @param {Desk} desk */
export const overviewTab = (desk) =>
  drawnTab(desk.app, "overview", (redraw) => {
    /** @type {ReturnType<typeof createLoad<Overview>>} */
    const load = createLoad(desk.app, redraw, (chat) => desk.app.call("overview", { chat }));
    const more = () => {
      const { chat, stats } = desk.app.status();
      return chat && !chat.off && stats && desk.app.settings.enabled ? load.get(chat.chat, stats, desk.data.version()) : null;
    };
    let asked = false;
    let seen = true;
    const welcome = () => {
      // It may be opened from elsewhere too, so this is asked until it has been.
      if (!asked) {
        asked = true;
        void desk.app.kept.get("wizard").then((known) => {
          asked = Boolean(known);
          if (seen === Boolean(known)) return;
          seen = Boolean(known);
          redraw();
        }, () => {});
      }
      return seen ? null : firstRun(desk, () => {
        seen = true;
        redraw();
      });
    };
    return () => [welcome(), health(desk), counts(desk, more()), waiting(desk, more()), state(desk, more()), going(desk), colours(desk)];
  });

/** @param {Desk} desk @param {() => void} seen */
function firstRun({ app, wizard }, seen) {
  const { t } = app.text;
  const open = () => {
    seen();
    wizard();
  };
  const later = () => {
    seen();
    void app.kept.set("wizard", "seen").catch(() => {});
  };
  return h("section", { key: "welcome", class: "tidelore-result", "aria-labelledby": "tidelore-welcome-title" }, [
    h("h4", { id: "tidelore-welcome-title" }, t("wizard.title")),
    h("p", null, t("wizard.why")),
    h("div", { class: "tidelore-actions" }, [button(t("wizard.open"), open, { class: "tidelore-main" }), button(t("wizard.later"), later)]),
  ]);
}

/** What works now, with a way to all of it. @param {Desk} desk */
function going({ app, go }) {
  const { t } = app.text;
  const jobs = app.jobs().filter(({ state }) => ["waiting", "running", "paused"].includes(state));
  if (!jobs.length) return null;
  return h("section", { key: "going", "aria-labelledby": "tidelore-going-title" }, [
    h("h4", { id: "tidelore-going-title" }, t("jobs.title")),
    h("ul", { class: "tidelore-list" }, jobs.slice(0, 3).map((job) => h("li", { key: job.id }, [h("span", null, jobName(app, job)), h("progress", { "aria-label": jobName(app, job), max: job.total || 1, value: job.total ? job.done : undefined })]))),
    h("div", { class: "tidelore-actions" }, button(t("overview.to_actions"), () => go({ tab: "actions" }))),
  ]);
}

/** @param {Desk} desk */
function health({ app, settings }) {
  const { t } = app.text;
  const found = findings(app, settings);
  // Nothing is wrong, but not all is well either, while a person is waited for.
  const worst = found.find(({ tone }) => tone !== "note")?.tone ?? (found.some(({ key }) => key === "model") ? "note" : "good");
  return h("section", { key: "health", "aria-labelledby": "tidelore-health-title" }, [
    h("h4", { id: "tidelore-health-title" }, h("span", { class: `tidelore-light tidelore-${worst === "note" ? "busy" : worst}`, "aria-hidden": "true" }), t(`health.${worst}`)),
    h(
      "ul",
      { key: "list", class: "tidelore-list" },
      found.map(({ key, tone, text, fix }) =>
        h("li", { key, class: "tidelore-line" }, [
          h("span", { key: "text", class: `tidelore-grow ${tone === "note" ? "" : `tidelore-${tone}`}`.trim() }, text),
          fix && button(fix.label, () => attempt(app, fix.run), { key: "fix" }),
        ]),
      ),
    ),
  ]);
}

/** @param {Desk} desk @param {Overview | null} more */
function counts({ app, go }, more) {
  const { t } = app.text;
  const { stats } = app.status();
  const total = remembered(stats);
  if (!stats || !total) return h("section", { key: "counts" }, h("h4", null, t("overview.remembered")), h("p", { class: "tidelore-note" }, stats ? t("overview.nothing") : t("status.not_read")));
  const most = Math.max(...Object.values(stats.nodes).map(Number));
  return h("section", { key: "counts", "aria-labelledby": "tidelore-counts-title" }, [
    h("h4", { id: "tidelore-counts-title" }, t("overview.remembered_n", { n: total })),
    h(
      "ul",
      { class: "tidelore-bars" },
      KINDS.filter((kind) => stats.nodes[kind]).map((kind) =>
        h(
          "li",
          { key: kind },
          h("button", { type: "button", class: "tidelore-bar", on: { click: () => go({ kind }) } }, [
            kindChip(app, kind),
            h("span", { class: "tidelore-bar-line", "aria-hidden": "true" }, h("span", { "data-kind": kind, style: `width: ${Math.max(2, Math.round((100 * stats.nodes[kind]) / most))}%` })),
            h("span", { class: "tidelore-number" }, String(stats.nodes[kind])),
          ]),
        ),
      ),
    ),
    stats.superseded ? h("p", { key: "superseded", class: "tidelore-note" }, t("overview.superseded", { n: stats.superseded })) : null,
    more && more.pinned + more.private + (more.states["archived"] ?? 0) > 0 ? h("p", { key: "marks", class: "tidelore-note" }, t("overview.marks", { pinned: more.pinned, private: more.private, archived: more.states["archived"] ?? 0 })) : null,
  ]);
}

/** @param {Desk} desk @param {Overview | null} more */
function waiting({ app, go }, more) {
  const { t } = app.text;
  const { stats } = app.status();
  /** @type {[string, string][]} */
  const due = [];
  if (stats?.rules_due) due.push(["rules", t("status.due_rules", { n: stats.rules_due })]);
  // Before anybody has agreed to it, the health says so with a way to decide.
  if (stats?.model_due && app.settings.model.use !== "none" && app.settings.model.agreed) due.push(["model", t("status.due_model", { n: stats.model_due })]);
  /** @type {(import("./changes.js").Told & {node: string})[]} */
  const changes = stats?.waiting ?? [];
  if (!due.length && !changes.length && !more?.cards) return null;
  return h("section", { key: "waiting", "aria-labelledby": "tidelore-waiting-title" }, [
    h("h4", { id: "tidelore-waiting-title" }, t("overview.waiting")),
    h("ul", { class: "tidelore-list" }, [
      due.map(([key, text]) => h("li", { key }, text)),
      more?.cards
        ? h("li", { key: "cards", class: "tidelore-line" }, [h("span", { class: "tidelore-grow" }, t("overview.cards", { n: more.cards })), button(t("panel.tab.decide"), () => go({ tab: "decide" }), { key: "decide", "aria-label": t("overview.cards", { n: more.cards }) })])
        : null,
      changes.slice(0, 20).map((each, index) =>
        h("li", { key: `change-${index}`, class: "tidelore-line" }, [
          h("span", { class: "tidelore-grow" }, [t("overview.change", { change: changeName(app, each), text: each.subject || each.text }), fieldChanges(app, each)]),
          button(t("overview.look"), () => go({ node: each.node })),
        ]),
      ),
    ]),
    changes.length ? h("p", { key: "why", class: "tidelore-note" }, t("overview.change_why")) : null,
  ]);
}

/** @param {Desk} desk @param {Overview | null} more */
function state({ app, go, alone }, more) {
  const { t } = app.text;
  const done = app.jobs().find(({ kind, state: how, result }) => kind !== "embed" && how === "done" && result);
  // What this page has not seen itself, the ledger tells: of the time before it was loaded, and of whoever else asked.
  const unseen = alone || !app.status().lastRecall;
  const rows = statusRows(app, { due: false }).filter(({ key }) => !(unseen && key === "last"));
  if ((alone || !done) && more?.extraction.at) rows.push({ key: "extracted", label: t("overview.last_extraction"), value: t("overview.extracted", { by: t(`author.${more.extraction.by}`), when: when(app, more.extraction.at) }) });
  if (unseen) rows.push({ key: "recalled", label: t("status.last_recall"), value: more?.recall ? t("overview.recalled", { when: when(app, more.recall.at), n: more.recall.memories, tokens: more.recall.tokens }) : t("recall.never") });
  if (done?.result) {
    const { windows = 0, empty = 0, dropped = 0 } = done.result;
    rows.push({ key: "extraction", label: t("overview.last_extraction"), value: t("overview.extraction", { windows, empty, dropped }) });
  }
  return h("section", { key: "state", "aria-labelledby": "tidelore-state-title" }, [
    h("h4", { id: "tidelore-state-title" }, t("status.title")),
    h(
      "dl",
      { class: "tidelore-facts" },
      rows.map(({ key, label, value, tone }) => h("div", { key }, h("dt", null, label), h("dd", { class: tone ? `tidelore-${tone}` : null }, value))),
    ),
    app.status().lastRecall && h("div", { key: "actions", class: "tidelore-actions" }, button(t("overview.see_prompt"), () => go({ tab: "injection" }))),
  ]);
}

/** @param {Desk} desk */
function colours({ app, look, language, alone }) {
  const { t } = app.text;
  return h("section", { key: "look" }, [
    h("div", { class: "tidelore-field" }, [
      h("label", { for: "tidelore-colours" }, t("colours.title")),
      h(
        "select",
        { id: "tidelore-colours", class: "text_pole", value: look.colours, on: { change: (/** @type {any} */ event) => look.setColours(event.target.value) } },
        COLOURS.map((name) => h("option", { key: name, value: name }, alone && name === "host" ? t("colours.system") : t(`colours.${name}`))),
      ),
    ]),
    language &&
      h("div", { key: "language", class: "tidelore-field" }, [
        h("label", { for: "tidelore-language" }, t("language.choose")),
        h(
          "select",
          { id: "tidelore-language", class: "text_pole", value: language.value, on: { change: (/** @type {any} */ event) => language.choose(event.target.value) } },
          Object.entries(LANGUAGES).map(([value, name]) => h("option", { key: value, value, lang: value }, name)),
        ),
      ]),
  ]);
}
