// The entry in the menu of the extensions, beside the field where one writes.
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
