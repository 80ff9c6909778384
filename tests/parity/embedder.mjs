// The page's own embedding model under Node: node tests/parity/embedder.mjs BUILD FOLDER < batches of texts > vectors. Also says how it
// went, and how many milliseconds each batch took.
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { MessageChannel } from "node:worker_threads";
import { pathToFileURL } from "node:url";
import { node } from "../../wasm/node-worker.mjs";
import { serve } from "../../wasm/embedder_worker.js";

const [build, folder] = process.argv.slice(2);
const WASM = new URL("../../wasm/", import.meta.url);
const address = (path) => `${pathToFileURL(resolve(path)).href}/`;
const lock = JSON.parse(await readFile(join(build, "lock.json"), "utf8"));
const embedder = JSON.parse(await readFile(new URL("embedder.json", WASM), "utf8"));
const batches = JSON.parse(readFileSync(0, "utf8"));

const { port1: page, port2: worker } = new MessageChannel();
serve({ postMessage: (message, transfer) => worker.postMessage(message, transfer), addEventListener: (type, listener) => worker.on("message", (data) => listener({ data })) }, node);
const asked = new Map();
const events = [];
let progress = [0, 0];
const started = new Promise((done, reject) => {
  page.on("message", (message) => {
    if (message.type === "ready") done(message.info);
    else if (message.type === "failed") reject(Object.assign(new Error(message.error.message), message.error));
    else if (message.type === "progress") progress = [message.done, message.total];
    else if (message.type === "event") events.push([message.event.step, message.event.source, message.event.file, message.event.outcome].join(" "));
    else if (message.type === "vectors") asked.get(message.id)(message.data);
  });
});
page.postMessage({ type: "start", lock, sources: [{ name: "build", url: address(build) }], embedder, places: [{ name: "folder", url: address(folder) }], program: new URL("embedder.py", WASM).href });
let out;
try {
  const info = await started;
  const one = (id, part) => new Promise((done) => (asked.set(id, done), page.postMessage({ type: "embed", id, texts: part })));
  const vectors = [];
  const ms = [];
  for (const [id, texts] of batches.entries()) {
    const begin = performance.now();
    const data = await one(id, texts);
    ms.push(performance.now() - begin);
    vectors.push(...new Float32Array(data));
  }
  out = { info, vectors, ms, progress, events };
} catch (error) {
  out = { error: { code: error.code, message: error.message }, events };
}
process.stdout.write(JSON.stringify(out), () => process.exit(0));
