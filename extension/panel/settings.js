// The settings of the engine, the same in the page and in the sidecar: a few at first, all of them with a search, each with a way back; and the prompts
// that the memory model gets.
import { h } from "../ui/dom.js";
import { button, createFields } from "../ui/fields.js";
import { modelChoices } from "../ui/models.js";
import { ownEmbedder } from "../ui/own_embedder.js";
import { attempt } from "../ui/view.js";
import { CHOICES } from "../settings.js";
import { createLoad } from "./load.js";
import { drawnTab } from "./parts.js";
import { promptSection } from "./prompts.js";

/**
 * @typedef {import("./parts.js").Desk} Desk
 * @typedef {{name: string, type: string, value: any, default: any, least: number | null, most: number | null, choices: string[], group: string, level: string, changed: boolean}} Setting
 */

// So few need no level of their own.
const FEW = 4;
// What SillyTavern's settings say, and the page with every call.
const OF_PAGE = new Set(["recall.preset", "recall.budget", "extract.lag", "extract.exchanges"]);

const EMBEDDERS = CHOICES["embedder.use"] ?? [];

/** @param {Desk} desk */
export const settingsTab = (desk) =>
  drawnTab(desk.app, "settings", (redraw) => {
    const { app } = desk;
    const { t } = app.text;
    const prompts = promptSection(desk, redraw);
    const fields = createFields(app, redraw, "tidelore-panel");
    let query = "";
    let advanced = false;
    /** @type {Map<string, {why: string, typed: any}>} what is wrong with what was typed, which stays beside what is said of it, by setting */
    const faults = new Map();
    /** @type {ReturnType<typeof createLoad<{settings: Setting[]}>>} */
    const load = createLoad(app, redraw, () => app.call("settings.describe"));

    /** @param {string} name @param {any} value */
    async function set(name, value) {
      faults.delete(name);
      try {
        await app.call("settings.set", { values: { [name]: value } });
      } catch (error) {
        faults.set(name, { why: app.text.error(error), typed: value });
      }
      load.renew();
    }

    /** @param {string[]} names */
    const reset = (names) =>
      attempt(app, async () => {
        names.forEach((name) => faults.delete(name));
        await app.call("settings.reset", { names });
        load.renew();
      });

    /** What a setting is called, and what it does. @param {string} name */
    const wordsOf = (name) => ({ label: known(app, `setting.${name}`, name), hint: known(app, `setting.${name}.hint`, "") });

    /** @param {Setting} setting */
    function control({ name, type, value, least, most, choices }) {
      const id = `tidelore-setting-${name.replaceAll(".", "-")}`;
      const common = { id, class: "text_pole", "aria-describedby": `${id}-hint`, "aria-invalid": faults.has(name) ? "true" : null };
      if (type === "choice")
        return h(
          "select",
          { ...common, value, on: { change: (/** @type {any} */ event) => void set(name, event.target.value) } },
          choices.map((choice) => h("option", { key: choice, value: choice }, known(app, `preset.${choice}`, choice))),
        );
      const number = type === "number" || type === "whole";
      return h("input", {
        ...common,
        type: number ? "number" : "text",
        step: type === "whole" ? 1 : "any",
        min: least,
        max: most,
        autocomplete: "off",
        value: faults.has(name) ? faults.get(name)?.typed : value,
        on: {
          change: (/** @type {any} */ { target }) => {
            const given = number ? Number(target.value) : target.value;
            if (number && (target.value.trim() === "" || !Number.isFinite(given) || (least !== null && given < least) || (most !== null && given > most))) {
              faults.set(name, { why: t("settings.range", { least: least ?? "−∞", most: most ?? "∞" }), typed: target.value });
              return redraw();
            }
            return set(name, given);
          },
        },
      });
    }

    /** @param {Setting} setting */
    function row(setting) {
      const { name, changed } = setting;
      const { label, hint } = wordsOf(name);
      const id = `tidelore-setting-${name.replaceAll(".", "-")}`;
      return h("div", { key: name, class: "tidelore-field" }, [
        h("label", { for: id }, label),
        h("div", { key: "line", class: "tidelore-line" }, [control(setting), changed && button(t("settings.reset"), () => reset([name]), { key: "reset", "aria-label": t("field.reset", { field: label }) })]),
        h("small", { key: "hint", id: `${id}-hint`, class: faults.has(name) ? "tidelore-bad" : null, role: faults.has(name) ? "alert" : null }, faults.get(name)?.why || [hint, t("settings.default", { value: shown(app, setting) })].filter(Boolean).join(" ")),
      ]);
    }

    /** @param {Setting[]} all @returns {import("../ui/dom.js").Child[]} */
    function list(all) {
      const asked = query.toLocaleLowerCase().split(/\s+/).filter(Boolean);
      const found = all.filter(({ name, level }, _at, { length }) => {
        const { label, hint } = wordsOf(name);
        return asked.length ? asked.every((word) => `${name} ${label} ${hint}`.toLocaleLowerCase().includes(word)) : advanced || level === "basic" || length <= FEW;
      });
      const groups = [...new Set(found.map(({ group }) => group))];
      const changed = all.filter(({ changed: is }) => is).map(({ name }) => name);
      return [
        h("div", { key: "search", class: "tidelore-line tidelore-settings-bar", role: "search" }, [
          h("input", {
            type: "search",
            class: "text_pole tidelore-grow",
            "aria-label": t("settings.search"),
            placeholder: t("settings.search"),
            autocomplete: "off",
            value: query,
            on: { input: (/** @type {any} */ event) => ((query = event.target.value), desk.soon(redraw)) },
          }),
          h("label", { class: "checkbox_label" }, [h("input", { type: "checkbox", checked: advanced, on: { change: (/** @type {any} */ event) => ((advanced = event.target.checked), redraw()) } }), h("span", null, t("settings.advanced"))]),
        ]),
        !found.length && h("p", { key: "none", class: "tidelore-note" }, t("settings.none_found")),
        ...groups.map((group) => h("section", { key: `group-${group}`, "aria-labelledby": `tidelore-group-${group}` }, [h("h4", { id: `tidelore-group-${group}` }, known(app, `settings.group.${group}`, group)), found.filter((each) => each.group === group).map(row)])),
        changed.length > 0 && h("div", { key: "all", class: "tidelore-actions" }, button(t("settings.reset_all", { n: changed.length }), () => reset(changed))),
      ];
    }

    /** What most people ever change; addresses, keys and places in the prompt are among SillyTavern's settings. @param {() => void} settings */
    const simple = (settings) =>
      h("section", { key: "page", "aria-labelledby": "tidelore-simple-title" }, [
        h("h4", { id: "tidelore-simple-title" }, t("settings.simple")),
        fields.toggle("enabled"),
        fields.choice("model.use", modelChoices(app), { hint: t(`model.hint.${app.settings.model.use}`) }),
        fields.choice("embedder.use", EMBEDDERS.map((value) => ({ value, text: t(`embedder.use.${value}`) })), { hint: t(`embedder.hint.${app.settings.embedder.use}`) }),
        ownEmbedder(app),
        fields.number("budget", { hint: t("budget.hint") }),
        h("p", { key: "note", class: "tidelore-note" }, t("settings.page_note")),
        h("div", { key: "actions", class: "tidelore-actions" }, [button(t("health.fix.settings"), settings), button(t("wizard.open"), desk.wizard)]),
      ]);

    return () => {
      const found = load.get(app.status().engine);
      return [
        desk.settings && !desk.alone && simple(desk.settings),
        !desk.settings && desk.wizard && h("section", { key: "wizard" }, h("div", { class: "tidelore-actions" }, button(t("wizard.open"), desk.wizard))),
        load.fault() && h("p", { key: "fault", class: "tidelore-bad" }, load.fault()),
        !found && !load.fault() && h("p", { key: "wait", role: "status" }, t("memories.loading")),
        ...(found ? list(desk.alone ? found.settings : found.settings.filter(({ name }) => !OF_PAGE.has(name))) : []),
        prompts(),
      ];
    };
  });

/** A text, or something else where there is none. @param {import("../types.js").App} app @param {string} key @param {string} otherwise */
export function known({ text }, key, otherwise) {
  const { t: look } = text;
  const found = look(key);
  return found === key ? otherwise : found;
}

/** @param {import("../types.js").App} app @param {Setting} setting */
const shown = (app, { type, default: standard }) => (type === "choice" ? known(app, `preset.${standard}`, String(standard)) : String(standard));
