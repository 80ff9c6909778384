import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createEmbedder, GRACE_SECONDS } from "../../extension/embedder.js";
import { figuresOf } from "../../extension/remote/embedding_models.js";
import { MOST_TEXTS } from "../../extension/remote/embeddings.js";
import { deadUrl, failure, FakeClock, PAGE, service, settings, until } from "./remote_kit.mjs";

const never = () => new AbortController().signal;
const open = [];
after(() => Promise.all(open.map((each) => each.close())));

const vector = (text) => [text.length, 1, text.codePointAt(0) ?? 0];
const answer = (texts) => ({ data: texts.map((text, index) => ({ index, embedding: vector(text) })) });

async function endpoint(rule = ({ body }) => ({ body: answer(body.input) })) {
  const made = await service(rule);
  open.push(made);
  return made;
}

function made(url, change = {}, more = {}) {
  const clock = new FakeClock();
  const changes = [];
  const embedder = createEmbedder({ settings: settings({ embedder: { url: `${url}/v1`, name: "shapes", ...change } }), clock, page: PAGE, onChange: () => changes.push(embedder?.name()), ...more });
  return { embedder, clock, changes };
}

const rows = (buffer, dimension) => {
  const values = new Float32Array(buffer);
  return Array.from({ length: values.length / dimension }, (_, at) => [...values.subarray(at * dimension, (at + 1) * dimension)]);
};
const embed = (embedder, texts, kind = "passage", signal = never()) => embedder.port().embed({ texts, kind }, signal);

// ---- an endpoint ----

test("one vector a text in order, whatever the order of the answer; the first one tells the dimension", async () => {
  const there = await endpoint(({ body }) => ({ body: { data: answer(body.input).data.toReversed() } }));
  const { embedder, changes } = made(there.url);
  assert.equal(embedder.port().model.dimension, 0);
  assert.deepEqual(rows(await embed(embedder, ["a", "bb", "ccc"]), 3), ["a", "bb", "ccc"].map(vector));
  assert.equal(embedder.port().model.dimension, 3);
  assert.equal(changes.length, 1, "whoever shows it hears of the dimension once");
  await embed(embedder, ["d"]);
  assert.equal(changes.length, 1);
  assert.deepEqual(there.requests[0].body, { model: "shapes", input: ["a", "bb", "ccc"] });
});

test("many texts go in batches", async () => {
  const there = await endpoint();
  const { embedder } = made(there.url);
  const texts = Array.from({ length: MOST_TEXTS * 2 + 3 }, (_, at) => "x".repeat(at + 1));
  assert.deepEqual(rows(await embed(embedder, texts), 3), texts.map(vector));
  assert.deepEqual(
    there.requests.map(({ body }) => body.input.length),
    [64, 64, 3],
  );
});

test("a service that takes fewer at once gets fewer, also the next time", async () => {
  const there = await endpoint(({ body }) => (body.input.length > 10 ? { status: 400, body: { error: { message: "batch size" } } } : { body: answer(body.input) }));
  const { embedder } = made(there.url);
  const texts = Array.from({ length: 30 }, (_, at) => `t${at}`);
  assert.deepEqual(rows(await embed(embedder, texts), 3), texts.map(vector));
  assert.deepEqual(there.requests.map(({ body }) => body.input.length).slice(0, 3), [30, 15, 8]);
  const before = there.requests.length;
  await embed(embedder, texts);
  assert.equal(there.requests.length, before + 4);
});

test("a busy service is asked again after the time that it names, a few times", async () => {
  const there = await endpoint((_request, count) => (count === 1 ? { status: 429, headers: { "Retry-After": "7" }, body: {} } : { body: answer(["a"]) }));
  const { embedder, clock } = made(there.url);
  const pending = embed(embedder, ["a"]);
  await until(() => clock.waits[0] === 7000);
  assert.equal(there.requests.length, 1);
  clock.pass(7000);
  assert.deepEqual(rows(await pending, 3), [vector("a")]);

  there.rule = () => ({ status: 503, body: {} });
  const before = there.requests.length;
  const failed = failure(embed(embedder, ["a"]));
  for (const wait of [1000, 2000, 4000]) {
    await until(() => clock.waits[0] === wait);
    clock.pass(wait);
  }
  assert.equal((await failed).code, "model_unreachable");
  assert.equal(there.requests.length - before, 4);
  assert.equal(clock.waiting, 0);
});

test("a query is not tried again, nor is what is refused or what asks for too long a wait", async () => {
  const there = await endpoint(() => ({ status: 503, body: {} }));
  const { embedder } = made(there.url);
  assert.equal((await failure(embed(embedder, ["a"], "query"))).code, "model_unreachable");
  there.rule = () => ({ status: 401, body: { error: { message: "no key sk-secret-key" } } });
  assert.equal((await failure(embed(embedder, ["a"]))).code, "model_refused");
  there.rule = () => ({ status: 429, headers: { "Retry-After": "3600" }, body: {} });
  assert.equal((await failure(embed(embedder, ["a"]))).code, "model_unreachable");
  assert.equal(there.requests.length, 3);
});

