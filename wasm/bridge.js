// The page's side of the channel to the worker: calls of the service out, ports of the page in. docs/wasm.md has the messages.
import { askPort, plainError, reason } from "./ports.js";
import { Watchdog } from "./watchdog.js";

/**
 * @typedef {import("./runtime.js").Lock} Lock
 * @typedef {import("./runtime.js").Source} Source
 *
 * @typedef {object} Endpoint a Worker or a MessagePort
 * @property {(message: any, transfer?: any) => void} postMessage
 * @property {(type: string, listener: (event: any) => void) => void} addEventListener
 * @property {() => void} [start]
 * @property {() => void} [terminate]
 * @property {() => void} [close]
 *
 * @typedef {object} CompletePort the memory model
 * @property {string} name
 * @property {number} [seconds] for one window; without it, the engine's own 300
 * @property {(messages: {role: string, content: string}[], schema: object, budget: number, signal: AbortSignal) => Promise<string>} complete
 *   the raw answer within `budget` seconds; an error's `code` may be model_unreachable, model_refused or model_answer (with `raw`)
 *
 * @typedef {object} VectorsPort
 * @property {{name: string, dimension: number, scale: number, floor: number}} model
 * @property {(texts: Record<string, string>, signal: AbortSignal) => Promise<void>} put
 * @property {(nodes: string[], signal: AbortSignal) => Promise<void>} [forget] after a purge
 * @property {(query: string, k: number, allowed: string[] | null, signal: AbortSignal) => Promise<[string, number][]>} score
 * @property {(nodes: string[], signal: AbortSignal) => Promise<number[][]>} gram
 *
 * @typedef {object} StorePort methods and rows as in docs/wasm.md; an error's `code` may be conflict or store_error
 * @property {() => Promise<string>} replica
 * @property {() => Promise<number>} version
 * @property {() => Promise<object[]>} chats
 * @property {(pool: string, cursor: number) => Promise<object>} pool
 * @property {(chat: string) => Promise<object>} chat
 * @property {() => Promise<Record<string, number>>} revisions
 * @property {() => Promise<Record<string, number>>} sizes
 * @property {(batch: any) => Promise<void>} write
 * @property {(kind: string, chat: string, limit: number) => Promise<object[]>} ledger
 * @property {() => Promise<Record<string, string>>} settings
 * @property {(chat: string) => Promise<object>} purge
 *
 * @typedef {object} EmbedPort an embedding model, for vectors that live in the worker
 * @property {{name: string, dimension: number, scale: number, floor: number}} model `dimension` 0: as the vectors come
 * @property {(asked: {texts: string[], kind: "passage" | "query"}, signal: AbortSignal) => Promise<ArrayBuffer | number[][]>} embed
 *   one vector a text, in order; as a buffer, its 32-bit floats row after row
 *
 * @typedef {object} MirrorPort the folder of the mirror; contents are base64
 * @property {(name: string) => Promise<string | null>} read null: there is none
 * @property {(name: string, data: string) => Promise<void>} write the whole file
 * @property {(name: string) => Promise<void>} remove
 *
 * @typedef {{complete?: CompletePort, embed?: EmbedPort, vectors?: VectorsPort, store?: StorePort, mirror?: MirrorPort}} Ports
 *
 * @typedef {object} Start
 * @property {Lock} lock
 * @property {Source[]} sources
 * @property {{store?: import("./local.js").Module, vectors?: import("./local.js").Module, files?: import("./local.js").Module}} [local]
 *   what lives in the worker; it comes before the page's port of that name
 * @property {boolean} [snapshot] false: start without the snapshot of the build
 * @property {{build: string, data: ArrayBuffer}} [kept] a snapshot that an earlier start made
 * @property {boolean} [keep] make a snapshot at a plain start and report it as an event
 * @property {number} [snapshotSeconds] then a start from a snapshot is given up
 * @property {number} [fetchSeconds] for one file of one source
 *
 * @typedef {object} CallOptions
 * @property {AbortSignal} [signal]
 * @property {number} [deadline] in milliseconds from now
 * @property {(done: number, total: number) => void} [onProgress]
 *
 * @typedef {object} Waiting
 * @property {(result: any) => void} resolve
 * @property {(error: EngineError) => void} reject
 * @property {(done: number, total: number) => void} [onProgress]
 */

