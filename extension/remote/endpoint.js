// An OpenAI-compatible endpoint for the memory model: through SillyTavern's server, which needs no CORS, or straight from the page.
import { Fault } from "./faults.js";
import { readAnswer } from "./answers.js";
import { address, checkedKey, explain, thisPage, withoutKey } from "./reach.js";

/**
 * @typedef {import("../types.js").Completion} Completion
 * @typedef {import("../types.js").Endpoint} Endpoint
 *
 * @typedef {object} Ways
 * @property {(endpoint: Endpoint, body: object, signal: AbortSignal) => Promise<Response | null>} [post] through SillyTavern's server; null where
 *   it has no such route
 * @property {typeof fetch} [fetch]
 * @property {import("./reach.js").Page} [page]
 */

/** Not every service takes these: some models have one temperature, some servers know no JSON mode. */
const OPTIONAL = { temperature: 0.2, response_format: { type: "json_object" } };
// These refuse max_tokens, and any temperature but their own.
const NEW_NAMES = /(^|\/)(o[1-9]|gpt-[5-9])/;

/** @typedef {{plain: boolean, bare: boolean, direct: boolean}} Quirks what an endpoint has shown that it does not take */

/** @param {Ways} ways */
export function createEndpoints({ post, fetch = globalThis.fetch.bind(globalThis), page = thisPage() }) {
  /** @type {Map<string, Quirks>} */
  const known = new Map();

  /** @param {Endpoint} endpoint @param {Completion} request @param {Quirks} quirks */
  async function once(endpoint, request, quirks) {
    const { name, key, url } = endpoint;
    const stream = quirks.plain ? true : request.stream;
    const newer = NEW_NAMES.test(name);
    const body = {
      model: name,
      messages: request.messages,
      stream,
      [newer ? "max_completion_tokens" : "max_tokens"]: request.tokens,
      ...(quirks.bare || newer ? {} : OPTIONAL),
    };
    let response = post && !quirks.direct ? await post({ ...endpoint, url: address(url, "") }, body, request.signal) : null;
    if (!response) {
      response = await direct(address(url, "/chat/completions"), key, body, request.signal);
      quirks.direct = true;
    }
    return readAnswer(response, request.onPiece);
  }

  /** @param {string} whole @param {string} key @param {object} body @param {AbortSignal} signal */
  async function direct(whole, key, body, signal) {
    try {
      const headers = { "Content-Type": "application/json", ...(key ? { Authorization: `Bearer ${key}` } : {}) };
      return await fetch(whole, { method: "POST", headers, body: JSON.stringify(body), credentials: "omit", signal });
    } catch {
      if (signal.aborted) throw signal.reason;
      throw await explain(whole, { fetch, page, signal });
    }
  }

  /**
   * The text that the model wrote.
   * @param {Endpoint} given
   * @param {Completion} request
   * @returns {Promise<string>}
   */
  return async function ask(given, request) {
    const endpoint = { ...given, key: checkedKey(given.key) };
    const id = `${given.url} ${given.name}`;
    const quirks = { ...(known.get(id) ?? { plain: false, bare: false, direct: false }) };
    for (;;) {
      try {
        const text = await once(endpoint, request, quirks);
        known.set(id, quirks);
        return text;
      } catch (error) {
        if (request.signal.aborted) throw error;
        if (isStream(error) && !quirks.plain) quirks.plain = true;
        else if (isRefusedForm(error) && !quirks.bare) quirks.bare = true;
        else throw withoutKey(asFault(error), endpoint.key);
      }
    }
  };
}

/** SillyTavern's server reads plain answers itself, and cannot read a stream. @param {unknown} error */
export const isStream = (error) => error instanceof Error && /invalid json response|unexpected token|not valid json/i.test(error.message);

/** @param {unknown} error */
const isRefusedForm = (error) =>
  error instanceof Fault && error.code === "model_refused" && ([400, 422].includes(error.status) || /bad request|unprocessable/i.test(error.message));

/** @param {unknown} error @returns {unknown} */
function asFault(error) {
  if (error instanceof Fault) return error;
  const words = error instanceof Error ? error.message : String(error);
  return new Fault("model_unreachable", `The connection to the model broke: ${words}.`, "Try again later.");
}
