// `make wasm`: build/wasm with everything that the page loads to run the engine, and lock.json with the hash of each file.
// Nothing is done when what is there was made from the same files; --force makes it anew, --out DIR elsewhere.
// --engine DIR: wheel and lock go there too, as they are committed. --dist DIR: the rest goes there, for use without the net.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs, promisify } from "node:util";

const ROOT = resolve(fileURLToPath(import.meta.url), "../..");
const PYODIDE = join(ROOT, "node_modules/pyodide");
const RUNTIME = ["pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip"];
const HOME = "/tidelore";
const OURS = ["engine_channel.py", "engine_files.py", "engine_garbage.py", "engine_host.py", "engine_ports.py"];
const MAKERS = ["wasm/build.mjs", "wasm/pack.py", "wasm/snapshot.mjs"];
const SNAPSHOT = "snapshot.bin.gz";
const NOTE = "snapshot.json";

const run = promisify(execFile);
/** @param {string | Uint8Array} data */
const sha256 = (data) => createHash("sha256").update(data).digest("hex");

class Stop extends Error {}

/** Files below a folder by their path in it, without byte code. */
async function files(folder, keep = (name) => name.endsWith(".py")) {
  const out = {};
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const name = path.slice(folder.length + 1).replaceAll("\\", "/");
    if (entry.isFile() && keep(name)) out[name] = await readFile(path);
  }
  return out;
}

async function sitePackages() {
  for (const lib of ["lib", "Lib"]) {
    const folder = join(ROOT, ".venv", lib);
    const names = await readdir(folder).catch(() => []);
    const inner = names.find((name) => /^python3\.\d+$/.test(name));
    if (inner) return join(folder, inner, "site-packages");
    if (names.includes("site-packages")) return join(folder, "site-packages");
  }
  throw new Stop("There is no .venv: run `make wasm`, which sets it up.");
}

/** json-repair as locked: its modules, and its licence, which must be MIT. */
async function jsonRepair() {
  const lock = await readFile(join(ROOT, "requirements.lock"), "utf8");
  const version = /^json-repair==(\S+)/m.exec(lock)?.[1];
  const site = await sitePackages();
  const info = join(site, `json_repair-${version}.dist-info`);
  const metadata = await readFile(join(info, "METADATA"), "utf8").catch(() => {
    throw new Stop(`json-repair ${version} is not in .venv: run \`make wasm\`, which sets it up.`);
  });
  if (!/^License-Expression: MIT$|^License: MIT|^Classifier: License :: OSI Approved :: MIT License$/m.test(metadata)) {
    throw new Stop(`json-repair ${version} is not under the MIT licence any more.`);
  }
  const modules = {};
  const record = await readFile(join(info, "RECORD"), "utf8");
  for (const line of record.split("\n")) {
    const [name, hash] = line.split(",");
    if (!/^json_repair\/.*\.py$/.test(name) || name.endsWith("__main__.py")) continue;
    const data = await readFile(join(site, name));
    if (`sha256=${createHash("sha256").update(data).digest("base64url")}` !== hash) {
      throw new Stop(`${name} in .venv is not what was installed: remove .venv and set it up anew.`);
    }
    modules[name] = data;
  }
  return { version, modules, licence: await readFile(join(info, "licenses/LICENSE")) };
}

async function inputs() {
  const engine = await files(join(ROOT, "sidecar/tidelore/engine"));
  const repair = await jsonRepair();
  const modules = { "tidelore/__init__.py": await readFile(join(ROOT, "sidecar/tidelore/__init__.py")), ...repair.modules };
  for (const [name, data] of Object.entries(engine)) modules[`tidelore/engine/${name}`] = data;
  for (const name of OURS) modules[name] = await readFile(join(ROOT, "wasm", name));
  const licences = { LICENSE: await readFile(join(ROOT, "LICENSE")), "json_repair/LICENSE": repair.licence };
  const version = /__version__ = "(.+)"/.exec(String(modules["tidelore/__init__.py"]))?.[1];
  if (!version) throw new Stop("sidecar/tidelore/__init__.py names no version.");
  const makers = {};
  for (const name of MAKERS) makers[name] = await readFile(join(ROOT, name));
  const { packages } = JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8"));
  makers.pyodide = JSON.stringify(packages["node_modules/pyodide"]);
  const all = Object.entries({ ...modules, ...licences, ...makers }).sort(([one], [other]) => (one < other ? -1 : 1));
  const id = sha256(all.map(([name, data]) => `${name} ${sha256(data)}\n`).join(""));
  return { id, version, modules, licences, repair: repair.version };
}

async function pyodide(options = {}) {
  const { loadPyodide } = await import(pathToFileURL(join(PYODIDE, "pyodide.mjs")).href);
  // Equal bytes at every build: no random order in sets.
  return loadPyodide({ indexURL: PYODIDE, env: { PYTHONHASHSEED: "0", HOME: "/home/pyodide", LANG: "C.UTF-8" }, ...options });
}

/** An empty list of packages: nothing is ever loaded from elsewhere. */
async function emptyLock() {
  const stock = JSON.parse(await readFile(join(PYODIDE, "pyodide-lock.json"), "utf8"));
  return { info: stock.info, packages: {} };
}

function write(py, path, data) {
  py.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
  py.FS.writeFile(path, data);
}

