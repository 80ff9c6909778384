// Runs a Python script inside Pyodide, with the engine from build/wasm's wheel, and the repository and .venv's packages mounted.
// node tests/parity/pyodide.mjs BUILD SITE_PACKAGES CACHE SCRIPT ARGUMENTS...   prints what the script prints, ends with its exit code
// TIDELORE_STORE: which store a page is to have, `memory` (as if nothing is said), `fake` or the path of a Chromium
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { memoryStore } from "./memory-store.mjs";
import { remoteStore } from "./remote-store.mjs";

const ROOT = resolve(fileURLToPath(import.meta.url), "../../..");
const [build, site, cache, script, ...values] = process.argv.slice(2);
const lock = JSON.parse(await readFile(resolve(build, "lock.json"), "utf8"));
const pyodide = resolve(ROOT, "node_modules/pyodide");
const { loadPyodide } = await import(pathToFileURL(resolve(pyodide, "pyodide.mjs")).href);
const py = await loadPyodide({
  indexURL: pyodide,
  lockFileContents: lock.packages,
  env: { HOME: "/home/pyodide", PYTHONHASHSEED: "0", HYPOTHESIS_PROFILE: "pyodide" },
});
const wheel = lock.files.find((file) => file.part === "engine").name;
py.FS.mkdirTree(lock.home);
py.FS.writeFile(`${lock.home}/${wheel}`, await readFile(resolve(build, wheel)));
for (const [at, root] of [["/repository", ROOT], ["/site", resolve(site)], ["/cache", resolve(cache)]]) {
  py.FS.mkdirTree(at);
  py.mountNodeFS(at, root);
}
/** A page with a store of its own that answers at once: a question of the engine's as text in, the answer as text out. */
const inMemory = () => {
  const store = memoryStore();
  return (text) => {
    const { method, arguments: values } = JSON.parse(text);
    try {
      return JSON.stringify({ result: store[method](...values) ?? null });
    } catch ({ code, message, hint }) {
      return JSON.stringify({ error: { code, message, hint } });
    }
  };
};
const kind = process.env.TIDELORE_STORE ?? "memory";
const remote = kind === "memory" ? undefined : await remoteStore(kind);
globalThis.openPage = remote ? remote.openPage : inMemory;
py.globals.set("ARGUMENTS", JSON.stringify([`/repository/${script}`, ...values]));
let code = 1;
try {
  code = py.runPython(`
import json, runpy, sys
sys.path[:0] = ["${lock.home}/${wheel}", "/repository"]
sys.path.append("/site")
sys.dont_write_bytecode, sys.pycache_prefix = False, "/cache"
sys.argv = json.loads(ARGUMENTS)
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
    code = 0
except SystemExit as end:
    code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
code
`);
} catch (error) {
  console.error(error.message);
}
await remote?.close();
process.exitCode = code;
