// The panel in a page without a browser, on a small graph.
import { mountPanel } from "../../extension/panel/mount.js";
import { HOSTILE } from "./fake_app.mjs";
import { pageWithApp } from "./ui_kit.mjs";

export const NODES = [
  { id: "e1", kind: "entity", sub: "character", scope: "chat", text: "Ann", fields: { name: "Ann" }, state: "current", subs: [] },
  { id: "f1", kind: "fact", sub: "state", scope: "chat", text: "Ann lives in Lisbon.", fields: { text: "Ann lives in Lisbon.", attribute: "lives in" }, state: "superseded", subs: [] },
  { id: "f2", kind: "fact", sub: "state", scope: "chat", text: "Ann lives in Porto.", fields: { text: "Ann lives in Porto.", attribute: "lives in" }, state: "current", subs: [] },
  { id: "m1", kind: "moment", sub: "event", scope: "chat", text: "Ann takes the ferry.", fields: { text: "Ann takes the ferry." }, state: "current", subs: [] },
];
export const EDGES = [
  { id: "x1", type: "about", from: "f1", to: "e1", label: "", fields: {} },
  { id: "x2", type: "about", from: "f2", to: "e1", label: "", fields: {} },
  { id: "x3", type: "replaces", from: "f2", to: "f1", label: "", fields: {} },
  { id: "x4", type: "involved_in", from: "e1", to: "m1", label: "", fields: {} },
];
export const BELIEFS = [
  { author: "rules", maker: "rules", fields: {}, messages: [{ index: 4, role: "user", name: "Ann", text: "I moved. I live in Porto.", quote: "I live in Porto." }] },
  { author: "person", maker: "", fields: { attribute: "home" }, messages: [] },
];

/** What the engine answers where nothing has happened yet. @type {Record<string, any>} */
const QUIET = {
  "sync.status": { replica: "", records: 0, replicas: [], purges: [] },
  overview: { states: {}, pinned: 0, private: 0, cards: 0, extraction: { at: 0, by: "", maker: "", first: null, last: null }, recall: null },
  "node.list": { nodes: [], total: 0, next: null },
  "cards.list": { cards: [], total: 0, degraded: [] },
  "undo.list": { changes: [], total: 0, next: "" },
  "node.why": { node: "", kind: "fact", text: "", state: "current", pinned: false, private: false, known_by: [], held_by: "", present: [], recalled: null, delivered: null },
  "node.history": { node: "", kind: "fact", text: "", state: "current", versions: [] },
  "recall.deliveries": { deliveries: [] },
  "settings.describe": { settings: [] },
  "prompt.list": { prompts: [] },
};

/** A node whose every word is markup. */
export const hostileNode = { id: "h1", kind: HOSTILE, sub: HOSTILE, scope: "chat", text: HOSTILE, fields: { text: HOSTILE, [HOSTILE]: [HOSTILE, HOSTILE] }, state: HOSTILE, subs: [HOSTILE, "b"] };

/**
 * @param {any} [options] as pageWithApp, and `graph`, `methods` (answers by method), `container`
 */
export function openPanel({ graph = { nodes: NODES, edges: EDGES }, methods = {}, container = false, answers = {}, width = 1280, ...options } = {}) {
  /** @type {Record<string, (params: any) => any>} */
  const known = { "graph.get": () => graph, why: () => ({ beliefs: BELIEFS }), ...methods };
  const page = pageWithApp({
    answers: { call: async (/** @type {string} */ method, /** @type {any} */ params) => (known[method] ?? (() => QUIET[method] ?? { commit: "k1" }))(params), ...answers },
    ...options,
  });
  page.window.happyDOM.setViewport({ width, height: 800 });
  /** @type {(() => void)[]} timers that have not run */
  const timers = [];
  const settings = { opened: 0 };
  const home = page.document.createElement("div");
  if (container) page.document.body.append(home);
  const panel = mountPanel(page.app, {
    settings: () => void settings.opened++,
    after: (run) => void timers.push(run),
    ...(container ? { container: /** @type {any} */ (home) } : {}),
  });
  const root = /** @type {any} */ (page.document.querySelector(".tidelore-panel"));
  return {
    ...page,
    panel,
    root,
    settings,
    /** Lets all timers run. */
    pass: () => timers.splice(0).forEach((run) => run()),
    /** @param {any} element @param {string} key @param {any} [more] */
    press(element, key, more = {}) {
      const event = new page.window.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
      element.dispatchEvent(event);
      return event;
    },
  };
}
