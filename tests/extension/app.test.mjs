import assert from "node:assert/strict";
import { test } from "node:test";
import { gate, setUpApp } from "./app_kit.mjs";
import { KINDS } from "../../extension/ui/notices.js";
import { statusText } from "../../extension/ui/words.js";
import { TEXTS } from "./ui_kit.mjs";

/** Timers that run at once when time is let go; promises in between have their turn. @param {any} t */
function time(t) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  t.mock.method(console, "error", () => {});
  const settle = async () => {
    for (let round = 0; round < 30; round++) await new Promise((resolve) => setImmediate(resolve));
  };
  return async (ms = 0) => {
    await settle();
    t.mock.timers.tick(ms);
    await settle();
  };
}

test("an engine that ends by itself is started again, the chat is told anew, and the person hears of it in one line", async (t) => {
  const pass = time(t);
  const { app, engines, notices } = setUpApp();
  await app.start();
  await pass(300);
  assert.equal(app.status().stats !== null, true);
  engines[0].end();
  assert.equal(app.status().engine, "starting");
  assert.match(statusText(app), /started again/);
  assert.deepEqual(notices, [["engine_restarted", undefined]]);
  await pass(0);
  assert.deepEqual([engines.length, app.status().engine, app.status().problem], [2, "ready", null]);
  await pass(300);
  assert.deepEqual(engines[1].calls.map(({ method }) => method), ["chat.update", "extract.run", "stats", "index.refresh", "extract.plan"]);
});

test("it is not started for ever, but a while of health makes up for what was", async (t) => {
  const pass = time(t);
  const { app, engines, causes } = setUpApp();
  await app.start();
  for (let hour = 0; hour < 3; hour++) {
    for (const delay of [0, 2_000, 10_000]) {
      engines.at(-1).end();
      await pass(delay);
      assert.equal(app.status().engine, "ready");
    }
    await pass(10 * 60_000);
  }
  assert.equal(engines.length, 10);
  for (const delay of [0, 2_000, 10_000, 60_000]) {
    engines.at(-1).end();
    await pass(delay);
  }
  engines.at(-1).end();
  await pass(3_600_000);
  assert.deepEqual([engines.length, app.status().engine, causes().at(-1)], [14, "failed", "engine_gone"]);
  assert.match(statusText(app), /stopped again and again/);
  assert.doesNotMatch(statusText(app), /being started again/);
  await app.restart();
  assert.equal(app.status().engine, "ready");
});

test("a start that fails while it is tried again is no end, and the last reason is shown", async (t) => {
  const pass = time(t);
  const { app, engines, causes } = setUpApp({ starts: (number) => (number === 1 ? null : new Error("no room for the runtime")) });
  await app.start();
  engines[0].end();
  for (const delay of [0, 2_000, 10_000, 60_000]) await pass(delay);
  assert.deepEqual([engines.length, app.status().engine, app.status().problem.message], [5, "failed", "no room for the runtime"]);
  assert.deepEqual(causes(), ["engine_restarted", "engine_gone"]);
});

test("a worker that dies in its very first start is tried again like any other", async (t) => {
  const pass = time(t);
  const dead = Object.assign(new Error("The worker has not answered for 120 s."), { code: "worker_failed" });
  const { app, engines, causes } = setUpApp({ starts: (number) => (number < 3 ? dead : null) });
  await app.start();
  assert.equal(app.status().engine, "starting");
  await pass(0);
  await pass(2_000);
  await pass(300);
  assert.deepEqual([engines.length, app.status().engine, causes()], [3, "ready", ["engine_restarted"]]);
  assert.deepEqual(engines[2].calls.map(({ method }) => method).filter((method) => method !== "sync.mirror").slice(0, 2), ["chat.update", "extract.run"]);
});

test("switched off while it waits for the next try, it stays off", async (t) => {
  const pass = time(t);
  const { app, engines } = setUpApp();
  await app.start();
  engines[0].end();
  await app.set({ enabled: false });
  await pass(100_000);
  assert.deepEqual([engines.length, app.status().engine], [1, "off"]);
});

