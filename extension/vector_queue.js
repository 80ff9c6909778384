// Texts on their way to the page's own embedding model, a small batch at a time: a query goes first, and while a reply is made passages wait.
import { stopped } from "./remote/faults.js";

/**
 * @typedef {object} Call one call of `embed`
 * @property {string[]} texts
 * @property {(Float32Array | undefined)[]} rows
 * @property {boolean} query
 * @property {() => void} resolve
 * @property {(error: unknown) => void} reject
 */

/** Characters of one batch: half a second of a slow core, since a query may have to wait for it. */
const BATCH_CHARACTERS = 400;
/** The longest text takes some seconds; a worker that is silent so long is stuck. */
const BATCH_SECONDS = 120;
/** Vectors of texts whose call was given up before its last batch, so that the next one gets further. */
const REMEMBERED = 256;

/**
 * @param {object} parts
 * @param {(id: number, texts: string[]) => void} parts.send a batch; `answered` brings what came of it
 * @param {(seconds: number) => void} parts.onStuck no answer came
 * @param {import("./remote/faults.js").Clock} parts.clock
 */
export function createVectorQueue({ send, onStuck, clock }) {
  /** @type {Call[]} */
  let queue = [];
  /** @type {{call: Call, at: number[], cancel: () => void, id: number} | null} */
  let under = null;
  let held = false;
  let number = 0;
  /** @type {Map<string, Float32Array>} */
  const remembered = new Map();

  /** @param {Call} call */
  function remember({ texts, rows, query }) {
    if (query) return;
    texts.forEach((text, at) => {
      const row = rows[at];
      if (row) remembered.set(text, row);
    });
    for (const text of remembered.keys()) {
      if (remembered.size <= REMEMBERED) break;
      remembered.delete(text);
    }
  }

  /** @param {Call} call */
  const leave = (call) => void (queue = queue.filter((each) => each !== call));

  function next() {
    if (under) return;
    const call = queue.find(({ query }) => query) ?? (held ? undefined : queue[0]);
    if (!call) return;
    const at = batchOf(call);
    if (!at.length) {
      leave(call);
      call.resolve();
      return next();
    }
    const id = ++number;
    under = { call, at, id, cancel: clock.after(BATCH_SECONDS * 1000, () => onStuck(BATCH_SECONDS)) };
    send(
      id,
      at.map((place) => call.texts[place]),
    );
  }

  return {
    /**
     * @param {string[]} texts @param {"passage" | "query"} kind @param {number} dimension @param {AbortSignal} signal
     * @returns {Promise<ArrayBuffer>} 32-bit floats, row after row
     */
    embed: (texts, kind, dimension, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(stopped());
        /** @type {Call} */
        const call = {
          texts,
          rows: texts.map((text) => remembered.get(text)),
          query: kind === "query",
          resolve() {
            signal.removeEventListener("abort", onAbort);
            const out = new Float32Array(texts.length * dimension);
            texts.forEach((text, at) => {
              const row = call.rows[at];
              if (row) out.set(row, at * dimension);
              remembered.delete(text);
            });
            resolve(out.buffer);
          },
          reject(error) {
            signal.removeEventListener("abort", onAbort);
            reject(error);
          },
        };
        const onAbort = () => {
          leave(call);
          remember(call);
          call.reject(stopped());
        };
        signal.addEventListener("abort", onAbort, { once: true });
        queue.push(call);
        next();
      }),

    /** @param {number} id @param {Float32Array | null} values @param {unknown} error where there are none */
    answered(id, values, error) {
      if (under?.id !== id) return;
      const { call, at, cancel } = under;
      cancel();
      under = null;
      const waits = queue.includes(call);
      if (values) {
        const size = values.length / at.length;
        at.forEach((place, row) => (call.rows[place] = values.subarray(row * size, (row + 1) * size)));
        if (!waits) remember(call);
      } else if (waits) {
        leave(call);
        call.reject(error);
      }
      next();
    },

    /** A reply is being made. @param {boolean} value */
    hold(value) {
      held = value;
      next();
    },

    /** There is nobody to ask any more. @param {unknown} error for whoever waits */
    end(error) {
      under?.cancel();
      under = null;
      const waiting = queue;
      queue = [];
      for (const call of waiting) call.reject(error);
    },
  };
}

/** Places of the texts that have no vector yet, as many as go in one batch. @param {Call} call */
function batchOf({ texts, rows }) {
  /** @type {number[]} */
  const at = [];
  let characters = 0;
  for (const [place, text] of texts.entries()) {
    if (at.length && characters >= BATCH_CHARACTERS) break;
    if (rows[place]) continue;
    at.push(place);
    characters += text.length;
  }
  return at;
}
