// The files of the page's own embedding model: each part in one of its forms, from the first source that has it with the locked hash.
import { folder, take } from "./runtime.js";

/**
 * @typedef {import("./runtime.js").Source} Source
 * @typedef {import("./runtime.js").SourceEvent} SourceEvent
 *
 * @typedef {object} EmbedderFile one form of a part; any of those of a part will do
 * @property {string} part
 * @property {string} name
 * @property {number} size in bytes, 0: not known
 * @property {string} sha256
 * @property {string[]} places addresses of folders that have it, for everybody
 *
 * @typedef {{model: string, dimension: number, files: EmbedderFile[]}} EmbedderLock embedder.json, as tools/embedder_lock.py writes it
 *
 * @typedef {object} Place a folder with some of the files, or something that keeps them
 * @property {string} name shown to people
 * @property {string} [url]
 * @property {string} [file] it has this one alone
 * @property {(sha256: string) => Promise<Uint8Array<ArrayBuffer> | undefined>} [get] instead of a folder
 * @property {boolean} [kept] what comes from there lies in this browser already
 *
 * @typedef {{file: EmbedderFile, data: Uint8Array<ArrayBuffer>, kept: boolean}} Found
 */

/** For one file, as long as bytes come; a model for a slow line may take half an hour. */
const FILE_SECONDS = 3600;
/** Without a byte so long, the source is given up. */
const SILENT_SECONDS = 45;
/** What is read of a file whose size is not known. */
const MOST = 64 * 1024 * 1024;

/** How much is fetched at most: the largest form of each part. @param {EmbedderLock} lock @returns {number} bytes */
export function bytesOf(lock) {
  /** @type {Map<string, number>} */
  const parts = new Map();
  for (const { part, size } of lock.files) parts.set(part, Math.max(size, parts.get(part) ?? 0));
  return [...parts.values()].reduce((sum, size) => sum + size, 0);
}

/**
 * Where to look, nearest first. Whoever names CDNs of their own wants to be asked nowhere else.
 * @param {EmbedderLock} lock
 * @param {{own: string, sidecar?: string, cdns?: {name: string, url: string}[], mirror?: string}} places `own`: the folder wasm; `mirror`: a folder that
 *   has the files, named by the person
 * @returns {Place[]}
 */
export function placesFor(lock, { own, sidecar, cdns = [], mirror }) {
  /** @type {Place[]} */
  const out = [{ name: "extension", url: `${folder(own)}dist`, kept: true }];
  if (sidecar) out.push({ name: "sidecar", url: `${folder(sidecar)}runtime` });
  if (mirror) out.push({ name: "mirror", url: mirror });
  if (cdns.length) return [...out, ...cdns];
  for (const { name, places } of lock.files) for (const url of places) out.push({ name: new URL(url).host, url, file: name });
  return out;
}

/** A part that no source has in any form. */
export class EmbedderMissing extends Error {
  code = "embedder_missing";
  hint = "Connect the sidecar, which has the files, name an address that has them, or put them into the extension's folder wasm/dist.";

  /** @param {string} said */
  constructor(said) {
    super(`The files of the embedding model could not be loaded: ${said}.`);
  }
}

/**
 * @param {object} search
 * @param {EmbedderLock} search.lock
 * @param {Place[]} search.places
 * @param {typeof globalThis.fetch} search.fetch
 * @param {(event: SourceEvent) => void} [search.onEvent]
 * @param {(done: number, total: number) => void} [search.onProgress] bytes
 * @param {number} [search.silentSeconds]
 * @returns {Promise<Found[]>} one of each part. Throws EmbedderMissing.
 */
export async function gatherEmbedder({ lock, places, fetch, onEvent = () => {}, onProgress = () => {}, silentSeconds = SILENT_SECONDS }) {
  const total = bytesOf(lock);
  /** @type {Found[]} */
  const found = [];
  let before = 0;
  for (const part of new Set(lock.files.map((file) => file.part))) {
    const forms = lock.files.filter((file) => file.part === part);
    /** @type {string[]} */
    const said = [];
    /** @param {SourceEvent} event */
    const heard = (event) => {
      if (event.outcome !== "taken" && event.outcome !== "missing") said.push(`${event.source}: ${event.file} ${event.outcome} (${event.detail})`);
      onEvent(event);
    };
    const one = await first(forms, places, { fetch, onEvent: heard, onProgress: (done) => onProgress(Math.min(before + done, total), total), silentSeconds });
    if (!one) throw new EmbedderMissing([forms[0]?.name, ...said].join("; "));
    found.push(one);
    before += Math.max(...forms.map(({ size }) => size));
    onProgress(before, total);
  }
  return found;
}

/**
 * @param {EmbedderFile[]} forms
 * @param {Place[]} places
 * @param {{fetch: typeof globalThis.fetch, onEvent: (event: SourceEvent) => void, onProgress: (done: number) => void, silentSeconds: number}} means
 * @returns {Promise<Found | undefined>}
 */
async function first(forms, places, { fetch, onEvent, onProgress, silentSeconds }) {
  for (const place of places) {
    for (const file of forms) {
      if (place.file && place.file !== file.name) continue;
      const { get, url = "" } = place;
      /** @type {Source} */
      const source = { name: place.name, url, read: () => (get ? get(file.sha256) : stream(`${folder(url)}${file.name}`, file.size || MOST, { fetch, onProgress, silentSeconds })) };
      const { data } = await take(file, source, { fetch, onEvent, seconds: FILE_SECONDS });
      if (data) return { file, data, kept: Boolean(place.kept || get) };
    }
  }
  return undefined;
}

/**
 * A file piece by piece. No more is read than it has, and the piece that shows that there is more.
 * @param {string} url
 * @param {number} most bytes
 * @param {{fetch: typeof globalThis.fetch, onProgress: (done: number) => void, silentSeconds: number}} means
 * @returns {Promise<Uint8Array<ArrayBuffer> | undefined>} undefined: it is not there
 */
async function stream(url, most, { fetch, onProgress, silentSeconds }) {
  const limit = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => limit.abort(new Error(`nothing came for ${silentSeconds} s`)), silentSeconds * 1000);
  };
  try {
    alive();
    const response = await fetch(url, { signal: limit.signal, credentials: "omit" });
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error(`status ${response.status}`);
    if (!response.body) return new Uint8Array(await response.arrayBuffer());
    const reader = response.body.getReader();
    /** @type {Uint8Array[]} */
    const pieces = [];
    let size = 0;
    while (size <= most) {
      alive();
      const { done, value } = await reader.read();
      if (done) break;
      pieces.push(value);
      size += value.length;
      onProgress(Math.min(size, most));
    }
    if (size > most) limit.abort();
    return joined(pieces, size);
  } finally {
    clearTimeout(timer);
  }
}

/** @param {Uint8Array[]} pieces @param {number} size */
function joined(pieces, size) {
  const out = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    out.set(piece, at);
    at += piece.length;
  }
  return out;
}
