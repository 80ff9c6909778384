// What the extension is: settings, engine, chat, injection and jobs, hung together. Drawer, commands and macros act through it alone.
import { chatActions } from "./actions.js";
import { listen } from "./events.js";
import { createInjection } from "./injection.js";
import { createJobs } from "./jobs.js";
import { createPresence } from "./presence.js";
import { createRecords } from "./records.js";
import { defaults, settingsFrom } from "./settings.js";
import { createSync } from "./sync.js";

/**
 * @typedef {import("./types.js").App} App
 * @typedef {import("./types.js").Settings} Settings
 * @typedef {import("./types.js").Status} Status
 *
 * @typedef {object} Engine
 * @property {Promise<any>} ready
 * @property {(method: string, params?: object, options?: object) => Promise<any>} call
 * @property {(ports: any) => void} setPorts
 * @property {() => void} close
 *
 * @typedef {object} Remotes models, embedders and the sidecar, as remotes.js makes them
 * @property {(onEvent: (event: any) => void, onChange: () => void) => Promise<void>} start
 * @property {(settings: Settings) => Promise<any>} ports for the engine
 * @property {() => string} modelName
 * @property {() => string} embedderName
 * @property {() => Status["sidecar"]} sidecarState
 * @property {() => any} sidecarProblem why it is not connected, or null
 * @property {() => string | undefined} runtimeUrl
 * @property {(target: "model" | "embedder", settings: Settings) => Promise<{ok: boolean, detail: string, ms: number}>} test
 * @property {() => Promise<string>} pair
 * @property {() => void} stop
 */

const MODEL_DELAY_MS = 1500;
const RESTARTS = 3;
// What the store says of a full disk (extension/store/database.js), and what the browser says itself.
const FULL = /no room left|quota/i;

/**
 * @param {object} parts
 * @param {import("./host.js").Host} parts.host
 * @param {import("./text.js").Text} parts.text
 * @param {import("./page_store.js").PageStore} parts.page
 * @param {string} parts.channel by which the windows of one account hear of each other
 * @param {Remotes} parts.remotes
 * @param {(options: {ports: any, sidecar: string | undefined, cdns: {name: string, url: string}[], onEvent: (event: any) => void}) => Promise<Engine>} parts.openEngine
 * @param {typeof import("./ui/mount.js").ui} parts.ui
 * @param {() => Promise<void>} parts.dropMemories removes what the engine has stored in this browser
 * @param {(run: () => void) => void} [parts.soon] runs a listener once a frame
 */