test("the key goes in the header and stays out of errors", async () => {
  const key = "sk-secret-key";
  const there = await endpoint(({ headers }) => ({ status: 401, body: { error: { message: `bad ${headers.authorization}` } } }));
  const { embedder } = made(there.url, {}, { key });
  const error = await failure(embed(embedder, ["a"]));
  assert.equal(there.requests[0].headers.authorization, `Bearer ${key}`);
  assert.ok(!error.message.includes(key));
});

test("what is no direction is never handed on", async () => {
  const cases = [
    ["too few", { data: [{ index: 0, embedding: [1, 2, 3] }] }],
    ["twice the same place", { data: [0, 0].map((index) => ({ index, embedding: [1, 2, 3] })) }],
    ["none at all", {}],
    ["nothing in it", { data: [0, 1].map((index) => ({ index, embedding: [] })) }],
    ["zeros", { data: [0, 1].map((index) => ({ index, embedding: [0, 0, 0] })) }],
    ["no numbers", { data: [0, 1].map((index) => ({ index, embedding: [1, null, 3] })) }],
    ["texts", { data: [0, 1].map((index) => ({ index, embedding: "AAAA" })) }],
    ["unequal sizes", { data: [0, 1].map((index) => ({ index, embedding: [1, 2, 3].slice(index) })) }],
  ];
  for (const [what, body] of cases) {
    const there = await endpoint(() => ({ body }));
    const { embedder } = made(there.url);
    assert.equal((await failure(embed(embedder, ["a", "b"]))).code, "model_answer", what);
    assert.equal(embedder.port().model.dimension, 0, what);
  }
});

test("another dimension than before is an error", async () => {
  const there = await endpoint();
  const { embedder } = made(there.url);
  await embed(embedder, ["a"]);
  there.rule = () => ({ body: { data: [{ index: 0, embedding: [1, 2] }] } });
  const error = await failure(embed(embedder, ["a"]));
  assert.equal(error.code, "model_answer");
  assert.match(error.message, /2 numbers where 3/);
});

test("a model that wants to know what a text is for is told", async () => {
  const there = await endpoint();
  const { embedder } = made(there.url, { name: "intfloat/multilingual-e5-small" });
  await embed(embedder, ["tea"]);
  await embed(embedder, ["tea"], "query");
  assert.deepEqual(
    there.requests.map(({ body }) => body.input[0]),
    ["passage: tea", "query: tea"],
  );
});

test("figures are those of the model; one that nobody knows admits little by itself", () => {
  assert.ok(figuresOf("multilingual-e5-small").scale > figuresOf("text-embedding-3-small").scale);
  assert.equal(figuresOf("text-embedding-ada-002").floor > 0.8, true);
  assert.equal(figuresOf("BAAI/bge-m3").floor, figuresOf("bge-m3:latest").floor);
  assert.notEqual(figuresOf("bge-m3").floor, figuresOf("bge-small-en-v1.5").floor);
  assert.ok(figuresOf("somebody/new").floor >= 0.8);
});

test("a request that is stopped ends at once, also while it waits for a new try", async () => {
  const there = await endpoint(() => ({ status: 503, body: {} }));
  const { embedder, clock } = made(there.url);
  const controller = new AbortController();
  const pending = failure(embed(embedder, ["a"], "passage", controller.signal));
  await until(() => clock.waits[0] === 1000);
  controller.abort();
  await pending;
  assert.equal(clock.waiting, 0);
  assert.equal(there.requests.length, 1);
});

test("a dead address is unreachable, one that answers other pages only is named with the fix", async () => {
  const dead = made(await deadUrl());
  assert.equal((await failure(embed(dead.embedder, ["a"], "query"))).code, "model_unreachable");
  const blocked = async (_url, { mode } = {}) => {
    if (mode === "no-cors") return new Response();
    throw new TypeError("Failed to fetch");
  };
  const error = await failure(embed(made("http://127.0.0.1:9", {}, { fetch: blocked }).embedder, ["a"], "query"));
  assert.deepEqual([error.code, error.hint.includes(PAGE.origin)], ["cors_blocked", true]);
  const page = { protocol: "https:", hostname: "stories.example", origin: "https://stories.example" };
  const mixed = await failure(embed(made("http://192.168.1.5:1234", {}, { fetch: blocked, page }).embedder, ["a"], "query"));
  assert.equal(mixed.code, "mixed_content");
  const near = await failure(embed(made("http://127.0.0.1:1234", {}, { fetch: blocked, page }).embedder, ["a"], "query"));
  assert.equal(near.code, "local_network_blocked");
});

// ---- which one ----

