// A store that answers later, asked by Python that waits for nothing: the store lives in a thread, or in a browser behind that thread,
// and this thread sleeps until the answer is there.
import { spawn } from "node:child_process";
import { readFile, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { MessageChannel, Worker, isMainThread, receiveMessageOnPort, workerData } from "node:worker_threads";

const ROOT = resolve(fileURLToPath(import.meta.url), "../../..");
const SECONDS = 60;
const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript" };

/** @param {string} kind `fake`, or the path of a Chromium */
export async function remoteStore(kind) {
  const { port1, port2 } = new MessageChannel();
  const bell = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(new URL(import.meta.url), { workerData: { remoteStore: { kind, port: port2, bell } }, transferList: [port2] });
  await new Promise((done, failed) => (thread.once("message", done), thread.once("error", failed)));
  let pages = 0;
  const ask = (page, text) => {
    Atomics.store(bell, 0, 0);
    port1.postMessage({ page, text });
    if (Atomics.wait(bell, 0, 0, SECONDS * 1000) === "timed-out") throw new Error(`the store gave no answer within ${SECONDS} s`);
    return receiveMessageOnPort(port1).message;
  };
  return {
    openPage() {
      const page = ++pages;
      return (text) => ask(page, text);
    },
    async close() {
      const ended = new Promise((done) => thread.once("exit", done));
      port1.postMessage("close");
      await ended;
    },
  };
}

/** What a thread or a page does: a database of its own for each page of the tests, one question after the other. */
const ANSWER = `
const stores = new Map();
async function answer({ page, text }) {
  const { method, arguments: values } = JSON.parse(text);
  try {
    if (!stores.has(page)) stores.set(page, await openPort({ database: "tidelore-contract-" + page }, { report() {} }));
    return JSON.stringify({ result: (await stores.get(page)[method](...values)) ?? null });
  } catch ({ code, message, hint }) {
    return JSON.stringify({ error: { code, message, hint } });
  }
}`;
const PAGE = `<!doctype html><meta charset="utf-8"><script type="module">
import { openPort } from "/extension/store/store.js";
${ANSWER}
for (;;) {
  const question = await (await fetch("/question")).json();
  await fetch("/answer", { method: "POST", body: await answer(question) });
}
</script>`;

async function body(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** A function that asks the page in a browser, and one that ends the browser. */
async function inChromium(chromium) {
  const profile = await mkdtemp(join(tmpdir(), "tidelore-store-"));
  /** @type {any[]} */
  const questions = [];
  let idle;
  let answered;
  const server = createServer(async (request, response) => {
    if (request.url === "/question") {
      idle = response;
      if (questions.length) idle.end(JSON.stringify(questions.shift()));
    } else if (request.url === "/answer") {
      answered(await body(request));
      response.end();
    } else if (request.url === "/") {
      response.setHeader("Content-Type", "text/html");
      response.end(PAGE);
    } else {
      const data = await readFile(join(ROOT, request.url)).catch(() => null);
      response.statusCode = data ? 200 : 404;
      response.setHeader("Content-Type", TYPES[extname(request.url)] ?? "text/plain");
      response.end(data);
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
  const more = ["--disable-component-update", "--disable-sync", `--user-data-dir=${profile}`, `http://127.0.0.1:${server.address().port}/`];
  const browser = spawn(chromium, [...flags, ...more], { stdio: "ignore" });
  return {
    ask: (question) =>
      new Promise((done) => {
        answered = done;
        questions.push(question);
        if (idle && !idle.writableEnded) idle.end(JSON.stringify(questions.shift()));
      }),
    async close() {
      const ended = new Promise((done) => browser.once("exit", done));
      browser.kill();
      await ended;
      server.closeAllConnections();
      server.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function inThread() {
  await import("fake-indexeddb/auto");
  const { openPort } = await import("../../extension/store/store.js");
  return { ask: new Function("openPort", `${ANSWER}\nreturn answer;`)(openPort), close: async () => {} };
}

if (!isMainThread && workerData?.remoteStore) {
  const { kind, port, bell } = workerData.remoteStore;
  const { parentPort } = await import("node:worker_threads");
  const store = await (kind === "fake" ? inThread() : inChromium(kind));
  port.on("message", async (question) => {
    if (question === "close") {
      await store.close();
      process.exit();
    }
    port.postMessage(await store.ask(question));
    Atomics.store(bell, 0, 1);
    Atomics.notify(bell, 0);
  });
  parentPort.postMessage("open");
}
