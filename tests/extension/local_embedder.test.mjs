import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { createEmbedder } from "../../extension/embedder.js";
import { createLocalEmbedder } from "../../extension/local_embedder.js";
import { memoryPageStore } from "../../extension/page_store.js";
import { bytesOf, gatherEmbedder, placesFor } from "../../wasm/embedder_files.js";
import { failure, FakeClock, PAGE, settings, until } from "./remote_kit.mjs";

const LOCK = { model: "universal-sentence-encoder-multilingual-3", dimension: 2, files: [] };
const never = () => new AbortController().signal;
const sha256 = (data) => createHash("sha256").update(data).digest("hex");

/** A worker that does what the test says, and notes what it was sent. */
class FakeWorker extends EventTarget {
  sent = [];
  ended = false;
  postMessage(message) {
    this.sent.push(message);
  }
  terminate() {
    this.ended = true;
  }
  say(data) {
    this.dispatchEvent(new MessageEvent("message", { data }));
  }
  /** Answers the batch under way: of each text its length, and 1. */
  answer() {
    const { id, texts } = this.sent.at(-1);
    this.say({ type: "vectors", id, data: Float32Array.from(texts.flatMap((text) => [text.length, 1])).buffer });
    return texts;
  }
}

async function made({ agreed = false } = {}) {
  const { values } = memoryPageStore();
  if (agreed) await values.set("embedder:page", true);
  const clock = new FakeClock();
  const workers = [];
  let dropped = 0;
  let changes = 0;
  const local = createLocalEmbedder({
    values,
    database: "tidelore-test",
    own: "http://127.0.0.1/extension/",
    clock,
    openWorker: () => (workers.push(new FakeWorker()), workers.at(-1)),
    readFiles: async () => ({ lock: { pyodide: "1.2.3", files: [] }, embedder: LOCK }),
    dropFiles: async () => void dropped++,
  });
  await local.open(() => changes++);
  return { local, values, clock, workers, dropped: () => dropped, changes: () => changes };
}

async function ready() {
  const all = await made({ agreed: true });
  all.local.want(true);
  all.clock.pass(3000);
  await until(() => all.workers.length);
  all.workers[0].say({ type: "ready", info: {} });
  return { ...all, worker: all.workers[0] };
}

/** Long enough for whatever was begun to show. */
async function turns() {
  for (let turn = 0; turn < 20; turn++) await new Promise((done) => setImmediate(done));
}

const quiet = async (run) => {
  const { error } = console;
  console.error = () => {};
  try {
    return await run();
  } finally {
    console.error = error;
  }
};

// ---- consent ----

test("nothing is fetched and no worker is made before a person of this browser has agreed, whatever the settings say", async () => {
  const { local, workers, values, clock } = await made();
  local.want(true);
  clock.pass(3000);
  await turns();
  assert.deepEqual([workers.length, local.view().state, local.port()], [0, "absent", null]);
  await local.agree();
  await until(() => workers.length);
  assert.equal(await values.get("embedder:page"), true);
  const [start] = workers[0].sent;
  assert.equal(start.type, "start");
  assert.equal(start.program, "http://127.0.0.1/extension/wasm/embedder.py");
  assert.equal(local.view().state, "loading");
});

test("agreed to but not its turn, it is not loaded; when its turn ends the worker ends", async () => {
  const { local, workers, clock } = await made({ agreed: true });
  assert.deepEqual([workers.length, local.view().state], [0, "idle"]);
  local.want(true);
  local.want(true);
  await turns();
  assert.equal(workers.length, 0, "the engine starts first");
  clock.pass(3000);
  await until(() => workers.length);
  assert.equal(workers.length, 1);
  workers[0].say({ type: "ready", info: {} });
  assert.equal(local.port()?.model.name, LOCK.model);
  local.want(false);
  assert.deepEqual([workers[0].ended, local.view().state, local.port()], [true, "idle", null]);
});

test("removing ends it, forgets the files and the consent", async () => {
  const { local, worker, values, dropped, clock } = await ready();
  await local.remove();
  assert.deepEqual([worker.ended, local.view().state, await values.get("embedder:page"), dropped()], [true, "absent", null, 1]);
  local.want(false);
  local.want(true);
  clock.pass(3000);
  await turns();
  assert.equal(local.view().state, "absent");
});

// ---- what it does ----

test("it says how far the download is, and is offered only when it is ready", async () => {
  const { local, workers, clock } = await made({ agreed: true });
  local.want(true);
  clock.pass(3000);
  await until(() => workers.length);
  workers[0].say({ type: "progress", done: 3, total: 10 });
  assert.deepEqual([local.view().state, local.view().done, local.view().total, local.port()], ["loading", 3, 10, null]);
  workers[0].say({ type: "starting" });
  assert.deepEqual([local.view().state, local.port()], ["starting", null]);
  workers[0].say({ type: "ready", info: {} });
  assert.deepEqual({ ...local.port()?.model }, { name: LOCK.model, dimension: 2, scale: 9, floor: 0.5 });
});

