import assert from "node:assert/strict";
import { test } from "node:test";

import { createJobs } from "../../extension/jobs.js";
import { gate } from "./fake_host.mjs";

function setUp({ sharesModel = false } = {}) {
  const calls = [];
  const ended = [];
  const jobs = createJobs({
    onChange: () => {},
    onEnd: (job) => ended.push({ ...job }),
    sharesModel: () => sharesModel,
    call(method, params, { signal, onProgress }) {
      const its = gate();
      const promise = new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(Object.assign(new Error("cancelled"), { code: "cancelled" })));
        its.promise.then((answer) => (answer instanceof Error ? reject(answer) : resolve(answer ?? { windows: 20, failed: [] })));
      });
      calls.push({ method, params, onProgress, end: its.open });
      return promise;
    },
  });
  const model = (chat = "c1") => jobs.add({ kind: "model", method: "extract.run", chat, title: "One", params: { by: "model" }, asksModel: true });
  const rules = (chat = "c1") => jobs.add({ kind: "rules", method: "extract.run", chat, title: "One", params: { by: "rules" } });
  return { jobs, calls, ended, model, rules };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("jobs of one kind run one after the other, with progress", async () => {
  const { jobs, calls, ended, model, rules } = setUp();
  for (const [plan, by] of [[model, "model"], [rules, "rules"]]) {
    calls.length = ended.length = 0;
    plan("c1");
    plan("c2");
    assert.equal(calls.length, 1);
    calls[0].onProgress(2, 7);
    assert.deepEqual(jobs.views().slice(0, 2).map(({ state, done, total }) => [state, done, total]), [["waiting", 0, 0], ["running", 2, 7]]);
    calls[0].end();
    await settle();
    assert.deepEqual([calls[1].params.by, calls[1].params.chat], [by, "c2"]);
    assert.deepEqual(ended.map(({ kind, state }) => [kind, state]), [[by, "done"]]);
    calls[1].end();
    await settle();
  }
});

test("the rules wait for no model, in this chat or another, and neither waits for vectors", async () => {
  const { jobs, calls, ended, model, rules } = setUp();
  model("c1");
  jobs.add({ kind: "embed", method: "embed.run", chat: "c1", title: "One" });
  rules("c1");
  assert.deepEqual(calls.map(({ method, params }) => [method, params.by]), [["extract.run", "model"], ["embed.run", undefined], ["extract.run", "rules"]]);
  calls[2].end({ windows: 1, failed: [] });
  await settle();
  rules("c2");
  calls[3].end({ windows: 1, failed: [] });
  await settle();
  assert.deepEqual(ended.map(({ kind, chat, state }) => [kind, chat, state]), [["rules", "c1", "done"], ["rules", "c2", "done"]]);
  jobs.add({ kind: "range", method: "extract.run", chat: "c2", title: "Two", params: { by: "rules", range: [0, 3] } });
  jobs.add({ kind: "range", method: "extract.run", chat: "c2", title: "Two", params: { by: "model", range: [0, 3] }, asksModel: true });
  assert.deepEqual(jobs.views().map(({ state }) => state), ["waiting", "running", "running", "running"], "the second model job waits for the first");
});

test("what the end of the engine interrupts runs once more when there is one again, but a second time it has failed", async () => {
  const { jobs, calls, ended, model, rules } = setUp();
  const gone = Object.assign(new Error("The worker has failed."), { code: "worker_failed", hint: "" });
  model();
  rules();
  model("c2");
  jobs.halt(true);
  calls[0].end(gone);
  calls[1].end(gone);
  await settle();
  assert.deepEqual([jobs.views().map(({ state }) => state), ended, calls.length], [["waiting", "waiting", "waiting"], [], 2]);
  jobs.halt(false);
  assert.deepEqual(calls.slice(2).map(({ params }) => [params.by, params.chat]), [["rules", "c1"], ["model", "c1"]]);
  calls[3].end(gone);
  await settle();
  assert.deepEqual(ended.map(({ kind, chat, state, error }) => [kind, chat, state, error]), [["model", "c1", "failed", "The worker has failed."]]);
  assert.equal(calls.at(-1).params.chat, "c2");
});

test("a job that waits for the same is planned once, and a second click starts nothing", async () => {
  const { jobs, calls, model } = setUp();
  model();
  model();
  model();
  assert.equal(jobs.views().length, 2);
  calls[0].end();
  await settle();
  calls[1].end();
  await settle();
  assert.equal(calls.length, 2);
});

