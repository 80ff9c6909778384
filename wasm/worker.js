// The module worker: starts Pyodide and the engine, then passes messages on. What they mean is engine_host.py's affair.
import { gather } from "./runtime.js";

/**
 * @typedef {import("./runtime.js").Lock} Lock
 * @typedef {import("./bridge.js").Start} Start
 * @typedef {import("./bridge.js").Endpoint} Endpoint
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
 */

// A restore takes about a second; a bad one may never end.
const SNAPSHOT_SECONDS = 8;

/**
 * Serves one page, whose first message is `start`. Messages that come during the start wait for it.
 * @param {Endpoint} port
 * @param {Platform} platform
 */
export function serve(port, platform) {
  /** @type {any[]} */
  let early = [];
  /** @type {((text: string) => void) | undefined} */
  let receive;
  /** @param {string} text */
  const send = (text) => port.postMessage(JSON.parse(text));

  /** @param {any} message */
  const pass = (message) => {
    try {
      receive?.(JSON.stringify(message));
    } catch (error) {
      // No JSON, or nested too deeply for one of the two. Whoever waits hears of it.
      const refused = { code: "bad_input", message: `This cannot be passed on: ${reason(error)}.`, hint: "Send plain JSON values, not deeply nested." };
      if (message.type === "call") port.postMessage({ type: "error", id: message.id, error: refused });
      else if (message.type === "answer") receive?.(JSON.stringify({ type: "answer", id: message.id, error: { ...refused, code: "" } }));
      else throw error;
    }
  };

  port.addEventListener("message", async ({ data }) => {
    if (data?.type !== "start") {
      if (receive) pass(data);
      else early.push(data);
      return;
    }
    try {
      /** @type {Report} */
      const report = (event) => port.postMessage({ type: "event", event }, event.data ? [event.data] : []);
      const { open, info } = await boot(data, platform, report);
      receive = open(send, JSON.stringify(data.ports));
      port.postMessage({ type: "ready", info });
      for (const message of early) pass(message);
      early = [];
    } catch (/** @type {any} */ error) {
      const { code = "start_failed", hint = "Reload the page; if that does not help, the console has the details." } = error;
      console.error(error);
      port.postMessage({ type: "failed", error: { code: String(code), message: reason(error), hint: String(hint) } });
    }
  });
  port.start?.();
}

/**
 * What went wrong, in one line: of a Python error its last one.
 * @param {unknown} error
 */
const reason = (error) => (error instanceof Error ? error.message : String(error)).trim().split("\n").at(-1) ?? "";

/**
 * The engine, from a memory snapshot where that works.
 * @param {Start} start
 * @param {Platform} platform
 * @param {Report} report
 */
async function boot(start, platform, report) {
  const { lock, kept } = start;
  const begin = performance.now();
  const usable = kept?.build === lock.build ? kept : undefined;
  if (kept && !usable) report({ step: "kept", outcome: "refused", detail: "it is of another build" });
  const files = await gather({
    lock,
    sources: start.sources,
    fetch: platform.fetch,
    parts: usable || start.snapshot === false ? ["runtime", "engine"] : ["runtime", "engine", "snapshot"],
    onEvent: report,
    seconds: start.fetchSeconds,
  });
  const gathered = performance.now();
  const wheel = lock.files.find((file) => file.part === "engine")?.name ?? "";
  const packed = files.get(lock.files.find((file) => file.part === "snapshot")?.name ?? "");
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
    let how = "plain";
    let py;
    if (usable || packed) {
      py = await restore(load, usable ? usable.data : () => gunzip(/** @type {Uint8Array<ArrayBuffer>} */ (packed)), start, report);
      how = py ? "snapshot" : "plain";
    }
    py ??= await plain(load, `${lock.home}/${wheel}`, start.keep ? lock.build : "", report);
    const open = openHost(py);
    const info = { version: lock.version, build: lock.build, pyodide: lock.pyodide, python: lock.python, how };
    return { open, info: { ...info, gatherMs: gathered - begin, startMs: performance.now() - gathered } };
  } finally {
    await loader.release();
  }
}

/**
 * A Python from a snapshot, or nothing.
 * @param {(options: object) => Promise<any>} load
 * @param {ArrayBuffer | (() => Promise<ArrayBuffer>)} source
 * @param {Start} start
 * @param {Report} report
 */
async function restore(load, source, { snapshotSeconds = SNAPSHOT_SECONDS }, report) {
  const begin = performance.now();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`longer than ${snapshotSeconds} s`)), snapshotSeconds * 1000);
  });
  try {
    const memory = typeof source === "function" ? source() : Promise.resolve(source);
    const py = await Promise.race([memory.then((data) => load({ _loadSnapshot: data })), late]);
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
 * @param {string} keep the build that a snapshot of this start is for; "" for none
 * @param {Report} report
 */
async function plain(load, wheel, keep, report) {
  const begin = performance.now();
  const py = await load(keep ? { _makeSnapshot: true } : {});
  py.runPython(`import sys\nsys.path.insert(0, ${JSON.stringify(wheel)})\nimport engine_host`);
  report({ step: "plain", outcome: "started", ms: performance.now() - begin });
  if (keep) {
    try {
      report({ step: "keep", outcome: "made", build: keep, data: py.makeMemorySnapshot().slice().buffer });
    } catch (error) {
      report({ step: "keep", outcome: "failed", detail: reason(error) });
    }
  }
  return py;
}

/**
 * The engine's own function that opens a service; of Python's objects only the one that takes messages stays in JavaScript.
 * @param {any} py
 * @returns {(send: (text: string) => void, ports: string) => (text: string) => void}
 */
function openHost(py) {
  return (send, ports) => {
    const module = py.pyimport("engine_host");
    try {
      return module.open_host(send, ports);
    } finally {
      module.destroy();
    }
  };
}

/** @param {Uint8Array<ArrayBuffer>} data */
async function gunzip(data) {
  return new Response(new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/**
 * A browser takes the files as they were checked: scripts as blobs, the rest by a fetch that knows them.
 * @type {Platform}
 */
const browser = {
  fetch: (url, options) => fetch(url, options),
  async prepare(files) {
    const base = "https://runtime.invalid/";
    /** @param {string} name */
    const script = (name) => {
      const data = /** @type {Uint8Array<ArrayBuffer>} */ (files.get(name));
      return URL.createObjectURL(new Blob([data], { type: "text/javascript" }));
    };
    const urls = ["pyodide.mjs", "pyodide.asm.js"].map(script);
    const original = globalThis.fetch;
    globalThis.fetch = async (request, options) => {
      const name = String(request).startsWith(base) ? String(request).slice(base.length) : "";
      const data = files.get(name);
      if (!data) return original(request, options);
      return new Response(data, { headers: { "Content-Type": name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream" } });
    };
    const [{ loadPyodide }] = await Promise.all(urls.map((url) => import(url)));
    return {
      load: (options) => loadPyodide({ indexURL: base, ...options }),
      async release() {
        globalThis.fetch = original;
        urls.forEach((url) => URL.revokeObjectURL(url));
      },
    };
  },
};

/** @type {any} */
const scope = globalThis;
if (typeof scope.WorkerGlobalScope === "function" && scope instanceof scope.WorkerGlobalScope) serve(scope, browser);
