// How things stand: what is remembered, what waits, what failed, and what to do about it.
import { h } from "../ui/dom.js";
import { button } from "../ui/fields.js";
import { jobSection } from "../ui/jobs.js";
import { attempt } from "../ui/view.js";
import { remembered, statusRows } from "../ui/words.js";
import { findings } from "./health.js";
import { COLOURS } from "./look.js";
import { KINDS, drawnTab, kindChip } from "./parts.js";

/** @typedef {import("./parts.js").Desk} Desk */

/** @param {Desk} desk */
export const overviewTab = (desk) =>
  drawnTab(desk.app, "overview", (redraw) => {
    const jobs = jobSection(desk.app, redraw, "tidelore-panel");
    return () => [health(desk), counts(desk), waiting(desk), state(desk), jobs(), colours(desk)];
  });

/** @param {Desk} desk */
function health({ app, settings }) {
  const { t } = app.text;
  const found = findings(app, settings);
  const worst = found.find(({ tone }) => tone !== "note")?.tone ?? "good";
  return h("section", { key: "health", "aria-labelledby": "tidelore-health-title" }, [
    h("h4", { id: "tidelore-health-title" }, h("span", { class: `tidelore-light tidelore-${worst}`, "aria-hidden": "true" }), t(`health.${worst}`)),
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

/** @param {Desk} desk */
function counts({ app, go }) {
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
  ]);
}

/** @param {Desk} desk */
function waiting({ app, go }) {
  const { t } = app.text;
  const { stats } = app.status();
  /** @type {[string, string][]} */
  const due = [];
  if (stats?.rules_due) due.push(["rules", t("status.due_rules", { n: stats.rules_due })]);
  if (stats?.model_due && app.settings.model.use !== "none") due.push(["model", t("status.due_model", { n: stats.model_due })]);
  /** @type {{node: string, change: string}[]} */
  const changes = stats?.waiting ?? [];
  if (!due.length && !changes.length) return null;
  return h("section", { key: "waiting", "aria-labelledby": "tidelore-waiting-title" }, [
    h("h4", { id: "tidelore-waiting-title" }, t("overview.waiting")),
    h("ul", { class: "tidelore-list" }, [
      due.map(([key, text]) => h("li", { key }, text)),
      changes.slice(0, 20).map(({ node, change }, index) =>
        h("li", { key: `change-${index}`, class: "tidelore-line" }, [
          h("span", { class: "tidelore-grow" }, t("overview.change", { change })),
          button(t("overview.look"), () => go({ node })),
        ]),
      ),
    ]),
    changes.length ? h("p", { key: "why", class: "tidelore-note" }, t("overview.change_why")) : null,
  ]);
}

/** @param {Desk} desk */
function state({ app, go }) {
  const { t } = app.text;
  const done = app.jobs().find(({ kind, state: how, result }) => kind !== "embed" && how === "done" && result);
  const rows = statusRows(app);
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
function colours({ app, look }) {
  const { t } = app.text;
  return h("section", { key: "look" }, [
    h("div", { class: "tidelore-field" }, [
      h("label", { for: "tidelore-colours" }, t("colours.title")),
      h(
        "select",
        { id: "tidelore-colours", class: "text_pole", value: look.colours, on: { change: (/** @type {any} */ event) => look.setColours(event.target.value) } },
        COLOURS.map((name) => h("option", { key: name, value: name }, t(`colours.${name}`))),
      ),
    ]),
  ]);
}
