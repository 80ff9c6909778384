import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "../../../extension/store/database.js";
import { openPort as openRows } from "../../../extension/store/vector_rows.js";
import { WorkerVectors } from "../../../wasm/vectors.js";
import { failure, freshName } from "./kit.mjs";

const MODEL = { name: "m", dimension: 3, scale: 1, floor: 0.5 };
const NONE = new AbortController().signal;

/** An embedding model whose vector of a text is said by `vectors`, and what it was asked. */
function embedder(vectors, { buffer = false } = {}) {
  const asked = [];
  const events = [];
  const tools = {
    report: (event) => events.push(event),
    async ask(port, method, [{ texts, kind }]) {
      assert.deepEqual([port, method], ["embed", "embed"]);
      asked.push({ kind, texts });
      const rows = texts.map((text) => (typeof vectors === "function" ? vectors(text) : vectors[text]));
      return buffer ? Float32Array.from(rows.flat()).buffer : rows;
    },
  };
  return { tools, asked, events, texts: (kind = "passage") => asked.filter((each) => each.kind === kind).flatMap(({ texts }) => texts) };
}

async function open(vectors, { model = MODEL, database = undefined, ...how } = {}) {
  const made = embedder(vectors, how);
  const rows = database ? await openRows({ database }, { report() {} }) : undefined;
  const port = new WorkerVectors(made.tools, rows);
  port.use(model);
  return { port, ...made };
}

const SEA = { sea: [2, 0, 0], shore: [3, 3, 0], hill: [0, 0, 9], "the sea": [1, 0, 0] };

for (const buffer of [false, true]) {
  test(`the nearest come first, as cosines, from ${buffer ? "a buffer" : "rows"}`, async () => {
    const { port, texts } = await open(SEA, { buffer });
    await port.put({ a: "hill", b: "shore", c: "sea" }, NONE);
    assert.deepEqual(await port.score("the sea", 2, null, NONE), [["c", 1], ["b", 0.707107]]);
    assert.deepEqual(await port.score("the sea", 9, ["a", "b", "b", "unknown"], NONE), [["b", 0.707107], ["a", 0]]);
    assert.deepEqual(await port.gram(["c", "b", "unknown", "c"]), [[1, 0.707107, 0, 1], [0.707107, 1, 0, 0.707107], [0, 0, 1, 0], [1, 0.707107, 0, 1]]);
    assert.deepEqual(texts("query"), ["the sea"], "a query is embedded once");
  });
}

test("equal cosines are ordered by id, and nothing is asked for a blank query or before there are vectors", async () => {
  const { port, asked } = await open(SEA);
  assert.deepEqual(await port.score("the sea", 3, null, NONE), []);
  await port.put({ b: "sea", a: "sea", c: "  " }, NONE);
  assert.deepEqual(asked.map(({ texts }) => texts), [["sea"]], "equal texts are embedded once, blank ones never");
  assert.deepEqual((await port.score("the sea", 3, null, NONE)).map(([node]) => node), ["a", "b"]);
  assert.deepEqual(await port.score(" \n", 3, null, NONE), []);
  assert.deepEqual(await port.score("the sea", 0, null, NONE), []);
});

test("a text that is known is not embedded again, another text of the node is", async () => {
  const { port, texts } = await open(SEA);
  await port.put({ a: "sea", b: "hill" }, NONE);
  await port.put({ a: "sea", b: "shore" }, NONE);
  assert.deepEqual(texts(), ["sea", "hill", "shore"]);
  assert.deepEqual((await port.score("the sea", 5, null, NONE))[1], ["b", 0.707107]);
});

test("vectors outlive the worker, by model; a text that changed meanwhile is found", async () => {
  const database = freshName();
  const first = await open(SEA, { database });
  await first.port.put({ a: "sea", b: "hill" }, NONE);
  const second = await open(SEA, { database });
  await second.port.put({ a: "sea", b: "shore" }, NONE);
  assert.deepEqual(second.texts(), ["shore"]);
  assert.deepEqual(await second.port.score("the sea", 5, null, NONE), [["a", 1], ["b", 0.707107]]);
  const other = await open(SEA, { database, model: { ...MODEL, name: "another" } });
  assert.deepEqual(await other.port.score("the sea", 5, null, NONE), []);
  await other.port.put({ a: "sea" }, NONE);
  assert.deepEqual(other.texts(), ["sea"]);
  second.port.use({ ...MODEL, name: "another" });
  assert.deepEqual(await second.port.score("the sea", 5, null, NONE), [["a", 1]], "rows of both models lie side by side");
  assert.deepEqual(second.texts("query"), ["the sea", "the sea"], "a query is embedded by each model");
});

