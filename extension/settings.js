// What the person can choose, with defaults that work. Stored values are merged in and checked, so that a broken file breaks nothing.

/** @typedef {import("./types.js").Settings} Settings */

/** @returns {Settings} */
export const defaults = () => ({
  enabled: true,
  preset: "story",
  budget: 900,
  recallMs: 1500,
  core: { position: "after_main", depth: 4, role: "system" },
  recalled: { position: "in_chat", depth: 1, role: "system" },
  // The person is asked before a model reads anything; until then, and without one, the rules remember.
  model: {
    use: "current",
    profile: "",
    url: "",
    name: "",
    stream: true,
    answerTokens: 2048,
    seconds: 180,
    exchanges: 1,
    agreed: false,
    asked: false,
  },
  embedder: { use: "auto", url: "", name: "", mirror: "" },
  sidecar: { use: false, url: "http://127.0.0.1:8414" },
  // Other browsers, and this one after its storage was cleared, find the memories among the person's files on SillyTavern's server.
  mirror: true,
  cdns: [],
  lag: 1,
});

/** @type {Record<string, readonly string[]>} values of the fields that are a choice */
export const CHOICES = {
  preset: ["story", "strict", "wake", "plain"],
  "core.position": ["before_main", "after_main", "in_chat"],
  "core.role": ["system", "user", "assistant"],
  "recalled.position": ["before_main", "after_main", "in_chat"],
  "recalled.role": ["system", "user", "assistant"],
  "model.use": ["none", "current", "profile", "endpoint", "sidecar"],
  "embedder.use": ["auto", "sidecar", "endpoint", "page", "none"],
};

/** @type {Record<string, readonly [number, number]>} least and most of the fields that are a number */
export const RANGES = {
  budget: [50, 20_000],
  recallMs: [100, 30_000],
  "core.depth": [0, 1000],
  "recalled.depth": [0, 1000],
  "model.answerTokens": [256, 32_000],
  "model.seconds": [10, 1800],
  "model.exchanges": [1, 20],
  lag: [0, 50],
};

/**
 * The defaults with what is stored (and usable) in their place.
 * @param {any} stored
 * @returns {Settings}
 */
export const settingsFrom = (stored) => /** @type {Settings} */ (merged(defaults(), stored, ""));

/**
 * @param {any} base @param {any} given @param {string} path
 * @returns {any}
 */
function merged(base, given, path) {
  if (given === undefined || given === null) return base;
  if (Array.isArray(base)) return usableCdns(given);
  if (typeof base === "object") {
    if (typeof given !== "object") return base;
    return Object.fromEntries(Object.entries(base).map(([name, value]) => [name, merged(value, given[name], path ? `${path}.${name}` : name)]));
  }
  if (path in CHOICES) return CHOICES[path]?.includes(given) ? given : base;
  const range = RANGES[path];
  if (range) {
    const number = Math.round(Number(given));
    return given !== "" && Number.isFinite(number) ? Math.min(range[1], Math.max(range[0], number)) : base;
  }
  return typeof given === typeof base ? given : base;
}

/** @param {any} given */
const usableCdns = (given) =>
  Array.isArray(given)
    ? given
        .filter((each) => typeof each?.url === "string" && /^https?:\/\//.test(each.url))
        .map((each) => ({ name: String(each.name || each.url), url: each.url }))
    : [];

/** Settings with some of them changed. @param {any} base @param {any} change @returns {any} */
export function joined(base, change) {
  if (change === undefined) return base;
  if (Array.isArray(base) || typeof base !== "object" || typeof change !== "object" || change === null) return change;
  return Object.fromEntries(Object.entries(base).map(([name, value]) => [name, joined(value, change[name])]));
}
