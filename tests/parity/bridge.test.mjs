import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { deferred, failure, message, open } from "./kit.mjs";
import { memoryStore } from "./memory-store.mjs";

const STORY = [message("Mara", "My cat is called Biscuit."), message("Tobin", "Biscuit sleeps by the stove.", "assistant")];

/** A model that says what it is told to, and waits where it is told to. */
const model = { name: "scripted", asked: [], say: async () => "{}" };
const ports = {
  store: memoryStore(),
  complete: {
    name: model.name,
    complete(messages, schema, budget, signal) {
      model.asked.push({ messages, schema, budget, signal });
      return model.say(signal);
    },
  },
};
/** @type {ReturnType<typeof open>} */
let link;

before(async () => {
  link = open({ ports });
  await link.ready;
});
after(() => link.close());

/** A chat whose exchange is due for the model. */
async function due(chat) {
  model.asked.length = 0;
  await link.call("chat.update", { chat, messages: STORY });
  return (options) => link.call("extract.run", { chat, by: "model", lag: 0 }, options);
}

test("a call gives the service's result", async () => {
  const updated = await link.call("chat.update", { chat: "one", messages: STORY });
  assert.equal(updated.messages, 2);
  const seen = [];
  const done = await link.call("extract.run", { chat: "one", lag: 0 }, { onProgress: (...figures) => seen.push(figures) });
  assert.equal(done.windows, 2);
  assert.deepEqual(seen.at(-1), [2, 2]);
  const { cards } = await link.call("recall.run", { chat: "one", query: "What is the cat called?" });
  assert.match(cards[0].text, /Biscuit/);
});

test("a call without parameters works, and results are plain JSON", async () => {
  const { schema } = await link.call("schema.get");
  assert.deepEqual(JSON.parse(JSON.stringify(schema)), schema);
});

test("errors carry code, message and hint as the engine's do", async () => {
  const unknown = await failure(link.call("nope.nope"));
  assert.deepEqual([unknown.code, unknown.message], ["bad_input", "There is no method named 'nope.nope'."]);
  assert.match(unknown.hint, /node\.pin/);
  const missing = await failure(link.call("graph.get", { chat: "nobody's" }));
  assert.equal(missing.code, "not_found");
  assert.ok(missing.hint);
  assert.equal((await failure(link.call("chat.update", { chat: 7 }))).code, "bad_input");
});

test("an error of a port or a name that is no text ends its call only", async () => {
  const { version } = ports.store;
  ports.store.version = () => ({ not: "a number" });
  try {
    assert.equal((await failure(link.call("chat.list"))).code, "store_error");
  } finally {
    ports.store.version = version;
  }
  const error = await failure(link.call(["no name"]));
  assert.equal(error.code, "bad_input");
  assert.ok(await link.call("chat.list"));
});

test("parameters that are no JSON are refused, and the next call works", async () => {
  const round = { chat: "x" };
  round.round = round;
  for (const params of [{ chat: () => {} }, { chat: 10n }, round]) {
    const error = await failure(link.call("chat.get", params));
    assert.equal(error.code, "bad_input");
  }
  assert.ok(await link.call("chat.list"));
});

test("deeply nested values are refused, in parameters and in answers, and the next call works", async () => {
  for (const depth of [900, 3_000, 100_000]) {
    const nested = JSON.parse("[".repeat(depth) + "]".repeat(depth));
    assert.equal((await failure(link.call("chat.update", { chat: "deep", messages: nested }))).code, "bad_input");
    const { version } = ports.store;
    ports.store.version = () => nested;
    try {
      assert.equal((await failure(link.call("chat.list"))).code, "store_error");
    } finally {
      ports.store.version = version;
    }
    assert.ok(await link.call("chat.list"));
  }
});

test("the model port is asked with messages, schema and budget, and its answer becomes memory", async () => {
  const run = await due("asked");
  model.say = async () => JSON.stringify({ facts: [], moments: [], entities: [] });
  const done = await run();
  assert.equal(done.windows + done.empty, 1);
  const [asked] = model.asked;
  assert.ok(asked.messages.some(({ content }) => content.includes("Biscuit")));
  assert.equal(typeof asked.schema, "object");
  assert.equal(asked.budget, 300);
});

test("a model that fails with a code gives that error of the engine", async () => {
  for (const [code, expected] of [["model_refused", /no key/], ["model_unreachable", /no key/], ["", /no key/]]) {
    const run = await due(`fails ${code}`);
    model.say = async () => {
      throw Object.assign(new Error("There is no key."), { code: code || undefined, hint: "Enter a key." });
    };
    const done = await run();
    assert.match(done.interrupted, expected);
    assert.equal(done.remaining, 1);
  }
});

test("an answer that is no text, or cannot be sent, fails that window only", async () => {
  for (const answer of [7, undefined, () => {}]) {
    const run = await due(`odd ${typeof answer}`);
    model.say = async () => answer;
    const done = await run();
    assert.equal(done.failed.length + (done.interrupted ? 1 : 0), 1);
  }
});

