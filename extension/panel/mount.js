// The panel: a window over the page, or the content of an element that is given. It knows an App and nothing of the page around it.
import { create, h, patch } from "../ui/dom.js";
import { noChat } from "../ui/words.js";
import { actionsTab } from "./actions.js";
import { decideTab } from "./decide.js";
import { graphTab } from "./graph.js";
import { injectionTab } from "./injection.js";
import { COLOURS } from "./look.js";
import { memoriesTab } from "./memories.js";
import { createMemoriesData } from "./memories_data.js";
import { BAR, TABS, setPanel } from "./open.js";
import { overviewTab } from "./overview.js";
import { sign, signButton } from "./parts.js";
import { createReader } from "./reader.js";
import { settingsTab } from "./settings.js";
import { createWindow } from "./window.js";
import { createWizard } from "./wizard.js";

/**
 * @typedef {import("../types.js").App} App
 * @typedef {import("./open.js").Panel} Panel
 * @typedef {import("./open.js").TabName} TabName
 * @typedef {{text: string, undo: (() => Promise<void>) | null}} Said the line at the bottom
 */

const TYPING_MS = 180;
const UNDO_MS = 12_000;
// What only says that something was done.
const SAID_MS = 4_000;
const FOCUSABLE = 'button:not([disabled]), input:not([disabled]), select:not([disabled]), textarea:not([disabled]), summary, a[href], [tabindex="0"]';

/**
 * @param {App} app
 * @param {object} [options]
 * @param {HTMLElement} [options.container] the panel fills it and is always open; without one it is a window of its own
 * @param {() => void} [options.settings] opens the settings, where the page has any
 * @param {() => import("../ui/dom.js").Child} [options.chooser] draws what chooses the chat, where the page itself has none open
 * @param {{value: string, choose: (language: string) => void}} [options.language] where the page has no language of its own
 * @param {(run: () => void, ms: number) => any} [options.after] a timer
 * @returns {Panel}
 */
