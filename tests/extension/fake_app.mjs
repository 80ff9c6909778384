// An App that does nothing but note what it was asked, for tests of what people see. It knows neither Node nor a browser.
import { createText } from "../../extension/text.js";
import { defaults } from "../../extension/settings.js";

/** Words of a person, a model or a card, that must stay words wherever they are shown. */
export const HOSTILE = `<img src=x onerror="globalThis.caught=1"><b>{{random::1::2}}</b>`;

/** @returns {import("../../extension/types.js").Status} */
export const quietStatus = () => ({
  engine: "ready",
  problem: null,
  info: { version: "0.1.0", how: "snapshot" },
  sources: [
    { source: "extension", file: "tidelore_engine-0.1.0-py3-none-any.whl", outcome: "taken", detail: "" },
    { source: "extension", file: "pyodide.asm.wasm", outcome: "missing", detail: "404" },
    { source: "jsDelivr", file: "pyodide.asm.wasm", outcome: "taken", detail: "" },
  ],
  store: "indexeddb",
  chat: { chat: "c1", pool: "00", title: "Mira - harbour", off: false },
  stats: { nodes: { entity: 4, moment: 7, fact: 3 }, rules_due: 0, model_due: 2, aside: 0, waiting: [] },
  otherTab: false,
  model: "",
  embedder: "",
  sidecar: "off",
  replicas: { mirror: "done", sidecar: "off", problem: "", news: 0, sent: 0, size: 0 },
  lastRecall: { outcome: "injected", ms: 41.6, tokens: 312, cards: 6, error: "", at: "2026-11-30T12:00:00Z" },
});

/** @param {Partial<import("../../extension/types.js").JobView>} [job] */
export const jobView = (job) => ({
  id: 1,
  chat: "c1",
  title: "Mira - harbour",
  kind: "model",
  state: "running",
  done: 3,
  total: 12,
  error: "",
  hint: "",
  failures: [],
  result: null,
  ...job,
});

/**
 * @param {object} [options]
 * @param {Record<string, string>} options.texts of a locale file
 * @param {string} [options.language]
 * @param {any} [options.settings] merged into the defaults, one level deep
 * @param {any} [options.status]
 * @param {any[]} [options.jobs]
 * @param {Record<string, (...values: any[]) => any>} [options.answers] what an action or `host.NAME` gives; may throw
 */
export function createFakeApp({ texts, language = "en", settings = {}, status = {}, jobs = [], answers = {} }) {
  /** @type {[string, ...any[]][]} */
  const calls = [];
  /** @type {Set<() => void>} */
  const listeners = new Set();
  const keys = new Set();
  /** @type {Map<string, any>} */
  const kept = new Map();
  const state = { settings: joined(defaults(), settings), status: { ...quietStatus(), ...status }, jobs, paused: false, agreeTo: true };

  /** @param {string} name @param {(...values: any[]) => any} usual */
  const noted =
    (name, usual) =>
    (...values) => {
      calls.push([name, ...values]);
      return (answers[name] ?? usual)(...values);
    };
  const change = () => [...listeners].forEach((listener) => listener());

  const host = {
    notify: noted("host.notify", () => {}),
    ask: noted("host.ask", async () => state.agreeTo),
    mount: noted("host.mount", (where, element) => document.body.append(element)),
    reveal: noted("host.reveal", () => {}),
    show: noted("host.show", () => true),
    userMessages: () => [],
    onDrawn: () => () => {},
    countTokens: async (text) => Math.ceil(text.length / 4),
    addCommand: noted("host.addCommand", () => {}),
    addMacro: noted("host.addMacro", () => {}),
    isOnline: () => true,
    currentModel: () => "gpt-harbour",
    profiles: () => [{ id: "p1", name: "Small and quick", model: "tiny-7b" }],
    messages: () => Array.from({ length: 21 }, (_, index) => ({ index, role: index % 2 ? "user" : "assistant", text: `message ${index}` })),
    ...Object.fromEntries(Object.entries(answers).flatMap(([name, give]) => (name.startsWith("host.") ? [[name.slice(5), noted(name, give)]] : []))),
  };

  const app = {
    host,
    text: createText(language, texts),
    get settings() {
      return state.settings;
    },
    set: noted("set", async (given) => {
      state.settings = joined(state.settings, given);
      change();
    }),
    defaults,
    status: () => state.status,
    jobs: () => state.jobs,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    call: noted("call", async (method) => ANSWERS[method] ?? {}),
    switchChat: noted("switchChat", async (on) => {
      state.status = { ...state.status, chat: { ...state.status.chat, off: !on } };
      change();
    }),
    sync: noted("sync", async () => {}),
    simulate: noted("simulate", async () => ({ core: "rule", recalled: "the lamp is lit", cards: [] })),
    recallAgain: noted("recallAgain", async () => ({ core: "", recalled: "again" })),
    record: noted("record", () => ({ recall: "r1", text: "", core: "the core", recalled: "the rest", cards: [], tokens: 7, edited: false })),
    floor: (index) => (index < 21 ? index : -1),
    editRecord: noted("editRecord", async () => {}),
    lastInjected: noted("lastInjected", (block) => (block === "" ? "core\n\nrecalled" : block)),
    estimate: noted("estimate", async () => ({ windows: 2, tokens: 5400, model: "gpt-harbour" })),
    agree: noted("agree", async (agreed) => {
      state.settings = joined(state.settings, { model: { agreed, asked: true } });
      change();
    }),
    extract: noted("extract", () => {}),
    extractRange: noted("extractRange", () => {}),
    retry: noted("retry", () => {}),
    stop: noted("stop", () => {}),
    again: noted("again", () => {}),
    pause: noted("pause", () => void (state.paused = true)),
    resume: noted("resume", () => void (state.paused = false)),
    paused: () => state.paused,
    reembed: noted("reembed", () => {}),
    exchange: noted("exchange", async () => "up to date"),
    orphans: noted("orphans", async () => [{ chat: "o1", title: "Lost harbour", owner: "Mira.png", messages: 80 }]),
    purge: noted("purge", async () => [{ place: "store", state: "done", count: 80, replicas: [] }]),
    purgeNode: noted("purgeNode", async (node) => ({ ...GONE, node, purge: "p1", receipts: RECEIPTS })),
    left: noted("left", async () => LEFT),
    restored: noted("restored", async () => {}),
    test: noted("test", async () => ({ ok: true, detail: "gpt-harbour", ms: 812.4 })),
    pair: noted("pair", async () => {
      state.status = { ...state.status, sidecar: "pairing" };
      change();
      return "482 913";
    }),
    setKey: noted("setKey", async (name, key) => void (key ? keys.add(name) : keys.delete(name))),
    hasKey: async (name) => keys.has(name),
    kept: { get: async (name) => kept.get(name) ?? null, set: async (name, value) => void kept.set(name, value) },
    restart: noted("restart", async () => {}),
  };

  return {
    app: /** @type {any} */ (app),
    calls,
    state,
    change,
    /** @param {string} name */
    called: (name) => calls.filter(([each]) => each === name).map(([, ...values]) => values),
    listeners: () => listeners.size,
  };
}