test("a signal ends the wait at once, the model is told, and the engine works on", async () => {
  const run = await due("stopped");
  const asked = deferred();
  const told = deferred();
  model.say = (signal) => {
    asked.resolve();
    signal.addEventListener("abort", () => told.resolve());
    return new Promise(() => {});
  };
  const stop = new AbortController();
  const waiting = run({ signal: stop.signal });
  await asked.promise;
  stop.abort();
  assert.equal((await failure(waiting)).code, "cancelled");
  await told.promise;
  assert.equal((await failure(link.call("chat.list", {}, { signal: stop.signal }))).code, "cancelled");
  model.say = async () => "{}";
  await run(); // not busy: the first run has ended
});

test("a deadline ends the wait, and the model is told", async () => {
  const run = await due("late");
  const told = deferred();
  model.say = (signal) => {
    signal.addEventListener("abort", () => told.resolve());
    return new Promise(() => {});
  };
  const error = await failure(run({ deadline: 200 }));
  assert.equal(error.code, "cancelled");
  assert.match(error.message, /200 ms/);
  await told.promise;
});

test("sixteen calls at once each get their own answer", async () => {
  const chats = Array.from({ length: 16 }, (_, at) => `chat ${at}`);
  await Promise.all(
    chats.map(async (chat, at) => {
      const messages = [message("Mara", `My cat is called Biscuit${at}.`)];
      assert.equal((await link.call("chat.update", { chat, messages })).chat, chat);
      await link.call("extract.run", { chat, lag: 0 });
      const { cards } = await link.call("recall.run", { chat, query: "What is the cat called?" });
      assert.match(cards[0].text, new RegExp(`Biscuit${at}\\.`));
    }),
  );
  const { chats: listed } = await link.call("chat.list");
  assert.deepEqual(listed.map(({ chat }) => chat).filter((chat) => chat.startsWith("chat ")).sort(), [...chats].sort());
});

test("hostile strings go through unchanged", async () => {
  const names = ["\0", "x\0y", "😀 𠮷", "\u2028\u2029x", "__proto__", "\ufeff\uffff", "'\"\\\n"].map((end) => `n${end}`);
  for (const chat of names) assert.equal((await link.call("chat.update", { chat, messages: STORY })).chat, chat);
  const listed = new Set((await link.call("chat.list")).chats.map(({ chat }) => chat));
  for (const chat of names) assert.ok(listed.has(chat), JSON.stringify(chat));
  for (const half of ["n\ud800", "n\udc00b", "😀 \ud83d"]) {
    // The engine takes no half characters as names: what matters here is that it sees them and says so.
    assert.match((await failure(link.call("chat.update", { chat: half, messages: STORY }))).message, /half of a character/);
  }
  const error = await failure(link.call("graph.get", JSON.parse('{"__proto__": "x", "chat": "one"}')));
  assert.equal(error.code, "bad_input");
  assert.match(error.message, /__proto__/);
});

test("hostile message texts are remembered and shown", async () => {
  const text = "My cat\0 is \ud800 called 😀 Biscuit.";
  await link.call("chat.update", { chat: "hostile", messages: [message("M\0a\udfffra", text)] });
  await link.call("extract.run", { chat: "hostile", lag: 0 });
  const { nodes } = await link.call("graph.get", { chat: "hostile" });
  assert.ok(nodes.length);
});

test("five megabytes of text in one message", async () => {
  const text = `My cat is called Biscuit. ${"The rain stops. 林晚笑了笑。".repeat(160_000)}`;
  assert.ok(new TextEncoder().encode(text).length > 5_000_000);
  const updated = await link.call("chat.update", { chat: "big", messages: [message("Mara", text)] });
  assert.equal(updated.messages, 1);
  const [chat] = (await link.call("chat.list")).chats.filter((each) => each.chat === "big");
  assert.equal(chat.messages, 1);
});

test("what the page stores is there for the next engine, whatever JavaScript thinks of the numbers", async () => {
  const { nodes } = await link.call("graph.get", { chat: "one" });
  const second = open({ ports: { store: ports.store } });
  try {
    assert.deepEqual((await second.call("graph.get", { chat: "one" })).nodes, nodes);
  } finally {
    second.close();
  }
});

test("a store that fails gives its error, and nothing is reported done", async () => {
  const { write } = ports.store;
  ports.store.write = () => {
    throw Object.assign(new Error("The quota of the browser is full."), { code: "store_error", hint: "Free some space." });
  };
  try {
    const error = await failure(link.call("chat.update", { chat: "full", messages: STORY }));
    assert.deepEqual([error.code, error.message, error.hint], ["store_error", "The quota of the browser is full.", "Free some space."]);
  } finally {
    ports.store.write = write;
  }
  assert.equal((await link.call("chat.update", { chat: "full", messages: STORY })).inserted, 2);
});

