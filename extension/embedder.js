// Which embedding model the page uses: that of a connected sidecar, else an endpoint, else the page's own where it was agreed to, else none.
import { checkedRows, endpointPort } from "./remote/embeddings.js";
import { Fault, realClock, within } from "./remote/faults.js";

/**
 * @typedef {import("./types.js").Settings} Settings
 * @typedef {import("../wasm/bridge.js").EmbedPort} EmbedPort
 * @typedef {"sidecar" | "endpoint" | "page" | "none"} Kind
 *
 * @typedef {object} Given
 * @property {Settings} settings
 * @property {string} [key] of the endpoint
 * @property {import("./sidecar.js").Sidecar | null} [sidecar]
 * @property {import("./local_embedder.js").LocalEmbedder | null} [local] the page's own
 */

const TEST_SECONDS = 60;
/** A sidecar that is away for a moment is waited for: another model would have to embed everything anew, maybe for money. */
export const GRACE_SECONDS = 300;
const FEW = 256;

/**
 * @param {Given & {onChange?: () => void, clock?: import("./remote/faults.js").Clock, fetch?: typeof fetch, page?: import("./remote/reach.js").Page}} given
 *   `onChange`: another port is in use, or its dimension is known now
 */
export function createEmbedder({ settings, key = "", sidecar = null, local = null, onChange = () => {}, ...tools }) {
  const clock = tools.clock ?? realClock;
  /** @type {Given} */
  let given = { settings, key, sidecar, local };
  /** @type {{kind: Kind, id: string, port: EmbedPort | null}} */
  let used = { kind: "none", id: "", port: null };
  let cancelGrace = () => {};
  let patient = false;
  let closed = false;
  let turn = false;

  /**
   * The page's own is loaded only where it is its turn, and in use once it is ready.
   * @returns {{kind: Kind, id: string, make: () => EmbedPort | null}}
   */
  function ofPage() {
    const port = given.local?.port() ?? null;
    return port ? { kind: "page", id: JSON.stringify(["page", port.model.name]), make: () => port } : { kind: "none", id: "", make: () => null };
  }

  /** Whether everything nearer is out of the question, so that the page's own has to be there. While a sidecar is looked for that stays as it was. */
  function turnOfPage() {
    const { sidecar: remote, settings: chosen } = given;
    const { use, url, name } = chosen.embedder;
    if (use === "page") return true;
    if (use !== "auto" || (url && name)) return false;
    if (remote?.state() === "looking") return turn;
    return remote?.state() !== "connected" || !remote.offers().embedder;
  }

  /** @returns {{kind: Kind, id: string, make: () => EmbedPort | null}} */
  function wanted() {
    const { sidecar: remote, settings: chosen, key: secret = "" } = given;
    const { use, url, name } = chosen.embedder;
    const none = { kind: /** @type {Kind} */ ("none"), id: "", make: () => null };
    if (use === "none") return none;
    if (use === "page") return ofPage();
    if (use !== "endpoint" && remote) {
      const offered = remote.offers().embedder;
      if (remote.state() === "connected" && offered) {
        return { kind: "sidecar", id: JSON.stringify(["sidecar", offered.name]), make: () => sidecarPort(remote, offered) };
      }
      // Not known yet, or away for a moment: what was in use stays, and says that it cannot be reached.
      if (["looking", "pairing"].includes(remote.state()) && used.kind === "none") return none;
      if (used.kind === "sidecar" && patient && remote.state() !== "connected") {
        // Vectors of the same model by another hand are the same.
        const own = use === "auto" ? ofPage().make() : null;
        return own && own.model.name === used.port?.model.name ? ofPage() : { ...used, make: () => used.port };
      }
    }
    if (use === "sidecar") return none;
    if (!url || !name) return use === "auto" ? ofPage() : none;
    const make = () => endpointPort({ url, name, key: secret }, { ...tools, clock, onDimension: () => onChange() });
    return { kind: "endpoint", id: JSON.stringify(["endpoint", url, name, secret]), make };
  }

  /** @returns {boolean} whether another port is in use now */
  function choose() {
    if (closed) return false;
    const remote = given.sidecar;
    if (used.kind === "sidecar" && remote?.state() !== "connected" && !patient && remote && remote.state() !== "off") {
      patient = true;
      cancelGrace = clock.after(GRACE_SECONDS * 1000, () => {
        used = { kind: "none", id: "", port: null };
        patient = false;
        choose();
        onChange();
      });
    } else if (remote?.state() === "connected" || !remote || remote.state() === "off") {
      cancelGrace();
      patient = false;
    }
    turn = turnOfPage();
    given.local?.want(turn);
    const next = wanted();
    if (next.id === used.id) return false;
    try {
      used = { kind: next.kind, id: next.id, port: next.make() };
    } catch {
      used = { kind: "none", id: next.id, port: null }; // an address that is none; a test says so
    }
    return true;
  }

  choose();
  return {
    /** For the worker's vectors; null: words, names and graph recall alone. */
    port: () => used.port,
    kind: () => used.kind,
    /** @returns {string} "" for none */
    name: () => used.port?.model.name ?? "",

    /** Other settings, key or sidecar; or the state of the sidecar has changed. @param {Partial<Given>} [change] */
    update(change = {}) {
      // A port holds on to its sidecar.
      if (used.kind === "sidecar" && change.sidecar !== undefined && change.sidecar !== given.sidecar) used = { kind: "none", id: "", port: null };
      given = { ...given, ...change };
      if (choose()) onChange();
    },

    /**
     * Embeds two texts for real.
     * @param {AbortSignal} [signal]
     * @returns {Promise<{ok: boolean, detail: string, ms: number, error: any}>}
     */
    async test(signal) {
      const begun = clock.now();
      const ms = () => Math.round(clock.now() - begun);
      try {
        const port = used.port ?? wanted().make();
        if (!port && turn && (given.settings.embedder.use === "page" || given.local?.view().state !== "absent")) throw ownProblem(given.local ?? null);
        if (!port) throw given.sidecar?.problem() ?? new Fault("no_embedder", "No embedding model is in use.", "Choose one in the settings.");
        const late = new Fault("model_unreachable", `The embedding model did not answer within ${TEST_SECONDS} s.`, "Choose a faster one.");
        await within((own) => port.embed({ texts: ["The cat sleeps by the stove."], kind: "query" }, own), { clock, ms: TEST_SECONDS * 1000, late, signal });
        return { ok: true, detail: `${port.model.name}, ${port.model.dimension}`, ms: ms(), error: null };
      } catch (error) {
        const fault = /** @type {any} */ (error);
        return { ok: false, detail: [fault?.message ?? String(error), fault?.hint].filter(Boolean).join(" "), ms: ms(), error };
      }
    },

    close() {
      closed = true;
      cancelGrace();
      used = { kind: "none", id: "", port: null };
    },
  };
}

