// The sidecar as the page sees it: found or not, paired or not, and back again by itself. Nothing waits for it.
import { Fault, realClock } from "./remote/faults.js";
import { pairWith, unreachable } from "./remote/pairing.js";
import { answers, obstacle, thisPage } from "./remote/reach.js";
import { connect } from "./remote/socket.js";

/**
 * @typedef {import("./types.js").Status["sidecar"]} State
 * @typedef {ReturnType<typeof createSidecar>} Sidecar
 * @typedef {{name: string, dimension: number, scale: number, floor: number}} OfferedEmbedder
 * @typedef {{get: (name: string) => Promise<any>, set: (name: string, value: any) => Promise<any>}} Keys
 */

const FIRST_SECONDS = 2;
const LONGEST_BACKOFF_SECONDS = 60;
/** A connection that ends sooner than this was none, for the next pause. */
const STEADY_MS = 10_000;
// Trying again would change nothing: a person has to act.
const FINAL = new Set(["sidecar_unpaired", "key_wrong", "key_missing", "no_common_version", "origin_refused", "host_refused"]);

const HOPELESS = new Set(["mixed_content", "bad_input"]);

/** @param {string} address */
function isHttp(address) {
  try {
    return /^https?:$/.test(new URL(address).protocol);
  } catch {
    return false;
  }
}

/** @param {unknown} error */
const said = (error) => (error instanceof Error ? error.message : String(error));

/**
 * @param {object} options
 * @param {string} options.url http or https address of the sidecar
 * @param {string} options.client what the person is shown when the page pairs
 * @param {Keys} options.keys in this browser, for this account
 * @param {(state: State, problem: Fault | null) => void} [options.onState]
 * @param {(event: {method: string, params: any}) => void} [options.onEvent] `changed`: what another client has written
 * @param {import("./remote/faults.js").Clock} [options.clock]
 * @param {() => number} [options.random]
 * @param {typeof fetch} [options.fetch]
 * @param {typeof WebSocket} [options.WebSocket]
 * @param {import("./remote/reach.js").Page} [options.page]
 * @param {Pick<EventTarget, "addEventListener" | "removeEventListener">} [options.wakes] tells of `online` and `visibilitychange`
 */