test("many texts go in small batches, and a query goes before the rest of them", async () => {
  const { local, worker } = await ready();
  const texts = Array.from({ length: 6 }, (_, at) => `${at}`.repeat(300));
  const passages = local.port().embed({ texts, kind: "passage" }, never());
  const query = local.port().embed({ texts: ["key?"], kind: "query" }, never());
  assert.equal(worker.answer().length, 2, "no more than a query may wait for");
  assert.deepEqual(worker.answer(), ["key?"]);
  assert.deepEqual([...new Float32Array(await query)], [4, 1]);
  worker.answer();
  worker.answer();
  assert.deepEqual([...new Float32Array(await passages)], texts.flatMap(() => [300, 1]));
});

test("while a reply is made passages wait and queries do not", async () => {
  const { local, worker } = await ready();
  local.hold(true);
  const passages = local.port().embed({ texts: ["one"], kind: "passage" }, never());
  const query = local.port().embed({ texts: ["key?"], kind: "query" }, never());
  assert.deepEqual(worker.answer(), ["key?"]);
  await query;
  assert.equal(worker.sent.length, 2, "start and the query");
  local.hold(false);
  assert.deepEqual(worker.answer(), ["one"]);
  await passages;
});

test("what was made before a call was given up is not made again", async () => {
  const { local, worker } = await ready();
  const texts = ["a".repeat(500), "b".repeat(500)];
  const stop = new AbortController();
  const first = failure(local.port().embed({ texts, kind: "passage" }, stop.signal));
  assert.deepEqual(worker.answer(), [texts[0]]);
  stop.abort();
  assert.equal((await first).code, "cancelled");
  worker.answer();
  const again = local.port().embed({ texts, kind: "passage" }, never());
  assert.deepEqual([...new Float32Array(await again)], [500, 1, 500, 1]);
  assert.equal(worker.sent.length, 3);
});

// ---- failure ----

for (const [what, break_] of /** @type {const} */ ([
  ["a download that breaks off", ({ workers }) => workers[0].say({ type: "failed", error: { code: "embedder_missing", message: "gone", hint: "" } })],
  ["a worker that ends", ({ workers }) => workers[0].dispatchEvent(Object.assign(new Event("error"), { message: "out of memory" }))],
  ["a worker that is stuck", ({ clock }) => clock.pass(120_000)],
]))
  test(`${what} is shown, ends what waits and leaves words; another try begins anew`, async () => {
    const all = await ready();
    const { local, workers } = all;
    const waiting = failure(local.port().embed({ texts: ["one"], kind: "passage" }, never()));
    await quiet(async () => break_(all));
    assert.equal((await waiting).code, "model_unreachable");
    assert.deepEqual([local.view().state, local.port(), workers[0].ended], ["failed", null, true]);
    assert.ok(local.view().problem?.message);
    local.want(true);
    all.clock.pass(3000);
    await turns();
    assert.equal(workers.length, 1, "not by itself, again and again");
    await local.again();
    await until(() => workers.length === 2);
    workers[1].say({ type: "ready", info: {} });
    assert.equal(local.view().state, "ready");
  });

test("what was nowhere is looked for again when a sidecar has come", async () => {
  const { local, workers } = await ready();
  await quiet(async () => workers[0].say({ type: "failed", error: { code: "embedder_missing", message: "gone", hint: "" } }));
  local.look({});
  await turns();
  assert.equal(workers.length, 1);
  local.look({ sidecar: "http://127.0.0.1:8414" });
  await until(() => workers.length === 2);
  assert.ok(workers[1].sent[0].places.some(({ url }) => url === "http://127.0.0.1:8414/runtime"));
});

// ---- among the other embedders ----

function among(local, change, sidecar) {
  const clock = new FakeClock();
  return createEmbedder({ settings: settings({ embedder: { use: "auto", url: "", name: "", ...change } }), local, sidecar, clock, page: PAGE });
}

/** @param {string} state */
const sidecarIn = (state, name = LOCK.model) => ({ state: () => state, problem: () => null, offers: () => ({ model: "", embedder: state === "connected" ? { name, dimension: 2, scale: 9, floor: 0.5 } : null }) });

