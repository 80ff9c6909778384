// The line to the sidecar, kept up: it comes back by itself, and calls wait for it.
import { Fault, realClock } from "../remote/faults.js";
import { connect } from "../remote/socket.js";

/**
 * @typedef {import("../remote/socket.js").Line} Line
 * @typedef {"looking" | "connected" | "refused" | "unreachable"} State
 */

const HELLO_SECONDS = 10;
const FIRST_MS = 500;
const LONGEST_MS = 15_000;
const REFUSED = new Set(["key_wrong", "key_missing", "origin_refused", "too_many_failures"]);

/**
 * @param {object} options
 * @param {string} options.url of the socket
 * @param {string} options.key
 * @param {string} options.client
 * @param {(state: State, why: Fault | null) => void} options.onState
 * @param {(change: {chat: string, scope: string}) => void} options.onChanged somebody else wrote; both empty: nobody knows what
 * @param {typeof WebSocket} [options.WebSocket]
 * @param {import("../remote/faults.js").Clock} [options.clock]
 */
export function createLink({ url, key, client, onState, onChanged, WebSocket = globalThis.WebSocket, clock = realClock }) {
  /** @type {Line | null} */
  let line = null;
  /** @type {{run: string, revision: number} | undefined} */
  let seen;
  let wait = FIRST_MS;
  let closed = false;
  let trying = false;
  let cancelRetry = () => {};
  /** @type {{go: (line: Line) => void, fail: (why: Fault) => void}[]} calls that wait for the line */
  const waiting = [];

  async function attempt() {
    if (closed || trying || line) return;
    trying = true;
    cancelRetry();
    onState("looking", null);
    try {
      const opened = await connect(url, { token: key, client, ...(seen ? { seen } : {}) }, { seconds: HELLO_SECONDS, onNotice, onEnd: lost }, { WebSocket, clock });
      trying = false;
      if (closed) return opened.end(new Fault("closed", "The page has closed the line."));
      line = opened;
      wait = FIRST_MS;
      const { run, revision, everything, changed } = opened.welcome;
      const again = seen !== undefined;
      seen = { run, revision };
      onState("connected", null);
      for (const { go } of waiting.splice(0)) go(opened);
      if (again && everything) onChanged({ chat: "", scope: "" });
      for (const each of changed ?? []) onChanged(each);
    } catch (error) {
      trying = false;
      lost(/** @type {Fault} */ (error));
    }
  }

  /** @param {Fault} why */
  function lost(why) {
    line = null;
    if (closed) return;
    if (REFUSED.has(why.code)) {
      onState("refused", why);
      return giveUp(why);
    }
    onState("unreachable", why);
    cancelRetry = clock.after(wait, attempt);
    wait = Math.min(LONGEST_MS, wait * 2);
  }

  /** @param {Fault} why */
  const giveUp = (why) => waiting.splice(0).forEach(({ fail }) => fail(why));

  /** @param {string} method @param {any} params */
  function onNotice(method, params) {
    if (method !== "changed") return;
    seen = { run: params.run, revision: params.revision };
    onChanged(params);
  }

  void attempt();
  return {
    /**
     * @param {string} method @param {object} [params] @param {import("../remote/socket.js").CallOptions} [options]
     * @returns {Promise<any>}
     */
    async call(method, params = {}, options = {}) {
      const open = line ?? (await /** @type {Promise<Line>} */ (new Promise((go, fail) => waiting.push({ go, fail }))));
      return open.call(method, params, options);
    },
    /** Tries at once, as when the computer has woken. */
    again: () => (line ? line.check() : void attempt()),
    close() {
      const why = new Fault("closed", "The page has closed the line.");
      closed = true;
      cancelRetry();
      giveUp(why);
      line?.end(why);
    },
  };
}

/** @typedef {ReturnType<typeof createLink>} Link */
