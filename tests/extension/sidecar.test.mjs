import assert from "node:assert/strict";
import { test } from "node:test";
import { split } from "../../extension/remote/chunks.js";
import { deadUrl, failure, until } from "./remote_kit.mjs";
import { KEY, page, ready, scripted, STATUS, usual } from "./sidecar_kit.mjs";

// ---- connecting ----

test("it says hello with its key and version, asks what there is, and is connected", async () => {
  const here = await ready();
  const { sidecar, states } = page(here.url);
  assert.equal(sidecar.runtimeUrl(), undefined);
  await sidecar.start();
  assert.deepEqual(states, [["looking", ""], ["connected", ""]]);
  assert.deepEqual(here.messages[0].params, { token: KEY, client: "SillyTavern", versions: [1] });
  assert.deepEqual(sidecar.offers(), { model: "far", embedder: STATUS.embedder });
  assert.equal(sidecar.runtimeUrl(), here.url);
});

test("without a sidecar the page has a verdict at once, and looks again later and later, a minute apart at most", async () => {
  const { sidecar, clock, states } = page(await deadUrl());
  await sidecar.start();
  assert.deepEqual(states.at(-1), ["unreachable", "sidecar_unreachable"]);
  const waits = [];
  for (let round = 0; round < 8; round++) {
    waits.push(clock.waits[0]);
    assert.equal(clock.waiting, 1);
    const before = states.length;
    clock.pass(clock.waits[0]);
    await until(() => states.length === before + 2 && clock.waiting === 1);
  }
  assert.deepEqual(waits, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
});

test("the pauses are scattered, so that many pages do not come at once", async () => {
  const { sidecar, clock } = page(await deadUrl(), { random: () => 0 });
  await sidecar.start();
  assert.deepEqual(clock.waits, [500]);
});

test("a sidecar that takes the connection and says nothing costs two seconds", async () => {
  const here = await scripted(() => undefined);
  const { sidecar, clock, states } = page(here.url);
  const started = sidecar.start();
  await until(() => here.messages.length);
  assert.deepEqual(clock.waits, [2000]);
  clock.pass(2000);
  await started;
  assert.deepEqual(states.at(-1), ["unreachable", "sidecar_late"]);
});

test("a wrong key is refused, and not tried again by itself", async () => {
  const here = await ready();
  const { sidecar, clock, states, stored } = page(here.url);
  stored.set(`sidecar:${here.url}`, "tl_old");
  await sidecar.start();
  assert.deepEqual(states.at(-1), ["refused", "key_wrong"]);
  assert.equal(sidecar.problem().hint, "Pair again.");
  assert.equal(clock.waiting, 0);
  assert.equal((await failure(sidecar.call("chat.list"))).code, "key_wrong");
});

test("a handshake that is turned down is told apart from an address where nobody is", async () => {
  const here = await ready();
  here.refuse = true;
  const { sidecar, states } = page(here.url);
  await sidecar.start();
  assert.deepEqual(states.at(-1), ["refused", "sidecar_refused"]);
});

test("without a key nothing is sent but a look whether there is a sidecar", async () => {
  const here = await ready();
  const { sidecar, states, stored, clock } = page(here.url);
  stored.clear();
  await sidecar.start();
  assert.deepEqual(states.at(-1), ["refused", "sidecar_unpaired"]);
  assert.deepEqual(here.messages, []);
  assert.equal(clock.waiting, 0);
});

test("a secure page with an insecure sidecar gets the cause and the fix named, and nothing is tried", async () => {
  const secure = { protocol: "https:", hostname: "stories.example", origin: "https://stories.example" };
  const none = () => assert.fail("nothing may be asked");
  const there = page("http://192.168.1.20:8414", { page: secure, fetch: none, WebSocket: none });
  await there.sidecar.start();
  assert.deepEqual(there.states.at(-1), ["unreachable", "mixed_content"]);
  assert.match(there.sidecar.problem().message, /https/);
  assert.match(there.sidecar.problem().hint, /certificate|over http/);
  assert.equal(there.clock.waiting, 0);
  assert.equal((await failure(there.sidecar.pair())).code, "mixed_content");
});

test("a page of the internet that the browser keeps from this machine is told to ask for leave", async () => {
  const secure = { protocol: "https:", hostname: "stories.example", origin: "https://stories.example" };
  const { sidecar, states } = page(await deadUrl(), { page: secure });
  await sidecar.start();
  assert.deepEqual(states.at(-1), ["unreachable", "local_network_blocked"]);
  const plain = page(await deadUrl(), { page: { ...secure, protocol: "http:" } });
  await plain.sidecar.start();
  assert.match(plain.sidecar.problem().hint, /over https/);
});

// ---- calls ----

test("calls run side by side, with progress, and errors have code, message and hint", async () => {
  const held = [];
  const here = await ready((message, line) => {
    if (message.method === "bad") throw { code: -32000, message: "No.", data: { code: "not_found", hint: "Look elsewhere." } };
    if (message.method === "odd") throw { code: -32601, message: "There is no such method." };
    held.push(() => {
      line.send(JSON.stringify({ jsonrpc: "2.0", method: "progress", params: { id: message.id, done: 1, total: 2 } }));
      line.send(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: message.method }));
    });
  });
  const { sidecar } = page(here.url);
  await sidecar.start();
  const seen = [];
  const one = sidecar.call("one", {}, { onProgress: (...figures) => seen.push(figures) });
  const two = sidecar.call("two");
  await until(() => held.length === 2);
  held[1]();
  assert.equal(await two, "two");
  held[0]();
  assert.equal(await one, "one");
  assert.deepEqual(seen, [[1, 2]]);
  const bad = await failure(sidecar.call("bad"));
  assert.deepEqual([bad.code, bad.message, bad.hint], ["not_found", "No.", "Look elsewhere."]);
  assert.equal((await failure(sidecar.call("odd"))).code, "sidecar_error");
});

