// The fields of the settings: a label, a control, what it is for, and a way back to the default. Each saves itself.
import { RANGES } from "../settings.js";
import { h } from "./dom.js";

/**
 * @typedef {import("../types.js").App} App
 * @typedef {import("./dom.js").Child} Child
 *
 * @typedef {object} Look of a field; its label is the text `field.PATH`
 * @property {string} [hint] a sentence below it
 * @property {boolean} [disabled]
 * @property {string} [placeholder]
 */

/** @param {any} settings @param {string} path as in "model.url" @returns {any} */
export const valueAt = (settings, path) =>
  path.split(".").reduce((value, name) => (value && typeof value === "object" && Object.hasOwn(value, name) ? value[name] : undefined), settings);

/**
 * The change that sets one field; the neighbours of a nested one are kept.
 * @param {any} settings @param {string} path @param {any} value
 */
export function changeAt(settings, path, value) {
  const [outer = "", inner] = path.split(".");
  return inner === undefined ? { [outer]: value } : { [outer]: { ...settings[outer], [inner]: value } };
}

/**
 * @param {App} app
 * @param {() => void} redraw
 * @param {string} [prefix] of their ids, where a page shows them twice
 */
export function createFields(app, redraw, prefix = "tidelore") {
  const { t } = app.text;
  /** @type {Map<string, {fault: string, typed: any}>} what could not be saved; it stays in its field */
  const faults = new Map();

  /** @param {string} path */
  const shown = (path) => faults.get(path)?.typed ?? valueAt(app.settings, path);

  /** @param {string} path @param {any} value @param {any} [typed] */
  async function save(path, value, typed = value) {
    faults.delete(path);
    try {
      await app.set(changeAt(app.settings, path, value));
    } catch (error) {
      faults.set(path, { fault: app.text.error(error), typed });
    }
    redraw();
  }

  /** @param {string} path @param {string} fault @param {any} typed */
  const refuse = (path, fault, typed) => {
    faults.set(path, { fault, typed });
    redraw();
  };

  /** @param {string} path */
  const reset = (path) => {
    const standard = valueAt(app.defaults(), path);
    if (!faults.has(path) && JSON.stringify(standard) === JSON.stringify(valueAt(app.settings, path))) return null;
    const label = t("field.reset", { field: t(`field.${path}`) });
    return h("button", { key: "reset", type: "button", class: "menu_button tidelore-icon", title: label, "aria-label": label, on: { click: () => save(path, standard) } }, [
      h("i", { class: "fa-solid fa-rotate-left", "aria-hidden": "true" }),
    ]);
  };

  /**
   * @param {string} path
   * @param {Look} look
   * @param {(common: Record<string, any>) => Child} control
   * @param {boolean} [inside] the label holds the control: a switch
   */
  function field(path, { hint, disabled }, control, inside = false) {
    const id = `${prefix}-${path.replaceAll(".", "-")}`;
    const fault = faults.get(path)?.fault;
    const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(" ");
    const drawn = control({ id, disabled, "aria-describedby": described || null, "aria-invalid": fault ? "true" : null });
    const label = t(`field.${path}`);
    return h("div", { key: path, class: "tidelore-field" }, [
      inside ? null : h("label", { for: id }, label),
      h("div", { key: "line", class: "tidelore-line" }, [inside ? h("label", { class: "checkbox_label", for: id }, drawn, h("span", null, label)) : drawn, reset(path)]),
      hint && h("small", { key: "hint", id: `${id}-hint` }, hint),
      fault && h("small", { key: "fault", id: `${id}-fault`, class: "tidelore-bad", role: "alert" }, fault),
    ]);
  }

  return {
    save,

    /** @param {string} path @param {Look} [look] */
    toggle: (path, look = {}) =>
      field(
        path,
        look,
        (common) => h("input", { ...common, type: "checkbox", checked: valueAt(app.settings, path), on: { change: (/** @type {any} */ event) => save(path, event.target.checked) } }),
        true,
      ),

    /** @param {string} path @param {Look} [look] */
    number(path, look = {}) {
      const [least, most] = RANGES[path] ?? [0, Number.MAX_SAFE_INTEGER];
      /** @param {any} event */
      const change = ({ target }) => {
        const number = Number(target.value);
        const fits = target.value.trim() !== "" && Number.isInteger(number) && number >= least && number <= most;
        return fits ? save(path, number) : refuse(path, t("field.range", { least, most }), target.value);
      };
      return field(path, look, (common) =>
        h("input", {
          ...common,
          type: "number",
          inputmode: "numeric",
          class: "text_pole",
          min: least,
          max: most,
          step: 1,
          value: shown(path),
          on: { change, blur: redraw },
        }),
      );
    },

    /**
     * @param {string} path
     * @param {Look & {check?: (value: string) => string}} [look] `check` says what is wrong, "" if nothing is
     */
    text(path, look = {}) {
      /** @param {any} event */
      const change = ({ target }) => {
        const value = target.value.trim();
        const fault = look.check?.(value) ?? "";
        return fault ? refuse(path, fault, value) : save(path, value);
      };
      const { placeholder } = look;
      return field(path, look, (common) =>
        h("input", {
          ...common,
          type: "text",
          class: "text_pole",
          autocomplete: "off",
          spellcheck: "false",
          placeholder,
          value: shown(path),
          on: { change, blur: redraw },
        }),
      );
    },

    /**
     * @param {string} path
     * @param {{value: string, text: string}[]} options
     * @param {Look} [look]
     */
    choice: (path, options, look = {}) =>
      field(path, look, (common) =>
        h(
          "select",
          { ...common, class: "text_pole", value: valueAt(app.settings, path), on: { change: (/** @type {any} */ event) => save(path, event.target.value) } },
          options.map(({ value, text }) => h("option", { key: value, value }, text)),
        ),
      ),

    /**
     * Several lines of text for a value that is no text.
     * @param {string} path
     * @param {{read: (value: any) => string, write: (text: string) => any, hint: string, placeholder: string}} form `write` throws what is wrong
     */
    lines(path, { read, write, hint, placeholder }) {
      /** @param {any} event */
      const change = ({ target }) => {
        let value;
        try {
          value = write(target.value);
        } catch (/** @type {any} */ error) {
          return refuse(path, error.message, target.value);
        }
        return save(path, value, target.value);
      };
      return field(path, { hint }, (common) =>
        h("textarea", {
          ...common,
          class: "text_pole",
          rows: 3,
          spellcheck: "false",
          placeholder,
          value: faults.get(path)?.typed ?? read(valueAt(app.settings, path)),
          on: { change, blur: redraw },
        }),
      );
    },
  };
}

/** @typedef {ReturnType<typeof createFields>} Fields */

/**
 * What is wrong with an address, "" if nothing is.
 * @param {App} app @param {string} value
 */
export function faultOfUrl(app, value) {
  if (!value) return "";
  let url;
  try {
    url = new URL(value);
  } catch {
    return app.text.t("field.url_wanted");
  }
  return url.protocol === "http:" || url.protocol === "https:" ? "" : app.text.t("field.url_wanted");
}

/**
 * A button.
 * @param {string} text
 * @param {(event: any) => void} click
 * @param {Record<string, any>} [props] `busy`: what it does is going on; it keeps the focus, and `click` has to see to the rest
 */
export const button = (text, click, { busy = false, on = {}, ...props } = {}) =>
  h(
    "button",
    { key: text, ...props, type: "button", class: `menu_button tidelore-button ${props.class ?? ""}`.trim(), "aria-disabled": busy ? "true" : null, on: { click, ...on } },
    text,
  );
