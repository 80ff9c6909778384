// Which model reads the chat, and which one makes vectors: the choice, its key, and a test of the real connection.
import { askConsent } from "./consent.js";
import { h } from "./dom.js";
import { button, faultOfUrl } from "./fields.js";
import { ownEmbedder } from "./own_embedder.js";
import { attempt } from "./view.js";

/**
 * @typedef {import("../types.js").App} App
 * @typedef {import("./fields.js").Fields} Fields
 * @typedef {"model" | "embedder"} Name
 */

/**
 * @param {App} app @param {Fields} fields @param {() => void} redraw
 * @returns {() => import("./dom.js").Described}
 */
export function modelSection(app, fields, redraw) {
  const { t } = app.text;
  const test = connectionTest(app, "model", redraw);
  const key = keyField(app, "model", redraw);
  let asking = false;

  async function ask() {
    if (asking) return;
    asking = true;
    redraw();
    await attempt(app, () => askConsent(app));
    asking = false;
    redraw();
  }

  return () => {
    const { use, profile, agreed } = app.settings.model;
    return h("section", { key: "model", "aria-labelledby": "tidelore-model-title" }, [
      h("h4", { id: "tidelore-model-title" }, t("model.title")),
      fields.choice("model.use", modelChoices(app), { hint: t(`model.hint.${use}`) }),
      use === "profile" && fields.choice("model.profile", profileChoices(app, profile)),
      use === "endpoint" && fields.text("model.url", { placeholder: "https://host/v1", check: (value) => faultOfUrl(app, value) }),
      use === "endpoint" && fields.text("model.name"),
      use === "endpoint" && key(),
      use !== "none" && !agreed && h("p", { key: "ask", class: "tidelore-note" }, t(app.status().engine === "ready" ? "model.not_agreed" : "model.reads_nothing")),
      use !== "none" &&
        h("div", { key: "actions", class: "tidelore-actions" }, [
          test.button(),
          agreed
            ? button(t("model.withdraw"), () => attempt(app, () => app.agree(false)))
            : button(t("model.ask"), ask, { class: "tidelore-main", busy: asking }),
        ]),
      use !== "none" && test.result(),
    ]);
  };
}

/**
 * @param {App} app @param {Fields} fields @param {() => void} redraw
 * @returns {() => import("./dom.js").Described}
 */
export function embedderSection(app, fields, redraw) {
  const { t } = app.text;
  const test = connectionTest(app, "embedder", redraw);
  const key = keyField(app, "embedder", redraw);
  return () => {
    const { use } = app.settings.embedder;
    const options = /** @type {const} */ (["auto", "sidecar", "endpoint", "page", "none"]).map((value) => ({ value, text: t(`embedder.use.${value}`) }));
    return h("section", { key: "embedder", "aria-labelledby": "tidelore-embedder-title" }, [
      h("h4", { id: "tidelore-embedder-title" }, t("embedder.title")),
      fields.choice("embedder.use", options, { hint: t(`embedder.hint.${use}`) }),
      use === "endpoint" && fields.text("embedder.url", { placeholder: "https://host/v1", check: (value) => faultOfUrl(app, value) }),
      use === "endpoint" && fields.text("embedder.name"),
      use === "endpoint" && key(),
      ownEmbedder(app),
      use === "page" && fields.text("embedder.mirror", { hint: t("embedder.mirror.hint"), placeholder: "https://host/folder", check: (value) => (value ? faultOfUrl(app, value) : "") }),
      use !== "none" && h("div", { key: "actions", class: "tidelore-actions" }, test.button()),
      use !== "none" && test.result(),
    ]);
  };
}

/** @param {App} app */
export function modelChoices({ host, text: { t } }) {
  const current = host.isOnline() ? t("model.use.current_is", { model: host.currentModel() }) : t("model.use.current");
  return [
    { value: "none", text: t("model.use.none") },
    { value: "current", text: current },
    { value: "profile", text: t("model.use.profile") },
    { value: "endpoint", text: t("model.use.endpoint") },
    { value: "sidecar", text: t("model.use.sidecar") },
  ];
}

/** The profiles there are, and the chosen one also when it is gone. @param {App} app @param {string} chosen */
function profileChoices({ host, text: { t } }, chosen) {
  const found = host.profiles().map(({ id, name, model }) => ({ value: id, text: model ? t("model.profile_is", { name, model }) : name }));
  if (found.some(({ value }) => value === chosen)) return found;
  const missing = chosen ? t("model.profile_gone") : t(found.length ? "model.profile_choose" : "model.profile_none");
  return [{ value: chosen, text: missing }, ...found];
}

/** @param {App} app @param {Name} target @param {() => void} redraw */
function connectionTest(app, target, redraw) {
  const { t } = app.text;
  let busy = false;
  /** @type {{line: string, ok: boolean} | null} */
  let shown = null;

  async function run() {
    if (busy) return;
    busy = true;
    shown = null;
    redraw();
    try {
      const { ok, detail, ms } = await app.test(target);
      shown = { ok, line: t(ok ? "test.ok" : "test.failed", { detail, ms: Math.round(ms) }) };
    } catch (error) {
      shown = { ok: false, line: app.text.error(error) };
    }
    busy = false;
    redraw();
  }

  return {
    button: () => button(t(busy ? "test.running" : "test.run"), run, { key: "test", busy }),
    result: () => h("p", { key: "tested", role: "status", class: shown ? `tidelore-tested ${shown.ok ? "tidelore-good" : "tidelore-bad"}` : null }, shown?.line),
  };
}

/**
 * A key goes from the field to the app and is never shown again.
 * @param {App} app @param {Name} name @param {() => void} redraw
 */
function keyField(app, name, redraw) {
  const { t } = app.text;
  /** @type {boolean | null} null: not asked yet */
  let stored = null;
  let typed = false;

  async function look() {
    await attempt(app, async () => void (stored = await app.hasKey(name)));
    redraw();
  }

  /** @param {string} key */
  async function save(key) {
    await attempt(app, () => app.setKey(name, key));
    typed = false;
    await look();
  }

  /** @param {any} event */
  function onSave(event) {
    event.preventDefault();
    const field = event.target.querySelector("input");
    const key = field.value.trim();
    field.value = "";
    if (key) void save(key);
  }

  /** @param {any} event */
  function onInput(event) {
    const now = event.target.value !== "";
    if (now !== typed) {
      typed = now;
      redraw();
    }
  }

  return () => {
    if (stored === null) {
      stored = false;
      void look();
    }
    const id = `tidelore-${name}-key`;
    return h("form", { key: "key", class: "tidelore-field", on: { submit: onSave } }, [
      h("label", { for: id }, t("key.label")),
      h("div", { class: "tidelore-line" }, [
        h("input", { key: "key", id, type: "password", class: "text_pole", autocomplete: "new-password", "aria-describedby": `${id}-hint`, on: { input: onInput } }),
        h("button", { key: "save", type: "submit", class: "menu_button tidelore-button", disabled: !typed }, t("key.save")),
        stored && button(t("key.remove"), () => save("")),
      ]),
      h("small", { id: `${id}-hint` }, t(stored ? "key.stored" : "key.none")),
    ]);
  };
}
