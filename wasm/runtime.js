// Where the runtime comes from: sources in order, each tried, each outcome reported, no byte used whose hash is not the lock's.
import { sha256 } from "./sha256.js";

/**
 * @typedef {"runtime" | "engine" | "snapshot"} Part
 *
 * @typedef {object} LockedFile
 * @property {string} name
 * @property {"runtime" | "engine"} part
 * @property {string} version
 * @property {number} size in bytes
 * @property {string} sha256
 *
 * @typedef {{name: string, size: number, sha256: string}} Wanted what is checked of a file; `size` 0: not known
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
 * @property {boolean} [keep] what came from there is worth keeping
 * @property {(file: Wanted) => Promise<Uint8Array<ArrayBuffer> | undefined>} [read] instead of a fetch, for a source that is no folder
 *
 * @typedef {object} SourceEvent
 * @property {"source"} step
 * @property {string} source
 * @property {string} file
 * @property {"taken" | "refused" | "missing" | "unreachable" | "late"} outcome `refused`: another hash or size than the lock's
 * @property {string} detail
 * @property {number} ms
 */

const FETCH_SECONDS = 60;
const SNAPSHOT = "snapshot.bin.gz";
const NOTE = { name: "snapshot.json", size: 0, sha256: "" };

/** Public copies of the runtime, at the version of the lock. The engine itself always comes with the extension. */
export const CDNS = [
  { name: "jsDelivr", url: "https://cdn.jsdelivr.net/npm/pyodide@{pyodide}/" },
  { name: "jsDelivr (Fastly)", url: "https://fastly.jsdelivr.net/npm/pyodide@{pyodide}/" },
  { name: "unpkg", url: "https://unpkg.com/pyodide@{pyodide}/" },
];

/**
 * The usual order: the extension's own folder (the wheel lies in wasm/engine, the rest may lie in wasm/dist), a connected sidecar, public CDNs.
 * A snapshot, whose hash is not in the lock, is taken from the extension's own folder only.
 * @param {Lock} lock
 * @param {{own: string, sidecar?: string, cdns?: {name: string, url: string}[]}} places `own`: the folder wasm; `sidecar`: its address
 * @returns {Source[]}
 */
export function sourcesFor(lock, { own, sidecar, cdns = CDNS }) {
  /** @type {Source[]} */
  const out = [
    { name: "extension", url: `${folder(own)}engine`, parts: ["engine"] },
    { name: "extension", url: `${folder(own)}dist`, parts: ["runtime", "snapshot"] },
  ];
  if (sidecar) out.push({ name: "sidecar", url: `${folder(sidecar)}runtime`, parts: ["runtime", "engine"], keep: true });
  for (const { name, url } of cdns) out.push({ name, url: url.replaceAll("{pyodide}", lock.pyodide), parts: ["runtime"], keep: true });
  return out;
}