test("a job can be stopped and run again", async () => {
  const { jobs, calls, ended, model } = setUp();
  const { id } = model();
  jobs.stop(id);
  await settle();
  assert.equal(jobs.views()[0].state, "stopped");
  jobs.again(id);
  calls[1].end();
  await settle();
  assert.deepEqual(ended.map(({ state }) => state), ["stopped", "done"]);
});

test("a failure says what went wrong and keeps the raw answer", async () => {
  const { jobs, calls, model } = setUp();
  model();
  calls[0].end({ windows: 1, failed: [{ first: 2, last: 3, error: "no JSON", raw: "I cannot." }] });
  await settle();
  const { state, error, failures } = jobs.views()[0];
  assert.deepEqual([state, error, failures[0].raw], ["failed", "no JSON", "I cannot."]);
});

test("a call that fails is a failed job with its hint", async () => {
  const { jobs, calls, model } = setUp();
  model();
  calls[0].end(Object.assign(new Error("The store is full."), { code: "store_error", hint: "Make room." }));
  await settle();
  assert.deepEqual([jobs.views()[0].error, jobs.views()[0].hint], ["The store is full.", "Make room."]);
});

test("pausing puts off what asks the model, and only that; it goes on afterwards", async () => {
  const { jobs, calls, model } = setUp();
  model();
  jobs.pause(true);
  await settle();
  assert.equal(jobs.views()[0].state, "paused");
  jobs.add({ kind: "rules", method: "extract.run", chat: "c1", title: "One", params: { by: "rules" } });
  assert.equal(calls.at(-1).params.by, "rules");
  calls.at(-1).end();
  await settle();
  jobs.pause(false);
  assert.equal(calls.at(-1).params.by, "model");
});

test("a model that also writes the replies is left to them", async () => {
  const { jobs, calls, model } = setUp({ sharesModel: true });
  model();
  jobs.reply(true);
  await settle();
  assert.equal(jobs.views()[0].state, "waiting");
  assert.equal(calls.length, 1);
  jobs.reply(false);
  assert.equal(calls.length, 2);
});

test("another model works on while a reply is written", async () => {
  const { jobs, calls, model } = setUp();
  model();
  jobs.reply(true);
  calls[0].end();
  await settle();
  assert.equal(jobs.views()[0].state, "done");
});

test("small runs of the rules do not fill the list", async () => {
  const { jobs, calls } = setUp();
  jobs.add({ kind: "rules", method: "extract.run", chat: "c1", title: "One", params: { by: "rules" } });
  calls[0].end({ windows: 1, failed: [] });
  await settle();
  assert.deepEqual(jobs.views(), []);
});

test("vectors leave the embedder to the query of a reply, and go on after it", async () => {
  const { jobs, calls } = setUp();
  const embed = (chat) => jobs.add({ kind: "embed", method: "embed.run", chat, title: "One", quiet: true });
  embed("c1");
  jobs.reply(true);
  await settle();
  embed("c2");
  assert.deepEqual([jobs.views().map(({ state }) => state), calls.length], [["waiting", "waiting"], 1]);
  jobs.reply(false);
  assert.deepEqual(calls.slice(1).map(({ params }) => params.chat), ["c1"]);
  calls[1].end({ texts: 3, degraded: [] });
  await settle();
  calls[2].end({ texts: 3, degraded: [] });
  await settle();
  assert.deepEqual(jobs.views(), []);
});

test("an embedder that fails is shown once for a chat, until it works again; what a person asked for stays listed", async () => {
  const { jobs, calls } = setUp();
  const embed = (quiet = true) => jobs.add({ kind: "embed", method: "embed.run", chat: "c1", title: "One", quiet });
  for (const round of [0, 1, 2]) {
    embed();
    calls[round].end({ texts: 0, degraded: ["embedder: It is late."] });
    await settle();
    assert.deepEqual(jobs.views().map(({ state, error }) => [state, error]), [["failed", "embedder: It is late."]]);
  }
  embed();
  embed(false);
  calls[3].end({ texts: 3, degraded: [] });
  await settle();
  calls[4].end({ texts: 3, degraded: [] });
  await settle();
  assert.deepEqual(jobs.views().map(({ state }) => state), ["done"]);
});

test("what is given up leaves no trace", async () => {
  const { jobs, calls, rules } = setUp();
  for (const chat of ["c1", "c2"]) jobs.add({ kind: "embed", method: "embed.run", chat, title: "One", quiet: true });
  rules();
  jobs.drop("embed");
  await settle();
  assert.deepEqual([jobs.views().map(({ kind, state }) => [kind, state]), calls.length], [[["rules", "running"]], 2]);
});
