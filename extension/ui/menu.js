// The ways to the panel: an entry in the menu of the extensions, and a button beside the field where one writes.
import { create, h } from "./dom.js";

/**
 * @param {import("../types.js").App} app
 * @param {() => void} open
 * @returns {() => void} takes it away again
 */
export function mountMenu(app, open) {
  const element = create(
    h("div", { class: "extension_container tidelore-menu" }, [
      h("div", { class: "list-group-item flex-container flexGap5", title: app.text.t("menu.title"), role: "button", tabindex: 0, on: { click: open } }, [
        h("div", { class: "fa-solid fa-water extensionsMenuExtensionButton", "aria-hidden": "true" }),
        h("span", null, app.text.t("menu.entry")),
      ]),
    ]),
  );
  app.host.mount("menu", element);
  return () => element.remove();
}

/**
 * @param {import("../types.js").App} app
 * @param {() => void} open
 * @returns {() => void} takes it away again
 */
export function mountInputButton(app, open) {
  const label = app.text.t("menu.title");
  const element = create(
    h("div", { id: "tidelore_button", class: "fa-solid fa-water interactable", title: label, "aria-label": label, role: "button", tabindex: 0, on: { click: open, keydown: onKey } }),
  );
  /** @param {any} event */
  function onKey(event) {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    open();
  }
  app.host.mount("input", element);
  return () => element.remove();
}
