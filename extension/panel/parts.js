// What the tabs share: a signed button, a chip for a kind, and an element that is drawn only while it is shown.
import { create, h } from "../ui/dom.js";
import { button } from "../ui/fields.js";
import { attempt, follow } from "../ui/view.js";
import { noChat } from "../ui/words.js";

/**
 * @typedef {import("../types.js").App} App
 * @typedef {import("../ui/dom.js").Child} Child
 *
 * @typedef {object} Tab
 * @property {HTMLElement} element
 * @property {() => void} show
 * @property {() => void} hide
 * @property {() => void} redraw where it is shown
 * @property {() => boolean} [back] a step back inside the tab; whether there was one
 *
 * @typedef {object} Desk what a tab gets of the panel that it is in
 * @property {App} app
 * @property {ReturnType<typeof import("./memories_data.js").createMemoriesData>} data
 * @property {(place: {tab?: import("./open.js").TabName, node?: string, kind?: string}) => void} go
 * @property {(text: string, undo?: () => Promise<void>) => void} say in the line at the bottom, with a way back
 * @property {(id: string) => void} around shows a node among its neighbours
 * @property {(floor: number) => void} jump to a message of the chat
 * @property {(() => void) | null} settings opens them, where there are any
 * @property {() => void} wizard opens the first run
 * @property {boolean} alone the panel is the whole page
 * @property {() => boolean} full the page is so small that the panel fills it
 * @property {{value: string, choose: (language: string) => void} | null} language where the page has none of its own
 * @property {(run: () => void) => void} soon runs the last one given, once typing pauses
 * @property {{colours: string, setColours: (name: string) => void}} look
 */

export const KINDS = ["entity", "moment", "fact", "thread", "digest", "page"];

export const EDGE_TYPES = [
  ...["about", "part_of", "continues", "resolves", "supports", "echoes", "contrasts"],
  ...["replaces", "doubt", "relates", "knows", "occurred_at", "involved_in"],
];

/** What the kinds are parted into, as far as there are words for it: a person may add more. */
export const SUBS = [
  ...["character", "location", "item", "organisation", "work", "project", "topic", "self", "event", "scene", "narrative"],
  ...["state", "preference", "task", "context", "rule", "memo", "belief", "plot", "track", "arc", "question"],
  ...["synopsis", "reflection", "volume", "profile", "snapshot", "handoff", "diary", "darkroom", "dream", "letter", "upload"],
];

/** @param {App} app @param {string} sub */
export const subText = ({ text: { t } }, sub) => (SUBS.includes(sub) ? t(`sub.${sub}`) : sub);

/**
 * A button that takes a file. A browser's own field speaks the browser's language, and SillyTavern hides it: it lies unseen over the button.
 * @param {App} app @param {Record<string, any>} props of the field
 */
export const filePicker = ({ text: { t } }, props) =>
  h("div", { key: "pick", class: "tidelore-pick" }, [h("span", { class: "menu_button tidelore-button", "aria-hidden": "true" }, t(props["multiple"] ? "files.pick_several" : "files.pick")), h("input", { ...props, type: "file" })]);

/** What an edge says, in words. @param {App} app @param {{type: string, label: string}} edge */
export const edgeText = ({ text: { t } }, edge) => edge.label || (EDGE_TYPES.includes(edge.type) ? t(`edge.${edge.type}`) : edge.type);

/** Languages that the texts are in, each by its own name. */
export const LANGUAGES = { en: "English", "zh-cn": "简体中文" };

/**
 * The field that searches, where typing has paused.
 * @param {App} app @param {string} typed @param {(text: string) => void} type
 */
export const searchField = ({ text: { t } }, typed, type) =>
  h("input", {
    key: "query",
    type: "search",
    class: "text_pole",
    "aria-label": t("memories.search"),
    placeholder: t("memories.search"),
    autocomplete: "off",
    value: typed,
    on: { input: (/** @type {any} */ event) => type(event.target.value) },
  });

/**
 * A choice among values, or any.
 * @param {App} app @param {string} key @param {string} label @param {[string, string][]} values and their names @param {string} value
 * @param {(value: string) => void} choose
 */
