// The worker and its endpoint under Node, so that all of it can be tested without a browser.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { serve } from "./worker.js";

/** Node's fetch, and files by their file: address. */
export async function fetchFile(url, options) {
  if (!String(url).startsWith("file:")) return fetch(url, options);
  try {
    return new Response(await readFile(fileURLToPath(url)));
  } catch (error) {
    if (error.code === "ENOENT") return new Response(null, { status: 404 });
    throw error;
  }
}

/** Pyodide's loader for Node wants files: the checked bytes are laid out in a folder of their own. */
export const node = {
  fetch: fetchFile,
  async prepare(files) {
    globalThis.require ??= createRequire(import.meta.url);
    const folder = await mkdtemp(join(tmpdir(), "tidelore-wasm-"));
    for (const [name, data] of files) await writeFile(join(folder, name), data);
    const { loadPyodide } = await import(pathToFileURL(join(folder, "pyodide.mjs")).href);
    return {
      load: (options) => loadPyodide({ indexURL: folder, ...options }),
      release: () => rm(folder, { recursive: true, force: true }),
    };
  },
};

/** A worker thread with the engine, looking as a browser's Worker does. */
export function nodeWorker() {
  const worker = new Worker(new URL(import.meta.url), { workerData: { tidelore: true } });
  const listeners = { message: [], error: [], messageerror: [] };
  const tell = (type, event) => listeners[type].forEach((listener) => listener(event));
  worker.on("message", (data) => tell("message", { data }));
  worker.on("messageerror", () => tell("messageerror", {}));
  worker.on("error", (error) => tell("error", { message: error.message }));
  worker.on("exit", (code) => tell("error", { message: `it ended with code ${code}` }));
  return {
    postMessage: (message, transfer) => worker.postMessage(message, transfer),
    addEventListener: (type, listener) => listeners[type].push(listener),
    terminate: () => worker.terminate(),
  };
}

if (!isMainThread && workerData?.tidelore) serve(parentPort, node);
