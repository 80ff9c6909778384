// Why the page cannot reach an address. A browser says no more than "failed", but most causes can be told from outside.
import { Fault } from "./faults.js";

/** @typedef {{protocol: string, hostname: string, origin: string}} Page where this page is from, as in `location` */

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;
const PRIVATE = /^(10(\.\d+){3}|192\.168(\.\d+){2}|172\.(1[6-9]|2\d|3[01])(\.\d+){2}|169\.254(\.\d+){2}|.*\.local|\[f[cde][0-9a-f:]*\])$/;

/** @param {string} hostname */
export const isLoopback = (hostname) => LOOPBACK.test(hostname);

/** On this machine or in the house. @param {string} hostname */
const isNear = (hostname) => isLoopback(hostname) || PRIVATE.test(hostname) || !hostname.includes(".");

/** @returns {Page} */
export const thisPage = () => /** @type {any} */ (globalThis).location ?? { protocol: "http:", hostname: "localhost", origin: "" };

/**
 * What stands in the way by the two addresses alone, or null.
 * @param {string} address
 * @param {Page} page
 * @returns {Fault | null}
 */
export function obstacle(address, page) {
  const { protocol, hostname } = new URL(address);
  const secure = page.protocol === "https:";
  const open = protocol === "http:" || protocol === "ws:";
  if (secure && open && !isLoopback(hostname)) {
    return new Fault(
      "mixed_content",
      `This page came over https, so the browser lets it ask no http address such as ${hostname}.`,
      "Give that service an https address (a reverse proxy with a certificate), or open SillyTavern over http.",
    );
  }
  if (isNear(hostname) && !isNear(page.hostname)) {
    return new Fault(
      "local_network_blocked",
      `This page is from the internet (${page.hostname}); the browser asks before it may reach ${hostname} on the local network.`,
      secure
        ? "Allow access to the local network for this site in the browser, then try again."
        : "Open SillyTavern over https, or by an address of this machine or network; then try again.",
    );
  }
  return null;
}

/**
 * What a failed request means: an obstacle, a service that does not answer, or one that answers other pages than this.
 * @param {string} address
 * @param {object} tools
 * @param {typeof fetch} tools.fetch
 * @param {Page} tools.page
 * @param {AbortSignal} [tools.signal]
 * @returns {Promise<Fault>}
 */
export async function explain(address, { fetch, page, signal }) {
  const known = obstacle(address, page);
  if (known) return known;
  const { origin, host } = new URL(address);
  if (origin !== page.origin && (await answers(origin, { fetch, signal }))) {
    return new Fault(
      "cors_blocked",
      `${host} answers, but does not let pages of ${page.origin} read it (CORS).`,
      `Allow the origin ${page.origin} there (Ollama: OLLAMA_ORIGINS; LM Studio: "Enable CORS"), or use the sidecar.`,
    );
  }
  return new Fault("model_unreachable", `${host} cannot be reached.`, "Check the address, and that the service is running.");
}

/**
 * Whether anybody answers there. An answer that may not be read shows it too; nothing is sent along.
 * @param {string} address
 * @param {{fetch: typeof fetch, signal?: AbortSignal}} tools
 */
export async function answers(address, { fetch, signal }) {
  try {
    await fetch(address, { mode: "no-cors", credentials: "omit", cache: "no-store", signal });
    return true;
  } catch {
    if (signal?.aborted) throw signal.reason;
    return false;
  }
}

/**
 * The address of a method of an OpenAI-compatible service.
 * @param {string} given as the person wrote it
 * @param {string} path "/embeddings"
 * @returns {string}
 */
export function address(given, path) {
  const url = parse(given);
  let base = url.pathname.replace(/\/+$/, "").replace(/\/(chat\/completions|completions|embeddings|models)$/, "");
  // Ollama's own form is another; it has this one under /v1.
  if (url.port === "11434" && ["", "/api", "/api/embed"].includes(base)) base = "/v1";
  url.pathname = base + path;
  url.hash = "";
  return url.href;
}

/** @param {string} given @returns {URL} */
function parse(given) {
  try {
    const url = new URL(given.trim());
    if (/^https?:$/.test(url.protocol) && !url.username && !url.password) return url;
  } catch {
    // said below
  }
  const hint = "Write it like http://127.0.0.1:11434/v1, without a name or password.";
  throw new Fault("bad_input", "The address of the service is no http or https address.", hint);
}

/** @param {string} key @returns {string} */
export function checkedKey(key) {
  const trimmed = key.trim();
  if (/^[\x21-\x7e]*$/.test(trimmed)) return trimmed;
  throw new Fault("bad_input", "The key holds characters that no key has.", "Copy it again, without quotes or line breaks.");
}

/** Services like to repeat the key that they refuse. @param {string} text @param {string} key */
export const hidden = (text, key) => (key.length >= 4 ? text.replaceAll(key, "***") : text);

/** An error without the key in it. @param {unknown} error @param {string} key @returns {unknown} */
export function withoutKey(error, key) {
  if (error instanceof Fault && key.length >= 4) {
    error.message = hidden(error.message, key);
    error.raw = hidden(error.raw, key);
  }
  return error;
}
