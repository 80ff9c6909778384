// The engine for this page: a worker with its own store and vectors, started from what is nearest.
import { connect } from "../wasm/bridge.js";
import { CDNS, sourcesFor } from "../wasm/runtime.js";

/**
 * @typedef {object} EngineOptions
 * @property {string} database `tidelore-` and the user's handle, so that accounts of one browser stay apart
 * @property {string} [own] the extension's folder
 * @property {string} [sidecar] http address of a connected sidecar, which has the runtime under runtime/
 * @property {{name: string, url: string}[]} [cdns] `{pyodide}` stands for the version; none: nothing is fetched from elsewhere
 * @property {{complete?: import("../wasm/bridge.js").CompletePort, embed?: import("../wasm/bridge.js").EmbedPort}} [ports]
 * @property {(event: any) => void} [onEvent] outcomes of sources, steps of the start, writes of other tabs
 * @property {import("../wasm/bridge.js").Start["local"]} [local] other modules for store, vectors and files than those of this folder
 */

/**
 * Starts the engine. The link can be called at once, calls wait; `ready` says what came of the start.
 * Order of sources: what an earlier start kept in the database, wasm/engine and wasm/dist of the extension, the sidecar, CDNs.
 * @param {EngineOptions} options
 * @returns {Promise<ReturnType<typeof connect>>} rejects when the extension's own lock cannot be read
 */
export async function startEngine({ database, own = new URL("../", import.meta.url).href, sidecar, cdns = CDNS, ports = {}, onEvent, local = localModules(database) }) {
  const folder = new URL("wasm/", new URL(own.replace(/\/*$/, "/"), import.meta.url)).href;
  const lock = await readLock(`${folder}engine/lock.json`);
  const worker = new Worker(`${folder}worker.js`, { type: "module", name: "tidelore" });
  return connect(worker, { ports, onEvent, start: { lock, sources: sourcesFor(lock, { own: folder, sidecar, cdns }), local } });
}

/**
 * Store, vectors and files on the browser's database, all in the worker.
 * @param {string} database
 */
export function localModules(database) {
  const options = { database };
  /** @param {string} name */
  const at = (name) => new URL(name, import.meta.url).href;
  return {
    store: { module: at("store/store.js"), options },
    vectors: { module: at("../wasm/vectors.js"), options: { rows: { module: at("store/vector_rows.js"), options } } },
    files: { module: at("store/files.js"), options },
  };
}

/**
 * @param {string} url
 * @returns {Promise<import("../wasm/runtime.js").Lock>}
 */
async function readLock(url) {
  const response = await fetch(url, { cache: "no-cache" });
  if (!response.ok) throw Object.assign(new Error(`${url} answers ${response.status}.`), { code: "runtime_missing", hint: "Install the extension anew." });
  return response.json();
}
