import assert from "node:assert/strict";
import { test } from "node:test";
import { batch, change, commit, everything, failure, freshName, newChat, note, openStore, purge, row, source } from "./kit.mjs";
import Dexie from "../../../extension/vendor/dexie.mjs";
import { connect, openDatabase } from "../../../extension/store/database.js";
import { openPort } from "../../../extension/store/store.js";

/** Two tabs on one chat with two messages. */
async function twoTabs() {
  const name = freshName();
  const events = [];
  const here = await openStore(name);
  const there = await openStore(name, events);
  await here.write(batch({ newChat: newChat("c"), chat: change("c", 0, [row(1), row(2)]), sources: [source("k1"), source("k2")] }));
  return { name, here, there, events, close: () => [here, there].forEach((store) => store.close()) };
}

/** Waits until a condition holds; the test's own time limit ends it. */
async function until(holds) {
  while (!(await holds())) await new Promise((again) => setTimeout(again, 2));
}

test("of two tabs on one revision the second has a conflict, and nothing of either is lost or half stored", async () => {
  const { here, there, close } = await twoTabs();
  await here.write(batch({ chat: change("c", 1, [row(3)]), commits: [commit("one")] }));
  const before = await everything(here);
  const late = batch({ chat: change("c", 1, [row(4)], [row(1).order]), commits: [commit("two")], sources: [source("k4")], ledger: [note("recall", "c")], settings: { a: "1" } });
  const error = await failure(there.write(late));
  assert.equal(error.code, "conflict");
  assert.ok(error.hint);
  assert.deepEqual(await everything(there), before);
  await there.write({ ...late, chat: change("c", 2, [row(4)], [row(1).order]) });
  const { rows, revision } = await here.chat("c");
  assert.deepEqual([rows.map(({ key }) => key), revision], [["k2", "k3", "k4"], 3]);
  assert.deepEqual((await here.pool("p", 0)).commits.map(({ id }) => id), ["one", "two"]);
  close();
});

test("many writes of two tabs at once are all stored, under numbers of their own", async () => {
  const { here, there, close } = await twoTabs();
  const writes = Array.from({ length: 40 }, (_, at) => (at % 2 ? here : there).write(batch({ commits: [commit(`c${at}`)], ledger: [note("recall", "c")] })));
  await Promise.all(writes);
  assert.equal((await here.pool("p", 0)).commits.length, 40);
  const rows = await there.ledger("recall", "c", 100);
  assert.equal(new Set(rows.map(({ id }) => id)).size, 40);
  assert.deepEqual(rows.map(({ id }) => id), rows.map(({ id }) => id).sort((one, other) => other - one));
  close();
});

test("the version changes with another tab's write, a purge too, and not with one's own", async () => {
  const { here, there, close } = await twoTabs();
  const [own, other] = [await here.version(), await there.version()];
  await here.write(batch({ commits: [commit("one")] }));
  assert.equal(await here.version(), own);
  assert.notEqual(await there.version(), other);
  const now = await there.version();
  await purge(here, "c");
  assert.equal(await here.version(), own);
  assert.notEqual(await there.version(), now);
  close();
});

test("other tabs hear which chat was written, the writer does not", async () => {
  const name = freshName();
  const [mine, others] = [[], []];
  const here = await openStore(name, mine);
  const there = await openStore(name, others);
  await here.write(batch({ newChat: newChat("c"), chat: change("c", 0, [row(1)]) }));
  await here.write(batch({ commits: [commit("one")] }));
  await until(() => others.length === 2);
  assert.deepEqual(others, [{ step: "other", outcome: "written", chat: "c", pool: "p" }, { step: "other", outcome: "written", chat: "", pool: "p" }]);
  assert.deepEqual(mine, []);
  here.close();
  there.close();
});

test("all of it is there after a restart, the replica too", async () => {
  const { name, here, there, close } = await twoTabs();
  const before = [await everything(here), await here.replica()];
  close();
  const again = await openStore(name);
  assert.deepEqual([await everything(again), await again.replica()], before);
  assert.equal(await there.replica(), before[1]);
  again.close();
});

test("a purge takes the vectors and the drawing of its words along, unless its pool stays", async () => {
  const name = freshName();
  const store = await openStore(name);
  const db = await connect(name);
  await store.write(batch({ newChat: newChat("c"), chat: change("c", 0, [row(1)]), sources: [source("k1")] }));
  await store.write(batch({ newChat: newChat("b", "p", "c"), chat: change("b", 0, [row(1)]) }));
  await db.table("vectors").put({ model: "m", node: "n", hash: "h", vector: new ArrayBuffer(4) });
  await db.table("positions").bulkPut([{ chat: "c" }, { chat: "b" }]);
  assert.deepEqual(await purge(store, "c"), { messages: 1, sources: 0, commits: 0, shared: true });
  assert.equal(await db.table("vectors").count(), 1);
  assert.deepEqual(await db.table("positions").toCollection().primaryKeys(), ["b"]);
  assert.deepEqual(await purge(store, "b"), { messages: 1, sources: 1, commits: 0, shared: false });
  for (const table of ["vectors", "positions", "chats", "slots", "sources"]) assert.equal(await db.table(table).count(), 0, table);
  store.close();
  db.close();
});

