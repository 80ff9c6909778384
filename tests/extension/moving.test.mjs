import "fake-indexeddb/auto";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import Dexie from "../../extension/vendor/dexie.mjs";
import { lookForStBme, readStBme } from "../../extension/moving.js";

const file = (name) => JSON.parse(readFileSync(new URL(`../engine/st_bme/${name}.json`, import.meta.url), "utf8"));
const rowsOf = (records) => (Array.isArray(records) ? records : Object.entries(records).map(([id, each]) => ({ id, ...each })));

/** A database as that extension has one for each chat. */
async function left(chat, { nodes, edges, tombstones = [], ...rest }, tables = { nodes: "id, type", edges: "id, from, to", meta: "key", tombstones: "id" }) {
  const db = new Dexie(`STBME_${chat}`);
  db.version(3).stores(tables);
  await db.open();
  await db.table("nodes").bulkPut(rowsOf(nodes));
  await db.table("edges").bulkPut(rowsOf(edges));
  if (tables.tombstones) await db.table("tombstones").bulkPut(tombstones);
  if (tables.meta) await db.table("meta").bulkPut(Object.entries(rest).map(([key, value]) => ({ key, value })));
  db.close();
}

/** What the engine reads from texts, and from files: kind, sub and words of every memory, and the edges. */
function engine(texts) {
  const code = [
    "import json, sys",
    "from tidelore.engine.importing import read",
    "out = []",
    "for text in json.load(sys.stdin):",
    "    form, found = read(text)",
    "    out.append([form, sorted([n.kind, n.sub, n.name or n.text, n.record] for n in found.nodes), sorted([e.type, e.start, e.end, e.label] for e in found.edges)])",
    "print(json.dumps(out))",
  ].join("\n");
  const done = spawnSync(process.env.TIDELORE_PYTHON ?? "python3", ["-c", code], { input: JSON.stringify(texts), encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout);
}

const fresh = async () => {
  for (const { name } of await indexedDB.databases()) await Dexie.delete(name);
};

test("each chat's graph is read from its own database, and the engine takes it as it takes an export", async () => {
  await fresh();
  await left("harbour", file("version9"));
  await left("渡口", file("version9_zh"));
  const found = await readStBme(indexedDB);
  assert.deepEqual(
    found.map(({ chat, nodes, edges, problem }) => [chat, nodes, edges, problem]),
    [
      ["harbour", 15, 6, ""],
      ["渡口", 8, 3, ""],
    ],
  );
  const [one, other, plain, plainOther] = engine([...found.map(({ text }) => text), JSON.stringify(file("version9")), JSON.stringify(file("version9_zh"))]);
  assert.equal(one[0], "st-bme");
  assert.deepEqual([one, other], [plain, plainOther]);
});

test("vectors stay behind, as numbers and as bytes", async () => {
  await fresh();
  const nodes = [
    { id: "a", type: "event", fields: { summary: "one" }, embedding: Array.from({ length: 1000 }, Math.random) },
    { id: "b", type: "event", fields: { summary: "two" }, embedding: new Float32Array(1000) },
  ];
  await left("a", { nodes, edges: [] });
  const [{ text, nodes: count }] = await readStBme(indexedDB);
  assert.equal(count, 2);
  assert.ok(text.length < 400, `${text.length} characters`);
});

test("other databases are not opened, and nothing is made or changed", async () => {
  await fresh();
  await left("a", file("version1"));
  await left("empty", { nodes: [], edges: [] });
  const other = new Dexie("Other");
  other.version(1).stores({ nodes: "id" });
  await other.open();
  const before = await indexedDB.databases();
  const opened = [];
  const watched = { databases: () => indexedDB.databases(), open: (...asked) => (opened.push(asked), indexedDB.open(...asked)) };
  const found = await readStBme(watched);
  assert.deepEqual(found.map(({ chat }) => chat), ["a"]);
  assert.deepEqual(opened, [["STBME_a"], ["STBME_empty"]]);
  assert.deepEqual(await indexedDB.databases(), before);
  other.close();
});

test("a database that went meanwhile is not made again, and keeps no other from being read", async () => {
  await fresh();
  await left("a", file("version1"));
  const gone = { databases: async () => [...(await indexedDB.databases()), { name: "STBME_0gone", version: 1 }], open: indexedDB.open.bind(indexedDB) };
  const found = await readStBme(gone);
  assert.deepEqual(found.map(({ chat, nodes }) => [chat, nodes]), [["0gone", 0], ["a", 7]]);
  assert.ok(found[0].problem);
  assert.deepEqual((await indexedDB.databases()).map(({ name }) => name), ["STBME_a"]);
});

test("an older database with fewer tables is read, and where none are listed the names say which", async () => {
  await fresh();
  await left("old", file("version1_zh"), { nodes: "id", edges: "id" });
  const blind = { open: indexedDB.open.bind(indexedDB) };
  assert.deepEqual(await readStBme(blind), []);
  const [found] = await readStBme(blind, ["STBME_old", "Other"]);
  assert.deepEqual([found.chat, found.nodes, found.edges], ["old", 3, 1]);
});

test("a database stays free for its owner while it was read", async () => {
  await fresh();
  await left("a", file("version1"));
  await readStBme(indexedDB);
  await Dexie.delete("STBME_a");
  assert.deepEqual(await readStBme(indexedDB), []);
});

/** Its files on the server, by name. @param {Record<string, any>} files */
const server = (files) => {
  const asked = [];
  return { asked, read: async (name) => (asked.push(name), name in files ? (typeof files[name] === "string" ? files[name] : JSON.stringify(files[name])) : null) };
};
const NOWHERE = { indexedDB, metadata: null, chats: [], read: async () => null };

test("a graph in the chat's own metadata is found, as an object or as JSON, and one that is none is named", async () => {
  await fresh();
  for (const graph of [file("version1"), JSON.stringify(file("version1"))]) {
    const [found, ...more] = await lookForStBme({ ...NOWHERE, metadata: { st_bme_graph: graph, tidelore: {} }, chats: ["c1"] });
    assert.deepEqual(more, []);
    assert.deepEqual([found.place, found.chat, found.nodes], ["chat", "c1", 7]);
    const [read, plain] = engine([found.text, JSON.stringify(file("version1"))]);
    assert.deepEqual(read, plain);
  }
  const [broken] = await lookForStBme({ ...NOWHERE, metadata: { st_bme_graph: "{" } });
  assert.ok(broken.problem);
  assert.deepEqual(await lookForStBme({ ...NOWHERE, metadata: { st_bme_graph: { nodes: [] } } }), []);
});

test("sync files of the chats that are known are read, one file or a table of contents with its pieces", async () => {
  await fresh();
  const { nodes, edges, tombstones = [], ...meta } = file("version9");
  const piece = (kind, at) => `ST-BME_sync_c1.__${kind}.00${at}.ab12.json`;
  const lists = [["nodes", rowsOf(nodes).slice(0, 9)], ["nodes", rowsOf(nodes).slice(9)], ["edges", rowsOf(edges)], ["tombstones", tombstones], ["runtime-meta", Object.entries(meta).map(([key, value]) => ({ key, value }))]];
  const files = Object.fromEntries(lists.map(([kind, records], at) => [piece(kind, at), { kind, index: at, records }]));
  files["ST-BME_sync_c1.json"] = { kind: "st-bme-sync", formatVersion: 2, chatId: "c1", meta: { nodeCount: 15 }, chunks: [...Object.keys(files).map((filename) => ({ filename })), { filename: "../../settings.json" }] };
  files["ST-BME_sync_c2.json"] = { meta: { chatId: "c2" }, nodes: rowsOf(file("version9_zh").nodes), edges: [], tombstones };
  const { asked, read } = server(files);
  const found = await lookForStBme({ ...NOWHERE, chats: ["c1", "c2", "a b/c"], read });
  assert.deepEqual(found.map(({ place, database, nodes: n, edges: e, problem }) => [place, database, n, e, problem]), [["files", "ST-BME_sync_c1.json", 15, 6, ""], ["files", "ST-BME_sync_c2.json", 8, 0, ""]]);
  const [one, plain] = engine([found[0].text, JSON.stringify(file("version9"))]);
  assert.deepEqual(one.slice(1), plain.slice(1));
  assert.ok(asked.every((name) => name.startsWith("ST-BME_")), "a name in a file leads nowhere else");
});

test("a piece that is missing is named and keeps nothing else from being read; backups are those of its list", async () => {
  await fresh();
  await left("c3", file("version1"));
  const { read } = server({
    "ST-BME_sync_c3.json": { chunks: [{ filename: "ST-BME_sync_c3.__nodes.000.a.json" }] },
    "ST-BME_BackupManifest.json": { entries: [{ chatId: "c4", filename: "ST-BME_backup_c4-a1.json" }, { chatId: "c5", filename: "/etc/passwd" }] },
    "ST-BME_backup_c4-a1.json": { payload: file("version1") },
  });
  const found = await lookForStBme({ ...NOWHERE, read });
  assert.deepEqual(found.map(({ place, chat, nodes }) => [place, chat, nodes]), [["browser", "c3", 7], ["files", "c3", 0], ["backup", "c4", 7]]);
  assert.match(found[1].problem, /ST-BME_sync_c3\.__nodes\.000\.a\.json is missing/);
});
