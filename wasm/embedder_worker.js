// The module worker with the page's own embedding model: a Pyodide of its own with numpy, so that vectors hold up neither the page nor the engine.
// It is made only after a person has agreed to the download.
import { gatherEmbedder } from "./embedder_files.js";
import { openModule } from "./local.js";
import { browser } from "./platform.js";
import { reason } from "./ports.js";
import { gather } from "./runtime.js";

/**
 * @typedef {import("./boot.js").Platform} Platform
 * @typedef {import("./bridge.js").Endpoint} Endpoint
 *
 * @typedef {object} Start the first message
 * @property {"start"} type
 * @property {import("./runtime.js").Lock} lock of the runtime
 * @property {import("./runtime.js").Source[]} sources of the runtime
 * @property {import("./embedder_files.js").EmbedderLock} embedder
 * @property {import("./embedder_files.js").Place[]} places of the model's files
 * @property {string} program address of embedder.py
 * @property {{files?: import("./local.js").Module, model?: import("./local.js").Module}} [local] where files are kept from start to start: those of the
 *   runtime are only read, those of the model are put there
 *
 * @typedef {object} Shelf what a module of `local.model` gives
 * @property {(sha256: string) => Promise<Uint8Array<ArrayBuffer> | undefined>} get
 * @property {(files: {name: string, sha256: string, data: Uint8Array<ArrayBuffer>}[]) => Promise<void>} put forgets all others
 * @property {() => Promise<void>} drop
 * @property {() => void} close
 */

const HOME = "/embedder";

/**
 * Serves one page. From it: `start`, then `embed` with `id` and `texts`. To it: `event`, `progress` in bytes, `ready`, `failed`; `vectors` with
 * `id` and `data`, or `error` with `id`.
 * @param {Endpoint} port
 * @param {Platform} platform
 */
export function serve(port, platform) {
  /** @type {((texts: string[]) => ArrayBuffer) | undefined} */
  let embed;
  /** @param {string} code @param {string} message @param {string} hint */
  const failed = (code, message, hint) => port.postMessage({ type: "failed", error: { code, message, hint } });
  /** @param {unknown} error after which Python cannot be used any more */
  const died = (error) => failed("embedder_failed", `The embedding model has ended: ${lastLine(error)}.`, "Try it again; it needs about 300 MB of memory.");

  port.addEventListener("message", async ({ data }) => {
    if (data?.type === "embed") {
      try {
        if (!embed) throw new Error("It is not loaded.");
        const vectors = embed(data.texts);
        port.postMessage({ type: "vectors", id: data.id, data: vectors }, [vectors]);
      } catch (error) {
        port.postMessage({ type: "error", id: data.id, error: { message: lastLine(error) } });
      }
      return;
    }
    if (data?.type !== "start") return;
    try {
      const opened = await open(data, platform, died, (message) => port.postMessage(message));
      embed = opened.embed;
      port.postMessage({ type: "ready", info: opened.info });
    } catch (/** @type {any} */ error) {
      console.error(error);
      failed(String(error?.code ?? "embedder_failed"), lastLine(error), String(error?.hint ?? "Try it again; it needs about 300 MB of memory."));
    }
  });
  port.start?.();
}

/**
 * @param {Start} start
 * @param {Platform} platform
 * @param {(error: unknown) => void} died
 * @param {(message: any) => void} post
 */
async function open(start, platform, died, post) {
  const begin = performance.now();
  /** @type {import("./local.js").Tools} */
  const tools = { ask: () => Promise.reject(new Error("There is nobody to ask.")), report: (event) => post({ type: "event", event }) };
  const [runtime, model, program] = await Promise.all([runtimeFiles(start, platform, tools), modelFiles(start, platform, tools, post), text(start.program, platform)]);
  const gathered = performance.now();
  post({ type: "starting" });
  const loader = await platform.prepare(runtime);
  try {
    const py = await loader.load({ env: { HOME: "/home/pyodide", LANG: "C.UTF-8" }, lockFileContents: start.lock.packages, stdout: console.log, stderr: console.error });
    py._api.on_fatal = died;
    py.FS.mkdirTree(HOME);
    py.FS.writeFile(`${HOME}/embedder.py`, program);
    const archives = model.map(({ file, data }) => {
      py.FS.writeFile(`${HOME}/${file.name}`, data, { canOwn: true });
      return `${HOME}/${file.name}`;
    });
    const embed = openModel(py, archives);
    const now = performance.now();
    return { embed, info: { gatherMs: gathered - begin, startMs: now - gathered, heap: py._module.HEAPU8.length } };
  } finally {
    await loader.release();
  }
}