/** An error as the engine has them: `code` for programs, the message for people, `hint` on what to do. */
export class EngineError extends Error {
  /**
   * @param {string} code the engine's, or `closed`, `worker_failed`, `runtime_missing`, `start_failed`
   * @param {string} message
   * @param {string} [hint]
   * @param {string} [raw] the model's answer as it came, where that is what failed
   */
  constructor(code, message, hint = "", raw = undefined) {
    super(message);
    this.name = "EngineError";
    this.code = code;
    this.hint = hint;
    this.raw = raw;
  }
}

/** @param {Ports} ports what the worker needs to know of them */
const described = (ports) => ({
  complete: ports.complete ? { name: ports.complete.name, seconds: ports.complete.seconds } : null,
  embed: ports.embed ? { ...ports.embed.model } : null,
  vectors: ports.vectors ? { ...ports.vectors.model } : null,
  store: Boolean(ports.store),
  mirror: Boolean(ports.mirror),
});

class Link {
  /** @type {Map<number, Waiting>} */
  #waiting = new Map();
  /** @type {Map<number, AbortController>} */
  #asked = new Map();
  #next = 1;
  /** @type {EngineError | undefined} */
  #ended;
  #endpoint;
  #ports;
  #onEvent;
  /** @type {(info: any) => void} */
  #opened = () => {};
  /** @type {(error: EngineError) => void} */
  #failed = () => {};
  #starting = true;
  #watchdog;

  /**
   * @param {Endpoint} endpoint
   * @param {Ports} ports
   * @param {Start} start
   * @param {(event: any) => void} onEvent
   * @param {import("./watchdog.js").Watch} [watch]
   */
  constructor(endpoint, ports, start, onEvent, watch) {
    this.#endpoint = endpoint;
    this.#watchdog = new Watchdog(
      () => endpoint.postMessage({ type: "ping" }),
      (seconds) => this.#end(new EngineError("worker_failed", `The worker has not answered for ${seconds} s.`, "Reload the page.")),
      watch,
    );
    this.#ports = ports;
    this.#onEvent = onEvent;
    /** What started, once it has: versions, how, and milliseconds. Calls may be made before; they wait. */
    this.ready = new Promise((resolve, reject) => {
      this.#opened = resolve;
      this.#failed = reject;
    });
    this.ready.catch(() => {}); // whoever wants to know awaits it
    endpoint.addEventListener("message", (event) => this.#receive(event.data));
    endpoint.addEventListener("error", (event) => {
      this.#end(new EngineError("worker_failed", `The worker has failed: ${event.message || "no reason given"}.`, "Reload the page."));
    });
    endpoint.addEventListener("messageerror", () => {
      this.#end(new EngineError("worker_failed", "A message of the worker could not be read.", "Reload the page."));
    });
    endpoint.start?.();
    endpoint.postMessage({ type: "start", ports: described(ports), ...start });
    this.#watch();
  }

