// What takes SillyTavern's place around the panel: notices, questions, and where elements go.
import { create, h } from "../ui/dom.js";

const SECONDS = { info: 6, success: 6, warning: 12, error: 20 };

/**
 * @param {object} parts
 * @param {Document} parts.document
 * @param {(key: string) => string} parts.t
 * @param {() => {index: number, role: string, text: string, name: string, hidden: boolean, date: string, unsettled: boolean}[]} parts.messages of the chat, as far as they are known
 * @returns {any} as host.js, as far as the panel uses it
 */
export function createPage({ document, t, messages }) {
  const toasts = create(h("div", { class: "tidelore-panel tidelore-toasts", role: "status", "aria-live": "polite" }));
  document.body.append(toasts);

  return {
    /** @param {keyof SECONDS} kind @param {string} text */
    notify(kind, text) {
      const toast = create(h("div", { class: `tidelore-toast tidelore-toast-${kind}` }, h("span", { class: "tidelore-grow" }, text)));
      const away = () => {
        clearTimeout(timer);
        toast.remove();
      };
      const close = create(h("button", { type: "button", class: "tidelore-sign-button", "aria-label": t("panel.dismiss"), on: { click: away } }, h("span", { class: "tidelore-sign tidelore-sign-close", "aria-hidden": "true" })));
      toast.append(close);
      toasts.append(toast);
      const timer = setTimeout(away, 1000 * (SECONDS[kind] ?? 6));
    },

    /**
     * A question in a dialog of the page's own.
     * @param {HTMLElement} content @param {{ok: string, cancel: string}} labels
     * @returns {Promise<boolean>}
     */
    ask: (content, { ok, cancel }) =>
      new Promise((resolve) => {
        const dialog = /** @type {HTMLDialogElement} */ (create(h("dialog", { class: "tidelore-panel tidelore-ask" })));
        const end = (/** @type {boolean} */ answer) => {
          resolve(answer);
          dialog.remove();
        };
        const yes = create(h("button", { type: "button", class: "menu_button tidelore-button tidelore-main", on: { click: () => end(true) } }, ok));
        const no = create(h("button", { type: "button", class: "menu_button tidelore-button", on: { click: () => end(false) } }, cancel));
        const buttons = create(h("div", { class: "tidelore-actions" }));
        buttons.append(yes, no);
        dialog.append(content, buttons);
        dialog.addEventListener("cancel", () => end(false));
        document.body.append(dialog);
        dialog.showModal();
      }),

    /** @param {string} _where @param {HTMLElement} element */
    mount: (_where, element) => document.body.append(element),
    messages,
    // No chat is drawn here: the panel shows messages itself.
    show: () => false,
    userMessages: () => [],
    onDrawn: () => () => {},
    countTokens: async () => 0,
  };
}
