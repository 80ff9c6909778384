// How the page gets its key: by a code in the address that opens it once, by what it was given before in this tab, or by a code that the person types
// into the sidecar. The key is in the memory of this tab and nowhere else.
import { Fault, realClock } from "../remote/faults.js";
import { pairWith } from "../remote/pairing.js";
import { thisPage } from "../remote/reach.js";

const KEPT = "tidelore-key";
export const CLIENT = "Tidelore";

/**
 * @typedef {object} Door
 * @property {() => Promise<{key: string, chat: string}>} enter the key, "" where the person has to let the page in, and which chat to show. Rejects
 *   with a Fault where the code of the address is good no more.
 * @property {(signal: AbortSignal) => Promise<{code: string, key: () => Promise<string>}>} knock
 * @property {(key: string) => void} keep
 * @property {() => void} forget
 */

/**
 * @param {object} [parts]
 * @param {Location} [parts.location]
 * @param {History} [parts.history]
 * @param {Storage} [parts.storage]
 * @param {typeof fetch} [parts.fetch]
 * @returns {Door}
 */
export function createDoor({ location = globalThis.location, history = globalThis.history, storage = globalThis.sessionStorage, fetch = globalThis.fetch.bind(globalThis) } = {}) {
  return {
    async enter() {
      const known = storage.getItem(KEPT) ?? "";
      const code = new URLSearchParams(location.hash.slice(1)).get("login") ?? "";
      if (!code) return { key: known, chat: "" };
      // Whoever looks at the address, at the history or at what is copied of it finds no code.
      history.replaceState(null, "", location.pathname);
      const response = await fetch(`${location.origin}/console/login`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ code }), credentials: "omit" });
      const found = await response.json().catch(() => ({}));
      if (response.ok) return { key: String(found.key ?? ""), chat: String(found.chat ?? "") };
      // An address that is opened again in the same tab, as by going back.
      if (known) return { key: known, chat: "" };
      throw new Fault(String(found.error?.code ?? "sidecar_error"), String(found.error?.message ?? response.status), String(found.error?.hint ?? ""));
    },
    knock: (signal) => pairWith(location.origin, CLIENT, { fetch, clock: realClock, page: thisPage(), signal }),
    keep: (key) => storage.setItem(KEPT, key),
    forget: () => storage.removeItem(KEPT),
  };
}
