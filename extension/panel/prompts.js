// The prompts that the memory model gets, as a person has them: their own words stay, and a better default is offered.
import { h } from "../ui/dom.js";
import { button } from "../ui/fields.js";
import { attempt } from "../ui/view.js";
import { createLoad } from "./load.js";
import { known } from "./settings.js";

/**
 * @typedef {{prompt: string, language: string, changed: boolean, improved: boolean}} PromptInfo
 * @typedef {{prompt: string, language: string, text: string, default: string, changed: boolean, improved: boolean, placeholders: string[], needed: string[]}} Prompt
 */

/** @param {import("./parts.js").Desk} desk @param {() => void} redraw */
export function promptSection(desk, redraw) {
  const { app } = desk;
  const { t } = app.text;
  let open = "";
  let typed = "";
  let busy = false;
  let fault = "";
  /** @type {Prompt | null} */
  let view = null;
  /** @type {ReturnType<typeof createLoad<{prompts: PromptInfo[]}>>} */
  const load = createLoad(app, redraw, () => app.call("prompt.list"));

  /** @param {string} prompt */
  const show = (prompt) =>
    attempt(app, async () => {
      view = await app.call("prompt.get", { prompt });
      open = prompt;
      typed = view?.text ?? "";
      fault = "";
      redraw();
    });

  /** @param {string} method @param {object} params @param {string} said */
  async function change(method, params, said) {
    if (busy) return;
    busy = true;
    try {
      await app.call(method, params);
      fault = "";
      desk.say(said);
      load.renew();
      await show(open);
    } catch (error) {
      fault = app.text.error(error);
    }
    busy = false;
    redraw();
  }

  /** @param {Prompt} shown */
  const editor = ({ prompt, changed, improved, default: standard, placeholders, needed }) =>
    h("div", { key: "editor", class: "tidelore-result" }, [
      improved && h("p", { key: "improved", class: "tidelore-busy", role: "status" }, t("prompts.improved")),
      h("div", { key: "field", class: "tidelore-field" }, [
        h("label", { for: "tidelore-prompt-text" }, name(prompt)),
        h("textarea", { id: "tidelore-prompt-text", class: "text_pole", rows: 14, spellcheck: "false", "aria-invalid": fault ? "true" : null, value: typed, on: { input: (/** @type {any} */ event) => void (typed = event.target.value) } }),
        placeholders.length > 0 && h("small", null, t("prompts.placeholders", { all: placeholders.map((each) => `{${each}}`).join(" "), needed: needed.map((each) => `{${each}}`).join(" ") || "–" })),
        fault && h("small", { key: "fault", class: "tidelore-bad", role: "alert" }, fault),
      ]),
      changed && h("details", { key: "default" }, [h("summary", null, t("prompts.default")), h("pre", { class: "tidelore-raw", tabindex: 0 }, standard)]),
      h("div", { key: "actions", class: "tidelore-actions" }, [
        button(t("node.save"), () => change("prompt.set", { prompt, text: typed }, t("prompts.saved")), { busy, class: "tidelore-main" }),
        changed && button(t("settings.reset"), () => change("prompt.reset", { prompt }, t("prompts.reset")), { key: "reset", busy }),
        button(t("node.cancel"), () => {
          view = null;
          open = "";
          redraw();
        }),
      ]),
    ]);

  /** @param {string} prompt */
  const name = (prompt) => known(app, `prompts.name.${prompt.split(".")[0]}`, prompt) + (prompt.includes(".") ? ` (${prompt.split(".").slice(1).join(".")})` : "");

  return () => {
    const found = load.get(app.status().engine);
    if (load.fault()) return h("p", { key: "prompts", class: "tidelore-bad" }, load.fault());
    if (!found?.prompts.length) return null;
    return h("section", { key: "prompts", "aria-labelledby": "tidelore-prompts-title" }, [
      h("h4", { id: "tidelore-prompts-title" }, t("prompts.title")),
      h("p", { class: "tidelore-note" }, t("prompts.hint")),
      h(
        "ul",
        { class: "tidelore-list" },
        found.prompts.map(({ prompt, changed, improved }) =>
          h("li", { key: prompt, class: "tidelore-line" }, [
            h("span", { class: "tidelore-grow" }, [name(prompt), changed ? h("span", { class: "tidelore-dim" }, ` · ${t("prompts.changed")}`) : null, improved ? h("span", { class: "tidelore-busy" }, ` · ${t("prompts.better")}`) : null]),
            open === prompt ? null : button(t("node.edit"), () => show(prompt), { "aria-label": `${t("node.edit")}: ${name(prompt)}` }),
          ]),
        ),
      ),
      view && open ? editor(view) : null,
    ]);
  };
}
