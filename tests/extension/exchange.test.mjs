// Rounds with other replicas: when they run, in which order questions and answers go, and what a failure leaves.
import assert from "node:assert/strict";
import { test } from "node:test";

import { createExchange } from "../../extension/exchange.js";
import { userFiles } from "../../extension/host_files.js";
import { gate } from "./fake_host.mjs";

/** A clock that a test moves on by hand. */
function handClock() {
  let now = 0;
  let plans = [];
  return {
    now: () => now,
    after(ms, run) {
      const plan = { at: now + ms, run };
      plans.push(plan);
      return () => void (plans = plans.filter((each) => each !== plan));
    },
    async pass(ms) {
      now += ms;
      const due = plans.filter((plan) => plan.at <= now);
      plans = plans.filter((plan) => plan.at > now);
      for (const plan of due) plan.run();
      await new Promise((resolve) => setImmediate(resolve));
    },
    next: () => Math.min(...plans.map((plan) => plan.at)) - now,
  };
}

/** A replica that holds the names of records, and answers as the engine does, two at a time. */
function replica(name, ...records) {
  const held = [...records];
  const calls = [];
  return {
    held,
    calls,
    async call(method, params) {
      calls.push(method);
      if (method === "sync.vector") return { replica: name, vector: held };
      if (method === "sync.pull") {
        const missing = held.filter((each) => !params.vector.includes(each));
        return { replica: name, records: missing.slice(0, 2), more: missing.length > 2 };
      }
      if (method === "sync.push") {
        const fresh = params.records.filter((each) => !held.includes(each));
        held.push(...fresh);
        return { replica: name, new: fresh.length };
      }
      if (method === "sync.mirror") return { new: 0, written_bytes: 10, size_bytes: 2_000_000 };
      throw new Error(method);
    },
  };
}

/** What a browser has as `document`, as far as hiding goes. */
function fakeScreen() {
  const screen = Object.assign(new EventTarget(), { visibilityState: "visible" });
  const turn = (state) => {
    screen.visibilityState = state;
    screen.dispatchEvent(new Event("visibilitychange"));
    return new Promise((resolve) => setImmediate(resolve));
  };
  return { screen, hide: () => turn("hidden"), show: () => turn("visible") };
}

function setUp({ mirror = false, sidecar = null, page = replica("page"), screen = undefined } = {}) {
  const clock = handClock();
  const seen = { news: 0, errors: [] };
  const exchange = createExchange({
    call: page.call,
    places: () => ({ mirror, sidecar: sidecar?.call ?? null }),
    onNews: () => void seen.news++,
    onChange: () => {},
    onError: (error) => void seen.errors.push(error.message),
    clock,
    screen,
  });
  return { exchange, clock, seen, page };
}

test("a round passes all that either side lacks, in as many steps as it takes, and tells of news once", async () => {
  const sidecar = replica("sidecar", "a", "b", "c", "d", "e");
  const page = replica("page", "x");
  const { exchange, seen } = setUp({ sidecar, page });
  exchange.start();
  await exchange.settled();
  assert.deepEqual(page.held, ["x", "a", "b", "c", "d", "e"]);
  assert.deepEqual(sidecar.held, ["a", "b", "c", "d", "e", "x"]);
  assert.equal(seen.news, 1);
  assert.equal(exchange.outcome().sidecar, "done");
  assert.equal(exchange.outcome().mirror, "off");
});

test("what is stored in a burst goes out in one round, and a steady stream does not put it off for ever", async () => {
  const { exchange, clock, page } = setUp({ mirror: true });
  exchange.start();
  await exchange.settled();
  exchange.due();
  exchange.due();
  await clock.pass(3000);
  assert.equal(page.calls.filter((method) => method === "sync.mirror").length, 2);
  for (let second = 0; second < 31; second += 2) {
    exchange.due();
    await clock.pass(2000);
  }
  assert.equal(page.calls.filter((method) => method === "sync.mirror").length, 3);
});

test("a page that is hidden sends what is due at once, and nothing where nothing is", async () => {
  const { screen, hide, show } = fakeScreen();
  const { exchange, clock, page } = setUp({ mirror: true, screen });
  const rounds = () => page.calls.filter((method) => method === "sync.mirror").length;
  exchange.start();
  await exchange.settled();
  await hide();
  await show();
  assert.equal(rounds(), 1, "nothing was due");
  exchange.due();
  await show();
  assert.equal(rounds(), 1, "it is not hidden");
  await hide();
  assert.equal(rounds(), 2);
  await hide();
  await clock.pass(3000);
  assert.equal(rounds(), 2, "it has gone out");
  exchange.due();
  exchange.stop();
  await hide();
  assert.equal(rounds(), 2, "stopped, nothing goes out");
});

