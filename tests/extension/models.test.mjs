import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { completePort, SILENT_SECONDS, testModel } from "../../extension/models.js";
import { RANGES } from "../../extension/settings.js";
import { ANSWER, ask, bare, direct, endpoint, MESSAGES, sillytavern } from "./models_kit.mjs";
import { failure, FakeClock, PAGE, said, settings, until } from "./remote_kit.mjs";

// ---- which model ----

test("without a model the rules remember alone, and what is half filled in is no model", () => {
  const none = (model) => completePort({ host: bare, settings: settings({ model }) });
  assert.equal(none({ use: "none" }), null);
  assert.equal(none({ use: "profile", profile: "" }), null);
  assert.equal(none({ use: "endpoint", url: "http://x/v1", name: "" }), null);
  assert.equal(none({ use: "sidecar" }), null);
});

test("the port is named by the model, never by a key", async () => {
  const st = sillytavern();
  const named = (model) => completePort({ host: st.host, settings: settings({ model }), key: "sk-secret" }).name;
  assert.equal(named({ use: "current" }), "gpt-9");
  assert.equal(named({ use: "profile", profile: "p1" }), "tiny");
  assert.equal(named({ use: "endpoint", url: "http://x/v1", name: "scribe" }), "scribe");
});

test("the sidecar's model is asked over its socket, with the budget, and without tokens of the page", async () => {
  const asked = [];
  const sidecar = { offers: () => ({ model: "far", embedder: null }), call: async (...given) => (asked.push(given), { text: ANSWER, model: "far" }) };
  const port = completePort({ host: bare, settings: settings({ model: { use: "sidecar" } }), sidecar, clock: new FakeClock() });
  assert.equal(port.name, "far");
  assert.equal(await ask(port, 30), ANSWER);
  assert.equal(asked[0][0], "model.complete");
  assert.deepEqual(asked[0][1], { messages: MESSAGES, schema: {}, budget: 30 });
});

// ---- the connection in use ----

test("macros in a story are broken before SillyTavern fills them in, and the answer comes without its clean-up", async () => {
  const st = sillytavern();
  const port = completePort({ host: st.host, settings: settings({ model: { use: "current" } }), clock: new FakeClock() });
  assert.equal(await ask(port), ANSWER);
  assert.equal(st.seen[0].prompt[0].content, "What happened? { {user}} came.");
  assert.equal(st.seen[0].responseLength, 700);
  assert.equal(MESSAGES[0].content, "What happened? {{user}} came.");
});

test("a connection that is off is unreachable and is not asked", async () => {
  const st = sillytavern({ onlineStatus: "no_connection" });
  const port = completePort({ host: st.host, settings: settings({ model: { use: "current" } }), clock: new FakeClock() });
  assert.equal((await failure(ask(port))).code, "model_unreachable");
  assert.equal(st.seen.length, 0);
});

test("what SillyTavern throws is told apart by its words", async () => {
  const cases = [
    [new Error("Too Many Requests"), "model_unreachable"],
    [new Error("Got response status 503"), "model_unreachable"],
    [new TypeError("Failed to fetch"), "model_unreachable"],
    [new Error("Response not OK"), "model_unreachable"],
    [new Error("Unauthorized"), "model_refused"],
    [new Error("Not Found"), "model_refused"],
    [new Error("Got response status 400"), "model_refused"],
    [new Error("API request failed", { cause: new Error("Forbidden") }), "model_refused"],
    [new Error("API request failed", { cause: new Error("Bad Gateway") }), "model_unreachable"],
    [new Error("No message generated"), "model_answer"],
    [new Error("Cancelled by stop event"), "cancelled"],
  ];
  for (const [error, code] of cases) {
    const st = sillytavern({ generateRawData: () => Promise.reject(error) });
    const port = completePort({ host: st.host, settings: settings({ model: { use: "current" } }), clock: new FakeClock() });
    assert.equal((await failure(ask(port))).code, code, `${error.message} / ${error.cause?.message}`);
  }
});

