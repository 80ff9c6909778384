// Where the runtime comes from: sources in order, each tried, each outcome reported, no byte used whose hash is not the lock's.
import { sha256 } from "./sha256.js";

/**
 * @typedef {"runtime" | "engine" | "snapshot"} Part
 *
 * @typedef {object} LockedFile
 * @property {string} name
 * @property {Part} part
 * @property {string} version
 * @property {number} size in bytes
 * @property {string} sha256
 *
 * @typedef {object} Lock what `make wasm` wrote to lock.json
 * @property {string} build what a memory snapshot is bound to
 * @property {string} version of the engine
 * @property {string} pyodide
 * @property {string} python
 * @property {string} home the folder of the wheel inside Pyodide
 * @property {object} packages the lock file that Pyodide itself wants: it names no package
 * @property {LockedFile[]} files
 *
 * @typedef {object} Source
 * @property {string} name shown in the panel
 * @property {string} url of the folder, with or without a slash at its end
 * @property {Part[]} [parts] what it has; by default all
 *
 * @typedef {object} SourceEvent
 * @property {"source"} step
 * @property {string} source
 * @property {string} file
 * @property {"taken" | "refused" | "missing" | "unreachable" | "late"} outcome `refused`: another hash or size than the lock's
 * @property {string} detail
 * @property {number} ms
 */

/** Public copies of the runtime, at the version of the lock. The engine itself always comes with the extension. */
export const CDNS = [
  { name: "jsDelivr", url: "https://cdn.jsdelivr.net/npm/pyodide@{pyodide}/" },
  { name: "jsDelivr (Fastly)", url: "https://fastly.jsdelivr.net/npm/pyodide@{pyodide}/" },
  { name: "unpkg", url: "https://unpkg.com/pyodide@{pyodide}/" },
];

/**
 * The usual order: the extension's own folder, a connected sidecar, public CDNs.
 * @param {Lock} lock
 * @param {{own: string, sidecar?: string, cdns?: {name: string, url: string}[]}} places
 * @returns {Source[]}
 */
export function sourcesFor(lock, { own, sidecar, cdns = CDNS }) {
  /** @type {Source[]} */
  const out = [{ name: "extension", url: own }];
  if (sidecar) out.push({ name: "sidecar", url: sidecar });
  for (const { name, url } of cdns) out.push({ name, url: url.replaceAll("{pyodide}", lock.pyodide), parts: ["runtime"] });
  return out;
}

/** A file that no source has. */
export class RuntimeMissing extends Error {
  code = "runtime_missing";
  hint = "Connect the sidecar, which brings the runtime along, or put the files of build/wasm into the extension's folder wasm/dist.";

  /** @param {string[]} names */
  constructor(names) {
    super(`The runtime could not be loaded: ${names.join(", ")}.`);
  }
}

/**
 * The files of the lock, each from the first source that has it with the right hash.
 * A snapshot may be missing, nothing else may.
 * @param {object} options
 * @param {Lock} options.lock
 * @param {Source[]} options.sources
 * @param {typeof globalThis.fetch} options.fetch
 * @param {Part[]} [options.parts] what is wanted; by default all
 * @param {(event: SourceEvent) => void} [options.onEvent]
 * @param {number} [options.seconds] for one file of one source
 * @returns {Promise<Map<string, Uint8Array<ArrayBuffer>>>}
 * @throws {RuntimeMissing}
 */
export async function gather({ lock, sources, fetch, parts = ["runtime", "engine", "snapshot"], onEvent = () => {}, seconds = 60 }) {
  /** @type {Map<string, Uint8Array<ArrayBuffer>>} */
  const found = new Map();
  let wanted = lock.files.filter((file) => parts.includes(file.part));
  for (const source of sources) {
    const here = wanted.filter((file) => source.parts?.includes(file.part) ?? true);
    await Promise.all(
      here.map(async (file) => {
        const begin = performance.now();
        const taken = await take(file, source, fetch, seconds);
        if (taken.data) found.set(file.name, taken.data);
        const { outcome, detail } = taken;
        onEvent({ step: "source", source: source.name, file: file.name, outcome, detail, ms: performance.now() - begin });
      }),
    );
    wanted = wanted.filter((file) => !found.has(file.name));
    if (!wanted.length) break;
  }
  const missing = wanted.filter((file) => file.part !== "snapshot");
  if (missing.length) throw new RuntimeMissing(missing.map((file) => file.name));
  return found;
}

/**
 * @param {LockedFile} file
 * @param {Source} source
 * @param {typeof globalThis.fetch} fetch
 * @param {number} seconds
 * @returns {Promise<{outcome: SourceEvent["outcome"], detail: string, data?: Uint8Array<ArrayBuffer>}>}
 */
async function take(file, source, fetch, seconds) {
  const limit = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject((limit.abort(), limit)), seconds * 1000);
  });
  try {
    const url = `${source.url.replace(/\/*$/, "/")}${file.name}`;
    const data = await Promise.race([download(url, fetch, limit.signal), late]);
    if (typeof data === "number") return { outcome: "missing", detail: `status ${data}` };
    if (data.length !== file.size) return { outcome: "refused", detail: `${data.length} bytes, not ${file.size}` };
    const hash = await sha256(data);
    if (hash !== file.sha256) return { outcome: "refused", detail: `hash ${hash}, not ${file.sha256}` };
    return { outcome: "taken", detail: "", data };
  } catch (error) {
    if (error === limit) return { outcome: "late", detail: `longer than ${seconds} s` };
    return { outcome: "unreachable", detail: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * @param {string} url
 * @param {typeof globalThis.fetch} fetch
 * @param {AbortSignal} signal
 * @returns {Promise<Uint8Array<ArrayBuffer> | number>} the status when it is no success
 */
async function download(url, fetch, signal) {
  const response = await fetch(url, { signal });
  return response.ok ? new Uint8Array(await response.arrayBuffer()) : response.status;
}