test("stored rows of another size under the same name are dropped, not mixed in", async () => {
  const database = freshName();
  const first = await open({ sea: [1, 0] }, { database, model: { ...MODEL, dimension: 2 } });
  await first.port.put({ a: "sea", z: "sea" }, NONE);
  const second = await open(SEA, { database });
  await second.port.put({ b: "shore" }, NONE);
  assert.deepEqual((await second.port.score("the sea", 5, null, NONE)).map(([node]) => node), ["b"]);
  const db = await connect(database);
  assert.deepEqual((await db.table("vectors").toArray()).map(({ node, vector }) => [node, vector.byteLength]), [["b", 12]]);
  db.close();
});

test("a model that names no size and gives another one than before starts anew", async () => {
  let size = 2;
  const { port, texts } = await open(() => Array(size).fill(1), { database: freshName(), model: { ...MODEL, dimension: 0 } });
  await port.put({ a: "one", b: "two" }, NONE);
  size = 3;
  await port.put({ a: "one", b: "two", c: "three" }, NONE);
  assert.deepEqual(texts(), ["one", "two", "three", "one", "two"]);
  assert.deepEqual((await port.score("query", 5, null, NONE)).map(([node]) => node), ["a", "b", "c"]);
});

test("a vector of nothing is an error and is not stored; the other texts are", async () => {
  for (const nothing of [[0, 0, 0], [NaN, 1, 1], [Infinity, 1, 1], [1e-9, 0, 0]]) {
    const { port } = await open({ ...SEA, odd: nothing });
    const error = await failure(port.put({ a: "sea", b: "odd" }, NONE));
    assert.equal(error.code, "model_answer");
    assert.match(error.message, /1 of 2/);
    assert.deepEqual((await port.score("the sea", 5, null, NONE)).map(([node]) => node), ["a"]);
    assert.equal((await failure(port.score("odd", 5, null, NONE))).code, "model_answer");
  }
});

test("an answer of the wrong shape is an error, and nothing of it is stored", async () => {
  const answers = [null, "text", [], [[1, 2, 3]], [[1, 2, 3], [1, 2]], [[1, 2], [3, 4]], [[1, 2, 3], ["1", 2, 3]], [[], []], new ArrayBuffer(20), new ArrayBuffer(0), new ArrayBuffer(16)];
  for (const answer of answers) {
    const { port, tools } = await open(SEA);
    const right = tools.ask;
    tools.ask = async () => answer;
    assert.equal((await failure(port.put({ a: "sea", b: "hill" }, NONE))).code, "model_answer");
    tools.ask = right;
    assert.deepEqual(await port.score("the sea", 5, null, NONE), []);
    await port.put({ a: "sea", b: "hill" }, NONE);
    assert.equal((await port.score("the sea", 5, null, NONE)).length, 2);
  }
});

test("what was embedded before a failure stays, and the next put goes on from there", async () => {
  let left = 1;
  const { port, tools, texts } = await open(() => [1, 2, 3]);
  const right = tools.ask;
  tools.ask = async (...asked) => {
    if (left-- <= 0) throw Object.assign(new Error("No network."), { code: "model_unreachable", hint: "" });
    return right(...asked);
  };
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`n${at}`, `text ${at}`]));
  assert.equal((await failure(port.put(many, NONE))).code, "model_unreachable");
  const before = texts().length;
  assert.ok(before > 0 && before < 100);
  left = 100;
  await port.put(many, NONE);
  assert.deepEqual(texts(), Object.values(many), "each text once");
});

test("without a model, or with one that fails, a query fails with the model's error", async () => {
  const { port, tools } = await open(SEA);
  await port.put({ a: "sea" }, NONE);
  tools.ask = async () => {
    throw Object.assign(new Error("No key."), { code: "model_refused", hint: "Enter one." });
  };
  assert.equal((await failure(port.score("the sea", 5, null, NONE))).code, "model_refused");
  port.use(null);
  assert.equal((await failure(port.score("the sea", 5, null, NONE))).code, "model_unreachable");
  assert.equal((await failure(port.put({ a: "sea" }, NONE))).code, "model_unreachable");
});

test("of queries the sixty-four asked for last are remembered", async () => {
  const { port, texts } = await open(() => [1, 2, 3]);
  await port.put({ a: "sea" }, NONE);
  for (let at = 0; at < 64; at++) await port.score(`q${at}`, 1, null, NONE);
  await port.score("q0", 1, null, NONE);
  await port.score("q64", 1, null, NONE);
  await port.score("q0", 1, null, NONE);
  await port.score("q1", 1, null, NONE);
  assert.deepEqual(texts("query").slice(64), ["q64", "q1"]);
});