test("an answer in which SillyTavern finds no text keeps what came", async () => {
  const st = sillytavern({ generateRawData: async () => ({ choices: [] }) });
  const port = completePort({ host: st.host, settings: settings({ model: { use: "current" } }), clock: new FakeClock() });
  const error = await failure(ask(port));
  assert.equal(error.code, "model_answer");
  assert.equal(error.raw, '{"choices":[]}');
});

// ---- connection profiles ----

const profile = (st, model = {}, clock = new FakeClock()) =>
  completePort({ host: st.host, settings: settings({ model: { use: "profile", profile: "p1", ...model } }), clock });

/** As SillyTavern streams: a function that gives a generator. */
const streaming = (...steps) =>
  async function* () {
    for (const step of steps) yield { text: "", state: { reasoning: "" }, ...step };
  };

test("a profile is asked without its preset, with the tokens of the settings", async () => {
  const st = sillytavern();
  assert.equal(await ask(profile(st)), ANSWER);
  const [id, messages, tokens, options] = st.seen[0];
  assert.deepEqual([id, messages, tokens, options.stream, options.includePreset], ["p1", MESSAGES, 700, false, false]);
});

test("models that know no max_tokens get the other name", async () => {
  const st = sillytavern();
  st.context.extensionSettings.connectionManager.profiles[0].model = "openai/gpt-5-mini";
  await ask(profile(st));
  assert.deepEqual(st.seen[0][4], { max_tokens: undefined, max_completion_tokens: 700 });
});

test("the streamed answer of a profile is its last text; reasoning is no answer", async () => {
  const service = (steps) => ({ isProfileSupported: () => true, sendRequest: async () => streaming(...steps) });
  const good = sillytavern({ ConnectionManagerRequestService: service([{ state: { reasoning: "hm" } }, { text: '{"oper' }, { text: ANSWER }]) });
  assert.equal(await ask(profile(good, { stream: true })), ANSWER);
  const only = sillytavern({ ConnectionManagerRequestService: service([{ state: { reasoning: "hm" } }]) });
  const error = await failure(ask(profile(only, { stream: true })));
  assert.equal(error.code, "model_answer");
  assert.match(error.message, /only reasoned/);
});

test("an empty stream is asked again plainly, which says what was wrong", async () => {
  const sendRequest = async (_id, _messages, _tokens, { stream }) => {
    if (stream) return streaming();
    throw new Error("API request failed", { cause: new Error("Payment Required") });
  };
  const st = sillytavern({ ConnectionManagerRequestService: { isProfileSupported: () => true, sendRequest } });
  assert.equal((await failure(ask(profile(st, { stream: true })))).code, "model_refused");
});

test("a profile whose service streams whatever it is asked is asked for a stream", async () => {
  const asked = [];
  const sendRequest = async (_id, _messages, _tokens, { stream }) => {
    asked.push(stream);
    if (stream) return streaming({ text: ANSWER });
    throw new Error("API request failed", { cause: new Error("invalid json response body at http://x reason: Unexpected token d") });
  };
  const st = sillytavern({ ConnectionManagerRequestService: { isProfileSupported: () => true, sendRequest } });
  assert.equal(await ask(profile(st)), ANSWER);
  assert.deepEqual(asked, [false, true]);
});

test("a profile that is gone is refused; one of an unknown API takes no other with it", async () => {
  const st = sillytavern();
  const { profiles } = st.context.extensionSettings.connectionManager;
  profiles.push({ id: "p2", name: "Odd", api: "unknown" });
  assert.deepEqual(st.host.profiles(), [{ id: "p1", name: "Small", model: "tiny" }]);
  const port = profile(st);
  profiles.length = 0;
  assert.equal((await failure(ask(port))).code, "model_refused");
  st.context.extensionSettings.disabledExtensions.push("connection-manager");
  assert.deepEqual(st.host.profiles(), []);
});

// ---- time ----

test("an answer that is late is unreachable, the request is ended, and no timer stays", async () => {
  const clock = new FakeClock();
  const closed = Promise.withResolvers?.() ?? deferred();
  const there = await endpoint(() => (response) => response.on("close", closed.resolve));
  const pending = failure(ask(direct(there.url, {}, { clock }), 20));
  await until(() => there.requests.length);
  clock.pass(19_999);
  assert.equal(clock.waiting, 1);
  clock.pass(1);
  const error = await pending;
  assert.equal(error.code, "model_unreachable");
  assert.match(error.message, /20 s/);
  await closed.promise;
  assert.equal(clock.waiting, 0);
});

