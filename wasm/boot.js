// The start of the engine: files together, Python from a memory snapshot where that works, what is worth keeping put away afterwards.
import { openModule } from "./local.js";
import { reason } from "./ports.js";
import { gather, gatherSnapshot } from "./runtime.js";

/**
 * @typedef {import("./runtime.js").Lock} Lock
 * @typedef {import("./bridge.js").Start} Start
 *
 * @typedef {object} Platform what differs between a browser and Node
 * @property {typeof globalThis.fetch} fetch
 * @property {(files: Map<string, Uint8Array<ArrayBuffer>>) => Promise<Loader>} prepare
 *
 * @typedef {object} Loader
 * @property {(options: object) => Promise<any>} load a Pyodide from the files; may be called again after a failure
 * @property {() => Promise<void>} release what was laid out for loading
 *
 * @typedef {(event: {step: string, outcome: string, detail?: string, ms?: number, build?: string, data?: ArrayBuffer}) => void} Report
 *
 * @typedef {object} Keeper files that stay from start to start: what a module of `local.files` gives
 * @property {(sha256: string) => Promise<Uint8Array<ArrayBuffer> | undefined>} get
 * @property {(files: {name: string, sha256: string, data: Uint8Array<ArrayBuffer>}[], current: string[]) => Promise<void>} put
 *   forgets all files whose hash is not among `current`
 * @property {(build: string) => Promise<{packed?: Uint8Array<ArrayBuffer>, failures: number}>} snapshot
 * @property {(build: string, packed: Uint8Array<ArrayBuffer>) => Promise<void>} putSnapshot forgets those of other builds
 * @property {(build: string) => Promise<void>} snapshotFailed forgets it and counts
 */

// A restore takes about a second; a bad one may never end.
const SNAPSHOT_SECONDS = 8;
// A device on which snapshots fail again and again starts plainly from then on.
const FAILURES = 2;

/**
 * The engine. `keep` is called when it is ready: it puts away what the next start can use, and never rejects.
 * @param {Start} start
 * @param {Platform} platform
 * @param {Report} report
 * @param {import("./local.js").Tools} tools
 * @param {(error: unknown) => void} died a fault of Python's own after which none of its answers can be believed
 */
export async function boot(start, platform, report, tools, died) {
  const { lock } = start;
  const begin = performance.now();
  const keeper = start.local?.files && (await openKeeper(start.local.files, tools, report));
  const { files, fresh, snapshot } = await everything(start, platform, report, keeper);
  const gathered = performance.now();
  const wheel = lock.files.find((file) => file.part === "engine")?.name ?? "";
  const loader = await platform.prepare(files);
  try {
    /** @param {object} options */
    const load = async (options) => {
      const env = { HOME: "/home/pyodide", LANG: "C.UTF-8" };
      const streams = { stdout: console.log, stderr: console.error };
      const py = await loader.load({ env, lockFileContents: lock.packages, ...streams, ...options });
      py.FS.mkdirTree(lock.home);
      py.FS.writeFile(`${lock.home}/${wheel}`, files.get(wheel));
      return py;
    };
    const restored = snapshot.memory && (await restore(load, snapshot.memory, start, report));
    if (snapshot.memory && !restored) await keeper?.snapshotFailed(lock.build).catch(ignored);
    const wanted = start.keep || (keeper && !snapshot.memory && snapshot.allowed);
    const { py, memory } = restored ? { py: restored, memory: undefined } : await plain(load, `${lock.home}/${wheel}`, Boolean(wanted), report);
    if (memory && start.keep) report({ step: "keep", outcome: "made", build: lock.build, data: keeper ? memory.slice(0) : memory });
    py._api.on_fatal = died;
    const open = openHost(py);
    const how = restored ? "snapshot" : "plain";
    const info = { version: lock.version, build: lock.build, pyodide: lock.pyodide, python: lock.python, how };
    const keep = async () => {
      if (keeper) await putAway(keeper, lock, fresh, memory, report);
    };
    return { open, keep, info: { ...info, gatherMs: gathered - begin, startMs: performance.now() - gathered } };
  } finally {
    await loader.release();
  }
}

/** What failed is only the wish to remember it. */
const ignored = () => undefined;

/**
 * @param {import("./local.js").Module} wanted
 * @param {import("./local.js").Tools} tools
 * @param {Report} report
 * @returns {Promise<Keeper | undefined>}
 */
async function openKeeper(wanted, tools, report) {
  try {
    return await openModule(wanted, tools);
  } catch (error) {
    report({ step: "files", outcome: "none", detail: reason(error) });
    return undefined;
  }
}

/**
 * The files of the lock and the memory to start from. `fresh`: files that are worth keeping, since they came over the net.
 * @param {Start} start
 * @param {Platform} platform
 * @param {Report} report
 * @param {Keeper} [keeper]
 */
