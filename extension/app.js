// What the extension is: settings, engine, chat, injection and jobs, hung together. Drawer, commands and macros act through it alone.
import { chatActions } from "./actions.js";
import { createEmbedding } from "./embedding.js";
import { listen } from "./events.js";
import { createExchange } from "./exchange.js";
import { createInjection } from "./injection.js";
import { createJobs } from "./jobs.js";
import { removeWhatGoes } from "./leaving.js";
import { createPresence } from "./presence.js";
import { createReading, isFull } from "./reading.js";
import { createRecords } from "./records.js";
import { createRecovery } from "./recovery.js";
import { realClock } from "./remote/faults.js";
import { defaults, joined, settingsFrom } from "./settings.js";
import { createStatus, problemOf } from "./status.js";
import { createSync } from "./sync.js";
import { mirrorValue } from "./ui/words.js";
import { sends, writes } from "./writes.js";

/**
 * @typedef {import("./types.js").App} App
 * @typedef {import("./types.js").Settings} Settings
 * @typedef {import("./types.js").Status} Status
 * @typedef {import("./types.js").Engine} Engine
 * @typedef {import("./types.js").Remotes} Remotes
 */

// Some tens of milliseconds of the engine's time.
const INDEXED_AT_ONCE = 100;

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
  /** @type {Engine | null} */
  let engine = null;
  /** @type {Promise<void> | null} */
  let starting = null;
  let owed = false;
  let busy = false;

  const { status, changed, show, onChange, passing } = createStatus(soon);
  const telling = passing();

  /** While nobody waits for a recall, a part at a time: calls come in between. @param {string} chat */
  async function indexed(chat) {
    while ((await call("index.refresh", { chat, most: INDEXED_AT_ONCE })).left > 0);
  }

  /** @param {any} error what went wrong in the background */
  function onError(error) {
    // With the engine goes whatever was under way; that it has gone is said elsewhere, and all of it is done anew.
    if (["closed", "cancelled", "engine_off", "worker_failed"].includes(error?.code)) return;
    console.error("Tidelore:", error);
    if (isFull(`${error?.message} ${error?.hint}`)) ui.notice(app, "quota");
    show({ problem: problemOf(error) });
  }

  /**
   * @param {string} method @param {object} [params] @param {object} [options]
   * @returns {Promise<any>}
   */
  async function call(method, params = {}, options = {}) {
    await starting;
    if (!engine) throw Object.assign(new Error(text.t("error.engine_off")), { code: "engine_off", hint: "" });
    const result = await engine.call(method, params, options);
    if (sends(method, params)) replicas.due();
    if (writes(method, params)) embedding.soon(params);
    return result;
  }

  const records = createRecords(host);
  const sync = createSync({ host, call, places: page.places, onSynced, onError: (error) => telling.failed(() => onError(error)) });
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
    onEnd(job) {
      if (!engine || job.kind === "embed") return;
      replicas.due();
      embedding.soon(job);
      void reading.after(job);
      void indexed(job.chat).catch(onError);
    },
    sharesModel: () => settings.model.use === "current",
  });
  const embedding = createEmbedding({ jobs, openChat: () => status.chat });
  const reading = createReading({
    call,
    openChat: () => (engine ? status.chat?.chat : undefined),
    settings: () => settings,
    views: () => jobs.views(),
    isTyping: host.isTyping,
    consent: () => ui.consent(app),
    notice: (cause, values) => ui.notice(app, cause, values),
    onStats: (stats) => show({ stats }),
    extract: () => void actions.extract(),
    onError,
  });
  const replicas = createExchange({
    call,
    // What ends with the page is nobody's replica.
    places: () => ({ mirror: settings.mirror && status.store !== "memory", sidecar: remotes.sidecarCall() }),
    onNews() {
      owed = true;
      sync.soon("another replica");
    },
    onChange: () => show({ replicas: { ...replicas.outcome() } }),
    onError: (error) => console.error("Tidelore:", error),
    clock: realClock,
  });
  const injection = createInjection({
    host,
    sync,
    call,
    records,
    settings: () => settings,
    lateAt: (stage) => text.t(`recall.late.${stage}`),
    notReady: () => (status.engine === "ready" ? null : text.t(`engine.${status.engine}`)),
    onOutcome(lastRecall) {
      show({ lastRecall });
      if (lastRecall.outcome === "too_small") ui.notice(app, "too_small");
    },
    onError,
  });

  // ---- the engine ----

  const recovery = createRecovery({
    start: () => startEngine(true),
    onGivenUp() {
      jobs.halt(false);
      const gone = { code: "engine_gone", message: text.t("notice.engine_gone"), hint: "" };
      show({ engine: "failed", problem: status.problem?.code === "engine_restarted" ? gone : status.problem });
      ui.notice(app, "engine_gone");
    },
  });

  /** @param {boolean} [again] it had ended by itself @returns {Promise<boolean>} whether it runs */
  async function startEngine(again = false) {
    if (engine || !settings.enabled) return Boolean(engine);
    if (!starting) {
      show({ engine: "starting", sources: [], info: null, store: "", ...(again ? {} : { problem: null }) });
      starting = open().finally(() => void (starting = null));
    }
    try {
      await starting;
    } catch (/** @type {any} */ error) {
      engine = null;
      const died = !again && error?.code === "worker_failed";
      show({ engine: again || died ? "starting" : "failed", problem: problemOf(error) });
      if (died) tryAgain();
      else if (!again) ui.notice(app, "engine_failed", { detail: text.error(error) });
    }
    return Boolean(engine);
  }

  async function open() {
    await remotes.start(onRemote, () => void usePorts());
    const ports = await allPorts();
    let ended = false;
    const heard = (/** @type {any} */ event) => {
      ended ||= event.step === "worker" && event.outcome === "failed";
      onEvent(event);
    };
    const opened = await openEngine({ ports, sidecar: remotes.runtimeUrl(), cdns: settings.cdns, onEvent: heard });
    const info = await opened.ready;
    // The sidecar may have come, or gone, while the engine started.
    const now = await allPorts();
    opened.setPorts(now);
    if (ended) throw Object.assign(new Error(text.t("notice.engine_restarted")), { code: "worker_failed" });
    if (!settings.enabled) {
      // Switched off while it started.
      opened.close();
      stopEngine();
      return;
    }
    engine = opened;
    recovery.runs();
    sync.forget();
    jobs.halt(false);
    embedding.uses(now.embed);
    show({ engine: "ready", problem: status.store === "memory" ? status.problem : null, info, store: info.store ?? status.store, model: remotes.modelName(), embedder: remotes.embedderName() });
    replicas.start();
    sync.soon("engine ready");
  }

  /** @param {any} event of the worker */
  function onEvent(event) {
    if (event.step === "source") show({ sources: [...status.sources, { source: event.source, file: event.file, outcome: event.outcome, detail: event.detail }] });
    if (event.step === "store" && event.outcome === "memory") {
      show({ store: "memory", problem: { code: "store_memory", message: text.t("notice.store_memory", { detail: event.detail }), hint: "" } });
      ui.notice(app, "store_memory", { detail: event.detail });
    }
    if (event.step === "store" && ["blocked", "closed"].includes(event.outcome)) ui.notice(app, `store_${event.outcome}`);
    if (event.step === "other" && event.chat) {
      // This page's chat is told anew, though nothing on it has changed.
      sync.forget();
      sync.soon("another tab");
    }
    if (event.step === "worker" && event.outcome === "failed") engineEnded(event.detail);
  }

  /** @param {any} event of the sidecar */
  function onRemote(event) {
    if (event?.method === "embedder") return ownEmbedderChanged();
    show({ sidecar: remotes.sidecarState(), sidecarProblem: sidecarProblem() });
    if (event?.method === "changed") sync.soon("sidecar");
    if (remotes.sidecarState() === "connected") replicas.due();
  }

  /** The embedder of this page comes, goes on or fails; how far it is, is read from its view. */
  function ownEmbedderChanged() {
    const { state = "absent", problem = null } = remotes.local?.view() ?? {};
    if (state === "failed" && problem) ui.notice(app, "embedder_failed", { detail: text.error(problem) });
    changed();
  }

  const sidecarProblem = () => {
    const problem = remotes.sidecarProblem();
    return problem ? text.error(problem) : "";
  };

  /** By itself: the worker has failed, or says nothing any more. @param {string} detail */
  function engineEnded(detail) {
    // A start that fails says so itself.
    if (!engine) return;
    console.error("Tidelore: the engine has ended.", detail);
    engine = null;
    // What was under way is planned anew once the engine is back.
    show({ engine: "starting", stats: null, problem: { code: "engine_restarted", message: text.t("notice.engine_restarted"), hint: "" } });
    tryAgain();
  }

  function tryAgain() {
    jobs.halt(true);
    ui.notice(app, "engine_restarted");
    recovery.failed();
  }

  const allPorts = async () => ({ ...(await remotes.ports(settings)), ...(settings.mirror ? { mirror: host.userFiles } : {}) });

  async function usePorts() {
    if (!settings.enabled) return;
    const ports = await allPorts();
    show({ sidecar: remotes.sidecarState(), sidecarProblem: sidecarProblem(), model: remotes.modelName(), embedder: remotes.embedderName() });
    engine?.setPorts(ports);
    if (engine) embedding.uses(ports.embed);
  }

  function stopEngine() {
    recovery.stop();
    jobs.close();
    jobs.halt(false);
    sync.stop();
    presence.show("");
    reading.stop();
    replicas.stop();
    injection.clear();
    engine?.close();
    engine = null;
    remotes.stop();
    show({ engine: "off", chat: null, stats: null, model: "", embedder: "", sidecar: "off", store: "" });
  }

  // ---- the chat ----

  /** @param {import("./sync.js").Open | null} open @param {import("./sync.js").Change} change */
  function onSynced(open, { changed: news, unknown, reason }) {
    telling.works();
    const before = status.chat?.chat;
    if (open?.chat !== before) show({ otherTab: false, evicted: false, stats: null });
    show({ chat: open && { chat: open.chat, pool: open.pool, title: open.title, off: open.off } });
    presence.show(open?.chat ?? "");
    // Where nothing lasts, that has been said already.
    if (unknown && page.lasting) void notHere(open);
    if (!open || open.off) return;
    // What a generation told the engine is extracted after it, also when no reply came of it.
    owed ||= news;
    if (reason.startsWith("generation:")) return;
    // SillyTavern's server counts for the reply first.
    if (!busy) void injection.gather(open.floors).catch(onError);
    if (!owed && open.chat === before && status.stats) return;
    owed = false;
    jobs.add({ kind: "rules", method: "extract.run", chat: open.chat, title: open.title, params: { by: "rules", lag: settings.lag } });
  }

  /** The chat was remembered, but not by what this browser has: another replica may know it. @param {import("./sync.js").Open | null} open */
  async function notHere(open) {
    await replicas.settled();
    if (!open || open.chat !== status.chat?.chat) return;
    const found = replicas.outcome().news > 0;
    show({ evicted: !found });
    ui.notice(app, found ? "restored" : "evicted");
  }

  /** A reply is being generated, or not any more. @param {boolean} value */
  function replying(value) {
    busy = value;
    if (value) void injection.gather([]);
    sync.hold(value);
    jobs.reply(value);
    remotes.local?.hold(value);
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
    if (JSON.stringify([before.model, before.embedder, before.sidecar, before.mirror]) !== JSON.stringify([settings.model, settings.embedder, settings.sidecar, settings.mirror])) {
      await usePorts();
      replicas.due();
      // It may ask the person, and a change of settings is not to wait for the answer.
      if (status.stats && status.chat) void reading.consider(status.chat.chat).catch(onError);
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
    ownEmbedder: remotes.local,
    status: () => status,
    jobs: () => jobs.views(),
    usePorts,
    onChange,
    async restart() {
      stopEngine();
      await startEngine();
    },
    async leave() {
      const keep = ui.leaving(app);
      stopEngine();
      // No memory and no setting: it could be fetched again.
      await remotes.local?.remove();
      await removeWhatGoes({ keep, host, page, dropMemories });
    },
    /** Begins: called once SillyTavern is ready. */
    async start() {
      listen({ host, places: page.places, sync, injection, replying, isOn: () => settings.enabled, connectionChanged: usePorts, onError });
      await startEngine();
    },
    /** A round with mirror and sidecar now; what came of it in words. */
    async exchange() {
      await replicas.round();
      return mirrorValue(app);
    },
  };
  const actions = chatActions({ app, call, host, page, sync, jobs, injection, records, remotes, show, status, settings: () => settings, text });
  Object.assign(app, actions);
  return /** @type {App & {start: () => Promise<void>}} */ (app);
}
