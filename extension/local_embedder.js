// The embedding model in the page itself: agreed to in this browser, fetched once, run in a worker of its own. Until it is ready, and after it has
// failed, words and names recall.
import { bytesOf, placesFor } from "../wasm/embedder_files.js";
import { sourcesFor } from "../wasm/runtime.js";
import { figuresOf } from "./remote/embedding_models.js";
import { Fault, realClock, stopped } from "./remote/faults.js";
import { createVectorQueue } from "./vector_queue.js";

/**
 * @typedef {import("../wasm/bridge.js").EmbedPort} EmbedPort
 * @typedef {import("../wasm/bridge.js").Endpoint} Endpoint
 * @typedef {import("../wasm/embedder_files.js").EmbedderLock} EmbedderLock
 * @typedef {ReturnType<typeof createLocalEmbedder>} LocalEmbedder
 *
 * @typedef {"absent" | "idle" | "loading" | "starting" | "ready" | "failed"} State `absent`: nobody has agreed in this browser, nothing is fetched;
 *   `idle`: agreed, but another embedder is in use
 * @typedef {object} View what people see of it
 * @property {State} state
 * @property {number} done bytes
 * @property {number} total bytes
 * @property {{code: string, message: string, hint: string} | null} problem why it failed
 *
 * @typedef {object} Files what the worker is made of
 * @property {import("../wasm/runtime.js").Lock} lock
 * @property {EmbedderLock} embedder
 *
 * @typedef {{sidecar?: string, cdns?: {name: string, url: string}[], mirror?: string}} Places
 */

const CONSENT = "embedder:page";
/** The engine and the first reply come first: both want the same cores. */
const START_MS = 3000;
/**
 * @param {object} parts
 * @param {{get: (name: string) => Promise<any>, set: (name: string, value: any) => Promise<void>}} parts.values in this browser; the consent lies there
 * @param {string} parts.database of the account; what was fetched is kept in it
 * @param {string} [parts.own] the extension's folder
 * @param {() => Endpoint} [parts.openWorker]
 * @param {(folder: string) => Promise<Files>} [parts.readFiles]
 * @param {() => Promise<void>} [parts.dropFiles] removes what was kept
 * @param {import("./remote/faults.js").Clock} [parts.clock]
 */