test("a call that is stopped or late ends at once and is cancelled there", async () => {
  const here = await ready(() => undefined);
  const { sidecar, clock } = page(here.url);
  await sidecar.start();
  const controller = new AbortController();
  const stoppedCall = failure(sidecar.call("slow", {}, { signal: controller.signal }));
  controller.abort();
  assert.equal((await stoppedCall).code, "cancelled");
  const late = failure(sidecar.call("slow", {}, { seconds: 3 }));
  clock.pass(3000);
  assert.equal((await late).code, "cancelled");
  const ids = () => here.messages.filter(({ method }) => method === "slow").map(({ id }) => id);
  const cancels = () => here.messages.filter(({ method }) => method === "cancel").map(({ params }) => params.id);
  await until(() => cancels().length === 2);
  assert.deepEqual(cancels(), ids());
});

test("long messages travel in chunks, both ways, characters whole", async () => {
  const text = "Ω🐈".repeat(5000);
  const here = await ready((message, line) => {
    const whole = JSON.stringify({ jsonrpc: "2.0", id: message.id, result: { text: message.params.text } });
    for (const frame of split(whole, "s1", 4096)) line.send(frame);
  });
  here.limits = { frame: 4096 };
  const { sidecar } = page(here.url);
  await sidecar.start();
  const sent = [];
  for (const line of here.sockets) line.on("message", (data) => sent.push(data.length));
  assert.equal((await sidecar.call("echo", { text })).text, text);
  assert.ok(sent.length > 2);
  assert.ok(Math.max(...sent) <= 4096);
});

test("chunks that fit nowhere end the connection with a name", async () => {
  const here = await ready((_message, line) => void line.send(JSON.stringify({ chunk: { id: "x", at: 1, of: 3, text: "" } })));
  const { sidecar } = page(here.url);
  await sidecar.start();
  assert.equal((await failure(sidecar.call("any"))).code, "sidecar_protocol");
});

// ---- the end of a connection ----

test("when the connection ends every waiting call ends with a name, and it is tried again", async () => {
  const here = await ready(() => undefined);
  const { sidecar, clock, states } = page(here.url);
  await sidecar.start();
  const calls = [failure(sidecar.call("one")), failure(sidecar.call("two"))];
  await until(() => here.messages.length === 4);
  for (const line of here.sockets) line.terminate();
  for (const error of await Promise.all(calls)) assert.equal(error.code, "sidecar_closed");
  assert.deepEqual(states.at(-1), ["unreachable", "sidecar_closed"]);
  assert.equal(sidecar.runtimeUrl(), undefined);
  assert.equal((await failure(sidecar.call("three"))).code, "sidecar_closed");
  clock.pass(clock.waits[0]);
  await until(() => sidecar.state() === "connected");
});