test("the rules' job that was under way runs on the next engine, and nobody is told of a failure", async (t) => {
  const pass = time(t);
  let hang = true;
  const { app, engines, causes } = setUpApp({ answers: { "extract.run": () => (hang ? new Promise(() => {}) : { windows: 1, failed: [] }) } });
  await app.start();
  await pass(300);
  assert.equal(app.jobs()[0].state, "running");
  hang = false;
  engines[0].end();
  await pass(0);
  assert.equal(engines[1].calls.filter(({ method }) => method === "extract.run").length, 1);
  assert.deepEqual([app.jobs(), causes()], [[], ["engine_restarted"]]);
});

test("only the block that a person changed counts as their words", async () => {
  const { app, host } = setUpApp();
  const record = { version: 1, chat: "c", recall: "r", text: "Hello.", core: "the core", recalled: "the rest", nodes: [], state: "s", cards: [], tokens: 4, at: "", uses: 1, edited: false, hand: [], degraded: [] };
  const kept = () => host.chat[0].extra.tidelore_recall;
  host.setExtra(0, "tidelore_recall", record);
  await app.editRecord(0, { core: "the core", recalled: "the rest" });
  assert.deepEqual([kept().edited, kept().hand], [false, []]);
  await app.editRecord(0, { core: "the core", recalled: "my own words" });
  assert.deepEqual([kept().edited, kept().hand, kept().recalled], [true, ["recalled"], "my own words"]);
  await app.editRecord(0, { core: "" });
  assert.deepEqual([kept().hand, kept().core, kept().recalled], [["core", "recalled"], "", "my own words"]);
  host.setExtra(0, "tidelore_recall", { ...record, edited: true, hand: "everything" });
  assert.deepEqual(app.record(0).hand, undefined, "a record from a damaged file says nothing of its blocks");
});

test("tokens are counted ahead only while no reply is made: SillyTavern's server counts for that one then", async (t) => {
  const pass = time(t);
  const slow = gate();
  let first = true;
  const { app, host } = setUpApp({ answers: { "chat.update": () => (first ? slow.promise : { screen: 1, inserted: 2, removed: 0, commits_in: 0, commits_out: 0 }) } });
  const counted = [];
  host.tokensOf = (text) => (counted.push(text), 1);
  await app.start();
  await pass(300);
  const generation = host.before(8000, "normal");
  first = false;
  slow.open({ screen: 1, inserted: 2, removed: 0, commits_in: 0, commits_out: 0 });
  await pass(0);
  assert.ok(!counted.includes("Good evening."), "it is neither the person's text nor the card's");
  await generation;
  await host.emit("GENERATION_ENDED");
  await pass(300);
  assert.ok(counted.includes("Good evening."));
});

test("a chat that this browser has lost is restored from another replica, and the person is told which it was", async (t) => {
  for (const [news, cause] of [
    [7, "restored"],
    [0, "evicted"],
  ]) {
    const pass = time(t);
    const { app, host, causes, page } = setUpApp({ answers: { "sync.mirror": { new: news, written_bytes: 0 } } });
    host.setMark({ chat: "c1", pool: "0".repeat(32), kind: "character", owner: host.place().owner, file: host.place().file, integrity: host.place().integrity });
    page.lasting = true;
    await app.start();
    await pass(300);
    assert.deepEqual([causes(), app.status().evicted], [[cause], cause === "evicted"]);
    t.mock.timers.reset();
  }
});

test("a change by hand is exchanged with other replicas soon, and reading makes no round", async (t) => {
  const pass = time(t);
  const { app, engines } = setUpApp({ answers: { "node.list": { nodes: [] }, "node.write": { node: "n1" } } });
  await app.start();
  await pass(300);
  await pass(5_000);
  const rounds = () => engines[0].calls.filter(({ method }) => method === "sync.mirror").length;
  const before = rounds();
  await app.call("node.list");
  await pass(5_000);
  assert.equal(rounds(), before);
  await app.call("node.write", { text: "A lantern." });
  await pass(5_000);
  assert.equal(rounds(), before + 1);
});