test("a disk that takes no vectors is said once and costs no answer", async () => {
  const { port, tools, events } = await open(SEA);
  const broken = new WorkerVectors(tools, {
    load: async () => {
      throw new Error("unreadable");
    },
    put: async () => {
      throw new Error("no room");
    },
    drop: async () => {},
  });
  broken.use(MODEL);
  await broken.put({ a: "sea" }, NONE);
  await broken.put({ b: "hill" }, NONE);
  assert.equal((await broken.score("the sea", 5, null, NONE)).length, 2);
  assert.deepEqual(events.map(({ step, outcome }) => `${step} ${outcome}`), ["vectors unread", "vectors unsaved"]);
  assert.ok(port);
});

test("any order of puts leaves the same answers as one put of what stands at the end", async () => {
  let seed = 7;
  const random = (below) => ((seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 8) % below;
  const vectorOf = (text) => [...text].reduce(([a, b, c], letter) => [a + letter.charCodeAt(0), b + (letter.charCodeAt(0) % 7), c - (letter.charCodeAt(0) % 5)], [1, 1, 1]);
  for (let round = 0; round < 20; round++) {
    const { port } = await open(vectorOf);
    /** @type {Record<string, string>} */
    const standing = {};
    for (let step = 0; step < 12; step++) {
      const texts = {};
      for (let at = 0; at < 8; at++) texts[`n${random(20)}`] = random(5) ? `text ${random(30)}` : "";
      Object.assign(standing, texts);
      await port.put(texts, NONE);
    }
    const { port: fresh } = await open(vectorOf);
    await fresh.put(standing, NONE);
    assert.deepEqual(await port.score("query", 50, null, NONE), await fresh.score("query", 50, null, NONE));
  }
});

test("ten thousand vectors of 512 numbers are kept, loaded and searched", async () => {
  const database = freshName();
  const vectorOf = (text) => {
    let seed = Number(text.slice(1)) + 1;
    return Array.from({ length: 512 }, () => ((seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) >>> 8) / 2 ** 23 - 1);
  };
  const model = { ...MODEL, dimension: 512 };
  const { port } = await open(vectorOf, { model, database, buffer: true });
  const texts = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`n${at}`, `t${at}`]));
  await port.put(texts, NONE);
  const again = await open(vectorOf, { model, database, buffer: true });
  const [[node, cosine], ...others] = await again.port.score("t4321", 10, null, NONE);
  assert.deepEqual([node, cosine, others.length], ["n4321", 1, 9]);
  await again.port.put(texts, NONE);
  assert.deepEqual(again.texts(), []);
});

test("what is told to be forgotten is gone, here and after a restart, and is embedded anew when it is remembered anew", async () => {
  const database = freshName();
  const { port } = await open(SEA, { database });
  await port.put({ a: "sea", b: "shore", c: "hill" }, NONE);
  await port.forget(["a", "c", "unknown"]);
  assert.deepEqual(await port.score("the sea", 9, null, NONE), [["b", 0.707107]]);
  const again = await open(SEA, { database });
  assert.deepEqual((await again.port.score("the sea", 9, null, NONE)).map(([node]) => node), ["b"]);
  await again.port.put({ a: "sea" }, NONE);
  assert.deepEqual(again.texts(), ["sea"]);
});

/** A model that answers when it is let go. */
function held() {
  let open;
  const gate = new Promise((resolve) => (open = resolve));
  let begun;
  const asked = new Promise((resolve) => (begun = resolve));
  return { open, asked, tools: { report() {}, ask: (_port, _method, [{ texts }]) => (begun(), gate.then(() => texts.map((text) => SEA[text]))) } };
}

test("forgetting waits for no model, and what that brings for the forgotten is not kept", async () => {
  const database = freshName();
  const { tools, asked, open: go } = held();
  const rows = await openRows({ database }, { report() {} });
  const port = new WorkerVectors(tools, rows);
  port.use(MODEL);
  const putting = port.put({ a: "sea", b: "shore" }, NONE);
  await asked;
  await port.forget(["a"]);
  go();
  await putting;
  assert.deepEqual((await port.gram(["a", "b"]))[0][1], 0);
  assert.deepEqual((await rows.load("m")).map(({ node }) => node), ["b"]);
  await port.put({ a: "sea" }, NONE);
  assert.deepEqual((await rows.load("m")).map(({ node }) => node).sort(), ["a", "b"], "remembered anew, it is embedded anew");
});

test("a model that hangs holds up no other model", async () => {
  const { tools, asked } = held();
  const port = new WorkerVectors({ ...tools, ask: (...args) => (args[2][0].texts[0] === "hill" ? [SEA.hill] : tools.ask(...args)) });
  port.use(MODEL);
  void port.put({ a: "sea" }, NONE);
  await asked;
  port.use({ ...MODEL, name: "other" });
  await port.put({ a: "hill" }, NONE);
  assert.equal((await port.gram(["a"]))[0][0], 1);
});