export function createApp({ host, text, page, channel, remotes, openEngine, ui, dropMemories, soon = (run) => void setTimeout(run, 50) }) {
  let settings = settingsFrom(host.stored());
  /** @type {Set<() => void>} */
  const listeners = new Set();
  /** @type {Engine | null} */
  let engine = null;
  /** @type {Promise<void> | null} */
  let starting = null;
  let restarts = 0;
  let owed = false;
  let told = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let modelTimer;

  /** @type {Status} */
  const status = {
    engine: "off",
    problem: null,
    info: null,
    sources: [],
    store: "",
    chat: null,
    stats: null,
    otherTab: false,
    model: "",
    embedder: "",
    sidecar: "off",
    sidecarProblem: "",
    lastRecall: null,
  };

  function changed() {
    if (told) return;
    told = true;
    soon(() => {
      told = false;
      for (const listener of [...listeners]) listener();
    });
  }

  /** @param {Partial<Status>} change */
  function show(change) {
    Object.assign(status, change);
    changed();
  }

  /** @param {any} error what went wrong in the background */
  function onError(error) {
    if (error?.code === "closed" || error?.code === "cancelled") return;
    console.error("Tidelore:", error);
    if (FULL.test(`${error?.message} ${error?.hint}`)) ui.notice(app, "quota");
    show({ problem: problemOf(error) });
  }

  /**
   * @param {string} method @param {object} [params] @param {object} [options]
   * @returns {Promise<any>}
   */
  async function call(method, params = {}, options = {}) {
    await starting;
    if (!engine) throw Object.assign(new Error(text.t("engine.off")), { code: "engine_off", hint: "" });
    return engine.call(method, params, options);
  }

  const records = createRecords(host);
  const sync = createSync({ host, call, places: page.places, onSynced, onError });
  const presence = createPresence({
    name: channel,
    onOther() {
      show({ otherTab: true });
      ui.notice(app, "other_tab");
    },
  });
  const jobs = createJobs({
    call,
    onChange: changed,
    onEnd: (job) => void afterJob(job),
    sharesModel: () => settings.model.use === "current",
  });
  const injection = createInjection({
    host,
    sync,
    call,
    records,
    settings: () => settings,
    notReady: () => (status.engine === "ready" ? null : text.t(`engine.${status.engine}`)),
    onOutcome(lastRecall) {
      show({ lastRecall });
      if (lastRecall.outcome === "too_small") ui.notice(app, "too_small");
    },
    onError,
  });

  // ---- the engine ----

  async function startEngine() {
    if (engine || starting || !settings.enabled) return starting;
    show({ engine: "starting", problem: null, sources: [], info: null, store: "" });
    starting = open();
    try {
      await starting;
    } catch (/** @type {any} */ error) {
      engine = null;
      show({ engine: "failed", problem: problemOf(error) });
      ui.notice(app, "engine_failed", { detail: text.error(error) });
    } finally {
      starting = null;
    }
    return undefined;
  }

  async function open() {
    await remotes.start(onRemote, () => void usePorts());
    const ports = await remotes.ports(settings);
    const opened = await openEngine({ ports, sidecar: remotes.runtimeUrl(), cdns: settings.cdns, onEvent });
    const info = await opened.ready;
    // The sidecar may have come, or gone, while the engine started.
    opened.setPorts(await remotes.ports(settings));
    if (!settings.enabled) {
      // Switched off while it started.
      opened.close();
      stopEngine();
      return;
    }
    engine = opened;
    sync.forget();
    show({ engine: "ready", info, store: info.store ?? status.store, model: remotes.modelName(), embedder: remotes.embedderName() });
    sync.soon("engine ready");
  }

  /** @param {any} event of the worker */
  function onEvent(event) {
    if (event.step === "source") show({ sources: [...status.sources, { source: event.source, file: event.file, outcome: event.outcome, detail: event.detail }] });
    if (event.step === "store" && event.outcome === "memory") {
      show({ store: "memory", problem: { code: "store_memory", message: text.t("notice.store_memory", { detail: event.detail }), hint: "" } });
      ui.notice(app, "store_memory", { detail: event.detail });
    }
    if (event.step === "store" && event.outcome === "closed") ui.notice(app, "store_closed");
    if (event.step === "other" && event.chat) {
      // This page's chat is told anew, though nothing on it has changed.
      sync.forget();
      sync.soon("another tab");
    }
    if (event.step === "worker" && event.outcome === "failed") void workerFailed();
  }

  /** @param {any} event of the sidecar */
  function onRemote(event) {
    show({ sidecar: remotes.sidecarState(), sidecarProblem: sidecarProblem() });
    if (event?.method === "changed") sync.soon("sidecar");
  }

  const sidecarProblem = () => {
    const problem = remotes.sidecarProblem();
    return problem ? text.error(problem) : "";
  };

  async function workerFailed() {
    engine = null;
    // What was under way is planned anew once the engine is back.
    show({ engine: "failed", stats: null });
    if (restarts++ < RESTARTS) await startEngine();
    else ui.notice(app, "engine_failed", { detail: text.t("engine.failed") });
  }

  async function usePorts() {
    if (!settings.enabled) return;
    const ports = await remotes.ports(settings);
    show({ sidecar: remotes.sidecarState(), sidecarProblem: sidecarProblem(), model: remotes.modelName(), embedder: remotes.embedderName() });
    engine?.setPorts(ports);
  }

  function stopEngine() {
    jobs.close();
    sync.stop();
    presence.show("");
    clearTimeout(modelTimer);
    injection.clear();
    engine?.close();
    engine = null;
    remotes.stop();
    show({ engine: "off", chat: null, stats: null, model: "", embedder: "", sidecar: "off", store: "" });
  }

  // ---- the chat ----

  /** @param {import("./sync.js").Open | null} open @param {import("./sync.js").Change} change */
  function onSynced(open, { changed: news, unknown, reason }) {
    const before = status.chat?.chat;
    if (open?.chat !== before) show({ otherTab: false, stats: null });
    show({ chat: open && { chat: open.chat, pool: open.pool, title: open.title, off: open.off } });
    presence.show(open?.chat ?? "");
    // Where nothing lasts, that has been said already.
    if (unknown && page.lasting) ui.notice(app, "evicted");
    if (!open || open.off) return;
    // What a generation told the engine is extracted after it, also when no reply came of it.
    owed ||= news;
    if (reason.startsWith("generation:")) return;
    void injection.gather(open.floors).catch(onError);
    if (!owed && open.chat === before && status.stats) return;
    owed = false;
    jobs.add({ kind: "rules", method: "extract.run", chat: open.chat, title: open.title, params: { by: "rules", lag: settings.lag } });
  }

  /** @param {import("./types.js").JobView} job */
  async function afterJob(job) {
    if (!engine) return;
    if (job.state === "failed" && FULL.test(job.error)) ui.notice(app, "quota");
    else if (job.state === "failed" && job.kind === "model") ui.notice(app, "model_failed", { detail: job.error });
    if (job.chat !== status.chat?.chat) return;
    try {
      const stats = await call("stats", { chat: job.chat });
      if (job.chat === status.chat?.chat) show({ stats });
      if (job.kind === "rules") await considerModel(job.chat);
    } catch (error) {
      onError(error);
    }
  }

  /** Lets the model read what is due, or asks whether it may. @param {string} chat */
  async function considerModel(chat) {
    const { use, agreed, asked, exchanges } = settings.model;
    if (use === "none" || (asked && !agreed)) return;
    const { windows } = await call("extract.plan", { chat, by: "model", lag: settings.lag, exchanges });
    if (!windows.length || chat !== status.chat?.chat) return;
    clearTimeout(modelTimer);
    if (!agreed) {
      // No dialog takes the keys away from somebody who is writing.
      if (host.isTyping()) modelTimer = setTimeout(() => void considerModel(chat).catch(onError), MODEL_DELAY_MS);
      else await ui.consent(app);
      return;
    }
    modelTimer = setTimeout(() => {
      // One that is under way takes up whatever has become due.
      const going = jobs.views().some((job) => job.kind === "model" && job.chat === chat && ["waiting", "running", "paused"].includes(job.state));
      if (chat === status.chat?.chat && !going) actions.extract();
    }, MODEL_DELAY_MS);
  }

  /** A reply is being generated, or not any more. @param {boolean} value */
  function replying(value) {
    sync.hold(value);
    jobs.reply(value);
  }

  // ---- settings ----

  /** @param {any} change */
  async function set(change) {
    const before = settings;
    settings = settingsFrom(joined(settings, change));
    const stored = host.stored();
    for (const name of Object.keys(stored)) delete stored[name];
    Object.assign(stored, structuredClone(settings));
    host.saveSettings();
    changed();
    if (before.enabled !== settings.enabled) {
      if (settings.enabled) await startEngine();
      else stopEngine();
      return;
    }
    if (!engine) return;
    if (JSON.stringify([before.model, before.embedder, before.sidecar]) !== JSON.stringify([settings.model, settings.embedder, settings.sidecar])) {
      await usePorts();
      // It may ask the person, and a change of settings is not to wait for the answer.
      if (status.stats && status.chat) void considerModel(status.chat.chat).catch(onError);
    }
  }

  /** @type {any} */
  const app = {
    host,
    text,
    get settings() {
      return settings;
    },
    set,
    defaults,
    status: () => status,
    jobs: () => jobs.views(),
    usePorts,
    /** @param {() => void} listener */
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async restart() {
      stopEngine();
      restarts = 0;
      await startEngine();
    },
    async leave() {
      const keep = ui.leaving(app);
      stopEngine();
      if (!keep.memories) {
        await dropMemories();
        for (const { chat } of await page.places.all()) await page.places.remove(chat);
      }
      if (!keep.settings) {
        await page.values.clear();
        host.dropSettings();
      }
    },
    /** Begins: called once SillyTavern is ready. */
    async start() {
      listen({ host, places: page.places, sync, injection, replying, isOn: () => settings.enabled, connectionChanged: usePorts, onError });
      await startEngine();
    },
    stop: stopEngine,
  };
  const actions = chatActions({ app, call, host, page, sync, jobs, injection, records, remotes, show, status, settings: () => settings, text });
  Object.assign(app, actions);
  return /** @type {App & {start: () => Promise<void>, stop: () => void}} */ (app);
}

/** As the status has it. @param {any} error @returns {NonNullable<Status["problem"]>} */
const problemOf = (error) => ({ code: String(error?.code ?? ""), message: String(error?.message ?? error), hint: String(error?.hint ?? "") });

/** @param {any} base @param {any} change @returns {any} */
function joined(base, change) {
  if (change === undefined) return base;
  if (Array.isArray(base) || typeof base !== "object" || typeof change !== "object" || change === null) return change;
  return Object.fromEntries(Object.entries(base).map(([name, value]) => [name, joined(value, change[name])]));
}