test("a stream may go on for long as long as it speaks, and not be silent for long", async () => {
  const clock = new FakeClock();
  let response;
  const there = await endpoint(() => (given) => {
    response = given;
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.flushHeaders();
  });
  const seen = [];
  const port = direct(there.url, { stream: true, seconds: 1800 }, { clock });
  const pending = failure(ask(port, 10_000).then((text) => seen.push(text)));
  await until(() => response);
  for (let round = 0; round < 5; round++) {
    clock.pass((SILENT_SECONDS - 1) * 1000);
    response.write(`data: ${JSON.stringify({ choices: [{ delta: { reasoning_content: "hm" } }] })}\n\n`);
    // A sign of life begins the silence anew.
    await until(() => clock.waits[0] === SILENT_SECONDS * 1000);
  }
  clock.pass(SILENT_SECONDS * 1000);
  const error = await pending;
  assert.equal(error.code, "model_unreachable");
  assert.match(error.message, /Nothing came/);
  assert.deepEqual(seen, []);
});

test("a request that is stopped ends at once, also where SillyTavern cannot be stopped", async () => {
  const st = sillytavern({ generateRawData: () => new Promise(() => {}) });
  const clock = new FakeClock();
  const port = completePort({ host: st.host, settings: settings({ model: { use: "current" } }), clock });
  const controller = new AbortController();
  const pending = failure(ask(port, 60, controller.signal));
  controller.abort();
  assert.equal((await pending).code, "cancelled");
  assert.equal(clock.waiting, 0);
  assert.equal((await failure(ask(port, 60, controller.signal))).code, "cancelled");
});

// ---- the test of a connection ----

test("a test asks for real and says how long it took, or what is wrong and what to do", async () => {
  const clock = new FakeClock();
  const there = await endpoint(() => (clock.pass(120), { body: said('{"ready": true}') }));
  const given = { host: bare, settings: settings({ model: { url: there.url } }), clock, page: PAGE };
  assert.deepEqual(await testModel(given), { ok: true, detail: "scribe", ms: 120, error: null });
  there.rule = () => ({ status: 404, body: { error: { message: "no model scribe" } } });
  const bad = await testModel(given);
  assert.equal(bad.ok, false);
  assert.match(bad.detail, /no model scribe.*name of the model/);
  const none = await testModel({ ...given, settings: settings({ model: { use: "none" } }) });
  assert.equal(none.error.code, "no_model");
  const odd = await testModel({ ...given, settings: settings({ model: { url: "localhost:1234" } }) });
  assert.equal(odd.error.code, "bad_input");
});

function deferred() {
  let resolve;
  const promise = new Promise((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}

test("the person's time limit ends the wait, and so does the engine's where that is shorter", async () => {
  for (const [budget, expected] of [[300, 20], [15, 15]]) {
    const clock = new FakeClock();
    const host = { ...bare, askCurrent: () => new Promise(() => {}) };
    const port = completePort({ host, settings: settings({ model: { use: "current", seconds: 20 } }), clock, page: PAGE });
    const failed = failure(ask(port, budget));
    assert.deepEqual(clock.waits, [expected * 1000]);
    clock.pass(expected * 1000);
    const { code, message } = await failed;
    assert.deepEqual([code, message], ["model_unreachable", `The model did not answer within ${expected} s.`]);
  }
});

test("the engine hears of the person's time limit, and the longest one is the same wherever there is one", () => {
  for (const seconds of [10, 180, 1800]) {
    assert.equal(completePort({ host: bare, settings: settings({ model: { use: "current", seconds } }), page: PAGE }).seconds, seconds);
  }
  for (const [file, name] of [["wasm/engine_ports.py", "MOST_MODEL_SECONDS"], ["sidecar/tidelore/serve/extras.py", "LONGEST_BUDGET"]]) {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
    assert.equal(Number(new RegExp(`^${name} = ([\\d.]+)$`, "m").exec(text)[1]), RANGES["model.seconds"][1], name);
  }
});
