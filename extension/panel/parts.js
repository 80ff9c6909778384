// What the tabs share: a signed button, a chip for a kind, and an element that is drawn only while it is shown.
import { create, h } from "../ui/dom.js";
import { follow } from "../ui/view.js";

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
 * @property {(run: () => void) => void} soon runs the last one given, once typing pauses
 * @property {{colours: string, setColours: (name: string) => void}} look
 */

export const KINDS = ["entity", "moment", "fact", "thread", "digest", "page"];

export const EDGE_TYPES = [
  ...["about", "part_of", "continues", "resolves", "supports", "echoes", "contrasts"],
  ...["replaces", "doubt", "relates", "knows", "occurred_at", "involved_in"],
];

/** What an edge says, in words. @param {App} app @param {{type: string, label: string}} edge */
export const edgeText = ({ text: { t } }, edge) => edge.label || (EDGE_TYPES.includes(edge.type) ? t(`edge.${edge.type}`) : edge.type);

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
