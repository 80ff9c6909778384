// A database of the first format, as that version of the store left it, is opened and goes on.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { batch, commit, digits, everything, freshName, openStore } from "./kit.mjs";
import Dexie from "../../../extension/vendor/dexie.mjs";
import { link } from "../../../extension/store/log.js";

const POOL = "0f".repeat(16);
const REPLICA = "0123456789abcdef";
const FORMAT_1 = {
  ...{ chats: "id, &name, pool", slots: "[chat+order]", sources: "[pool+key], [pool+number]", commits: "[pool+id], [pool+number]" },
  ...{ ledger: "id, [kind+id], [kind+chat+id], chat", settings: "name", meta: "name", vectors: "[model+node]", files: "key", positions: "chat" },
};

/** @param {(tables: any) => any} [changed] */
async function oldDatabase(changed = (tables) => tables) {
  const tables = changed(JSON.parse(await readFile(new URL("format1.json", import.meta.url), "utf8")));
  const name = freshName();
  const db = new Dexie(name);
  db.version(1).stores(FORMAT_1);
  for (const [table, rows] of Object.entries(tables)) await db.table(table).bulkPut(rows);
  db.close();
  return { name, tables };
}

test("all that was stored in the first format is there, under the numbers of the store in the order in which it was written", async () => {
  const { name, tables } = await oldDatabase();
  const store = await openStore(name);
  assert.equal(await store.replica(), REPLICA);
  const rows = await store.log(REPLICA, 0, 1e9);
  assert.deepEqual(
    rows.map(({ sequence, kind, id, clock }) => [sequence, kind, id, Number(clock)]),
    [[1, "chat", "b", 7], [2, "chat", "c", 7], [3, "source", "k1", 0], [4, "source", "k2", 0], [5, "commit", "two", 6], [6, "commit", "one", 3], [7, "source", "k3", 0]],
  );
  let chain = "";
  for (const row of rows) chain = link(chain, row);
  assert.deepEqual(await store.heads(), { [REPLICA]: { sequence: 7, chain } });
  assert.deepEqual(rows.map(({ body }) => body.name ?? body.text ?? body.content), ["name of b", "name of c", "first words", "second words", '{"id":"two"}', '{"id":"one"}', "third words"]);
  const found = await everything(store);
  assert.deepEqual([found.chats.length, found.revisions, found.sizes, found.settings], [2, { b: 1, c: 1 }, { b: 1, c: 2 }, { a: "1" }]);
  const pool = await store.pool(POOL, 0);
  assert.deepEqual([pool.sources.length, pool.commits.length, pool.purged, pool.burials, pool.floor], [3, 2, [], 0, "0"]);
  for (const kind of ["delivery", "attempt"]) assert.equal((await store.ledger(kind, "", 9)).length, 1);
  assert.equal(pool.cursor, tables.meta.find((each) => each.name === "counter").value);
  store.close();
});

test("a database of the first format is written on, and read by another tab", async () => {
  const { name } = await oldDatabase();
  const [store, other] = [await openStore(name), await openStore(name)];
  const { cursor } = await store.pool(POOL, 0);
  await store.write(batch({ pool: POOL, commits: [commit("three", 9), commit("two", 9)] }));
  assert.deepEqual((await other.pool(POOL, cursor)).commits.map(({ id }) => id), ["three"]);
  assert.deepEqual((await other.log(REPLICA, 7, 1)).map(({ sequence, id, clock }) => [sequence, id, clock]), [[8, "three", digits(9)]]);
  store.close();
  other.close();
});

test("a database of the first format that was never written to has no records", async () => {
  const { name } = await oldDatabase((tables) => Object.fromEntries(Object.keys(tables).map((table) => [table, []])));
  const store = await openStore(name);
  assert.deepEqual(await store.heads(), {});
  store.close();
});