const EMBEDDER = { model: { name: "minilm", dimension: 2, scale: 1, floor: 0.5 }, embed: async () => [] };

test("what was extracted or written by hand is embedded afterwards, and an embedder that hangs holds up nothing", async (t) => {
  const pass = time(t);
  let hang = true;
  const { app, host, engines } = setUpApp({
    embedder: () => EMBEDDER,
    answers: { "embed.run": () => (hang ? new Promise(() => {}) : { texts: 2, degraded: [] }), "node.write": { node: "n1" } },
  });
  await app.start();
  await pass(300);
  const said = () => engines[0].calls.map(({ method }) => method).filter((method) => ["extract.run", "embed.run", "stats"].includes(method));
  assert.equal(said()[0], "extract.run");
  assert.deepEqual(said().slice(1).sort(), ["embed.run", "stats"]);
  assert.deepEqual(app.jobs().map(({ kind, state }) => [kind, state]), [["embed", "running"]]);
  host.say("My dog is called Rex.");
  await host.emit("MESSAGE_SENT", 2);
  await pass(300);
  assert.equal(said().filter((method) => method === "extract.run").length, 2, "the rules remember all the same");
  assert.equal(app.status().stats !== null, true);
  hang = false;
  app.stop(app.jobs().find(({ state }) => state === "running").id);
  await pass(0);
  assert.deepEqual(app.jobs(), [], "what is done without being asked for fills no list");
  const before = said().filter((method) => method === "embed.run").length;
  await app.call("node.write", { text: "A lantern." });
  await pass(0);
  assert.equal(said().filter((method) => method === "embed.run").length, before + 1);
  await app.call("node.list");
  await pass(0);
  assert.equal(said().filter((method) => method === "embed.run").length, before + 1);
});

test("another embedder has the open chat embedded anew at once, and whatever the old one was at is given up", async (t) => {
  const pass = time(t);
  let embedder = EMBEDDER;
  let hang = true;
  const { app, engines } = setUpApp({ embedder: () => embedder, answers: { "embed.run": () => (hang ? new Promise(() => {}) : { texts: 2, degraded: [] }) } });
  await app.start();
  await pass(300);
  assert.equal(app.jobs()[0].state, "running");
  const runs = () => engines[0].calls.filter(({ method }) => method === "embed.run").length;
  const before = runs();
  hang = false;
  embedder = { ...EMBEDDER, model: { ...EMBEDDER.model, name: "other" } };
  await app.set({ embedder: { name: "other" } });
  await pass(0);
  assert.deepEqual([runs(), app.jobs(), app.status().embedder], [before + 1, [], "other"]);
  await app.set({ budget: 500 });
  await pass(0);
  assert.equal(runs(), before + 1);
  embedder = undefined;
  await app.set({ embedder: { use: "none" } });
  await pass(0);
  assert.deepEqual([runs(), app.jobs()], [before + 1, []]);
});

test("without an embedder nothing is embedded", async (t) => {
  const pass = time(t);
  const { app, engines } = setUpApp();
  await app.start();
  await pass(300);
  assert.deepEqual(engines[0].calls.filter(({ method }) => method === "embed.run"), []);
});

test("a database that another tab holds is told once, with what to do", async (t) => {
  const pass = time(t);
  const { app, engines, causes } = setUpApp();
  await app.start();
  await pass(300);
  for (const outcome of ["blocked", "closed"]) engines[0].say({ step: "store", outcome, detail: "Another tab." });
  assert.deepEqual(causes(), ["store_blocked", "store_closed"]);
  for (const cause of causes()) assert.ok(TEXTS.en[`notice.${cause}`] && KINDS[cause], cause);
});
