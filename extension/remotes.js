// What lies outside the page, as the app uses it: the memory model, the embedding model, the sidecar. Made anew or kept as the settings say.
import { createEmbedder } from "./embedder.js";
import { completePort, testModel } from "./models.js";
import { Fault } from "./remote/faults.js";
import { createSidecar } from "./sidecar.js";

/**
 * @typedef {import("./types.js").Settings} Settings
 * @typedef {import("./sidecar.js").Sidecar} Sidecar
 *
 * @typedef {object} Outside what tests put in place of the browser's
 * @property {import("./remote/faults.js").Clock} [clock]
 * @property {typeof fetch} [fetch]
 * @property {typeof WebSocket} [WebSocket]
 * @property {import("./remote/reach.js").Page} [page]
 * @property {() => number} [random]
 * @property {EventTarget} [wakes]
 */

const CLIENT = "SillyTavern";

/**
 * @param {object} parts
 * @param {import("./models.js").ModelHost} parts.host
 * @param {Pick<import("./page_store.js").PageStore, "values">} parts.page keys lie there
 * @param {import("./local_embedder.js").LocalEmbedder} [parts.local] the embedder of the page itself
 * @param {Outside} [parts.outside]
 */
export function createRemotes({ host, page: { values }, local, outside = {} }) {
  let onEvent = (/** @type {any} */ _event) => {};
  let onChange = () => {};
  /** @type {{url: string, sidecar: Sidecar} | null} */
  let remote = null;
  /** @type {ReturnType<typeof createEmbedder> | null} */
  let embedder = null;
  /** @type {ReturnType<typeof completePort>} */
  let model = null;
  let offered = "";
  /** @type {Settings | null} */
  let chosen = null;
  let round = 0;

  /** @param {string} name */
  const keyOf = async (name) => String((await values.get(`key:${name}`)) ?? "");

  /** The sidecar of the settings, after a first look. @param {Settings["sidecar"]} wanted */
  async function look({ use, url }) {
    if (remote && (!use || remote.url !== url)) {
      const { sidecar } = remote;
      remote = null;
      sidecar.stop();
    }
    if (use && !remote) {
      const sidecar = createSidecar({
        url,
        client: CLIENT,
        keys: values,
        onState: () => remote?.sidecar === sidecar && stateChanged(sidecar),
        onEvent: (event) => remote?.sidecar === sidecar && onEvent(event),
        ...outside,
      });
      remote = { url, sidecar };
    }
    await remote?.sidecar.start();
  }

  /** @param {Sidecar} sidecar */
  function stateChanged(sidecar) {
    onEvent({ method: "state", params: { state: sidecar.state() } });
    tellLocal();
    embedder?.update();
    const now = sidecar.offers().model;
    if (now === offered) return;
    offered = now;
    onChange();
  }

  /** Where the files of the page's own embedder may come from. */
  function tellLocal() {
    if (chosen) local?.look({ sidecar: remote?.sidecar.runtimeUrl(), cdns: chosen.cdns, mirror: chosen.embedder.mirror });
  }

  function localChanged() {
    embedder?.update();
    onEvent({ method: "embedder", params: {} });
  }

  return {
    /** The embedder of the page itself. */
    local,

    /** @param {(event: any) => void} event `changed` and `state` of the sidecar, `embedder` of the page's own @param {() => void} change other ports are due */
    async start(event, change) {
      onEvent = event;
      onChange = change;
      await local?.open(localChanged);
    },

    /**
     * The ports for the engine. Waits for the first look at the sidecar, some seconds at most.
     * @param {Settings} settings
     * @returns {Promise<{complete?: import("../wasm/bridge.js").CompletePort, embed?: import("../wasm/bridge.js").EmbedPort}>}
     */
    async ports(settings) {
      const mine = ++round;
      const [modelKey, embedderKey] = await Promise.all([keyOf("model"), keyOf("embedder")]);
      await look(settings.sidecar);
      if (mine === round) {
        const sidecar = remote?.sidecar ?? null;
        offered = sidecar?.offers().model ?? "";
        chosen = settings;
        tellLocal();
        model = completePort({ host, settings, key: modelKey, sidecar, ...outside });
        if (embedder) embedder.update({ settings, key: embedderKey, sidecar });
        else embedder = createEmbedder({ settings, key: embedderKey, sidecar, local, onChange: () => onChange(), ...outside });
      }
      return { complete: model ?? undefined, embed: embedder?.port() ?? undefined };
    },

    modelName: () => model?.name ?? "",
    embedderName: () => embedder?.name() ?? "",
    /** @returns {import("./types.js").Status["sidecar"]} */
    sidecarState: () => remote?.sidecar.state() ?? "off",
    /** Why it is not connected, where that is known. */
    sidecarProblem: () => remote?.sidecar.problem() ?? null,
    runtimeUrl: () => remote?.sidecar.runtimeUrl(),
    /** @returns {((method: string, params?: object) => Promise<any>) | null} null: it is not connected */
    sidecarCall() {
      const sidecar = remote?.sidecar;
      return sidecar?.state() === "connected" ? (method, params) => sidecar.call(method, params) : null;
    },

    /**
     * Asks for real.
     * @param {"model" | "embedder"} target @param {Settings} settings
     */
    async test(target, settings) {
      const key = await keyOf(target);
      const sidecar = remote?.sidecar ?? null;
      if (target === "model") return testModel({ host, settings, key, sidecar, ...outside });
      // A test loads nothing and ends nothing.
      const tried = createEmbedder({ settings, key, sidecar, local: local && { ...local, want() {} }, ...outside });
      try {
        return await tried.test();
      } finally {
        tried.close();
      }
    },

    /** @returns {Promise<string>} the code that the person types into the sidecar */
    async pair() {
      if (!remote) throw new Fault("sidecar_off", "The sidecar is not in use.", "Switch it on in the settings.");
      return remote.sidecar.pair();
    },

    stop() {
      round++;
      const sidecar = remote?.sidecar;
      remote = null;
      sidecar?.stop();
      embedder?.close();
      embedder = null;
      local?.close();
      model = null;
      offered = "";
    },
  };
}
