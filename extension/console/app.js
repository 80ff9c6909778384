// The panel's App over a sidecar: what actions.js and app.js are in SillyTavern. All of it is calls of the sidecar's methods on the chat that was chosen.
import { createJobs } from "../jobs.js";
import { defaults, settingsFrom } from "../settings.js";
import { emptyStatus } from "../status.js";
import { CHATLESS, writes } from "../writes.js";
import { rowsOf } from "./chats.js";
import { createLink } from "./link.js";
import { createPage } from "./page.js";

/**
 * @typedef {import("../types.js").App} App
 * @typedef {import("../types.js").Settings} Settings
 * @typedef {import("../types.js").Status} Status
 * @typedef {import("./chats.js").ChatRow} ChatRow
 *
 * @typedef {object} Console
 * @property {App} app
 * @property {() => ChatRow[]} chats
 * @property {() => string} chosen
 * @property {(chat: string) => void} choose
 * @property {() => void} again looks after the line
 * @property {() => void} stop
 */

// Methods that the sidecar itself has.
const OF_SIDECAR = new Set(["status", "ping", "embed", "model.complete", "rpc.discover"]);
const RECALL_SECONDS = 30;

/**
 * @param {object} parts
 * @param {import("../text.js").Text} parts.text
 * @param {string} parts.key
 * @param {string} parts.url of the socket
 * @param {import("../page_store.js").PageStore["values"]} parts.values kept in this browser
 * @param {Document} parts.document
 * @param {(why: import("../remote/faults.js").Fault | null) => void} parts.onRefused the key opens nothing, and why
 * @param {string} [parts.chat] to begin with
 * @param {typeof createLink} [parts.open]
 * @returns {Promise<Console>}
 */