  #watch() {
    this.#watchdog.set(!this.#ended && (this.#starting || this.#waiting.size > 0));
  }

  /**
   * Run a method of the service. Rejects with an EngineError, also when `signal`, `deadline` or `close` ends the wait.
   * @param {string} method
   * @param {object} [params]
   * @param {CallOptions} [options]
   * @returns {Promise<any>}
   */
  call(method, params = {}, { signal, deadline, onProgress } = {}) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(this.#ended);
      if (signal?.aborted) return reject(stopped());
      /** @type {ReturnType<typeof setTimeout> | undefined} */
      let timer;
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        this.#waiting.delete(id);
        this.#watch();
      };
      /** @param {EngineError} error */
      const giveUp = (error) => {
        done();
        this.#endpoint.postMessage({ type: "cancel", id });
        reject(error);
      };
      const onAbort = () => giveUp(stopped());
      const entry = {
        onProgress,
        resolve: (/** @type {any} */ result) => (done(), resolve(result)),
        reject: (/** @type {EngineError} */ error) => (done(), reject(error)),
      };
      try {
        this.#endpoint.postMessage({ type: "call", id, method, params });
      } catch (error) {
        return reject(new EngineError("bad_input", `The parameters cannot be sent: ${reason(error)}.`, "Send plain JSON values."));
      }
      this.#waiting.set(id, entry);
      this.#watch();
      signal?.addEventListener("abort", onAbort);
      if (deadline !== undefined) {
        const late = new EngineError("cancelled", `There was no answer within ${deadline} ms.`, "Try again later.");
        timer = setTimeout(() => giveUp(late), deadline);
      }
    });
  }

  /**
   * Another model, embedder or mirror, or none. The store stays what it was at the start.
   * @param {{complete?: CompletePort, embed?: EmbedPort, vectors?: VectorsPort, mirror?: MirrorPort}} ports
   */
  setPorts({ complete, embed, vectors, mirror }) {
    if (this.#ended) return;
    this.#ports = { ...this.#ports, complete, embed, vectors, mirror };
    this.#endpoint.postMessage({ type: "ports", ports: described(this.#ports) });
  }

  /** Ends the worker, or closes the port. Every waiting call is rejected with the code `closed`. */
  close() {
    this.#end(new EngineError("closed", "The memory engine was closed.", "Open it again."));
  }

  /** @param {EngineError} error */
  #end(error) {
    if (this.#ended) return;
    this.#ended = error;
    this.#watch();
    if (error.code === "worker_failed") this.#onEvent({ step: "worker", outcome: "failed", detail: error.message });
    this.#failed(error);
    for (const waiting of [...this.#waiting.values()]) waiting.reject(error);
    for (const controller of this.#asked.values()) controller.abort(error);
    this.#asked.clear();
    this.#endpoint.terminate?.();
    this.#endpoint.close?.();
  }

  /** @param {any} message */
  #receive(message) {
    if (this.#ended) return;
    this.#watchdog.heard();
    switch (message?.type) {
      case "result":
        this.#waiting.get(message.id)?.resolve(message.result);
        break;
      case "error":
        this.#waiting.get(message.id)?.reject(engineError(message.error));
        break;
      case "progress":
        this.#waiting.get(message.id)?.onProgress?.(message.done, message.total);
        break;
      case "ask":
        this.#answer(message);
        break;
      case "drop":
        this.#asked.get(message.id)?.abort(stopped());
        break;
      case "event":
        this.#onEvent(message.event);
        break;
      case "ready":
        this.#starting = false;
        this.#watch();
        this.#opened(message.info);
        break;
      case "failed":
        this.#end(engineError(message.error));
        break;
    }
  }

  /** @param {{id: number, port: keyof Ports, method: string, arguments: any[]}} question */
  async #answer({ id, port, method, arguments: values }) {
    const controller = new AbortController();
    this.#asked.set(id, controller);
    let answer;
    try {
      answer = { type: "answer", id, result: await askPort(this.#ports[port], port, method, values, controller.signal) };
    } catch (error) {
      answer = { type: "answer", id, error: plainError(error) };
    }
    this.#asked.delete(id);
    if (this.#ended) return;
    try {
      this.#endpoint.postMessage(answer);
    } catch (error) {
      this.#endpoint.postMessage({ type: "answer", id, error: plainError(error) });
    }
  }
}

const stopped = () => new EngineError("cancelled", "The call was cancelled.", "What it had stored stays.");

/** @param {any} error */
const engineError = (error) => new EngineError(error.code, error.message, error.hint, error.raw);

/**
 * Starts the engine in a worker and links to it.
 * @param {Endpoint} endpoint a Worker of worker.js, or a port that leads to one
 * @param {object} options
 * @param {Ports} [options.ports]
 * @param {Start} options.start
 * @param {(event: any) => void} [options.onEvent] outcomes of the sources and steps of the start
 * @param {import("./watchdog.js").Watch} [options.watch] when a worker that says nothing counts as dead
 */
export function connect(endpoint, { ports = {}, start, onEvent = () => {}, watch }) {
  return new Link(endpoint, ports, start, onEvent, watch);
}
