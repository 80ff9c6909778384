// The settings: a simple part that is enough, and the rest behind "advanced".
import { advancedSection } from "./advanced.js";
import { create, h } from "./dom.js";
import { createFields } from "./fields.js";
import { jobSection } from "./jobs.js";
import { embedderSection, modelSection } from "./models.js";
import { attempt, follow } from "./view.js";
import { noChat, statusRows } from "./words.js";

/** @typedef {import("../types.js").App} App */

/**
 * Puts the settings where SillyTavern has those of extensions.
 * @param {App} app
 * @returns {() => void} takes them away again
 */
export function mountDrawer(app) {
  // SillyTavern folds this in and out and turns the arrow; it is never drawn again.
  const content = create(h("div", { class: "inline-drawer-content" }));
  const element = create(h("div", { class: "tidelore-settings" }));
  const drawer = create(
    h("div", { class: "inline-drawer" }, [
      h("div", { class: "inline-drawer-toggle inline-drawer-header" }, [
        h("b", null, "Tidelore"),
        h("div", { class: "inline-drawer-icon fa-solid fa-circle-chevron-down down", "aria-label": app.text.t("drawer.toggle") }),
      ]),
    ]),
  );
  drawer.append(content);
  element.append(drawer);
  const stop = renderSettings(content, app);
  app.host.mount("settings", element);
  return () => {
    stop();
    element.remove();
  };
}

/** Shows the settings, wherever the person is. @param {App} app */
export function openSettings(app) {
  const element = document.querySelector(".tidelore-settings");
  if (element) app.host.reveal(/** @type {HTMLElement} */ (element));
}

/**
 * Draws the settings into an element and keeps them up to date.
 * @param {Element} element
 * @param {App} app
 * @returns {() => void} ends it
 */
export function renderSettings(element, app) {
  return follow(app, element, (redraw) => {
    const fields = createFields(app, redraw);
    const model = modelSection(app, fields, redraw);
    const embedder = embedderSection(app, fields, redraw);
    const jobs = jobSection(app, redraw);
    const advanced = advancedSection(app, fields, redraw);
    const { t } = app.text;
    return () => [
      h("section", { key: "switches", "aria-label": t("drawer.switches") }, [
        fields.toggle("enabled"),
        chatSwitch(app),
      ]),
      status(app),
      model(),
      embedder(),
      h("section", { key: "amount", "aria-labelledby": "tidelore-amount-title" }, [
        h("h4", { id: "tidelore-amount-title" }, t("amount.title")),
        fields.number("budget", { hint: t("budget.hint") }),
      ]),
      jobs(),
      advanced(),
    ];
  });
}

/** @param {App} app */
function chatSwitch(app) {
  const { t } = app.text;
  const { chat } = app.status();
  const id = "tidelore-this-chat";
  return h("div", { key: "chat", class: "tidelore-field" }, [
    h("label", { class: "checkbox_label", for: id }, [
      h("input", {
        id,
        type: "checkbox",
        checked: Boolean(chat && !chat.off),
        disabled: !chat || !app.settings.enabled,
        on: { change: (/** @type {any} */ event) => attempt(app, () => app.switchChat(event.target.checked)) },
      }),
      h("span", null, t("drawer.this_chat")),
    ]),
    h("small", null, chat ? chat.title : noChat(app)),
  ]);
}

/** @param {App} app */
function status(app) {
  const { t } = app.text;
  const { problem, otherTab, evicted } = app.status();
  return h("section", { key: "status", "aria-labelledby": "tidelore-status-title" }, [
    h("h4", { id: "tidelore-status-title" }, t("status.title")),
    problem && h("p", { key: "problem", class: "tidelore-callout", role: "status" }, app.text.error(problem)),
    otherTab && h("p", { key: "tab", class: "tidelore-callout", role: "status" }, t("notice.other_tab")),
    evicted && h("p", { key: "evicted", class: "tidelore-callout", role: "status" }, t("status.evicted")),
    h(
      "dl",
      { key: "rows", class: "tidelore-facts" },
      statusRows(app).map(({ key, label, value, tone }) => h("div", { key }, h("dt", null, label), h("dd", { class: tone ? `tidelore-${tone}` : null }, value))),
    ),
  ]);
}