test("what is stored during a round is in another one right after it", async () => {
  const hold = gate();
  const page = replica("page");
  const slow = { ...page, call: (method, params) => (method === "sync.mirror" && page.calls.length < 1 ? hold.promise.then(() => page.call(method, params)) : page.call(method, params)) };
  const { exchange } = setUp({ mirror: true, page: { ...slow, calls: page.calls } });
  exchange.start();
  exchange.due();
  hold.open();
  await exchange.settled();
  assert.equal(page.calls.filter((method) => method === "sync.mirror").length, 2);
});

test("a mirror that fails is told, keeps nothing from the sidecar, and is tried again later", async () => {
  let broken = true;
  const page = replica("page", "x");
  const call = (method, params) => (broken && method === "sync.mirror" ? Promise.reject(new Error("no room on the server")) : page.call(method, params));
  const sidecar = replica("sidecar");
  const { exchange, clock, seen } = setUp({ mirror: true, sidecar, page: { ...page, call } });
  exchange.start();
  await exchange.settled();
  assert.deepEqual(sidecar.held, ["x"]);
  assert.deepEqual(seen.errors, ["no room on the server"]);
  assert.equal(exchange.outcome().mirror, "failed");
  assert.equal(exchange.outcome().problem, "no room on the server");
  broken = false;
  await clock.pass(60_000);
  assert.equal(exchange.outcome().mirror, "done");
  assert.equal(exchange.outcome().size, 2_000_000);
  assert.equal(exchange.outcome().problem, "");
});

test("stopped, nothing is planned any more", async () => {
  const { exchange, clock, page } = setUp({ mirror: true });
  exchange.start();
  await exchange.settled();
  exchange.due();
  exchange.stop();
  await clock.pass(500_000);
  assert.equal(page.calls.filter((method) => method === "sync.mirror").length, 1);
});

/** SillyTavern's end points for user files. */
function fileServer() {
  const files = new Map();
  const context = { extensionSettings: {}, getRequestHeaders: () => ({ "X-CSRF-Token": "t" }), saveSettingsDebounced() {} };
  const fetch = async (path, options = {}) => {
    const body = options.body ? JSON.parse(options.body) : null;
    if (options.method !== "POST") {
      const found = files.get(path.split("/").at(-1));
      return found ? new Response(found) : new Response("", { status: 404 });
    }
    assert.equal(options.headers["X-CSRF-Token"], "t");
    if (path === "/api/files/upload") files.set(body.name, Buffer.from(body.data, "base64"));
    else if (path === "/api/files/delete") return new Response("", { status: files.delete(body.path.split("/").at(-1)) ? 200 : 404 });
    else return new Response("", { status: 500 });
    return Response.json({ path: `/user/files/${body.name}` });
  };
  return { files, context, folder: userFiles(() => context, fetch) };
}

test("files of the mirror come back byte for byte, and SillyTavern's clean-up is told of them", async () => {
  const { context, folder } = fileServer();
  const data = Buffer.from(Uint8Array.from({ length: 200_000 }, (_, index) => index % 251));
  await folder.write("tidelore-index.json", data.toString("base64"));
  assert.equal(await folder.read("tidelore-index.json"), data.toString("base64"));
  assert.deepEqual(context.extensionSettings.character_attachments.tidelore.map(({ url, name }) => [url, name]), [["/user/files/tidelore-index.json", "tidelore-index.json"]]);
  assert.deepEqual(folder.written(), ["tidelore-index.json"]);
  await folder.remove("tidelore-index.json");
  assert.deepEqual(folder.written(), []);
  await folder.remove("tidelore-index.json");
  assert.equal(await folder.read("tidelore-index.json"), null);
  assert.deepEqual(context.extensionSettings.character_attachments.tidelore, []);
});

test("a server that fails is an error, not a missing file", async () => {
  const { context } = fileServer();
  const folder = userFiles(() => context, async () => new Response("", { status: 500 }));
  await assert.rejects(folder.read("tidelore-index.json"), /500/);
  await assert.rejects(folder.write("tidelore-index.json", "AAAA"), /500/);
  await assert.rejects(folder.remove("tidelore-index.json"), /500/);
});