test("the order is: sidecar, endpoint, the page's own, none", async () => {
  const { local, worker } = await ready();
  assert.equal(among(local, {}).kind(), "page");
  assert.equal(among(local, { use: "page", url: "http://127.0.0.1:1/v1", name: "far" }).kind(), "page");
  assert.equal(among(local, { use: "endpoint" }).kind(), "none");
  assert.equal(worker.ended, true, "another was chosen");
  const again = await ready();
  assert.equal(among(again.local, {}, sidecarIn("connected")).kind(), "sidecar");
  const third = await ready();
  assert.equal(among(third.local, { url: "http://127.0.0.1:1/v1", name: "far" }).kind(), "endpoint");
  const fourth = await ready();
  assert.equal(among(fourth.local, { use: "none" }).kind(), "none");
});

test("a sidecar that goes leaves its place to the same model in the page, at once", async () => {
  const { local, workers, clock } = await made({ agreed: true });
  let state = "connected";
  const sidecar = { ...sidecarIn("connected"), state: () => state };
  const embedder = among(local, {}, sidecar);
  assert.equal(embedder.kind(), "sidecar");
  state = "unreachable";
  embedder.update();
  assert.equal(embedder.kind(), "sidecar", "it is waited for");
  clock.pass(3000);
  await until(() => workers.length);
  workers[0].say({ type: "ready", info: {} });
  embedder.update();
  assert.equal(embedder.kind(), "page");
  state = "connected";
  embedder.update();
  assert.deepEqual([embedder.kind(), workers[0].ended], ["sidecar", true]);
  embedder.close();
});

test("a test of the page's own says what is missing", async () => {
  const { local } = await made();
  const { ok, error } = await among(local, { use: "page" }).test();
  assert.deepEqual([ok, error.code], [false, "embedder_absent"]);
});

// ---- its files ----

const file = (part, name, data, more = {}) => ({ part, name, size: data.length, sha256: sha256(data), places: [], ...more });

test("other bytes than the locked ones are refused, and the next source is asked; any form of a part will do", async () => {
  const zip = Buffer.from("the zip");
  const wheel = Buffer.from("the wheel, longer");
  const numpy = Buffer.from("numpy");
  const lock = { ...LOCK, files: [file("model", "a.zip", zip), file("model", "a.whl", wheel), file("numpy", "n.whl", numpy, { size: 0 })] };
  const events = [];
  const progress = [];
  const answers = { "a.whl": wheel, "n.whl": numpy };
  const fetch = async (url) => {
    const name = String(url).split("/").at(-1);
    if (String(url).startsWith("http://bad/")) return new Response("the zap");
    return name in answers ? new Response(answers[name]) : new Response(null, { status: 404 });
  };
  const found = await gatherEmbedder({
    lock,
    places: [{ name: "bad", url: "http://bad" }, { name: "good", url: "http://good/" }],
    fetch,
    onEvent: ({ source, file: name, outcome }) => events.push(`${source} ${name} ${outcome}`),
    onProgress: (done, total) => progress.push([done, total]),
  });
  assert.deepEqual(found.map(({ file: { name }, data }) => [name, Buffer.from(data).toString()]), [["a.whl", "the wheel, longer"], ["n.whl", "numpy"]]);
  assert.deepEqual(events, ["bad a.zip refused", "bad a.whl refused", "good a.zip missing", "good a.whl taken", "bad n.whl refused", "good n.whl taken"]);
  assert.equal(bytesOf(lock), wheel.length);
  assert.deepEqual(progress.at(-1), [wheel.length, wheel.length]);
});

test("a part that nobody has is named, with what each source said", async () => {
  const lock = { ...LOCK, files: [file("model", "a.zip", Buffer.from("the zip"))] };
  const fetch = async () => Promise.reject(new TypeError("no route"));
  const error = await failure(gatherEmbedder({ lock, places: [{ name: "far", url: "http://far" }], fetch }));
  assert.equal(error.code, "embedder_missing");
  assert.match(error.message, /a\.zip.*far.*no route/);
});

test("a source that falls silent is given up", async () => {
  const lock = { ...LOCK, files: [file("model", "a.zip", Buffer.from("the zip"))] };
  const fetch = (_url, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const error = await failure(gatherEmbedder({ lock, places: [{ name: "far", url: "http://far" }], fetch, silentSeconds: 0.01 }));
  assert.match(error.message, /nothing came for 0\.01 s/);
});

test("whoever names CDNs of their own is asked nowhere else; a named folder comes before public ones", () => {
  const lock = { ...LOCK, files: [file("numpy", "n.whl", Buffer.from("n"), { places: ["https://public.example/full/"] })] };
  const names = (places) => placesFor(lock, { own: "http://x/wasm", ...places }).map(({ name }) => name);
  assert.deepEqual(names({}), ["extension", "public.example"]);
  assert.deepEqual(names({ sidecar: "http://127.0.0.1:8414", mirror: "https://mine.example" }), ["extension", "sidecar", "mirror", "public.example"]);
  assert.deepEqual(names({ cdns: [{ name: "own", url: "https://own.example" }] }), ["extension", "own"]);
});