export const filterField = ({ text: { t } }, key, label, values, value, choose) =>
  h("select", { key, class: "text_pole", "aria-label": label, value, on: { change: (/** @type {any} */ event) => choose(event.target.value) } }, [
    h("option", { key: "", value: "" }, t("memories.any", { what: label })),
    values.map(([each, name]) => h("option", { key: each, value: each }, name)),
  ]);

export const STATES = ["current", "superseded", "archived", "hidden", "pinned", "private"];
/** What a list can be narrowed down to: the states that a graph has, and the marks. */
export const FILTERED = STATES.filter((state) => state !== "hidden");

/** @param {App} app @param {string} state of a memory */
export const stateText = ({ text: { t } }, state) => (STATES.includes(state) ? t(`memories.state.${state}`) : state);

export const REASONS = ["name", "words", "meaning", "walk", "date", "judged", "in context", "cooling", "weak", "repeats", "over the limit", "over the budget"];

/** Why a memory was taken or left. @param {App} app @param {string} reason */
export const reasonText = ({ text: { t } }, reason) => (REASONS.includes(reason) ? t(`reason.${reason.replaceAll(" ", "_")}`) : reason);

/** A scope in words: "profile", or "character:Mira" as "character: Mira". @param {App} app @param {string} scope */
export function scopeText({ text: { t } }, scope) {
  const [kind = "", ...name] = scope.split(":");
  const word = SCOPES.includes(kind) ? t(`scope.${kind}`) : kind;
  return name.length ? t("scope.of", { scope: word, name: name.join(":") }) : word;
}
export const SCOPES = ["chat", "character", "persona", "profile"];

/**
 * Why nothing of a chat can be shown, with what a person can do about it; nothing where it can.
 * @param {App} app
 * @returns {Child[]}
 */
export function closedParts(app) {
  const { t } = app.text;
  const { chat } = app.status();
  if (!app.settings.enabled) return [h("p", { key: "off" }, t("status.off")), button(t("health.fix.on"), () => attempt(app, () => app.set({ enabled: true })))];
  if (!chat) return [h("p", { key: "none" }, noChat(app))];
  if (chat.off) return [h("p", { key: "chat-off" }, t("status.chat_off")), button(t("health.fix.chat_on"), () => attempt(app, () => app.switchChat(true)))];
  return [];
}

/** @param {App} app */
export function closed(app) {
  const parts = closedParts(app);
  return parts.length ? h("div", { key: "closed", class: "tidelore-empty" }, parts) : null;
}

/** @param {string} name of a sign in style/signs.css */
export const sign = (name) => h("span", { class: `tidelore-sign tidelore-sign-${name}`, "aria-hidden": "true" });

/**
 * A button that shows a sign alone.
 * @param {string} name @param {string} label @param {(event: any) => void} click @param {Record<string, any>} [props]
 */
export const signButton = (name, label, click, { on = {}, ...props } = {}) =>
  h("button", { key: label, type: "button", ...props, class: `tidelore-sign-button ${props.class ?? ""}`.trim(), title: label, "aria-label": label, on: { click, ...on } }, sign(name));

/** A kind as a coloured word. @param {App} app @param {string} kind */
export const kindChip = ({ text: { t } }, kind) =>
  h("span", { class: "tidelore-chip", "data-kind": KINDS.includes(kind) ? kind : "other" }, KINDS.includes(kind) ? t(`kind.${kind}`) : kind);

/**
 * A part of the panel that follows the app while it is shown.
 * @param {App} app @param {string} name @param {(redraw: () => void) => () => Child | Child[]} view
 * @returns {Tab}
 */
export function drawnTab(app, name, view) {
  const element = create(h("div", { class: `tidelore-tab tidelore-tab-${name}` }));
  /** @type {() => Child | Child[]} */
  let draw = () => null;
  /** @type {(() => void) | null} */
  let stop = null;
  /** @type {() => void} */
  let redraw = () => {};
  draw = view(() => redraw());
  return {
    element,
    show() {
      stop ??= follow(app, element, (again) => {
        redraw = again;
        return draw;
      });
    },
    hide() {
      stop?.();
      stop = null;
      redraw = () => {};
    },
    redraw: () => redraw(),
  };
}