/** @param {string} url */
export const folder = (url) => url.replace(/\/*$/, "/");

/** A file that no source has. */
export class RuntimeMissing extends Error {
  code = "runtime_missing";
  hint = "Check the connection to the internet, connect the sidecar, which brings the runtime along, or put its files into the extension's folder wasm/dist.";

  /** @param {string[]} names */
  constructor(names) {
    super(`The runtime could not be loaded: ${names.join(", ")}.`);
  }
}

/**
 * @typedef {object} Search
 * @property {Lock} lock
 * @property {Source[]} sources
 * @property {typeof globalThis.fetch} fetch
 * @property {(event: SourceEvent) => void} [onEvent]
 * @property {number} [seconds] for one file of one source
 */

/**
 * The files of the lock, each from the first source that has it with the right hash.
 * @param {Search} search
 * @returns {Promise<Map<string, Uint8Array<ArrayBuffer>>>}
 * @throws {RuntimeMissing}
 */
export async function gather({ lock, sources, fetch, onEvent = () => {}, seconds = FETCH_SECONDS }) {
  /** @type {Map<string, Uint8Array<ArrayBuffer>>} */
  const found = new Map();
  let wanted = lock.files;
  for (const source of sources) {
    const here = wanted.filter((file) => source.parts?.includes(file.part) ?? true);
    await Promise.all(
      here.map(async (file) => {
        const { data } = await take(file, source, { fetch, onEvent, seconds });
        if (data) found.set(file.name, data);
      }),
    );
    wanted = wanted.filter((file) => !found.has(file.name));
    if (!wanted.length) break;
  }
  if (wanted.length) throw new RuntimeMissing(wanted.map((file) => file.name));
  return found;
}

/**
 * The packed memory snapshot from the first source whose snapshot.json names this build; none is no failure.
 * @param {Search} search
 * @returns {Promise<Uint8Array<ArrayBuffer> | undefined>}
 */
export async function gatherSnapshot({ lock, sources, fetch, onEvent = () => {}, seconds = FETCH_SECONDS }) {
  for (const source of sources) {
    if (source.parts && !source.parts.includes("snapshot")) continue;
    const note = await takeNote(source, lock.build, { fetch, onEvent, seconds });
    const { data } = note ? await take({ ...note, name: SNAPSHOT }, source, { fetch, onEvent, seconds }) : {};
    if (data) return data;
  }
  return undefined;
}

/**
 * A snapshot.json that fits the build. Its hash finds damage; it is no proof, so the folder must be one that is trusted.
 * @param {Source} source
 * @param {string} build
 * @param {Means} means
 * @returns {Promise<{size: number, sha256: string} | undefined>}
 */
async function takeNote(source, build, means) {
  const taken = await take(NOTE, source, means, (data) => {
    const said = JSON.parse(new TextDecoder().decode(data));
    if (said.build !== build) return "it is of another build";
    return Number.isSafeInteger(said.size) && typeof said.sha256 === "string" ? "" : "it names no size and hash";
  });
  return taken.data && JSON.parse(new TextDecoder().decode(taken.data));
}

/**
 * One file of one source, checked and reported.
 * @typedef {{fetch: typeof globalThis.fetch, onEvent: (event: SourceEvent) => void, seconds: number}} Means
 *
 * @param {Wanted} file
 * @param {Source} source
 * @param {Means} means
 * @param {(data: Uint8Array<ArrayBuffer>) => Promise<string> | string} check what is wrong with the bytes, "" if nothing is
 * @returns {Promise<{data?: Uint8Array<ArrayBuffer>}>}
 */
export async function take(file, source, means, check = (data) => wrong(data, file)) {
  const begin = performance.now();
  const { outcome, detail, data } = await attempt(file, source, means, check);
  means.onEvent({ step: "source", source: source.name, file: file.name, outcome, detail, ms: performance.now() - begin });
  return { data };
}

/**
 * @param {Uint8Array<ArrayBuffer>} data
 * @param {Wanted} file
 */
async function wrong(data, file) {
  if (file.size && data.length !== file.size) return `${data.length} bytes, not ${file.size}`;
  const hash = await sha256(data);
  return hash === file.sha256 ? "" : `hash ${hash}, not ${file.sha256}`;
}

/**
 * @param {Wanted} file
 * @param {Source} source
 * @param {Means} means
 * @param {(data: Uint8Array<ArrayBuffer>) => Promise<string> | string} check
 * @returns {Promise<{outcome: SourceEvent["outcome"], detail: string, data?: Uint8Array<ArrayBuffer>}>}
 */
async function attempt(file, source, { fetch, seconds }, check) {
  const limit = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject((limit.abort(), limit)), seconds * 1000);
  });
  try {
    const getting = source.read ? source.read(file) : download(`${folder(source.url)}${file.name}`, fetch, limit.signal);
    const data = await Promise.race([getting, late]);
    if (data === undefined) return { outcome: "missing", detail: "" };
    if (typeof data === "number") return { outcome: "missing", detail: `status ${data}` };
    const detail = await check(data);
    return detail ? { outcome: "refused", detail } : { outcome: "taken", detail: "", data };
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
