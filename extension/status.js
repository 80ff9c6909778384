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
  replicas: { mirror: "off", sidecar: "off", problem: "", news: 0, sent: 0 },
});

/** As the status has it. @param {any} error @returns {NonNullable<Status["problem"]>} */
export const problemOf = (error) => ({ code: String(error?.code ?? ""), message: String(error?.message ?? error), hint: String(error?.hint ?? "") });
