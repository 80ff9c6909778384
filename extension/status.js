// What goes on, as settings, panel and commands show it.

/** @typedef {import("./types.js").Status} Status */

/** @returns {Status} before anything has begun */
export const emptyStatus = () => ({
  engine: "off",
  problem: null,
  info: null,
  sources: [],
  store: "",
  chat: null,
  stats: null,
  otherTab: false,
  evicted: false,
  model: "",
  embedder: "",
  sidecar: "off",
  sidecarProblem: "",
  lastRecall: null,
  replicas: { mirror: "off", sidecar: "off", problem: "", news: 0, sent: 0, size: 0 },
});

/**
 * The status, and who hears of its changes.
 * @param {(run: () => void) => void} soon runs a listener once a frame
 */
export function createStatus(soon) {
  const status = emptyStatus();
  /** @type {Set<() => void>} */
  const listeners = new Set();
  let told = false;

  function changed() {
    if (told) return;
    told = true;
    soon(() => {
      told = false;
      for (const listener of [...listeners]) listener();
    });
  }

  /** @param {Partial<Status>} change */
  function show(change) {
    Object.assign(status, change);
    changed();
  }

  return {
    status,
    changed,
    show,
    /** @param {() => void} listener */
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** A problem that is over once what failed works again. */
    passing() {
      /** @type {Status["problem"]} */
      let shown = null;
      return {
        /** @param {() => void} tell shows the problem, if it is one for people */
        failed(tell) {
          const before = status.problem;
          tell();
          if (status.problem !== before) shown = status.problem;
        },
        works() {
          if (shown && status.problem === shown) show({ problem: null });
          shown = null;
        },
      };
    },
  };
}

/** As the status has it. @param {any} error @returns {NonNullable<Status["problem"]>} */
export const problemOf = (error) => ({ code: String(error?.code ?? ""), message: String(error?.message ?? error), hint: String(error?.hint ?? "") });