/**
 * @param {Start} start @param {Platform} platform @param {import("./local.js").Tools} tools
 */
async function runtimeFiles({ lock, sources, local }, { fetch }, tools) {
  const keeper = local?.files && (await openModule(local.files, tools).catch(() => undefined));
  const files = lock.files.filter(({ part }) => part === "runtime");
  /** @type {import("./runtime.js").Source[]} */
  const kept = keeper ? [{ name: "kept", url: "", read: ({ sha256 }) => keeper.get(sha256) }] : [];
  return gather({ lock: { ...lock, files }, sources: [...kept, ...sources], fetch, onEvent: tools.report });
}

/**
 * The model's files; what came from afar is kept, where that can be.
 * @param {Start} start @param {Platform} platform @param {import("./local.js").Tools} tools @param {(message: any) => void} post
 */
async function modelFiles({ embedder, places, local }, { fetch }, tools, post) {
  /** @type {Shelf | undefined} */
  const shelf = local?.model && (await openModule(local.model, tools).catch((error) => void tools.report({ step: "keep", outcome: "failed", detail: reason(error) })));
  try {
    const here = shelf ? [{ name: "kept", get: shelf.get.bind(shelf) }] : [];
    const onProgress = atMost(100, (/** @type {number} */ done, /** @type {number} */ total) => post({ type: "progress", done, total }));
    const found = await gatherEmbedder({ lock: embedder, places: [...here, ...places], fetch, onEvent: tools.report, onProgress });
    if (shelf && found.some(({ kept }) => !kept)) {
      // A disk that is full costs another download at the next start and nothing else.
      await shelf
        .put(found.map(({ file, data }) => ({ name: file.name, sha256: file.sha256, data })))
        .catch((error) => tools.report({ step: "keep", outcome: "failed", detail: reason(error) }));
    }
    return found;
  } finally {
    shelf?.close();
  }
}

/**
 * Passes on at most so many steps of a progress.
 * @param {number} steps @param {(done: number, total: number) => void} run
 */
function atMost(steps, run) {
  let told = -1;
  return (/** @type {number} */ done, /** @type {number} */ total) => {
    const step = Math.floor((done / total) * steps);
    if (step === told) return;
    told = step;
    run(done, total);
  };
}

/** @param {string} url @param {Platform} platform */
async function text(url, { fetch }) {
  const response = await fetch(url, { cache: "no-cache" });
  if (!response.ok) throw Object.assign(new Error(`${url} answers ${response.status}.`), { code: "runtime_missing", hint: "Install the extension anew." });
  return response.text();
}

/**
 * Texts in, vectors out; both cross as bytes, and of Python's objects only the one function stays in JavaScript.
 * @param {any} py @param {string[]} archives
 * @returns {(texts: string[]) => ArrayBuffer}
 */
function openModel(py, archives) {
  py.runPython(`import sys\nsys.path.insert(0, ${JSON.stringify(HOME)})`);
  const module = py.pyimport("embedder");
  const encoder = new TextEncoder();
  try {
    const embed = module.open_model(JSON.stringify(archives));
    return (texts) => {
      const bytes = embed(encoder.encode(JSON.stringify(texts)));
      const view = bytes.getBuffer("u8");
      try {
        return view.data.slice().buffer;
      } finally {
        view.release();
        bytes.destroy();
      }
    };
  } finally {
    module.destroy();
  }
}

/** @param {unknown} error */
const lastLine = (error) => reason(error).trim().split("\n").at(-1) ?? "";

/** @type {any} */
const scope = globalThis;
if (typeof scope.WorkerGlobalScope === "function" && scope instanceof scope.WorkerGlobalScope) serve(scope, browser);