const GONE = { purge: "", node: "n1", text: "Bo is a cat.", messages: [3], commits: 2, going: [{ node: "n2", kind: "moment", text: HOSTILE }], receipts: [] };
const RECEIPTS = [
  { place: "store", state: "done", count: 3, replicas: [] },
  { place: "replicas", state: "waiting", count: 1, replicas: ["0123456789abcdef"] },
  { place: "chat", state: "outside", count: 1, replicas: [] },
];
const LEFT = [
  { place: "browser", database: "STBME_other", chat: "other", text: "{}", nodes: 4, edges: 2, problem: "", here: false },
  { place: "files", database: "ST-BME_sync_c1.json", chat: "c1", text: '{"a":1}', nodes: 15, edges: 6, problem: "", here: true },
  { place: "backup", database: "ST-BME_backup_x.json", chat: "x", text: "", nodes: 0, edges: 0, problem: HOSTILE, here: false },
];
const ANSWERS = {
  "node.purge": GONE,
  "sync.status": { replica: "r", records: 0, replicas: [], purges: [] },
  "backup.read": { lines: ["{}"], at: "" },
  export: { format: "tidelore", name: "a.json", text: "the file", nodes: 1, edges: 0, messages: 0, left_out: {} },
  import: { chat: "c1", format: "st-bme", dry: false, commit: "k7", nodes: 3, edges: 2, messages: 0, commits: 1, known: 0, left_out: {}, sample: [], notes: [] },
  "node.write": { node: "n1", commit: "k1", chat: "c1" },
  "node.edit": { node: "n1", commit: "k1", text: "Bo is a dog." },
  "node.retire": { node: "n1", commit: "k1", text: "Bo is a cat." },
  undo: { node: "n1", commit: "k2", text: "Bo is a cat." },
  "node.get": { id: "n1", kind: "fact", text: "Bo is a cat." },
  stats: { messages: 21, nodes: { fact: 3 } },
  overview: { states: {}, pinned: 0, private: 0, cards: 0, extraction: { at: 0, by: "", maker: "", first: null, last: null }, recall: null },
  "cards.list": { cards: [], total: 0, degraded: [] },
  "undo.list": { changes: [], total: 0, next: "" },
  "recall.deliveries": { deliveries: [] },
  "settings.describe": { settings: [] },
  "prompt.list": { prompts: [] },
  "graph.get": { nodes: [], edges: [] },
  why: {
    node: "n1",
    kind: "fact",
    text: "Bo is a cat.",
    beliefs: [
      {
        author: "model",
        maker: "gpt",
        fields: {},
        messages: [
          { index: 3, role: "user", name: "Ann", text: "My cat is Bo.", quote: "cat is Bo" },
          { index: null, role: "assistant", name: "", text: "A fine cat.", quote: "" },
        ],
      },
    ],
  },
};

/** @param {any} base @param {any} given */
const joined = (base, given) =>
  Object.fromEntries(
    Object.entries({ ...base, ...given }).map(([name, value]) => {
      const nested = base[name] && typeof base[name] === "object" && !Array.isArray(base[name]);
      return [name, nested ? { ...base[name], ...value } : value];
    }),
  );
