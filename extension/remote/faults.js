// Errors of everything outside the page, and time as the tests can hold it.

/**
 * `code` for programs and locale files (`error.<code>`), the message for people, `hint` on what to do, `raw` the answer that was of no use.
 */
export class Fault extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {string} [hint]
   * @param {{raw?: string, wait?: number, status?: number}} [more] `wait`: seconds that the other side asks for
   */
  constructor(code, message, hint = "", { raw = "", wait = 0, status = 0 } = {}) {
    super(message);
    this.name = "Fault";
    this.code = code;
    this.hint = hint;
    this.raw = raw;
    this.wait = wait;
    this.status = status;
  }
}

export const stopped = () => new Fault("cancelled", "The request was stopped.");

/**
 * @typedef {object} Clock
 * @property {() => number} now milliseconds
 * @property {(ms: number, run: () => void) => () => void} after runs once, later; the result takes it back
 */

/** @type {Clock} */
export const realClock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * @param {Clock} clock @param {number} ms @param {AbortSignal} [signal]
 * @returns {Promise<void>} rejects with the signal's reason
 */
export function pause(clock, ms, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => (cancel(), reject(signal?.reason));
    const cancel = clock.after(ms, () => (signal?.removeEventListener("abort", onAbort), resolve()));
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/**
 * Runs something that can be stopped, within a time and, where it speaks, without a long silence. It ends at once in each of these cases,
 * whether what runs obeys its signal or not.
 * @template T
 * @param {(signal: AbortSignal, alive: () => void) => Promise<T>} run `alive` begins the silence anew
 * @param {object} limits
 * @param {Clock} limits.clock
 * @param {number} limits.ms
 * @param {Fault} limits.late
 * @param {number} [limits.silentMs]
 * @param {Fault} [limits.silent]
 * @param {AbortSignal} [limits.signal]
 * @returns {Promise<T>}
 */
export function within(run, { clock, ms, late, silentMs, silent, signal }) {
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    let ended = false;
    let cancelSilence = () => {};
    const end = () => {
      ended = true;
      cancelLate();
      cancelSilence();
      signal?.removeEventListener("abort", onAbort);
    };
    /** @param {unknown} error */
    const giveUp = (error) => {
      if (ended) return;
      end();
      controller.abort(error);
      reject(error);
    };
    const onAbort = () => giveUp(signal?.reason instanceof Fault ? signal.reason : stopped());
    const alive = () => {
      if (ended || silentMs === undefined) return;
      cancelSilence();
      cancelSilence = clock.after(silentMs, () => giveUp(silent ?? late));
    };
    const cancelLate = clock.after(ms, () => giveUp(late));
    if (signal?.aborted) return onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    alive();
    run(controller.signal, alive).then(
      (value) => {
        if (ended) return;
        end();
        resolve(value);
      },
      (error) => {
        if (ended) return;
        end();
        reject(error);
      },
    );
  });
}
