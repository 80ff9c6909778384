// Ports that live in the worker: modules opened at the start, asked by the engine without a word to the page.
import { askPort, plainError, reason } from "./ports.js";

/**
 * @typedef {object} Module a module whose `openPort(options, tools)` gives what is wanted of it
 * @property {string} module its address
 * @property {any} [options] plain values for it
 *
 * @typedef {object} Tools what a local port may use
 * @property {(port: string, method: string, values: any[], signal?: AbortSignal) => Promise<any>} ask a port of the page
 * @property {(event: {step: string, outcome: string, [more: string]: any}) => void} report an event to the page
 *
 * @typedef {object} Opened a port; `kind` is what `ready` says of it
 * @property {string} [kind]
 * @property {(model: object | null) => void} [use] another embedding model, or none
 *
 * @typedef {{complete: any, embed: any, vectors: any, store: boolean, mirror?: boolean}} Described what the page says of its ports
 */

/** Opening storage may wait for other tabs; memory that does not last is better than none. */
const OPEN_SECONDS = 10;

/**
 * What a module gives. Rejects when it cannot be loaded, or does not open in time.
 * @param {Module} wanted
 * @param {Tools} tools
 * @param {number} [seconds]
 * @returns {Promise<any>}
 */
export async function openModule({ module, options = {} }, tools, seconds = OPEN_SECONDS) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it did not open within ${seconds} s`)), seconds * 1000);
  });
  try {
    const opening = import(module).then(({ openPort }) => openPort(options, tools));
    return await Promise.race([opening, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The ports of one worker: those of its own, and questions to the page. */
export class LocalPorts {
  /** @type {Record<string, any>} */
  #open = {};
  /** @type {Map<number, AbortController>} */
  #answering = new Map();
  /** @type {Map<number, {resolve: (result: any) => void, reject: (error: any) => void}>} */
  #asked = new Map();
  // The engine's questions count up from 1, ours down: both go through the page's one table.
  #next = -1;
  #post;
  /** @type {Tools} */
  tools;

  /** @param {(message: any) => void} post to the page */
  constructor(post) {
    this.#post = post;
    this.tools = {
      ask: (port, method, values, signal) => this.#ask(port, method, values, signal),
      report: (event) => post({ type: "event", event }),
    };
  }

  /**
   * Opens the ports that are to live here. One that does not open is reported and left out.
   * @param {{store?: Module, vectors?: Module}} wanted
   */
  async open({ store, vectors }) {
    const opening = [];
    if (store) opening.push(this.#openOne("store", store, "memory"));
    if (vectors) opening.push(this.#openOne("vectors", vectors, "none"));
    await Promise.all(opening);
  }

  /**
   * @param {string} port
   * @param {Module} wanted
   * @param {string} instead what there is when it fails
   */
  async #openOne(port, wanted, instead) {
    try {
      this.#open[port] = await openModule(wanted, this.tools);
    } catch (error) {
      this.tools.report({ step: port, outcome: instead, detail: reason(error) });
    }
  }

  /**
   * What the engine is told of its ports, and what a local embedder index needs to know.
   * @param {Described} page
   */
  described(page) {
    const { complete = null, embed = null } = page;
    const { store, vectors } = this.#open;
    vectors?.use?.(embed);
    return { complete, mirror: Boolean(page.mirror), vectors: vectors ? embed : (page.vectors ?? null), store: Boolean(store || page.store) };
  }

  /**
   * Which store is in use: that of a local port, the page's, or memory that ends with the worker.
   * @param {Described} page
   */
  storeKind(page) {
    if (this.#open.store) return String(this.#open.store.kind ?? "local");
    return page.store ? "page" : "memory";
  }

  /**
   * Serves a question of the engine's here, where the port lives here.
   * @param {any} message from the engine
   * @param {(answer: any) => void} answer
   * @returns {boolean} false: it is for the page
   */
  take(message, answer) {
    if (message.type === "drop" && this.#answering.has(message.id)) {
      this.#answering.get(message.id)?.abort();
      return true;
    }
    if (message.type !== "ask" || !(message.port in this.#open)) return false;
    this.#serve(message, answer);
    return true;
  }

  /**
   * @param {{id: number, port: string, method: string, arguments: any[]}} question
   * @param {(answer: any) => void} answer
   */
  async #serve({ id, port, method, arguments: values }, answer) {
    const controller = new AbortController();
    this.#answering.set(id, controller);
    let said;
    try {
      said = { type: "answer", id, result: await askPort(this.#open[port], port, method, values, controller.signal) };
    } catch (error) {
      said = { type: "answer", id, error: plainError(error) };
    }
    this.#answering.delete(id);
    answer(said);
  }

  /**
   * Takes the page's answer to a question of ours.
   * @param {any} message from the page
   * @returns {boolean} false: it is for the engine
   */
  answered(message) {
    if (message?.type !== "answer" || !(message.id < 0)) return false;
    const waiting = this.#asked.get(message.id);
    this.#asked.delete(message.id);
    if (message.error) waiting?.reject(Object.assign(new Error(message.error.message), message.error));
    else waiting?.resolve(message.result);
    return true;
  }

  /**
   * @param {string} port
   * @param {string} method
   * @param {any[]} values
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  #ask(port, method, values, signal) {
    const id = this.#next--;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        if (!this.#asked.delete(id)) return;
        this.#post({ type: "drop", id });
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      const done = () => signal?.removeEventListener("abort", onAbort);
      this.#asked.set(id, {
        resolve: (result) => (done(), resolve(result)),
        reject: (error) => (done(), reject(error)),
      });
      this.#post({ type: "ask", id, port, method, arguments: values });
    });
  }
}
