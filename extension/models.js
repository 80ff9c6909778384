// The memory model: which one the settings name, and how long it may take.
import { createEndpoints } from "./remote/endpoint.js";
import { Fault, realClock, within } from "./remote/faults.js";

/**
 * @typedef {import("./types.js").Completion} Completion
 * @typedef {import("../wasm/bridge.js").CompletePort} CompletePort
 * @typedef {Pick<import("./host.js").Host, "askCurrent" | "askProfile" | "currentModel" | "profiles" | "postCompletion">} ModelHost
 *
 * @typedef {object} Given
 * @property {ModelHost} host
 * @property {import("./types.js").Settings} settings
 * @property {string} [key] of the endpoint
 * @property {import("./sidecar.js").Sidecar | null} [sidecar]
 * @property {import("./remote/faults.js").Clock} [clock]
 * @property {typeof fetch} [fetch]
 * @property {import("./remote/reach.js").Page} [page]
 */

/** A stream that says nothing for so long is dead. */
export const SILENT_SECONDS = 90;
const TEST_SECONDS = 60;
const TEST_TOKENS = 512;

/**
 * What the settings choose, or null: then the rules alone remember.
 * @param {Given} given
 * @returns {CompletePort | null}
 */
export function completePort({ host, settings, key = "", sidecar = null, clock = realClock, fetch, page }) {
  const chosen = wayTo({ host, settings, key, sidecar, clock, fetch, page });
  if (!chosen) return null;
  const { stream, answerTokens, seconds } = settings.model;
  return {
    name: chosen.name,
    seconds,
    complete: (messages, schema, budget, signal) =>
      asked(chosen, { messages, schema, tokens: answerTokens, stream: stream && chosen.streams }, Math.min(budget, seconds), clock, signal),
  };
}

/**
 * Asks the chosen model for a tiny answer.
 * @param {Given} given
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ok: boolean, detail: string, ms: number, error: any}>} `detail`: the model's name, or what is wrong and what to do
 */
export async function testModel(given, signal = new AbortController().signal) {
  const { settings, clock = realClock } = given;
  const begun = clock.now();
  const ms = () => Math.round(clock.now() - begun);
  try {
    const chosen = wayTo({ ...given, clock });
    if (!chosen) throw new Fault("no_model", "No memory model is chosen.", "Choose one in the settings.");
    const messages = [{ role: "user", content: 'Answer with this JSON object and nothing else: {"ready": true}' }];
    const request = { messages, schema: { type: "object" }, tokens: TEST_TOKENS, stream: settings.model.stream && chosen.streams };
    const answer = await asked(chosen, request, Math.min(TEST_SECONDS, settings.model.seconds), clock, signal);
    if (!/"ready"\s*:\s*true/.test(answer)) {
      const hint = "Memories are read from JSON: choose a model that can write it.";
      throw new Fault("model_answer", `${chosen.name} answers, but not with the JSON that it was asked for.`, hint, { raw: answer });
    }
    return { ok: true, detail: chosen.name, ms: ms(), error: null };
  } catch (error) {
    const fault = /** @type {any} */ (error);
    return { ok: false, detail: [fault?.message ?? String(error), fault?.hint].filter(Boolean).join(" "), ms: ms(), error };
  }
}

/**
 * @typedef {object} Way
 * @property {string} name
 * @property {boolean} streams whether its answers can come in pieces
 * @property {(request: Completion, seconds: number) => Promise<string>} ask
 */

/** @param {Given} given @returns {Way | null} */
function wayTo({ host, settings, key = "", sidecar, fetch, page }) {
  const { use, profile, url, name } = settings.model;
  switch (use) {
    case "none":
      return null;
    case "current":
      return { name: host.currentModel(), streams: false, ask: (request) => host.askCurrent(request) };
    case "profile": {
      if (!profile) return null;
      const found = host.profiles().find((each) => each.id === profile);
      return { name: found?.model || found?.name || profile, streams: true, ask: (request) => host.askProfile(profile, request) };
    }
    case "endpoint": {
      if (!url || !name) return null;
      const ask = createEndpoints({ post: host.postCompletion, fetch, page });
      return { name, streams: true, ask: (request) => ask({ url, name, key }, request) };
    }
    case "sidecar": {
      const offered = sidecar?.offers().model;
      if (!sidecar || !offered) return null;
      return {
        name: offered,
        streams: false,
        async ask({ messages, schema, signal }, seconds) {
          const answer = await sidecar.call("model.complete", { messages, schema, budget: seconds }, { signal });
          return answer.text;
        },
      };
    }
  }
}

/**
 * @param {Way} way
 * @param {Omit<Completion, "signal">} request
 * @param {number} seconds
 * @param {import("./remote/faults.js").Clock} clock
 * @param {AbortSignal} signal
 * @returns {Promise<string>}
 */
async function asked(way, request, seconds, clock, signal) {
  const answer = await within((own, alive) => way.ask({ ...request, signal: own, onPiece: alive }, seconds), {
    clock,
    ms: seconds * 1000,
    late: new Fault("model_unreachable", `The model did not answer within ${Math.round(seconds)} s.`, "Allow it more time, or choose a faster model."),
    silentMs: request.stream ? SILENT_SECONDS * 1000 : undefined,
    silent: new Fault(
      "model_unreachable",
      `Nothing came from the model for ${SILENT_SECONDS} s.`,
      "Check that it is running; one that needs longer to begin can be asked without streaming.",
    ),
    signal,
  });
  if (typeof answer === "string" && answer.trim()) return answer;
  throw new Fault("model_answer", "The model gave an empty answer.", "Try again, or choose another memory model.", { raw: String(answer ?? "") });
}
