// Where commands, menu and recall cards find the panel of an app.

/**
 * @typedef {object} Panel
 * @property {(place?: {tab?: TabName, node?: string, kind?: string}) => void} open a node and a kind belong to the memories
 * @property {() => void} close
 * @property {() => void} toggle
 * @property {() => void} remove ends it and takes it out of the page
 *
 * @typedef {"overview" | "memories" | "graph" | "decide" | "injection" | "actions" | "settings"} TabName
 */

/** @type {readonly TabName[]} */
export const TABS = ["overview", "memories", "graph", "decide", "injection", "actions", "settings"];

/** What the bar has; the settings are behind their sign in the head. @type {readonly TabName[]} */
export const BAR = ["overview", "memories", "graph", "decide", "injection", "actions"];

/** @type {WeakMap<object, Panel>} */
const panels = new WeakMap();

/** @param {object} app @returns {Panel | undefined} undefined: this page has no panel */
export const panelOf = (app) => panels.get(app);

/** @param {object} app @param {Panel | null} panel */
export const setPanel = (app, panel) => void (panel ? panels.set(app, panel) : panels.delete(app));