async function makeWheel(made, name, packages) {
  const py = await pyodide({ lockFileContents: packages });
  for (const [path, data] of Object.entries(made.modules)) write(py, `/in/modules/${path}`, data);
  for (const [path, data] of Object.entries(made.licences)) write(py, `/in/licences/${path}`, data);
  write(py, "/make/pack.py", await readFile(join(ROOT, "wasm/pack.py")));
  py.runPython(`
import sys
sys.path.insert(0, "/make")
from pack import pack
pack("/in", "/${name}", ${JSON.stringify(made.version)}, "${HOME}/${name}")
`);
  return { wheel: py.FS.readFile(`/${name}`), python: py.runPython("sys.version.split()[0]") };
}

async function build(out, force) {
  const made = await inputs();
  if (!force && (await upToDate(out, made.id))) return `${out} is up to date`;
  // A name of its own, since two builds may run at once.
  const fresh = `${out}.${process.pid}`;
  await mkdir(fresh, { recursive: true });
  try {
    const lock = await fill(fresh, made);
    await replace(fresh, out);
    return lock.files.map(({ name, size, sha256 }) => `${sha256.slice(0, 12)} ${String(size).padStart(9)}  ${name}`).join("\n");
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function fill(fresh, made) {
  const packages = await emptyLock();
  const wheelName = `tidelore_engine-${made.version}-py3-none-any.whl`;
  const { wheel, python } = await makeWheel(made, wheelName, packages);
  await writeFile(join(fresh, wheelName), wheel);
  await run(process.execPath, [join(ROOT, "wasm/snapshot.mjs"), PYODIDE, join(fresh, wheelName), HOME, join(fresh, SNAPSHOT)]);
  for (const name of RUNTIME) await copyFile(join(PYODIDE, name), join(fresh, name));
  const pyodideVersion = JSON.parse(await readFile(join(PYODIDE, "package.json"), "utf8")).version;
  const lock = {
    build: "",
    version: made.version,
    pyodide: pyodideVersion,
    python,
    jsonRepair: made.repair,
    home: HOME,
    packages,
    files: [
      ...(await Promise.all(RUNTIME.map((name) => entry(fresh, name, pyodideVersion, "runtime")))),
      await entry(fresh, wheelName, made.version, "engine"),
    ],
  };
  // What a snapshot is good for: this very runtime with this very wheel.
  lock.build = sha256(lock.files.map((file) => file.sha256).join(" ")).slice(0, 32);
  await writeJson(join(fresh, "lock.json"), lock);
  // Not in the lock: its bytes depend on the version of Node.
  const packed = await readFile(join(fresh, SNAPSHOT));
  await writeJson(join(fresh, NOTE), { build: lock.build, size: packed.length, sha256: sha256(packed), inputs: made.id });
  return lock;
}

const writeJson = (path, value) => writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
const readJson = (path) => readFile(path, "utf8").then(JSON.parse, () => null);

/** The files that are committed: the wheel and its lock. Only what differs is written. */
async function commit(out, folder) {
  const lock = await readJson(join(out, "lock.json"));
  const names = ["lock.json", lock.files.find((file) => file.part === "engine").name];
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) if (!names.includes(name)) await rm(join(folder, name));
  return copyChanged(out, folder, names);
}

/** The files for use without the net: the runtime and the snapshot. */
async function dist(out, folder) {
  await mkdir(folder, { recursive: true });
  return copyChanged(out, folder, [...RUNTIME, SNAPSHOT, NOTE]);
}

async function copyChanged(from, to, names) {
  const changed = [];
  for (const name of names) {
    const data = await readFile(join(from, name));
    const before = await readFile(join(to, name)).catch(() => null);
    if (before && sha256(before) === sha256(data)) continue;
    await writeFile(join(to, name), data);
    changed.push(name);
  }
  return changed.length ? `${to}: ${changed.join(", ")}` : `${to} is up to date`;
}

async function replace(fresh, out) {
  for (let round = 0; ; round++) {
    await rm(out, { recursive: true, force: true });
    try {
      return await rename(fresh, out);
    } catch (error) {
      if (round === 3 || !["ENOTEMPTY", "EEXIST", "EPERM"].includes(error.code)) throw error;
    }
  }
}

async function entry(folder, name, version, part) {
  const data = await readFile(join(folder, name));
  return { name, part, version, size: data.length, sha256: sha256(data) };
}

async function upToDate(out, inputs) {
  const [lock, note] = [await readJson(join(out, "lock.json")), await readJson(join(out, NOTE))];
  if (!lock || note?.inputs !== inputs) return false;
  for (const file of [...lock.files, { ...note, name: SNAPSHOT }]) {
    const data = await readFile(join(out, file.name)).catch(() => null);
    if (!data || sha256(data) !== file.sha256) return false;
  }
  return true;
}

const text = /** @type {const} */ ({ type: "string" });
const { values } = parseArgs({ options: { force: { type: "boolean", default: false }, out: text, engine: text, dist: text } });
try {
  const out = resolve(values.out ?? join(ROOT, "build/wasm"));
  console.log(await build(out, values.force));
  if (values.engine) console.log(await commit(out, resolve(values.engine)));
  if (values.dist) console.log(await dist(out, resolve(values.dist)));
} catch (error) {
  if (!(error instanceof Stop)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
