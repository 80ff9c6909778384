// Workers that end, run in circles or lose their Python without a word.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { Worker } from "node:worker_threads";
import { connect } from "../../wasm/bridge.js";
import { nodeWorker } from "../../wasm/node-worker.mjs";
import { Watchdog } from "../../wasm/watchdog.js";
import { deferred, failure, lock, sources } from "./kit.mjs";

const links = [];
afterEach(() => links.splice(0).forEach((link) => link.close()));

/** An endpoint that notes what it is sent and says what it is told to; a browser's worker that ends says nothing. */
function silent() {
  const sent = [];
  let hear = () => {};
  const endpoint = {
    postMessage: (message) => sent.push(message),
    addEventListener: (type, listener) => type === "message" && (hear = listener),
    terminated: false,
    terminate: () => (endpoint.terminated = true),
  };
  return { endpoint, sent, say: (data) => hear({ data }), pings: () => sent.filter(({ type }) => type === "ping").length };
}

/** A link to it, whose timers the test holds. */
function watched(t, watch = { every: 1000, misses: 3 }) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const there = silent();
  const events = [];
  const link = connect(there.endpoint, { start: { lock: {}, sources: [] }, onEvent: (event) => events.push(event), watch });
  links.push(link);
  /** Time as a page sees it: one timer after the other. */
  const pass = (ticks) => {
    for (let tick = 0; tick < ticks; tick++) t.mock.timers.tick(watch.every);
  };
  return { ...there, link, events, pass };
}

test("a worker that does not answer while something is awaited is ended, and all that waits ends with it", async (t) => {
  const { link, say, endpoint, events, pass, pings } = watched(t);
  say({ type: "ready", info: {} });
  await link.ready;
  const waiting = failure(link.call("stats", {}));
  pass(3);
  assert.deepEqual([pings(), endpoint.terminated], [3, false]);
  pass(1);
  const { code, message } = await waiting;
  assert.deepEqual([code, message], ["worker_failed", "The worker has not answered for 3 s."]);
  assert.deepEqual(events, [{ step: "worker", outcome: "failed", detail: "The worker has not answered for 3 s." }]);
  assert.equal(endpoint.terminated, true);
  assert.equal((await failure(link.call("stats"))).code, "worker_failed");
  pass(9);
  assert.equal(pings(), 3);
});

test("any word of it is a sign of life, and nobody is asked while nothing is awaited", async (t) => {
  const { link, say, sent, endpoint, pass, pings } = watched(t);
  say({ type: "ready", info: {} });
  pass(20);
  assert.equal(pings(), 0);
  const call = link.call("stats", {});
  for (let round = 0; round < 10; round++) {
    pass(3);
    say(round % 2 ? { type: "pong" } : { type: "event", event: { step: "any" } });
  }
  say({ type: "result", id: sent.find(({ type }) => type === "call").id, result: "there" });
  assert.equal(await call, "there");
  const asked = pings();
  pass(20);
  assert.deepEqual([pings(), endpoint.terminated], [asked, false]);
});

test("a start that says nothing any more has failed", async (t) => {
  const { link, pass } = watched(t);
  pass(4);
  assert.equal((await failure(link.ready)).code, "worker_failed");
});

test("a page that slept counts one question, however long it was", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const dead = [];
  const watchdog = new Watchdog(() => {}, (seconds) => dead.push(seconds), { every: 1000, misses: 3 });
  watchdog.set(true);
  watchdog.set(true);
  t.mock.timers.tick(1000);
  watchdog.heard();
  for (const _ of [1, 2, 3]) t.mock.timers.tick(1000);
  assert.deepEqual(dead, []);
  t.mock.timers.tick(1000);
  assert.deepEqual(dead, [3]);
  t.mock.timers.tick(60_000);
  assert.deepEqual(dead, [3]);
});

/** What a browser has of a worker: its messages, and nothing when it ends. */
function deaf(worker) {
  return { ...worker, addEventListener: (type, listener) => type === "message" && worker.addEventListener(type, listener) };
}

for (const [what, end] of [["ends", "process.exit(0)"], ["runs in circles", "for (;;);"]]) {
  test(`a real worker that ${what} in the middle of a call is noticed`, async () => {
    const module = `data:text/javascript,export const openPort = async () => ({ version: async () => { ${encodeURIComponent(end)} } })`;
    const events = [];
    const start = { lock, sources, local: { store: { module } } };
    const link = connect(deaf(nodeWorker()), { start, watch: { every: 1000, misses: 10 }, onEvent: (event) => events.push(event) });
    links.push(link);
    await link.ready;
    assert.equal((await failure(link.call("chat.list"))).code, "worker_failed");
    assert.equal(events.at(-1).outcome, "failed");
  });
}

test("a model that thinks for long is no silence", async () => {
  const answer = deferred();
  const worker = nodeWorker();
  const thought = deferred();
  let pongs = 0;
  worker.addEventListener("message", ({ data }) => data.type === "pong" && ++pongs === 30 && thought.resolve());
  const ports = { complete: { name: "slow", complete: () => answer.promise } };
  const link = connect(worker, { ports, start: { lock, sources }, watch: { every: 20, misses: 1000 } });
  links.push(link);
  await link.ready;
  await link.call("chat.update", { chat: "c", messages: [{ role: "user", name: "Mara", text: "My cat is called Biscuit." }, { role: "assistant", name: "Tobin", text: "Fine." }] });
  const run = link.call("extract.run", { chat: "c", by: "model", lag: 0 });
  pongs = 0;
  await thought.promise;
  answer.resolve("{}");
  assert.ok(await run);
});

test("a fault of Python's own, after which it cannot be used, ends the worker at once", async () => {
  const worker = new Worker(new URL("./fatal-worker.mjs", import.meta.url), { stdout: true, stderr: true });
  const listeners = [];
  worker.on("message", (data) => listeners.forEach((listener) => listener({ data })));
  const endpoint = {
    postMessage: (message, transfer) => worker.postMessage(message, transfer),
    addEventListener: (type, listener) => type === "message" && listeners.push(listener),
    terminate: () => worker.terminate(),
  };
  const events = [];
  const link = connect(endpoint, { start: { lock, sources }, onEvent: (event) => events.push(event) });
  links.push(link);
  await link.ready;
  assert.ok(await link.call("chat.list"));
  worker.postMessage({ type: "abort" });
  const { code, message } = await failure(link.call("chat.list").then(() => link.call("chat.list")));
  assert.equal(code, "worker_failed");
  assert.match(message, /Python has failed/);
  assert.equal(events.at(-1).step, "worker");
});