export function mountPanel(app, { container, settings, chooser, language, after = (run, ms) => setTimeout(run, ms) } = {}) {
  const { t } = app.text;
  /** @type {TabName} */
  let current = "overview";
  let open = false;
  let colours = "host";
  /** @type {Said | null} */
  let said = null;
  /** @type {HTMLElement | null} what had the focus before */
  let before = null;
  let typing = 0;

  const element = create(h("div", { class: `tidelore-panel ${container ? "tidelore-panel-in" : "tidelore-panel-over"}`, "data-colours": colours, role: container ? "region" : "dialog", "aria-label": t("panel.title") }));
  const head = create(h("header", { class: "tidelore-panel-head" }));
  const nav = create(h("div", { class: "tidelore-tabs", role: "tablist", "aria-label": t("panel.tabs") }));
  const main = create(h("div", { class: "tidelore-panel-main" }));
  const foot = create(h("div", { class: "tidelore-panel-foot", role: "status", "aria-live": "polite" }));
  const frame = create(h("div", { class: "tidelore-panel-frame" }));
  frame.append(head, nav, main, foot);
  element.append(frame);

  const place = createWindow(element, (value) => void app.kept.set("place", value).catch(() => {}));
  if (!container) {
    const grip = create(h("div", { class: "tidelore-grip" }));
    patch(grip, signButton("size", t("panel.size"), () => {}, { on: place.handle("size") }));
    frame.append(grip);
  }

  const data = createMemoriesData(app, () => tabs[current].redraw());
  /** @type {import("./parts.js").Desk} */
  const desk = {
    app,
    data,
    go,
    say,
    settings: settings
      ? () => {
          if (place.full()) close();
          settings();
        }
      : null,
    around(id) {
      select("graph");
      graph.around(id);
    },
    jump(floor) {
      if (chooser && floor >= 0) return reader.open(floor);
      if (floor < 0 || !app.host.show(floor)) return say(t("panel.not_drawn", { floor }));
      // Where the panel fills the page, the message is behind it.
      if (!container && place.full()) close();
    },
    soon(run) {
      const mine = ++typing;
      after(() => void (mine === typing && run()), TYPING_MS);
    },
    wizard: () => wizard.open(),
    language: language ?? null,
    alone: Boolean(container),
    full: () => place.full(),
    look: {
      get colours() {
        return colours;
      },
      setColours(name) {
        paint(name);
        void app.kept.set("colours", name).catch(() => {});
      },
    },
  };
  const reader = createReader(app, frame);
  const wizard = createWizard(desk, frame);
  const graph = graphTab(desk);
  /** @type {Record<TabName, import("./parts.js").Tab> & {memories: ReturnType<typeof memoriesTab>}} */
  const tabs = {
    overview: overviewTab(desk),
    memories: memoriesTab(desk),
    injection: injectionTab(desk),
    graph,
    decide: decideTab(desk),
    actions: actionsTab(desk),
    settings: settingsTab(desk),
  };
  for (const name of TABS) {
    const { element: tab } = tabs[name];
    for (const [key, value] of Object.entries({ id: `tidelore-tabpanel-${name}`, role: "tabpanel", ...(BAR.includes(name) ? { "aria-labelledby": `tidelore-tab-${name}` } : { "aria-label": t(`panel.tab.${name}`) }) })) tab.setAttribute(key, value);
    tab.hidden = true;
    main.append(tab);
  }

  /** @param {string} name */
  function paint(name) {
    colours = COLOURS.includes(name) ? name : "host";
    element.setAttribute("data-colours", colours);
    tabs[current].redraw();
  }

  function draw() {
    const title = [sign("tide"), h("b", null, "Tidelore"), chooser?.() ?? h("span", { class: "tidelore-dim tidelore-cut" }, app.status().chat?.title ?? noChat(app))];
    patch(head, [
      container || place.full()
        ? h("div", { key: "title", class: "tidelore-title" }, title)
        : h("button", { key: "title", type: "button", class: "tidelore-title tidelore-move", title: t("panel.move"), on: place.handle("move") }, title),
      signButton("settings", t("panel.settings"), () => select("settings"), { "aria-pressed": String(current === "settings") }),
      !container && signButton("close", t("panel.close"), close),
    ]);
    patch(
      nav,
      BAR.map((name) =>
        h(
          "button",
          {
            key: name,
            id: `tidelore-tab-${name}`,
            type: "button",
            role: "tab",
            class: "tidelore-tab-button",
            "aria-selected": String(name === current),
            "aria-controls": `tidelore-tabpanel-${name}`,
            tabindex: name === (BAR.includes(current) ? current : BAR[0]) ? 0 : -1,
            on: { click: () => select(name), keydown: onTabKey },
          },
          [sign(name), h("span", null, t(`panel.tab.${name}`))],
        ),
      ),
    );
    patch(foot, [
      said && h("span", { key: "text", class: "tidelore-grow" }, said.text),
      said?.undo && h("button", { key: "undo", type: "button", class: "menu_button tidelore-button", on: { click: undo } }, t("panel.undo")),
      said && signButton("close", t("panel.dismiss"), () => show(null)),
    ]);
    foot.classList.toggle("tidelore-says", said !== null);
  }

  /** @param {any} event */
  function onTabKey(event) {
    const at = BAR.indexOf(current);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: BAR.length - 1 }[/** @type {string} */ (event.key)];
    if (to === undefined) return;
    event.preventDefault();
    const name = /** @type {TabName} */ (BAR[(to + BAR.length) % BAR.length]);
    select(name);
    /** @type {HTMLElement | null} */ (nav.querySelector(`#tidelore-tab-${name}`))?.focus();
  }

  /** @param {TabName} name */
  function select(name) {
    // A way back is good anywhere; that something was done is said of what is seen.
    if (name !== current && !said?.undo) said = null;
    if (open && name !== current) {
      tabs[current].hide();
      tabs[current].element.hidden = true;
    }
    current = name;
    if (open) {
      tabs[name].element.hidden = false;
      tabs[name].show();
    }
    draw();
    // Not on a tab that is not the chosen one.
    if (nav.contains(element.ownerDocument.activeElement)) toChosen();
  }

  /** The focus to the tab that is chosen, or to the sign in the head that has chosen it. */
  function toChosen() {
    /** @type {HTMLElement | null} */ (element.querySelector(".tidelore-tabs [aria-selected=true], .tidelore-panel-head [aria-pressed=true]"))?.focus();
  }

  /** @param {{tab?: TabName, node?: string, kind?: string}} place */
  function go({ tab, node, kind }) {
    if (node !== undefined) tabs.memories.open(node);
    if (kind !== undefined) tabs.memories.only(kind);
    select(tab ?? (node !== undefined || kind !== undefined ? "memories" : current));
    if (node !== undefined) tabs.memories.focus();
  }

  /** @param {string} text @param {() => Promise<void>} [back] */
  function say(text, back) {
    const mine = { text, undo: back ?? null };
    show(mine);
    // Nobody is to lose the button that is under their fingers.
    const held = () => Boolean(back) && foot.contains(foot.ownerDocument.activeElement);
    after(() => void (said === mine && !held() && show(null)), back ? UNDO_MS : SAID_MS);
  }

  /** @param {Said | null} next */
  function show(next) {
    said = next;
    draw();
  }

  async function undo() {
    const back = said?.undo;
    show(null);
    try {
      await back?.();
      say(t("panel.undone"));
    } catch (error) {
      say(app.text.error(error));
    }
  }

  /** @param {any} event */
  function onKey(event) {
    // SillyTavern swipes, stops and sends by keys that are pressed anywhere in the page.
    event.stopPropagation();
    if (container || event.isComposing || event.target.closest?.("dialog")) return;
    if (event.key === "Escape") {
      event.preventDefault();
      if (!tabs[current].back?.()) close();
    }
    if (event.key === "Tab" && place.full()) keepFocus(event);
  }

  /** @param {any} event */
  function keepFocus(event) {
    const all = /** @type {HTMLElement[]} */ ([...element.querySelectorAll(FOCUSABLE)]).filter((each) => each.tabIndex >= 0 && each.offsetParent !== null);
    const edge = event.shiftKey ? all[0] : all.at(-1);
    if (element.ownerDocument.activeElement !== edge) return;
    event.preventDefault();
    (event.shiftKey ? all.at(-1) : all[0])?.focus();
  }

  function close() {
    if (!open || container) return;
    wizard.close();
    open = false;
    tabs[current].hide();
    tabs[current].element.hidden = true;
    element.hidden = true;
    if (before?.isConnected) before.focus();
    before = null;
  }

  function fit() {
    place.fit();
    element.toggleAttribute("aria-modal", false);
    if (!container && place.full()) element.setAttribute("aria-modal", "true");
    draw();
  }

  /** @param {{tab?: TabName, node?: string, kind?: string}} [to] */
  function openAt(to = {}) {
    const fresh = !open;
    if (fresh) {
      open = true;
      before = /** @type {HTMLElement | null} */ (element.ownerDocument.activeElement);
      element.hidden = false;
    }
    fit();
    go(to);
    if (fresh && !container && to.node === undefined) toChosen();
  }

  element.hidden = true;
  element.addEventListener("keydown", onKey);
  const view = /** @type {Window} */ (element.ownerDocument.defaultView);
  view.addEventListener("resize", fit);
  const stop = app.onChange(() => void (open && draw()));
  place.restore(null);
  void Promise.all([app.kept.get("place"), app.kept.get("colours")]).then(
    ([where, name]) => {
      if (where) place.restore(where);
      paint(String(name ?? "host"));
    },
    () => {},
  );
  if (container) container.append(element);
  else app.host.mount("page", element);

  /** @type {Panel} */
  const panel = {
    open: openAt,
    close,
    toggle: () => (open ? close() : openAt()),
    remove() {
      close();
      stop();
      view.removeEventListener("resize", fit);
      for (const name of TABS) tabs[name].hide();
      element.remove();
      setPanel(app, null);
    },
  };
  setPanel(app, panel);
  if (container) openAt();
  return panel;
}