export async function createConsole({ text, key, url, values, document, onRefused, chat: first = "", open = createLink }) {
  const kept = { get: (/** @type {string} */ name) => values.get(`panel:${name}`), set: (/** @type {string} */ name, /** @type {any} */ value) => values.set(`panel:${name}`, value) };
  const stored = (await kept.get("console")) ?? {};
  /** @type {Settings} */
  let settings = settingsFrom({ ...stored, enabled: true });
  let chosen = first || String(stored.chat ?? "");
  let listed = false;
  let lastSaid = "";
  /** @type {number | null} null: the preset says */
  let budget = null;
  /** @type {ChatRow[]} */
  let rows = [];
  /** @type {Set<() => void>} */
  const listeners = new Set();
  let told = false;

  const status = { ...emptyStatus(), engine: /** @type {Status["engine"]} */ ("starting"), sidecar: /** @type {Status["sidecar"]} */ ("looking") };

  /** Checked; a budget of 0 stands for what the preset says. @param {any} given */
  const chosenFrom = (given) => ({ ...settingsFrom(given), budget: budget ?? 0 });

  function changed() {
    if (told) return;
    told = true;
    setTimeout(() => {
      told = false;
      for (const listener of [...listeners]) listener();
    }, 30);
  }

  /** @param {Partial<Status>} change */
  function show(change) {
    Object.assign(status, change);
    changed();
  }

  const page = createPage({ document, t: text.t, messages });
  const link = open({
    url,
    key,
    client: "Tidelore",
    onState(state, why) {
      if (state === "refused") return onRefused(why);
      const up = state === "connected";
      show({
        sidecar: state,
        sidecarProblem: why ? text.error(why) : "",
        engine: up ? "ready" : "starting",
        store: /** @type {any} */ (up ? "sidecar" : ""),
      });
      if (up) void background(begin);
    },
    onChanged: ({ chat, scope }) => void background(() => (chat && chat === chosen ? counted() : look(scope))),
  });

  /** @param {() => Promise<any>} run */
  async function background(run) {
    try {
      await run();
      if (status.problem) show({ problem: null });
    } catch (/** @type {any} */ error) {
      if (error?.code === "closed" || error?.code === "sidecar_closed") return;
      show({ problem: { code: String(error?.code ?? ""), message: String(error?.message ?? error), hint: String(error?.hint ?? "") } });
    }
  }

  async function begin() {
    const found = await link.call("status");
    const use = found.model ? "sidecar" : "none";
    settings = chosenFrom({ ...settings, model: { ...settings.model, use } });
    await readSettings();
    show({ model: found.model, embedder: found.embedder?.name ?? "" });
    await look("");
  }

  /** What the engine is set to is kept with its store, for every client alike. */
  async function readSettings() {
    const { settings: known } = await link.call("settings.describe");
    /** @type {Record<string, any>} */
    const values = Object.fromEntries(known.map((/** @type {any} */ { name, value }) => [name, value]));
    budget = values["recall.budget"] || null;
    settings = chosenFrom({ ...settings, preset: values["recall.preset"], lag: values["extract.lag"], model: { ...settings.model, exchanges: values["extract.exchanges"] } });
    changed();
  }

  /** Reads anew which chats there are, and how the open one stands. @param {string} _scope */
  async function look(_scope) {
    rows = rowsOf(await link.call("chat.list"), await link.call("scope.list"));
    listed = true;
    if (!rows.some(({ chat }) => chat === chosen)) chosen = rows[0]?.chat ?? "";
    await openChat();
  }

  async function openChat() {
    const row = rows.find(({ chat }) => chat === chosen);
    if (status.chat?.chat !== chosen) {
      lastSaid = "";
      show({ stats: null });
    }
    show({ chat: row ? { chat: row.chat, pool: row.pool, title: row.title, off: false } : null });
    if (row) await counted();
  }

  async function counted() {
    const chat = chosen;
    const stats = await link.call("stats", { chat });
    const { messages: newest } = stats.messages ? await link.call("sources.search", { chat, role: "user", limit: 1 }) : { messages: [] };
    if (chat !== chosen) return;
    lastSaid = newest[0]?.text ?? "";
    show({ stats });
  }

  /** As many as there are; the words of the newest of the user alone, which a trial begins with. */
  function messages() {
    const count = status.stats?.messages ?? 0;
    return Array.from({ length: count }, (_, index) => {
      const last = index === count - 1;
      return { index, role: last ? "user" : "", text: last ? lastSaid : "", name: "", hidden: false, date: "", unsettled: false };
    });
  }

  const jobs = createJobs({
    call: (method, params, options) => link.call(method, params, options),
    onChange: changed,
    onEnd: () => void background(counted),
    sharesModel: () => false,
  });

  /** @param {{kind: any, method: string, params?: object, asksModel?: boolean}} job */
  const plan = (job) => {
    const chat = mine();
    jobs.add({ chat, title: status.chat?.title ?? chat, ...job });
  };

  /** @returns {string} */
  function mine() {
    if (!status.chat) throw Object.assign(new Error(text.t("error.no_chat")), { code: "no_chat", hint: "" });
    return status.chat.chat;
  }

  const byModel = () => settings.model.use !== "none" && settings.model.agreed;
  const ways = () => (byModel() ? { by: "model", lag: settings.lag, exchanges: settings.model.exchanges } : { by: "rules", lag: settings.lag });

  /** @param {any} change */
  async function set(change) {
    const nested = Object.fromEntries(Object.entries(change).map(([name, value]) => [name, isGroup(value) ? { .../** @type {any} */ (settings)[name], ...value } : value]));
    settings = chosenFrom({ ...settings, ...nested });
    await kept.set("console", { ...settings, chat: chosen });
    changed();
  }

  /** @type {any} */
  const app = {
    host: page,
    text,
    get settings() {
      return settings;
    },
    set,
    defaults,
    status: () => status,
    jobs: () => jobs.views(),
    /** @param {() => void} listener */
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** @param {string} method @param {any} params @param {any} options */
    async call(method, params = {}, options = {}) {
      const whole = "chat" in params || CHATLESS.has(method) || OF_SIDECAR.has(method) ? params : { chat: mine(), ...params };
      const found = await link.call(method, whole, options);
      if (method.startsWith("settings.") && method !== "settings.describe") void background(readSettings);
      else if (writes(method, whole)) void background(counted);
      return found;
    },
    switchChat: async () => {},
    sync: async () => {},
    /** @param {string} query */
    simulate: (query) => link.call("recall.run", { chat: mine(), query, preset: settings.preset, budget }, { seconds: RECALL_SECONDS }),
    recallAgain: async () => null,
    record: () => null,
    hasRecord: () => false,
    editRecord: async () => {},
    lastInjected: () => "",
    async estimate() {
      const found = await link.call("extract.plan", { chat: mine(), by: "model", lag: settings.lag, exchanges: settings.model.exchanges });
      return { windows: found.windows.length, tokens: found.tokens, model: status.model };
    },
    /** @param {boolean} agreed */
    async agree(agreed) {
      await set({ model: { agreed, asked: true } });
      if (agreed) app.extract();
    },
    extract: () => plan({ kind: byModel() ? "model" : "rules", method: "extract.run", params: ways(), asksModel: byModel() }),
    /** @param {number} from @param {number} to @param {"rules" | "model"} [by] */
    extractRange: (from, to, by = byModel() ? "model" : "rules") =>
      plan({ kind: "range", method: "extract.run", params: { by, range: [from, to], exchanges: settings.model.exchanges }, asksModel: by === "model" }),
    retry: () => plan({ kind: "model", method: "extract.run", params: { ...ways(), retry: true }, asksModel: true }),
    stop: jobs.stop,
    again: jobs.again,
    pause: () => jobs.pause(true),
    resume: () => jobs.pause(false),
    paused: jobs.paused,
    reembed: () => plan({ kind: "embed", method: "embed.run" }),
    orphans: async () => [],
    /** @param {string} chat */
    async purge(chat) {
      const { receipts } = await link.call("chat.purge", { chat });
      await look("");
      return receipts;
    },
    /** @param {string} node */
    async purgeNode(node) {
      const gone = await link.call("node.purge", { chat: mine(), node });
      void background(counted);
      return gone;
    },
    // What lies in SillyTavern's page is not to be seen from here.
    left: null,
    restored: () => look(""),
    /** @param {"model" | "embedder"} target */
    async test(target) {
      const began = performance.now();
      if (target === "embedder") {
        const found = await link.call("embed", { texts: [text.t("console.test_words")], kind: "query" });
        return { ok: found.dimension > 0, detail: found.model, ms: performance.now() - began };
      }
      const found = await link.call("model.complete", { messages: [{ role: "user", content: text.t("console.test_question") }], budget: 60 });
      return { ok: Boolean(found.text.trim()), detail: found.model, ms: performance.now() - began };
    },
    pair: async () => "",
    setKey: async () => {},
    hasKey: async () => false,
    kept,
    /** @param {number} index */
    floor: (index) => index,
    restart: async () => void link.again(),
    leave: async () => {},
  };

  return {
    app,
    chats: () => (listed ? rows : []),
    chosen: () => chosen,
    choose(chat) {
      chosen = chat;
      void kept.set("console", { ...settings, chat }).catch(() => {});
      void background(openChat);
    },
    again: link.again,
    stop() {
      jobs.close();
      link.close();
    },
  };
}

/** @param {any} value */
const isGroup = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
