// An OpenAI-compatible endpoint for vectors, asked by the page itself: SillyTavern's server has no route that gives vectors.
import { fromStatus, parsed, retryAfter, said, statusOf } from "./answers.js";
import { figuresOf } from "./embedding_models.js";
import { Fault, pause, realClock, within } from "./faults.js";
import { address, checkedKey, explain, thisPage, withoutKey } from "./reach.js";

/** @typedef {import("../../wasm/bridge.js").EmbedPort} EmbedPort */

export const MOST_TEXTS = 64;
const TRIES = 4;
const REQUEST_SECONDS = 60;
/** What a service may make us wait; longer is "try again later". */
const LONGEST_WAIT = 60;
const SMALLEST_NORM = 1e-6;

/**
 * @param {{url: string, name: string, key: string}} endpoint
 * @param {object} [tools]
 * @param {typeof fetch} [tools.fetch]
 * @param {import("./faults.js").Clock} [tools.clock]
 * @param {import("./reach.js").Page} [tools.page]
 * @param {(dimension: number) => void} [tools.onDimension] once, with the first vectors
 * @returns {EmbedPort}
 */
export function endpointPort({ url, name, key }, { fetch = globalThis.fetch.bind(globalThis), clock = realClock, page = thisPage(), onDimension } = {}) {
  const whole = address(url, "/embeddings");
  const { scale, floor, passage = "", query = "" } = figuresOf(name);
  const model = { name, dimension: 0, scale, floor };
  const secret = checkedKey(key);
  // Some services take fewer at once.
  let atOnce = MOST_TEXTS;

  /** @param {string[]} input @param {AbortSignal} signal */
  async function once(input, signal) {
    let response;
    try {
      const headers = { "Content-Type": "application/json", ...(secret ? { Authorization: `Bearer ${secret}` } : {}) };
      response = await fetch(whole, { method: "POST", headers, body: JSON.stringify({ model: name, input }), credentials: "omit", signal });
    } catch {
      if (signal.aborted) throw signal.reason;
      throw await explain(whole, { fetch, page, signal });
    }
    const body = await response.text().catch((error) => {
      throw new Fault("model_unreachable", `The connection to the embedding model broke: ${error.message}.`, "Try again later.");
    });
    if (!response.ok) throw fromStatus(statusOf(response), said(body), retryAfter(response.headers));
    const value = parsed(body);
    if (value?.error) throw fromStatus(Number(value.error.code) || 0, said(body), 0);
    return value;
  }

  /**
   * One batch, with new tries for what may pass. A query has no time for those.
   * @param {string[]} input @param {"passage" | "query"} kind @param {AbortSignal} signal
   */
  async function batch(input, kind, signal) {
    for (let tries = 1; ; tries++) {
      const told = `The embedding model did not answer within ${REQUEST_SECONDS} s.`;
      const late = new Fault("model_unreachable", told, "Try again later, or choose a faster one.");
      try {
        return await within((own) => once(input, own), { clock, ms: REQUEST_SECONDS * 1000, late, signal });
      } catch (error) {
        const fault = /** @type {Fault} */ (error);
        const wait = Math.max(2 ** (tries - 1), fault.wait ?? 0);
        if (fault.code !== "model_unreachable" || kind === "query" || tries >= TRIES || wait > LONGEST_WAIT) throw withoutKey(error, secret);
        await pause(clock, wait * 1000, signal);
      }
    }
  }

  return {
    model,
    async embed({ texts, kind }, signal) {
      const before = kind === "query" ? query : passage;
      /** @type {Float32Array | undefined} */
      let out;
      for (let at = 0; at < texts.length; ) {
        const part = texts.slice(at, at + atOnce);
        let answer;
        try {
          answer = await batch(
            part.map((text) => before + text),
            kind,
            signal,
          );
        } catch (error) {
          const { status = 0 } = /** @type {Fault} */ (error);
          if (part.length === 1 || ![400, 413, 422].includes(status)) throw error;
          atOnce = Math.ceil(part.length / 2);
          continue;
        }
        const rows = checkedRows(listed(answer, part.length), part.length, model.dimension, name);
        const dimension = rows[0]?.length ?? 0;
        if (!model.dimension) {
          model.dimension = dimension;
          onDimension?.(dimension);
        }
        out ??= new Float32Array(texts.length * dimension);
        rows.forEach((row, place) => out?.set(row, (at + place) * dimension));
        at += part.length;
      }
      return /** @type {ArrayBuffer} */ ((out ?? new Float32Array(0)).buffer);
    },
  };
}

/**
 * The vectors in the order of the texts, whatever the order of the answer.
 * @param {any} answer @param {number} count
 * @returns {unknown}
 */
function listed(answer, count) {
  const data = answer?.data;
  if (!Array.isArray(data) || data.length !== count) return undefined;
  const out = new Array(count);
  for (const [at, row] of data.entries()) out[row?.index ?? at] = row?.embedding;
  return out.length === count ? out : undefined;
}

/**
 * Vectors that may be kept: one a text, all of one size, each a direction.
 * @param {unknown} rows
 * @param {number} count
 * @param {number} dimension 0: as they come
 * @param {string} name of the model
 * @returns {(number[] | Float32Array)[]} Throws a Fault with the code model_answer.
 */
export function checkedRows(rows, count, dimension, name) {
  /** @param {string} what */
  const useless = (what) =>
    new Fault("model_answer", `The embedding model ${name} ${what}.`, `Check that "${name}" is an embedding model, and that it runs well.`);
  if (!Array.isArray(rows) || rows.length !== count) throw useless("did not answer with one vector for each text");
  const size = dimension || rows[0]?.length || 0;
  for (const row of rows) {
    if (!(Array.isArray(row) || row instanceof Float32Array) || row.length === 0) throw useless("did not answer with one vector for each text");
    if (row.length !== size) throw useless(`gave ${row.length} numbers where ${size} are due`);
    let square = 0;
    for (const value of row) square += typeof value === "number" ? value * value : NaN;
    if (!Number.isFinite(square)) throw useless("gave something that is no number");
    if (Math.sqrt(square) < SMALLEST_NORM) throw useless("gave a vector of zeros");
  }
  return rows;
}