export function createSidecar({
  url,
  client,
  keys,
  onState = () => {},
  onEvent = () => {},
  clock = realClock,
  random = Math.random,
  fetch = globalThis.fetch.bind(globalThis),
  WebSocket = globalThis.WebSocket,
  page = thisPage(),
  wakes = globalThis.window,
}) {
  const base = url.trim().replace(/\/+$/, "");
  const noAddress = isHttp(base)
    ? null
    : new Fault("bad_input", "The address of the sidecar is no http or https address.", "Write it like http://127.0.0.1:8414.");
  const keyName = `sidecar:${base}`;
  const nothing = { model: "", embedder: /** @type {OfferedEmbedder | null} */ (null) };
  /** @type {State} */
  let state = "off";
  /** @type {Fault | null} */
  let problem = null;
  /** @type {import("./remote/socket.js").Line | null} */
  let line = null;
  let offers = nothing;
  /** @type {{run: string, revision: number} | undefined} */
  let seen;
  let failures = 0;
  let stoodSince = 0;
  /** @type {Promise<void> | null} */
  let trying = null;
  let cancelRetry = () => {};
  /** @type {AbortController | null} */
  let pairing = null;
  let life = new AbortController();

  /** @param {State} next @param {Fault | null} [why] */
  function show(next, why = null) {
    state = next;
    problem = why;
    onState(state, problem);
  }

  /** One try. Never rejects. @returns {Promise<void>} */
  function attempt() {
    cancelRetry();
    trying ??= tries().finally(() => {
      trying = null;
    });
    return trying;
  }

  // Stopped and started again, or paired, while a try is under way: its outcome is nobody's, and another one is due.
  async function tries() {
    for (let mine; mine !== life && !life.signal.aborted; ) await tryOnce((mine = life));
  }

  /** @param {AbortController} mine */
  async function tryOnce(mine) {
    if (pairing) return;
    show("looking");
    let token = "";
    try {
      refuseHopeless();
      token = String((await keys.get(keyName)) ?? "");
      if (!token) throw await withoutKey();
      const opened = await connect(
        `${base.replace(/^http/, "ws")}/ws`,
        { token, client, ...(seen ? { seen } : {}) },
        { seconds: FIRST_SECONDS, onNotice, onEnd: (why) => line === opened && lost(why) },
        { WebSocket, clock },
      );
      const found = await opened.call("status", {}, { seconds: FIRST_SECONDS }).catch((error) => {
        opened.end(error);
        throw error;
      });
      if (mine !== life || mine.signal.aborted) return opened.end(off());
      line = opened;
      stoodSince = clock.now();
      offers = { model: String(found?.model ?? ""), embedder: found?.embedder ?? null };
      const { welcome } = opened;
      seen = { run: welcome.run, revision: welcome.revision };
      show("connected");
      if (welcome.everything || welcome.changed?.length) onEvent({ method: "changed", params: { everything: welcome.everything, changed: welcome.changed } });
    } catch (error) {
      if (mine !== life || mine.signal.aborted) return;
      await failed(error instanceof Fault ? error : unreachable(`cannot be reached: ${said(error)}`), token !== "");
    }
  }

  function refuseHopeless() {
    if (noAddress) throw noAddress;
    const blocked = obstacle(base, page);
    if (blocked?.code === "mixed_content") throw blocked;
  }

  /** Is there a sidecar at all? @returns {Promise<Fault>} */
  async function withoutKey() {
    if (!(await reachable())) return unreachable();
    return new Fault("sidecar_unpaired", "This page has not been paired with the sidecar.", "Pair them: the button is in the settings.");
  }

  async function reachable() {
    const limit = new AbortController();
    const cancel = clock.after(FIRST_SECONDS * 1000, () => limit.abort());
    try {
      return await answers(`${base}/health`, { fetch, signal: limit.signal });
    } catch {
      return false;
    } finally {
      cancel();
    }
  }

  /** @param {Fault} why @param {boolean} hadKey */
  async function failed(why, hadKey) {
    const mine = life;
    let cause = why;
    if (why.code === "sidecar_unreachable") {
      // The browser tells a refused handshake and a dead address apart for itself alone.
      const there = hadKey && (await reachable());
      if (mine !== life || mine.signal.aborted) return;
      if (there) {
        cause = new Fault("sidecar_refused", "The sidecar is there, but does not let this page in.", "Pair the page with it again.");
      } else cause = obstacle(base, page) ?? why;
    } else if (why.code === "sidecar_late") cause = obstacle(base, page) ?? why; // the browser may be asking the person
    show(FINAL.has(cause.code) || cause.code === "sidecar_refused" ? "refused" : "unreachable", cause);
    if (!FINAL.has(cause.code) && !HOPELESS.has(cause.code)) retry();
  }

  function retry() {
    const seconds = Math.min(LONGEST_BACKOFF_SECONDS, 2 ** failures++) * (0.5 + random() / 2);
    cancelRetry();
    cancelRetry = clock.after(seconds * 1000, () => void attempt());
  }

  /** The connection has ended. @param {Fault} why */
  function lost(why) {
    line = null;
    offers = nothing;
    if (life.signal.aborted || pairing) return;
    if (clock.now() - stoodSince >= STEADY_MS) failures = 0;
    if (FINAL.has(why.code)) return show("refused", why);
    show("unreachable", why);
    retry();
  }

  /** @param {string} method @param {any} params */
  function onNotice(method, params) {
    if (method === "changed" && typeof params.run === "string") seen = { run: params.run, revision: params.revision };
    onEvent({ method, params });
  }

  function onWake() {
    if (life.signal.aborted || state === "off") return;
    if (line) line.check();
    else if (state === "unreachable") void attempt();
  }

  /** Waits for the person, and comes in. @param {() => Promise<string>} key @param {AbortController} mine */
  async function finish(key, mine) {
    try {
      await keys.set(keyName, await key());
    } catch (error) {
      if (mine === pairing) await notPaired(error);
      return;
    }
    if (mine !== pairing) return;
    pairing = null;
    failures = 0;
    await attempt();
  }

  /** A page that had a key before goes on with that. @param {unknown} error */
  async function notPaired(error) {
    pairing = null;
    const lost = () => new Fault("store_error", `The key could not be kept: ${said(error)}.`, "Check the storage of this browser.");
    const why = error instanceof Fault ? error : lost();
    show(why.code === "sidecar_unreachable" || HOPELESS.has(why.code) ? "unreachable" : "refused", why);
    if (await keys.get(keyName).catch(() => null)) await attempt();
  }

  const off = () => new Fault("sidecar_off", "The sidecar is not in use.", "Switch it on in the settings.");

  return {
    state: () => state,
    /** Why it is not connected, where that is known. */
    problem: () => problem,
    /** What the connected sidecar has to offer. */
    offers: () => offers,
    /** Its address while it is connected: it serves the engine's files under runtime/. @returns {string | undefined} */
    runtimeUrl: () => (line ? base : undefined),

    /** Looks for it; resolves with the first verdict, after some seconds at most. */
    start() {
      if (life.signal.aborted) life = new AbortController();
      if (state !== "off") return trying ?? Promise.resolve();
      wakes?.addEventListener("online", onWake);
      wakes?.addEventListener("visibilitychange", onWake);
      return attempt();
    },

    stop() {
      wakes?.removeEventListener("online", onWake);
      wakes?.removeEventListener("visibilitychange", onWake);
      cancelRetry();
      life.abort(off());
      pairing?.abort(off());
      pairing = null;
      const open = line;
      line = null;
      offers = nothing;
      failures = 0;
      open?.end(off());
      show("off");
    },

    /**
     * @param {string} method
     * @param {object} [params]
     * @param {import("./remote/socket.js").CallOptions} [options]
     * @returns {Promise<any>} rejects with a Fault, at once when there is no connection
     */
    call(method, params, options) {
      return line ? line.call(method, params, options) : Promise.reject(problem ?? off());
    },

    /**
     * Asks to be let in.
     * @returns {Promise<string>} the code that the person types into the sidecar; `state` tells how it goes on
     */
    async pair() {
      pairing?.abort(off());
      const mine = new AbortController();
      pairing = mine;
      life.abort(off()); // whatever is being tried
      life = new AbortController();
      cancelRetry();
      line?.end(new Fault("sidecar_closed", "The connection to the sidecar ended.", "It is being paired anew."));
      show("pairing");
      try {
        refuseHopeless();
        const { code, key } = await pairWith(base, client, { fetch, clock, page, signal: mine.signal });
        void finish(key, mine);
        return code;
      } catch (error) {
        if (mine === pairing) void notPaired(error);
        throw error;
      }
    },
  };
}
