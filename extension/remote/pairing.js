// How a page gets a key: it asks, shows a code, and waits until the person has typed that code into the sidecar. No secret is copied by hand.
import { Fault, pause, within } from "./faults.js";
import { obstacle } from "./reach.js";

/**
 * @typedef {object} Tools
 * @property {typeof fetch} fetch
 * @property {import("./faults.js").Clock} clock
 * @property {import("./reach.js").Page} page
 * @property {AbortSignal} signal ends it, and the wait for the person
 */

const POLL_MS = 1000;
const ANSWER_SECONDS = 10;
const SECONDS = 120;

export const unreachable = (what = "cannot be reached") =>
  new Fault("sidecar_unreachable", `The sidecar ${what}.`, "Start it with `tidelore serve`, and check its address.");

const expired = () => new Fault("pairing_expired", "Nobody confirmed the code in time.", "Pair again, and type the code into the sidecar.");

/**
 * @param {string} base address of the sidecar
 * @param {string} client what the person is shown there
 * @param {Tools} tools
 * @returns {Promise<{code: string, key: () => Promise<string>}>} `key` waits for the person. Both reject with a Fault.
 */
export async function pairWith(base, client, tools) {
  const { id, code, seconds } = await ask(`${base}/pair/start`, tools, { client });
  if (typeof id !== "string" || typeof code !== "string") throw notOurs();
  return { code, key: () => keyOf(`${base}/pair/${encodeURIComponent(id)}`, Number(seconds) || SECONDS, tools) };
}

/** @param {string} address @param {number} seconds @param {Tools} tools */
async function keyOf(address, seconds, tools) {
  const { clock, signal } = tools;
  const until = clock.now() + seconds * 1000;
  for (;;) {
    await pause(clock, POLL_MS, signal);
    if (clock.now() >= until) throw expired();
    try {
      const { key } = await ask(address, tools);
      if (key) return String(key);
    } catch (error) {
      const { code } = /** @type {Fault} */ (error);
      if (code === "no_pairing") throw expired();
      if (code !== "sidecar_unreachable") throw error; // that one may be for a moment
    }
  }
}

/**
 * @param {string} address @param {Tools} tools @param {object} [body]
 * @returns {Promise<any>} the parsed answer
 */
function ask(address, { fetch, clock, page, signal }, body) {
  const sent = body ? { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) } : {};
  const run = async (/** @type {AbortSignal} */ own) => {
    let response;
    try {
      response = await fetch(address, { ...sent, credentials: "omit", cache: "no-store", signal: own });
    } catch {
      throw obstacle(address, page) ?? unreachable();
    }
    const found = await response.json().catch(() => ({}));
    if (response.ok) return found;
    const { code, message, hint } = found.error ?? {};
    throw code ? new Fault(code, message, hint) : notOurs();
  };
  return within(run, { clock, ms: ANSWER_SECONDS * 1000, late: unreachable(`did not answer within ${ANSWER_SECONDS} s`), signal });
}

const notOurs = () => new Fault("sidecar_protocol", "What answers at this address is no sidecar of Tidelore.", "Check the address and the port.");