export function createLocalEmbedder({ values, database, own = new URL("../", import.meta.url).href, clock = realClock, ...tools }) {
  const folder = new URL("wasm/", new URL(own.replace(/\/*$/, "/"), import.meta.url)).href;
  const openWorker = tools.openWorker ?? (() => new Worker(`${folder}embedder_worker.js`, { type: "module", name: "tidelore-embedder" }));
  const readFiles = tools.readFiles ?? readLocks;
  const dropFiles = tools.dropFiles ?? (() => dropKept(database));

  let onChange = () => {};
  let agreed = false;
  let wanted = false;
  let cancelStart = () => {};
  /** @type {Places} */
  let places = {};
  /** @type {View} */
  let view = { state: "absent", done: 0, total: 0, problem: null };
  /** @type {Endpoint | null} */
  let worker = null;
  /** @type {EmbedPort | null} */
  let port = null;
  // Counts the workers: what one says after another has taken its place is not heard.
  let round = 0;
  const queue = createVectorQueue({
    send: (id, texts) => worker?.postMessage({ type: "embed", id, texts }),
    onStuck: (seconds) => fail({ code: "embedder_failed", message: `The embedding model did not answer for ${seconds} s.`, hint: "" }),
    clock,
  });

  /** @param {Partial<View>} change */
  function show(change) {
    view = { ...view, ...change };
    onChange();
  }

  /** Nothing runs; whoever asks for that knows it. */
  function rest() {
    end(stopped());
    view = { ...view, state: agreed ? "idle" : "absent", problem: null };
  }

  async function again() {
    if (view.state !== "failed") return;
    show({ state: "idle", problem: null });
    await start();
  }

  // ---- the worker ----

  async function start() {
    if (!agreed || !wanted || view.state !== "idle") return;
    const mine = ++round;
    show({ state: "loading", done: 0, total: 0, problem: null });
    try {
      const { lock, embedder } = await readFiles(folder);
      if (mine !== round) return;
      const opened = openWorker();
      worker = opened;
      opened.addEventListener("message", ({ data }) => mine === round && heard(data, embedder));
      for (const type of ["error", "messageerror"]) {
        opened.addEventListener(type, (event) => {
          // It is told here; the page's own handler of errors need not hear of it too.
          event?.preventDefault?.();
          if (mine === round) fail({ code: "embedder_failed", message: `The embedding model has ended: ${event?.message || "no reason given"}.`, hint: "" });
        });
      }
      const { sidecar, cdns = [], mirror } = places;
      opened.postMessage({
        type: "start",
        lock,
        sources: sourcesFor(lock, { own: folder, sidecar, ...(cdns.length ? { cdns } : {}) }),
        embedder,
        places: placesFor(embedder, { own: folder, sidecar, cdns, mirror }),
        program: `${folder}embedder.py`,
        local: localModules(database),
      });
    } catch (error) {
      if (mine === round) fail(error);
    }
  }

  /** @param {any} message @param {EmbedderLock} lock */
  function heard(message, lock) {
    switch (message?.type) {
      case "progress":
        return show({ done: message.done, total: message.total });
      case "starting":
        return show({ state: "starting" });
      case "ready":
        port = portOf(lock);
        return show({ state: "ready" });
      case "vectors":
        return queue.answered(message.id, new Float32Array(message.data), null);
      case "error":
        return queue.answered(message.id, null, new Fault("model_answer", `The embedding model failed: ${message.error.message}.`, "Try again."));
      case "failed":
        return fail(message.error);
    }
  }

  /** @param {any} error */
  function fail(error) {
    console.error("Tidelore:", error);
    end(new Fault("model_unreachable", String(error?.message ?? error), String(error?.hint ?? "")));
    show({ state: "failed", problem: { code: String(error?.code ?? "embedder_failed"), message: String(error?.message ?? error), hint: String(error?.hint ?? "") } });
  }

  /** @param {Fault} error for whoever waits */
  function end(error) {
    round++;
    worker?.terminate?.();
    worker?.close?.();
    worker = null;
    port = null;
    queue.end(error);
  }

  /** @param {EmbedderLock} lock @returns {EmbedPort} */
  function portOf({ model: name, dimension }) {
    const { scale, floor } = figuresOf(name);
    return {
      model: { name, dimension, scale, floor },
      async embed({ texts, kind }, signal) {
        if (!worker) throw new Fault("model_unreachable", "The embedding model is not loaded.", "It takes some seconds after the start.");
        return queue.embed(texts, kind, dimension, signal);
      },
    };
  }

  return {
    /** For the worker's vectors; null while it is not ready. */
    port: () => port,
    view: () => view,

    /** Reads whether this browser has agreed. @param {() => void} change called after each change of `view` */
    async open(change) {
      onChange = change;
      // What cannot be read was not agreed to.
      agreed = Boolean(await values.get(CONSENT).catch(() => null));
      if (agreed && view.state === "absent") show({ state: "idle" });
    },

    /** How much is fetched at most, in bytes. */
    size: async () => bytesOf((await readFiles(folder)).embedder),

    /** Where the files may come from at the next start. @param {Places} where */
    look(where) {
      const others = JSON.stringify(where) !== JSON.stringify(places);
      places = where;
      // What was nowhere may be there.
      if (others && view.state === "failed" && view.problem?.code.endsWith("_missing")) void again();
    },

    /** Whether it is this embedder's turn, from which on it is loaded before long; its worker ends when it is not. @param {boolean} value */
    want(value) {
      if (value === wanted) return;
      wanted = value;
      cancelStart();
      if (value) cancelStart = clock.after(START_MS, () => void start());
      else rest();
    },

    /** A person wants the download. */
    async agree() {
      await values.set(CONSENT, true);
      agreed = true;
      show({ state: "idle", problem: null });
      await start();
    },

    /** Once more after a failure. */
    again,

    /** Ends it and removes what was fetched; it is asked for anew before it is fetched again. */
    async remove() {
      agreed = false;
      end(stopped());
      await values.set(CONSENT, null);
      await dropFiles();
      show({ state: "absent", done: 0, total: 0, problem: null });
    },

    /** A reply is being made: passages wait. @param {boolean} value */
    hold: (value) => queue.hold(value),

    close() {
      wanted = false;
      cancelStart();
      rest();
    },
  };
}

/** @param {string} folder @returns {Promise<Files>} */
async function readLocks(folder) {
  const [lock, embedder] = await Promise.all(["engine/lock.json", "embedder.json"].map((name) => readJson(`${folder}${name}`)));
  return { lock, embedder };
}

/** @param {string} url */
async function readJson(url) {
  const response = await fetch(url, { cache: "no-cache" });
  if (!response.ok) throw new Fault("runtime_missing", `${url} answers ${response.status}.`, "Install the extension anew.");
  return response.json();
}

/** @param {string} database */
function localModules(database) {
  const options = { database };
  /** @param {string} name */
  const at = (name) => new URL(name, import.meta.url).href;
  return { files: { module: at("store/files.js"), options }, model: { module: at("store/model_files.js"), options } };
}

/** @param {string} database */
async function dropKept(database) {
  const { openPort } = await import("./store/model_files.js");
  const kept = await openPort({ database }, { report: () => {} }).catch(() => null);
  await kept?.drop();
  kept?.close();
}