test("a store that answers nonsense is a store error", async () => {
  const { settings } = ports.store;
  ports.store.settings = () => ({ schema: "{not json" });
  try {
    assert.equal((await failure(link.call("schema.get"))).code, "store_error");
  } finally {
    ports.store.settings = settings;
  }
});

test("an embedder that never answers holds up no extraction, and can be stopped", async () => {
  const asked = deferred();
  const dropped = deferred();
  const vectors = {
    model: { name: "hanging", dimension: 2, scale: 1, floor: 0.5 },
    put: (_texts, signal) => {
      asked.resolve();
      signal.addEventListener("abort", () => dropped.resolve());
      return new Promise(() => {});
    },
    score: () => new Promise(() => {}),
    gram: async () => [],
  };
  link.setPorts({ complete: ports.complete, vectors });
  try {
    await link.call("chat.update", { chat: "hanging", messages: STORY });
    const done = await link.call("extract.run", { chat: "hanging", lag: 0 }, { deadline: 10_000 });
    assert.deepEqual([done.windows, done.degraded], [2, []]);
    const stop = new AbortController();
    const embedding = link.call("embed.run", { chat: "hanging" }, { signal: stop.signal });
    await asked.promise;
    await link.call("chat.update", { chat: "hanging", messages: [...STORY, message("Mara", "My dog is called Rex.")] });
    await link.call("extract.run", { chat: "hanging", lag: 0 }, { deadline: 10_000 });
    const { cards } = await link.call("recall.run", { chat: "hanging", query: "What is the dog called?" }, { deadline: 10_000 });
    assert.match(cards[0].text, /Rex/);
    stop.abort();
    assert.equal((await failure(embedding)).code, "cancelled");
    await dropped.promise;
  } finally {
    link.setPorts({ complete: ports.complete });
  }
});

test("the model has as long for one window as its port says, within reason", async () => {
  for (const [seconds, budget] of [[20, 20], [1800, 1800], [86_400, 1800], [0.1, 1], [undefined, 300], ["long", 300]]) {
    link.setPorts({ complete: { ...ports.complete, seconds } });
    const run = await due(`patient ${seconds}`);
    model.say = async () => "{}";
    await run();
    assert.equal(model.asked[0].budget, budget, `${seconds}`);
  }
  link.setPorts({ complete: ports.complete });
});

test("the mirror may come and go while the engine runs", async () => {
  const mirror = { read: async () => null, write: async () => {}, remove: async () => {} };
  const off = await failure(link.call("sync.mirror"));
  link.setPorts({ complete: ports.complete, mirror });
  await link.call("sync.mirror");
  link.setPorts({ complete: ports.complete });
  assert.equal((await failure(link.call("sync.mirror"))).code, off.code);
});

test("vectors are asked, may come and go, and a late embedder degrades the recall", async () => {
  const asked = [];
  const vectors = {
    model: { name: "toy", dimension: 2, scale: 1, floor: 0.5 },
    put: async (texts) => void asked.push(["put", Object.keys(texts).length]),
    score: async (query, k, allowed) => (asked.push(["score", query, k, allowed]), []),
    gram: async (nodes) => nodes.map((_, row) => nodes.map((_, column) => Number(row === column))),
  };
  await link.call("chat.update", { chat: "vectors", messages: STORY });
  link.setPorts({ complete: ports.complete, vectors });
  await link.call("extract.run", { chat: "vectors", lag: 0 });
  await link.call("embed.run", { chat: "vectors" });
  const first = await link.call("recall.run", { chat: "vectors", query: "the cat" });
  assert.deepEqual(first.degraded, []);
  assert.deepEqual(asked.map(([what]) => what), ["put", "score"]);
  vectors.score = () => new Promise(() => {});
  const second = await link.call("recall.run", { chat: "vectors", query: "the cat" });
  assert.match(second.degraded.join(), /late/);
  assert.equal(second.cards.length, first.cards.length);
  link.setPorts({ complete: ports.complete });
  assert.deepEqual((await link.call("recall.run", { chat: "vectors", query: "cat" })).degraded, first.degraded);
});

test("closing ends every waiting call with a named error, and later calls too", async () => {
  const own = open({ ports: { store: memoryStore(), complete: { name: "slow", complete: () => new Promise(() => {}) } } });
  await own.ready;
  await own.call("chat.update", { chat: "c", messages: STORY });
  const waiting = [own.call("extract.run", { chat: "c", by: "model", lag: 0 }), own.call("chat.list"), own.call("chat.list")].map(failure);
  own.close();
  own.close();
  assert.deepEqual((await Promise.all(waiting)).map(({ code }) => code), ["closed", "closed", "closed"]);
  assert.equal((await failure(own.call("chat.list"))).code, "closed");
  own.setPorts({});
});
