import assert from "node:assert/strict";
import { test } from "node:test";
import { openModule } from "../../wasm/local.js";
import { deferred, failure, lock, message, open, sources } from "./kit.mjs";

const module = new URL("./fake-local.mjs", import.meta.url).href;
const local = (what, options = {}) => ({ module, options: { what, database: "tidelore-local", ...options } });
const STORY = [message("Mara", "My cat is called Biscuit."), message("Tobin", "Biscuit sleeps by the stove.", "assistant")];
const outcomes = (events, step) => events.filter((event) => event.step === step).map(({ outcome }) => outcome);

/** A started engine, closed after the work. */
async function within(options, work) {
  const events = [];
  const link = open({ ...options, onEvent: (event) => events.push(event) });
  try {
    return await work(link, await link.ready, events);
  } finally {
    link.close();
  }
}

/** Remembers and recalls: what the card says. */
async function remembers(link) {
  await link.call("chat.update", { chat: "c", messages: STORY });
  await link.call("extract.run", { chat: "c", lag: 0 });
  return (await link.call("recall.run", { chat: "c", query: "What is the cat called?" })).cards[0].text;
}

test("a store in the worker is asked by the engine, and the page's is not", async () => {
  const store = new Proxy({}, { get: () => () => assert.fail("the page was asked") });
  await within({ local: { store: local("store") }, ports: { store } }, async (link, info) => {
    assert.equal(info.store, "indexeddb");
    assert.match(await remembers(link), /Biscuit/);
    assert.deepEqual((await link.call("chat.list")).chats.map(({ chat }) => chat), ["c"]);
  });
});

test("a store that does not open is said once, and memory works until the worker ends", async () => {
  for (const store of [local("store", { refuse: "The operation is insecure." }), local("no such store"), { module: new URL("./nowhere.mjs", import.meta.url).href }]) {
    await within({ local: { store } }, async (link, info, events) => {
      assert.equal(info.store, "memory");
      const said = events.filter(({ step }) => step === "store");
      assert.deepEqual(said.map(({ outcome }) => outcome), ["memory"]);
      assert.ok(said[0].detail);
      assert.match(await remembers(link), /Biscuit/);
    });
  }
});

test("a module that does not open in time is given up", async () => {
  const error = await failure(openModule(local("store", { hang: true }), {}, 0.05));
  assert.match(error.message, /within 0.05 s/);
});

test("without a local store, ready says whether the page has one", async () => {
  const { memoryStore } = await import("./memory-store.mjs");
  await within({}, async (_, info) => assert.equal(info.store, "memory"));
  await within({ ports: { store: memoryStore() } }, async (_, info) => assert.equal(info.store, "page"));
});

test("vectors in the worker ask the page's embedding model, and its failure leaves words to recall by", async () => {
  const asked = [];
  const embed = {
    model: { name: "m", dimension: 2, scale: 1, floor: 0.9 },
    async embed({ texts, kind }) {
      asked.push(kind);
      return Float32Array.from(texts.flatMap((text) => (/stove|warm/.test(text) ? [1, 0] : [0, 1]))).buffer;
    },
  };
  const vectors = local("vectors", { rows: local("rows") });
  await within({ local: { vectors }, ports: { embed } }, async (link) => {
    await link.call("chat.update", { chat: "c", messages: STORY });
    assert.deepEqual((await link.call("extract.run", { chat: "c", lag: 0 })).degraded ?? [], []);
    assert.deepEqual(asked, [], "the page says when");
    const { texts, degraded } = await link.call("embed.run", { chat: "c" });
    assert.deepEqual([texts > 1, degraded], [true, []]);
    assert.ok(asked.includes("passage"));
    const { cards } = await link.call("recall.run", { chat: "c", query: "Somewhere warm, please" });
    assert.ok(cards.some(({ text }) => /stove/.test(text)), "no word in common: only the vectors know");
    assert.equal(asked.filter((kind) => kind === "query").length, 1);
    embed.embed = async () => {
      throw Object.assign(new Error("There is no key."), { code: "model_refused", hint: "Enter a key." });
    };
    const answer = await link.call("recall.run", { chat: "c", query: "What is the cat called, once more?" });
    assert.match(answer.cards[0].text, /Biscuit/);
    assert.match(JSON.stringify(answer), /no key/);
    // No model any more, then another one.
    link.setPorts({});
    assert.match((await link.call("recall.run", { chat: "c", query: "cat" })).cards[0].text, /Biscuit/);
    const other = { ...embed, model: { ...embed.model, name: "other", dimension: 3 }, embed: async ({ texts }) => texts.map(() => [1, 2, 3]) };
    link.setPorts({ embed: other });
    await link.call("chat.update", { chat: "c", messages: [...STORY, message("Mara", "Tobin feeds the cat at noon.")] });
    await link.call("extract.run", { chat: "c", lag: 0 });
    assert.deepEqual((await link.call("embed.run", { chat: "c" })).degraded, []);
  });
});

/** An embedding model that notes what it was asked, and hangs when it is told to. */
function noting() {
  const asked = [];
  const begun = deferred();
  const made = {
    asked,
    begun: begun.promise,
    hangs: false,
    model: { name: "m", dimension: 2, scale: 1, floor: 0.9 },
    embed({ texts }) {
      asked.push(...texts);
      if (!made.hangs) return texts.map(() => [0, 1]);
      begun.resolve();
      return new Promise(() => {});
    },
  };
  return made;
}