class FakeSidecar {
  state_ = "looking";
  embedder = { name: "near", dimension: 2, scale: 9, floor: 0.5 };
  asked = [];
  vectors = [
    [1, 0.5],
    [0, 2],
  ];
  state = () => this.state_;
  problem = () => null;
  offers = () => ({ model: "", embedder: this.state_ === "connected" ? this.embedder : null });
  call = async (method, params) => {
    this.asked.push([method, params]);
    const values = Float32Array.from(this.vectors.slice(0, params.texts.length).flat());
    return { model: this.embedder.name, vectors: Buffer.from(values.buffer).toString("base64") };
  };
}

test("a connected sidecar comes first, and gets the kind in its own words", async () => {
  const sidecar = new FakeSidecar();
  sidecar.state_ = "connected";
  const { embedder } = made("http://127.0.0.1:1", {}, { sidecar });
  assert.deepEqual([embedder.kind(), embedder.name()], ["sidecar", "near"]);
  assert.deepEqual(rows(await embed(embedder, ["a", "b"]), 2), sidecar.vectors);
  await embed(embedder, ["a"], "query");
  assert.deepEqual(
    sidecar.asked.map(([method, { kind }]) => [method, kind]),
    [
      ["embed", "document"],
      ["embed", "query"],
    ],
  );
  sidecar.vectors = [[NaN, 1]];
  assert.equal((await failure(embed(embedder, ["a"]))).code, "model_answer");
});

test("nothing is embedded elsewhere while the sidecar is being looked for", () => {
  const sidecar = new FakeSidecar();
  const { embedder, changes } = made("http://127.0.0.1:1", {}, { sidecar });
  assert.equal(embedder.kind(), "none");
  sidecar.state_ = "unreachable";
  embedder.update();
  assert.equal(embedder.kind(), "endpoint");
  assert.deepEqual(changes, ["shapes"]);
  sidecar.state_ = "looking";
  embedder.update();
  assert.equal(embedder.kind(), "endpoint", "a later look changes nothing");
});

test("a sidecar that is away for a moment is waited for; after that the endpoint takes over", () => {
  const sidecar = new FakeSidecar();
  sidecar.state_ = "connected";
  const { embedder, clock, changes } = made("http://127.0.0.1:1", {}, { sidecar });
  const port = embedder.port();
  for (const state of ["unreachable", "looking", "unreachable"]) {
    sidecar.state_ = state;
    embedder.update();
    assert.equal(embedder.port(), port);
  }
  sidecar.state_ = "connected";
  embedder.update();
  assert.equal(embedder.port(), port);
  assert.equal(clock.waiting, 0);
  sidecar.state_ = "unreachable";
  embedder.update();
  clock.pass(GRACE_SECONDS * 1000 - 1);
  assert.equal(embedder.kind(), "sidecar");
  clock.pass(1);
  assert.equal(embedder.kind(), "endpoint");
  assert.equal(changes.at(-1), "shapes");
  sidecar.state_ = "connected";
  embedder.update();
  assert.equal(embedder.kind(), "sidecar");
});

test("texts go only where the settings say", async () => {
  const sidecar = new FakeSidecar();
  sidecar.state_ = "connected";
  const there = await endpoint();
  const used = (use, more = {}) => made(there.url, { use, ...more }, { sidecar }).embedder;
  assert.equal(used("none").port(), null);
  assert.equal(used("endpoint").kind(), "endpoint");
  assert.equal(used("sidecar").kind(), "sidecar");
  sidecar.state_ = "unreachable";
  assert.equal(used("sidecar").port(), null, "no other service steps in for a sidecar that was asked for");
  assert.equal(used("auto", { name: "" }).port(), null);
  sidecar.state_ = "connected";
  sidecar.embedder = null;
  assert.equal(used("auto").kind(), "endpoint", "a sidecar without an embedding model");
  assert.equal(there.requests.length, 0);
});

test("other settings take effect at once, equal ones change nothing", async () => {
  const { embedder, changes } = made("http://127.0.0.1:1");
  const port = embedder.port();
  embedder.update({ settings: settings({ embedder: { url: "http://127.0.0.1:1/v1", name: "shapes" } }) });
  assert.equal(embedder.port(), port);
  assert.equal(changes.length, 0);
  embedder.update({ settings: settings({ embedder: { url: "http://127.0.0.1:1/v1", name: "others" } }) });
  assert.equal(embedder.name(), "others");
  embedder.update({ settings: settings({ embedder: { use: "none" } }) });
  assert.deepEqual([embedder.port(), embedder.name()], [null, ""]);
  assert.equal(changes.length, 2);
});

test("a test embeds for real and says what is wrong", async () => {
  const there = await endpoint();
  const { embedder } = made(there.url);
  const good = await embedder.test();
  assert.deepEqual([good.ok, good.detail], [true, "shapes, 3"]);
  there.rule = () => ({ status: 404, body: { error: { message: "no such model" } } });
  const bad = await embedder.test();
  assert.equal(bad.ok, false);
  assert.match(bad.detail, /no such model/);
  const odd = await made("not an address").embedder.test();
  assert.equal(odd.error.code, "bad_input");
  assert.equal((await made("", { use: "none" }).embedder.test()).error.code, "no_embedder");
});