test("what the sidecar says before it closes is the reason", async () => {
  const here = await ready((_message, line) => {
    line.send(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "The sidecar is shutting down.", data: { code: "closing", hint: "Later." } } }));
    line.close(1001, "closing");
  });
  const { sidecar } = page(here.url);
  await sidecar.start();
  assert.equal((await failure(sidecar.call("any"))).code, "closing");
});

test("a sidecar that closes each time soon is not asked each second", async () => {
  const here = await ready();
  const { sidecar, clock } = page(here.url);
  await sidecar.start();
  const waits = [];
  for (let round = 0; round < 4; round++) {
    for (const line of here.sockets) line.terminate();
    await until(() => sidecar.state() === "unreachable");
    waits.push(clock.waits[0]);
    clock.pass(clock.waits[0]);
    await until(() => sidecar.state() === "connected");
  }
  assert.deepEqual(waits, [1000, 2000, 4000, 8000]);
  clock.pass(15_000); // long enough to count as one that stands
  for (const line of here.sockets) line.terminate();
  await until(() => sidecar.state() === "unreachable");
  assert.equal(clock.waits[0], 1000);
});

test("a line that gives no sign of life is given up", async () => {
  const here = await ready();
  const { sidecar, clock } = page(here.url);
  await sidecar.start();
  clock.pass(20_000);
  const pings = () => here.messages.filter(({ method }) => method === "ping").length;
  await until(() => pings() === 1 && clock.waits.at(-1) === 20_000);
  const { answer } = here;
  here.answer = (message, line) => (message.method === "ping" ? undefined : answer(message, line));
  clock.pass(20_000);
  await until(() => pings() === 2);
  clock.pass(10_000);
  await until(() => sidecar.state() === "unreachable");
  assert.equal(sidecar.problem().code, "sidecar_late");
});

test("after sleep the line is looked at, or tried anew, without waiting", async () => {
  const here = await ready();
  const { sidecar, wakes } = page(here.url);
  await sidecar.start();
  wakes.dispatchEvent(new Event("online"));
  await until(() => here.messages.some(({ method }) => method === "ping"));
  for (const line of here.sockets) line.terminate();
  await until(() => sidecar.state() === "unreachable");
  wakes.dispatchEvent(new Event("visibilitychange"));
  await until(() => sidecar.state() === "connected");
});

test("who comes back says what it has seen, and hears what changed meanwhile", async () => {
  const here = await ready();
  const { sidecar, clock, events } = page(here.url);
  await sidecar.start();
  for (const line of here.sockets) line.send(JSON.stringify({ jsonrpc: "2.0", method: "changed", params: { chat: "c", scope: "", run: "r1", revision: 9 } }));
  await until(() => events.length);
  assert.deepEqual(events, [{ method: "changed", params: { chat: "c", scope: "", run: "r1", revision: 9 } }]);
  here.answer = usual(here, undefined, { revision: 12, everything: false, changed: [{ chat: "d", scope: "" }] });
  for (const line of here.sockets) line.terminate();
  await until(() => sidecar.state() === "unreachable");
  clock.pass(1000);
  await until(() => sidecar.state() === "connected");
  assert.deepEqual(here.messages.findLast(({ method }) => method === "hello").params.seen, { run: "r1", revision: 9 });
  assert.deepEqual(events[1], { method: "changed", params: { everything: false, changed: [{ chat: "d", scope: "" }] } });
});

test("stopped, it is silent: calls end, no timer stays, and it can be started again", async () => {
  const here = await ready(() => undefined);
  const { sidecar, clock, states } = page(here.url);
  await sidecar.start();
  const call = failure(sidecar.call("any"));
  sidecar.stop();
  assert.equal((await call).code, "sidecar_off");
  assert.deepEqual(states.at(-1), ["off", ""]);
  assert.equal(clock.waiting, 0);
  assert.equal((await failure(sidecar.call("any"))).code, "sidecar_off");
  await until(() => here.sockets.size === 0);
  await sidecar.start();
  assert.equal(sidecar.state(), "connected");
});

test("stopped and started while it is looking, it still arrives", async () => {
  const here = await ready();
  const { sidecar } = page(here.url);
  void sidecar.start();
  sidecar.stop();
  await sidecar.start();
  assert.equal(sidecar.state(), "connected");
  await until(() => here.sockets.size === 1);
});