/** Why the page's own is not in use. @param {import("./local_embedder.js").LocalEmbedder | null} local */
function ownProblem(local) {
  const { state = "absent", problem = null } = local?.view() ?? {};
  if (problem) return problem;
  if (state === "absent") return new Fault("embedder_absent", "The embedding model of the page is not in this browser.", "Download it in the settings.");
  return new Fault("embedder_loading", "The embedding model is still being loaded.", "It takes some seconds after the start.");
}

/**
 * @param {import("./sidecar.js").Sidecar} sidecar
 * @param {{name: string, dimension: number, scale: number, floor: number}} offered
 * @returns {EmbedPort}
 */
function sidecarPort(sidecar, offered) {
  const model = { ...offered };
  return {
    model,
    async embed({ texts, kind }, signal) {
      /** @type {(number[] | Float32Array)[]} */
      const rows = [];
      for (let at = 0; at < texts.length; at += FEW) {
        const part = texts.slice(at, at + FEW);
        const answer = await sidecar.call("embed", { texts: part, kind: kind === "query" ? "query" : "document" }, { signal });
        if (answer.model !== model.name) {
          throw new Fault("model_unreachable", `The sidecar has another embedding model now: ${answer.model}.`, "Connect to it again.");
        }
        const values = floats(answer.vectors);
        const size = part.length ? values.length / part.length : 0;
        rows.push(...checkedRows(Array.from(part, (_, place) => values.subarray(place * size, (place + 1) * size)), part.length, model.dimension, model.name));
        model.dimension ||= size;
      }
      const out = new Float32Array(texts.length * model.dimension);
      rows.forEach((row, place) => out.set(row, place * model.dimension));
      return out.buffer;
    },
  };
}

/** Base64 of little-endian 32-bit floats. @param {string} text */
function floats(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  if (bytes.length % 4) throw new Fault("model_answer", "The sidecar's vectors are cut off.", "Try again.");
  const view = new DataView(bytes.buffer);
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => view.getFloat32(at * 4, true));
}