/** Store and vectors on a database of their own, and a chat with forty memories by hand. */
const withKegs = (database, embed, work) =>
  within({ local: { vectors: local("vectors", { rows: local("rows", { database }) }), store: local("store", { database }) }, ports: { embed } }, async (link) => {
    await link.call("chat.update", { chat: "c", messages: STORY });
    const items = Array.from({ length: 40 }, (_, number) => ({ text: `Keg ${number} holds ${number + 7} herrings.` }));
    await link.call("nodes.write", { chat: "c", items });
    await work(link, await link.call("embed.run", { chat: "c" }));
  });

test("undoing a batch costs the vectors of no other memory, and redoing it none at all", async () => {
  const embed = noting();
  await withKegs("tidelore-undo", embed, async (link, before) => {
    const lamps = [1, 2, 3, 4, 5].map((number) => ({ text: `Lamp ${number} is out.` }));
    const { items } = await link.call("nodes.write", { chat: "c", items: lamps });
    await link.call("embed.run", { chat: "c" });
    assert.equal(embed.asked.filter((text) => text.includes("Lamp")).length, 5);
    embed.asked.length = 0;
    const undos = [];
    for (const { commit } of items) undos.push((await link.call("undo", { chat: "c", commit })).commit);
    assert.deepEqual([(await link.call("embed.run", { chat: "c" })).texts, embed.asked], [before.texts, []]);
    for (const commit of undos) await link.call("undo", { chat: "c", commit });
    assert.deepEqual([(await link.call("embed.run", { chat: "c" })).texts, embed.asked], [before.texts + 5, []]);
  });
});

test("what is purged leaves no vector, though the embedding model hangs", async () => {
  const embed = noting();
  await withKegs("tidelore-purge", embed, async (link) => {
    const { nodes } = await link.call("graph.get", { chat: "c" });
    embed.hangs = true;
    await link.call("node.write", { chat: "c", text: "A bell rings." });
    void failure(link.call("embed.run", { chat: "c" }));
    await embed.begun;
    const { id } = nodes.find(({ text }) => text.includes("Keg 3 "));
    const { receipts } = await link.call("node.purge", { chat: "c", node: id }, { deadline: 20_000 });
    assert.equal(receipts.find(({ place }) => place === "vectors").state, "done");
  });
});

test("a call that is cancelled while the page embeds ends, and the page is told", async () => {
  let told;
  const aborted = new Promise((done) => (told = done));
  let began;
  const asked = new Promise((done) => (began = done));
  const embed = {
    model: { name: "m", dimension: 2, scale: 1, floor: 0.5 },
    embed(_, signal) {
      signal.addEventListener("abort", told);
      began();
      return new Promise(() => {});
    },
  };
  await within({ local: { vectors: local("vectors") }, ports: { embed } }, async (link) => {
    await link.call("chat.update", { chat: "c", messages: STORY });
    await link.call("extract.run", { chat: "c", lag: 0 });
    const stop = new AbortController();
    const waiting = failure(link.call("embed.run", { chat: "c" }, { signal: stop.signal }));
    await asked;
    stop.abort();
    assert.equal((await waiting).code, "cancelled");
    await aborted;
    assert.ok(await link.call("chat.list"));
  });
});

test("a plain start keeps a snapshot and what came over the net", async () => {
  const far = sources.map((source) => ({ ...source, name: "far", keep: true, parts: ["runtime", "engine"] }));
  const events = [];
  const link = open({ sources: far, local: { files: local("files") }, onEvent: (event) => events.push(event) });
  const kept = new Promise((done) => {
    const look = () => (outcomes(events, "keep").length ? done(undefined) : setTimeout(look, 5));
    look();
  });
  assert.equal((await link.ready).how, "plain");
  await kept;
  link.close();
  assert.deepEqual([outcomes(events, "files"), outcomes(events, "keep")], [["kept"], ["kept"]]);
  const about = events.find(({ step }) => step === "files").detail.split(", ");
  assert.deepEqual(about, lock.files.filter(({ part }) => part === "runtime").map(({ name }) => name));
});

test("a kept snapshot that fails is followed by a plain start; after two failures snapshots are left alone", async () => {
  const snapshot = Uint8Array.from([1, 2, 3]);
  const files = (failures) => local("files", { files: { build: lock.build, snapshot, failures } });
  const own = sources.map((source) => ({ ...source, parts: ["runtime", "engine"] }));
  await within({ sources: own, local: { files: files(0) } }, async (link, info, events) => {
    assert.equal(info.how, "plain");
    assert.deepEqual(outcomes(events, "snapshot"), ["failed"]);
    assert.match(await remembers(link), /Biscuit/);
  });
  await within({ local: { files: files(2) } }, async (_, info, events) => {
    assert.equal(info.how, "plain");
    assert.deepEqual([outcomes(events, "snapshot"), outcomes(events, "keep")], [[], []]);
  });
});

test("files that cannot be kept cost nothing but time", async () => {
  await within({ local: { files: local("files", { refuse: "denied" }) } }, async (_, info, events) => {
    assert.equal(info.how, "snapshot");
    assert.deepEqual(outcomes(events, "files"), ["none"]);
  });
});