/** Runs with a method of the browser's object stores failing at its nth use. */
async function failing(method, error, nth, work) {
  const original = IDBObjectStore.prototype[method];
  let uses = 0;
  IDBObjectStore.prototype[method] = function (...values) {
    if (++uses >= nth) throw error();
    return original.apply(this, values);
  };
  try {
    return await work();
  } finally {
    IDBObjectStore.prototype[method] = original;
  }
}

test("a disk that is full at any point of a write is a store_error with a hint, and nothing is half written", async () => {
  const { here, close } = await twoTabs();
  const before = await everything(here);
  const big = batch({ chat: change("c", 1, [row(5), row(6)]), sources: [source("k5"), source("k6")], commits: [commit("x")], settings: { a: "1" }, ledger: [note("recall", "c")] });
  let failures = 0;
  for (const method of ["put", "add"]) {
    for (let nth = 1; ; nth++) {
      const full = () => new DOMException("no room", "QuotaExceededError");
      const error = await failing(method, full, nth, () => here.write(big)).catch((caught) => caught);
      if (!error) break;
      failures++;
      assert.equal(error.code, "store_error", `${method} ${nth}`);
      assert.match(error.message, /no room/);
      assert.ok(error.hint);
      assert.deepEqual(await everything(here), before, `${method} ${nth}`);
    }
    // The last round had room: undo it for the next method.
    if (method === "put") {
      assert.equal((await here.chat("c")).revision, 2);
      await purge(here, "c");
      await here.write(batch({ newChat: newChat("c"), chat: change("c", 0, [row(1), row(2)]), sources: [source("k1"), source("k2")] }));
      Object.assign(before, await everything(here));
    }
  }
  assert.ok(failures > 5, String(failures));
  close();
});

test("a database that another tab wants to change is let go of, which is said, and what follows is a store_error", async () => {
  const name = freshName();
  const events = [];
  const store = await openStore(name, events);
  const newer = new Dexie(name);
  newer.version(99).stores({ chats: "id" });
  await newer.open();
  assert.deepEqual(events.map(({ step, outcome }) => [step, outcome]), [["store", "closed"]]);
  const error = await failure(store.chats());
  assert.deepEqual([error.code, error.hint], ["store_error", "Reload the page."]);
  assert.match((await failure(connect(name))).message, /newer Tidelore/);
  assert.deepEqual([newer.isOpen(), newer.backendDB().version, [...newer.backendDB().objectStoreNames]], [true, 990, ["chats"]]);
  newer.close();
});

test("a browser that refuses storage is a store_error, in each of the ways that browsers refuse", async () => {
  const original = Object.getOwnPropertyDescriptor(globalThis, "indexedDB");
  const ways = {
    "no IndexedDB": { value: undefined },
    "reading it is refused": {
      get() {
        throw new DOMException("denied", "SecurityError");
      },
    },
    "opening it throws": {
      value: {
        open() {
          throw new DOMException("denied", "SecurityError");
        },
      },
    },
    "opening it fails": {
      value: {
        open() {
          const request = {};
          queueMicrotask(() => request.onerror?.({ target: { error: new DOMException("denied", "UnknownError") }, preventDefault() {}, stopPropagation() {} }));
          return request;
        },
      },
    },
  };
  for (const [way, descriptor] of Object.entries(ways)) {
    Object.defineProperty(globalThis, "indexedDB", { configurable: true, ...descriptor });
    try {
      const error = await failure(openPort({ database: freshName() }, { report() {} }), way);
      assert.equal(error.code, "store_error", way);
      assert.ok(error.hint, way);
    } finally {
      Object.defineProperty(globalThis, "indexedDB", original);
    }
  }
});

test("whoever opens a database after another has closed it gets an open one", async () => {
  const name = freshName();
  const [first, second] = [await openDatabase(name), await openDatabase(name)];
  assert.equal(first, second);
  first.close();
  assert.equal(await (await openDatabase(name)).table("chats").count(), 0);
});

test("a store that failed to open can be opened later", async () => {
  const name = freshName();
  const original = globalThis.indexedDB;
  globalThis.indexedDB = undefined;
  await failure(openDatabase(name));
  globalThis.indexedDB = original;
  const store = await openPort({ database: name }, { report() {} });
  assert.deepEqual(await store.chats(), []);
  store.close();
});

test("a database that an older tab holds open is said to be blocked, and opens once that one lets go", async () => {
  const name = freshName();
  const old = await new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onsuccess = () => resolve(request.result);
    request.onerror = reject;
  });
  const said = [];
  let heard;
  const blocked = new Promise((resolve) => (heard = resolve));
  const opening = connect(name, (event) => {
    said.push(event.outcome);
    heard();
  });
  await blocked;
  assert.deepEqual(said, ["blocked"]);
  old.close();
  const db = await opening;
  assert.equal(db.isOpen(), true);
  db.close();
});
