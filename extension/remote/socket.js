// One connection to a sidecar: its hello, calls with progress and cancel, and a sign of life now and then. docs/sidecar.md has the protocol.
import { Joiner, split } from "./chunks.js";
import { Fault, stopped } from "./faults.js";
import { unreachable } from "./pairing.js";

/**
 * @typedef {object} Welcome the sidecar's answer to hello
 * @property {number} version of the protocol
 * @property {{name: string, version: string}} server
 * @property {string[]} features
 * @property {Record<string, number>} [limits]
 * @property {string} profile
 * @property {string} run
 * @property {number} revision
 * @property {boolean} [everything] anything may have changed since the last connection
 * @property {{chat: string, scope: string}[]} [changed]
 *
 * @typedef {object} CallOptions
 * @property {AbortSignal} [signal]
 * @property {number} [seconds]
 * @property {(done: number, total: number) => void} [onProgress]
 *
 * @typedef {object} Line
 * @property {Welcome} welcome
 * @property {(method: string, params?: object, options?: CallOptions) => Promise<any>} call
 * @property {(why: Fault) => void} end every waiting call is rejected with it
 * @property {() => void} check asks for a sign of life now
 *
 * @typedef {object} Tools
 * @property {typeof WebSocket} WebSocket
 * @property {import("./faults.js").Clock} clock
 */

const FRAME = 1 << 20;
const PING_SECONDS = 20;
const PONG_SECONDS = 10;
const VERSIONS = [1];

/**
 * Connects and says hello. Rejects with a Fault: `sidecar_unreachable`, `sidecar_late`, or what the sidecar says.
 * @param {string} url ws or wss
 * @param {{token: string, client: string, seen?: {run: string, revision: number}}} hello
 * @param {object} options
 * @param {number} options.seconds until it is welcome
 * @param {(method: string, params: any) => void} options.onNotice
 * @param {(why: Fault) => void} options.onEnd of a connection that stood
 * @param {Tools} tools
 * @returns {Promise<Line>}
 */
export function connect(url, hello, { seconds, onNotice, onEnd }, { WebSocket, clock }) {
  return new Promise((resolve, reject) => {
    /** @type {Map<number, {resolve: (value: any) => void, reject: (error: Fault) => void, onProgress?: (done: number, total: number) => void}>} */
    const waiting = new Map();
    const joiner = new Joiner();
    let next = 1;
    let frame = FRAME;
    let stands = false;
    /** @type {Fault | undefined} */
    let ended;
    /** @type {Fault | undefined} what the sidecar said before it closed */
    let told;
    let cancelPing = () => {};

    const socket = new WebSocket(url);
    const cancelLate = clock.after(seconds * 1000, () => end(late(`did not answer within ${seconds} s`)));

    /** @param {Fault} why */
    function end(why) {
      if (ended) return;
      ended = why;
      cancelLate();
      cancelPing();
      socket.close();
      for (const each of [...waiting.values()]) each.reject(why);
      if (stands) onEnd(why);
      else reject(why);
    }

    /** @param {object} message @param {number} [id] */
    function send(message, id = 0) {
      for (const text of split(JSON.stringify({ jsonrpc: "2.0", ...message }), String(id || `n${next++}`), frame)) socket.send(text);
    }

    /** @type {Line["call"]} */
    function call(method, params = {}, { signal, seconds: limit, onProgress } = {}) {
      return new Promise((fulfil, fail) => {
        if (ended) return fail(ended);
        if (signal?.aborted) return fail(signal.reason instanceof Fault ? signal.reason : stopped());
        const id = next++;
        let cancelTimer = () => {};
        const done = () => {
          cancelTimer();
          signal?.removeEventListener("abort", onAbort);
          waiting.delete(id);
        };
        /** @param {Fault} why */
        const giveUp = (why) => {
          done();
          if (!ended) send({ method: "cancel", params: { id } });
          fail(why);
        };
        const onAbort = () => giveUp(signal?.reason instanceof Fault ? signal.reason : stopped());
        waiting.set(id, { resolve: (value) => (done(), fulfil(value)), reject: (error) => (done(), fail(error)), onProgress });
        signal?.addEventListener("abort", onAbort, { once: true });
        if (limit !== undefined) {
          cancelTimer = clock.after(limit * 1000, () => giveUp(new Fault("cancelled", `The sidecar did not answer within ${limit} s.`, "Try again later.")));
        }
        try {
          send({ id, method, params }, id);
        } catch (error) {
          done();
          fail(new Fault("bad_input", `The call cannot be sent: ${error instanceof Error ? error.message : error}.`));
        }
      });
    }

    function ping() {
      cancelPing();
      cancelPing = clock.after(PING_SECONDS * 1000, check);
    }

    // Not by silence alone: a computer that slept finds a line that is dead and does not know it.
    function check() {
      cancelPing();
      call("ping", {}, { seconds: PONG_SECONDS }).then(ping, (error) => {
        if (error.code === "cancelled") end(late(`gave no sign of life within ${PONG_SECONDS} s`));
        else ping();
      });
    }

    /** @param {any} message */
    function take(message) {
      if (message.chunk) {
        const whole = joiner.feed(message.chunk);
        if (whole !== null) take(JSON.parse(whole));
      } else if (message.method === "progress") {
        waiting.get(message.params?.id)?.onProgress?.(message.params.done, message.params.total);
      } else if (message.method) {
        onNotice(message.method, message.params ?? {});
      } else if (message.error) {
        const fault = fromError(message.error);
        const one = waiting.get(message.id);
        if (one) one.reject(fault);
        else told = fault;
      } else {
        waiting.get(message.id)?.resolve(message.result);
      }
    }

    socket.addEventListener("open", () => {
      call("hello", { ...hello, versions: VERSIONS }).then((welcome) => {
        cancelLate();
        frame = Number(welcome?.limits?.frame) || FRAME;
        stands = true;
        ping();
        resolve({ welcome, call, end, check });
      }, end);
    });
    socket.addEventListener("message", ({ data }) => {
      if (ended) return;
      try {
        take(JSON.parse(data));
      } catch (error) {
        end(error instanceof Fault ? error : new Fault("sidecar_protocol", "The sidecar sent something that is not JSON.", "Is it a Tidelore sidecar?"));
      }
    });
    socket.addEventListener("close", () => {
      const closed = stands ? new Fault("sidecar_closed", "The connection to the sidecar ended.", "It is tried again by itself.") : unreachable();
      end(told ?? closed);
    });
    socket.addEventListener("error", () => {}); // a close follows, and tells as much
  });
}

/** @param {string} what */
const late = (what) => new Fault("sidecar_late", `The sidecar ${what}.`, "It is tried again by itself; if it stays so, start the sidecar anew.");

/** @param {any} error of JSON-RPC */
function fromError(error) {
  const { code, hint } = error.data ?? {};
  const message = String(error.message ?? "The sidecar could not do it.");
  return new Fault(typeof code === "string" ? code : "sidecar_error", message, typeof hint === "string" ? hint : "");
}
