// The first run, in three steps: who extracts, who makes vectors, and a recall to see that it works. Each connection is tested for real.
import { create, h, patch } from "../ui/dom.js";
import { askConsent } from "../ui/consent.js";
import { button } from "../ui/fields.js";
import { ownEmbedder } from "../ui/own_embedder.js";
import { attempt } from "../ui/view.js";
import { CHOICES } from "../settings.js";
import { signButton } from "./parts.js";

/**
 * @typedef {import("./parts.js").Desk} Desk
 */

const STEPS = ["model", "embedder", "recall"];

/** @param {Desk} desk @param {HTMLElement} home */
export function createWizard(desk, home) {
  const { app } = desk;
  const { t } = app.text;
  const dialog = /** @type {HTMLDialogElement} */ (create(h("dialog", { class: "tidelore-reader tidelore-wizard", "aria-labelledby": "tidelore-wizard-title" })));
  let step = 0;
  let sentence = "";
  let busy = false;
  /** @type {{cards: {node: string, text: string}[], tokens: number, degraded: string[]} | null} */
  let found = null;
  let fault = "";
  home.append(dialog);

  const redraw = () => void (dialog.open && patch(dialog, draw()));
  const tested = { model: tester("model"), embedder: tester("embedder") };
  /** @type {(() => void) | null} */
  let stop = null;
  dialog.addEventListener("close", () => {
    stop?.();
    stop = null;
  });

  /** A test of what the sidecar has, where nothing can be chosen. @param {"model" | "embedder"} target */
  function tester(target) {
    let going = false;
    /** @type {{ok: boolean, line: string} | null} */
    let said = null;
    // What was tested; of another choice it says nothing.
    let of = "";
    const chosen = () => JSON.stringify(app.settings[target]);
    async function run() {
      if (going) return;
      going = true;
      said = null;
      const mine = (of = chosen());
      redraw();
      try {
        const { ok, detail, ms } = await app.test(target);
        if (mine === chosen()) said = { ok, line: t(ok ? "test.ok" : "test.failed", { detail, ms: Math.round(ms) }) };
      } catch (error) {
        said = { ok: false, line: app.text.error(error) };
      }
      going = false;
      redraw();
    }
    return () => {
      if (of !== chosen()) said = null;
      return [
        h("div", { key: "actions", class: "tidelore-actions" }, button(t(going ? "test.running" : "test.run"), run, { key: "test", busy: going, class: "tidelore-main" })),
        h("p", { key: "tested", role: "status", class: said ? (said.ok ? "tidelore-good" : "tidelore-bad") : null }, said?.line),
      ];
    };
  }

  /** @param {any} event */
  async function recall(event) {
    event.preventDefault();
    if (busy) return;
    busy = true;
    fault = "";
    redraw();
    try {
      found = await app.simulate(sentence.trim() || newest());
    } catch (error) {
      found = null;
      fault = app.text.error(error);
    }
    busy = false;
    redraw();
  }

  const newest = () => app.host.messages().findLast((/** @type {any} */ { role, hidden }) => role === "user" && !hidden)?.text ?? "";

  function draw() {
    const name = STEPS[step];
    return [
      h("header", { key: "head", class: "tidelore-line" }, [h("h3", { id: "tidelore-wizard-title", class: "tidelore-grow" }, t("wizard.title")), signButton("close", t("panel.close"), () => dialog.close())]),
      h("ol", { key: "steps", class: "tidelore-wizard-steps" }, STEPS.map((each, at) => h("li", { key: each, "aria-current": at === step ? "step" : null }, t(`wizard.step.${each}`)))),
      h("div", { key: `body-${name}`, class: "tidelore-reader-text tidelore-wizard-body" }, name === "model" ? modelStep() : name === "embedder" ? embedderStep() : recallStep()),
      h("div", { key: "foot", class: "tidelore-actions" }, [
        step > 0 && button(t("wizard.back"), () => go(step - 1)),
        step < STEPS.length - 1
          ? button(t("wizard.next"), () => go(step + 1), { class: "tidelore-main" })
          : button(t("wizard.done"), () => dialog.close(), { class: "tidelore-main" }),
      ]),
    ];
  }

  /** @param {number} to */
  function go(to) {
    step = to;
    redraw();
    /** @type {HTMLElement | null} */ (dialog.querySelector(".tidelore-wizard-body"))?.scrollTo(0, 0);
  }

  // Beside the sidecar nothing is chosen here: its config.toml names the models, and keys never pass through a page.
  const modelStep = () => [h("p", { key: "what" }, t("wizard.model")), ...(desk.alone ? ofSidecar("model", app.status().model) : ofPage("model"))];
  const embedderStep = () => [h("p", { key: "what" }, t("wizard.embedder")), ...(desk.alone ? ofSidecar("embedder", app.status().embedder) : ofPage("embedder"))];

  /** A choice, and a test of it. What needs an address or a key is in the settings. @param {"model" | "embedder"} target */
  function ofPage(target) {
    const { use } = app.settings[target];
    const id = `tidelore-wizard-${target}`;
    const title = target === "model" ? t("field.model.use") : t("field.embedder.use");
    return [
      h("div", { key: "choice", class: "tidelore-field" }, [
        h("label", { for: id }, title),
        h(
          "select",
          { id, class: "text_pole", value: use, "aria-describedby": `${id}-hint`, on: { change: (/** @type {any} */ event) => attempt(app, () => app.set(/** @type {any} */ ({ [target]: { use: event.target.value } }))) } },
          (CHOICES[`${target}.use`] ?? []).map((value) => h("option", { key: value, value }, target === "model" ? t(`model.use.${value}`) : t(`embedder.use.${value}`))),
        ),
        h("small", { id: `${id}-hint` }, target === "model" ? t(`model.hint.${use}`) : t(`embedder.hint.${use}`)),
      ]),
      ["endpoint", "profile", "sidecar"].includes(use) && desk.settings ? h("div", { key: "settings", class: "tidelore-actions" }, button(t("health.fix.settings"), away)) : null,
      target === "embedder" ? ownEmbedder(app) : null,
      ...(use === "none" ? [] : tested[target]()),
      target === "model" && use !== "none" && !app.settings.model.agreed
        ? h("div", { key: "agree", class: "tidelore-actions" }, [h("p", { class: "tidelore-note" }, t("model.not_agreed")), button(t("model.ask"), () => attempt(app, () => askConsent(app)))])
        : null,
    ];
  }

  function away() {
    dialog.close();
    desk.settings?.();
  }

  /** @param {"model" | "embedder"} target @param {string} name */
  const ofSidecar = (target, name) => [
    h("p", { key: "which", class: name ? "tidelore-good" : "tidelore-note" }, name ? t("wizard.is", { name }) : t(`wizard.no_${target}`)),
    h("pre", { key: "how", class: "tidelore-raw", tabindex: 0 }, EXAMPLES[target]),
    h("p", { key: "where", class: "tidelore-note" }, t("wizard.config")),
    ...(name ? tested[target]() : []),
  ];

  function recallStep() {
    return [
      h("p", { key: "what" }, t("wizard.recall")),
      h("form", { key: "form", class: "tidelore-line", on: { submit: recall } }, [
        h("input", { type: "text", class: "text_pole tidelore-grow", "aria-label": t("injection.sentence"), placeholder: newest() || t("injection.sentence"), autocomplete: "off", value: sentence, on: { input: (/** @type {any} */ event) => void (sentence = event.target.value) } }),
        h("button", { type: "submit", class: "menu_button tidelore-button tidelore-main", "aria-disabled": busy ? "true" : null }, t(busy ? "injection.running" : "injection.run")),
      ]),
      fault && h("p", { key: "fault", class: "tidelore-bad", role: "alert" }, fault),
      found &&
        h("div", { key: "found", role: "status" }, [
          h("p", { class: found.cards.length ? "tidelore-good" : "tidelore-note" }, found.cards.length ? t("wizard.found", { n: found.cards.length, tokens: found.tokens }) : t("wizard.nothing")),
          found.degraded.length > 0 && h("p", { key: "degraded", class: "tidelore-busy" }, found.degraded.join(t("list.comma"))),
          h("ol", { class: "tidelore-list" }, found.cards.slice(0, 5).map(({ node, text }) => h("li", { key: node }, text))),
        ]),
    ];
  }

  return {
    open() {
      step = 0;
      found = null;
      fault = "";
      stop ??= app.onChange(redraw);
      if (!dialog.open) dialog.showModal();
      redraw();
      void app.kept.set("wizard", "seen").catch(() => {});
    },
    close: () => dialog.close(),
  };
}

// As config.toml has them, docs/sidecar.md.
const EXAMPLES = {
  model: '[model]\nurl = "http://127.0.0.1:11434/v1"\nname = "qwen3"\nkey_env = "TIDELORE_MODEL_KEY"',
  embedder: '[embedder]\nurl = "http://127.0.0.1:11434"\nname = "bge-m3"',
};