async function everything(start, { fetch }, report, keeper) {
  const { lock, kept, fetchSeconds: seconds } = start;
  const usable = kept?.build === lock.build ? kept : undefined;
  if (kept && !usable) report({ step: "kept", outcome: "refused", detail: "it is of another build" });
  /** @type {Set<string>} */
  const far = new Set();
  /** @param {import("./runtime.js").SourceEvent} event */
  const onEvent = (event) => {
    const source = start.sources.find(({ name }) => name === event.source);
    if (event.outcome === "taken" && source?.keep) far.add(event.file);
    report(event);
  };
  /** @type {import("./runtime.js").Source[]} */
  const sources = keeper
    ? [{ name: "kept", url: "", parts: ["runtime"], read: ({ sha256 }) => keeper.get(sha256) }, ...start.sources]
    : start.sources;

  /** @returns {Promise<{allowed: boolean, memory?: () => Promise<ArrayBuffer>}>} */
  const findSnapshot = async () => {
    if (usable) return { allowed: true, memory: async () => usable.data };
    if (start.snapshot === false) return { allowed: false };
    const known = await keeper?.snapshot(lock.build).catch(ignored);
    if (known && known.failures >= FAILURES) return { allowed: false };
    const packed = known?.packed ?? (await gatherSnapshot({ lock, sources: start.sources, fetch, onEvent, seconds }));
    return { allowed: true, memory: packed && (() => gunzip(packed)) };
  };
  const [files, snapshot] = await Promise.all([gather({ lock, sources, fetch, onEvent, seconds }), findSnapshot()]);
  // Copies, since a loader may hand the originals on.
  const fresh = keeper ? lock.files.filter(({ name, part }) => part === "runtime" && far.has(name)) : [];
  return { files, snapshot, fresh: fresh.map(({ name, sha256 }) => ({ name, sha256, data: copy(files.get(name)) })) };
}

/** @param {Uint8Array<ArrayBuffer> | undefined} data */
const copy = (data) => /** @type {Uint8Array<ArrayBuffer>} */ (data).slice();

/**
 * @param {Keeper} keeper
 * @param {Lock} lock
 * @param {{name: string, sha256: string, data: Uint8Array<ArrayBuffer>}[]} fresh
 * @param {ArrayBuffer | undefined} memory to start from next time
 * @param {Report} report
 */
async function putAway(keeper, lock, fresh, memory, report) {
  const begin = performance.now();
  try {
    if (fresh.length) {
      await keeper.put(fresh, lock.files.map(({ sha256 }) => sha256));
      report({ step: "files", outcome: "kept", detail: fresh.map(({ name }) => name).join(", "), ms: performance.now() - begin });
    }
    if (!memory) return;
    await keeper.putSnapshot(lock.build, await gzip(memory));
    report({ step: "keep", outcome: "kept", build: lock.build, ms: performance.now() - begin });
  } catch (error) {
    report({ step: "keep", outcome: "failed", detail: reason(error) });
  }
}

/**
 * A Python from a snapshot, or nothing.
 * @param {(options: object) => Promise<any>} load
 * @param {() => Promise<ArrayBuffer>} memory
 * @param {Start} start
 * @param {Report} report
 */
async function restore(load, memory, { snapshotSeconds = SNAPSHOT_SECONDS }, report) {
  const begin = performance.now();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`longer than ${snapshotSeconds} s`)), snapshotSeconds * 1000);
  });
  try {
    const py = await Promise.race([memory().then((data) => load({ _loadSnapshot: data })), late]);
    py.runPython("import engine_host");
    report({ step: "snapshot", outcome: "restored", ms: performance.now() - begin });
    return py;
  } catch (error) {
    report({ step: "snapshot", outcome: "failed", detail: reason(error), ms: performance.now() - begin });
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * @param {(options: object) => Promise<any>} load
 * @param {string} wheel
 * @param {boolean} keep whether to make a snapshot
 * @param {Report} report
 * @returns {Promise<{py: any, memory: ArrayBuffer | undefined}>}
 */
async function plain(load, wheel, keep, report) {
  const begin = performance.now();
  const py = await load(keep ? { _makeSnapshot: true } : {});
  py.runPython(`import sys\nsys.path.insert(0, ${JSON.stringify(wheel)})\nimport engine_host`);
  report({ step: "plain", outcome: "started", ms: performance.now() - begin });
  let memory;
  try {
    if (keep) memory = py.makeMemorySnapshot().slice().buffer;
  } catch (error) {
    report({ step: "keep", outcome: "failed", detail: reason(error) });
  }
  return { py, memory };
}

/**
 * The engine's own function that opens a service; of Python's objects only the one that takes messages stays in JavaScript. Texts cross as
 * bytes, see there.
 * @param {any} py
 * @returns {(send: (text: string) => void, ports: string) => (text: string) => void}
 */
function openHost(py) {
  const encoder = new TextEncoder();
  return (send, ports) => {
    const module = py.pyimport("engine_host");
    try {
      const receive = module.open_host((/** @type {any} */ bytes) => send(textOf(bytes)), ports);
      return (text) => receive(encoder.encode(text));
    } finally {
      module.destroy();
    }
  };
}

/** @param {any} bytes of Python */
function textOf(bytes) {
  const view = bytes.getBuffer("u8");
  try {
    return new TextDecoder().decode(view.data);
  } finally {
    view.release();
  }
}

/** @param {Uint8Array<ArrayBuffer>} data */
async function gunzip(data) {
  return new Response(new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/** @param {ArrayBuffer} data */
async function gzip(data) {
  return new Uint8Array(await new Response(new Blob([data]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer());
}
