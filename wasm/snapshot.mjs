// Part of `make wasm`, a process of its own: the memory of a Python that has imported the engine, always the same bytes.
// node wasm/snapshot.mjs PYODIDE WHEEL HOME OUT
import crypto from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

// Time, randomness and process number get into the memory, so here they stand still. The page draws new random numbers after the restore.
const THEN = Date.UTC(2020, 0, 1);
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...values) {
    if (values.length) super(...values);
    else super(THEN);
  }
  static now() {
    return THEN;
  }
};
performance.now = () => 0;
Object.defineProperty(performance, "timeOrigin", { value: THEN });
Object.defineProperty(process, "pid", { value: 42 });
let state = 1;
const fill = (view) => {
  for (let at = 0; at < view.length; at++) view[at] = (state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 16;
  return view;
};
crypto.randomFillSync = fill;
crypto.webcrypto.getRandomValues = fill;
Math.random = () => 0.5;
syncBuiltinESMExports();

// Nor may the folder or the language of the build machine get in.
const [pyodidePath, wheelPath, home, out] = process.argv.splice(1).slice(1);
const { loadPyodide } = await import(pathToFileURL(join(pyodidePath, "pyodide.mjs")).href);
const { info } = JSON.parse(await readFile(join(pyodidePath, "pyodide-lock.json"), "utf8"));
const py = await loadPyodide({
  indexURL: pyodidePath,
  env: { PYTHONHASHSEED: "0", HOME: "/home/pyodide", LANG: "C.UTF-8" },
  lockFileContents: { info, packages: {} },
  _makeSnapshot: true,
});
// The file system is not in a snapshot: the wheel is written again after the restore, for what is imported late.
const wheel = `${home}/${basename(wheelPath)}`;
py.FS.mkdirTree(home);
py.FS.writeFile(wheel, await readFile(wheelPath));
py.runPython(`
import sys
sys.path.insert(0, "${wheel}")
import engine_host
import gc
gc.collect()
`);
await writeFile(out, gzipSync(py.makeMemorySnapshot(), { level: 9 }));
