// What a purge removes, and what stays of it: marks on ids, each with the clock up to which it holds.
import Dexie from "../vendor/dexie.mjs";
import { StoreProblem } from "./problem.js";
import { LogWriter, later } from "./log.js";
import { goneOf, lineage } from "./writing.js";

/**
 * @typedef {import("./database.js").ChatRow} ChatRow
 *
 * @typedef {object} Burial
 * @property {{id: string, pool: string, clock: string, chats: [string, string][], whole: boolean, commits: string[], keys: string[], words: boolean, body: string}} purge
 * @property {[string, string][]} graves marks of the pool, with their clocks
 * @property {string[]} dead ids of commits that go with its keys and nodes
 * @property {string[]} nodes whose vectors go
 * @property {number} cursor how far the pool was read to find them
 * @property {string[]} others ids of the pool's chats beside those that go
 * @property {string} origin where the purge came from; "" is this store
 * @property {number} sequence
 */

/**
 * Within a transaction. Rejects with a conflict where `cursor` or `others` are not right any more.
 * @param {import("dexie").Dexie} db
 * @param {Burial} burial
 * @param {{next: () => number}} numbers
 */
export async function bury(db, burial, numbers) {
  const { purge, origin, sequence } = burial;
  const table = (/** @type {string} */ name) => db.table(name);
  const log = await rowsOf(db, purge);
  /** @type {ChatRow[]} */
  const chats = await table("chats").toArray();
  const others = await check(db, burial, chats);
  const parents = new Map(purge.chats);
  const known = await table("graves").bulkGet(burial.graves.map(([mark]) => [purge.pool, mark]));
  const graves = burial.graves.map(([mark, clock], at) => {
    const until = known[at]?.clock > clock ? known[at].clock : clock;
    return { pool: purge.pool, mark, clock: until, parent: parents.get(mark.replace("chat ", "")) ?? "" };
  });
  await table("graves").bulkPut(graves);
  let messages = 0;
  // An earlier purge may have said more than this one.
  const untils = new Map(graves.map(({ mark, clock }) => [mark, clock]));
  for (const chat of parents.keys()) messages += await buryChat(db, chat, untils.get(`chat ${chat}`) ?? purge.clock, log);
  const gone = goneOf(await table("graves").where("mark").startsWith("chat ").toArray());
  const below = (await table("chats").toArray()).map((row) => ({ ...row, parent: lineage(row.parent, gone) }));
  await table("chats").bulkPut(below);
  const counts = await buryWords(db, burial, untils.get("pool") ?? purge.clock, log);
  if (!(await table("purges").get(purge.id))) {
    await table("purges").put({ id: purge.id, number: numbers.next(), pool: purge.pool, words: purge.words ? 1 : 0, body: purge.body });
  }
  const [replica, heads] = await Promise.all([table("meta").get("replica"), table("heads").toArray()]);
  const writer = new LogWriter(replica.value, heads);
  writer.add({ kind: "purge", pool: purge.pool, id: purge.id, clock: purge.clock }, origin || undefined, sequence);
  await Promise.all([table("log").bulkPut(writer.rows), table("heads").bulkPut(writer.heads)]);
  return { messages, ...counts, shared: others > 0 && !purge.whole };
}

/**
 * What was ever written of the pool, and the chats that go.
 * @param {import("dexie").Dexie} db
 * @param {Burial["purge"]} purge
 */
const rowsOf = async (db, purge) => (purge.whole || purge.chats.length ? db.table("log").where("pool").equals(purge.pool).toArray() : []);

/**
 * @param {import("dexie").Dexie} db
 * @param {Burial} burial
 * @param {ChatRow[]} chats
 */
async function check(db, { purge, cursor, others }, chats) {
  const named = purge.chats.map(([id]) => id);
  const standing = chats.filter(({ id, pool }) => pool === purge.pool && !named.includes(id)).map(({ id }) => id);
  const asSeen = standing.length === others.length && standing.every((id) => others.includes(id));
  const counts = await Promise.all(["sources", "commits"].map((name) => ofPool(db, name, purge.pool, cursor).count()));
  const grown = (purge.keys.length > 0 || purge.commits.length > 0) && counts.some(Boolean);
  if ((purge.chats.length && !asSeen) || grown) {
    throw new StoreProblem("conflict", "Another writer has changed the pool meanwhile.", "Try again.");
  }
  return standing.length;
}

/**
 * @param {import("dexie").Dexie} db
 * @param {string} name
 * @param {string} pool
 * @param {any} [after] a number
 */
const ofPool = (db, name, pool, after = Dexie.minKey) => db.table(name).where("[pool+number]").between([pool, after], [pool, Dexie.maxKey], false, true);

/**
 * How many messages went from the screen.
 * @param {import("dexie").Dexie} db
 * @param {string} chat
 * @param {string} clock
 * @param {import("./log.js").LogRow[]} log
 */
async function buryChat(db, chat, clock, log) {
  const standing = later(log, "chat", clock).get(chat);
  await dropLedger(db, chat, clock);
  const row = await db.table("chats").get(chat);
  if (row && standing) {
    await db.table("chats").put({ ...row, clock: standing });
    return 0;
  }
  await Promise.all([db.table("chats").delete(chat), db.table("positions").delete(chat)]);
  return db.table("slots").where("[chat+order]").between([chat, Dexie.minKey], [chat, Dexie.maxKey]).delete();
}

/**
 * @param {import("dexie").Dexie} db
 * @param {string} chat
 * @param {string} clock
 */
async function dropLedger(db, chat, clock) {
  const until = Number(BigInt(clock) >> 16n);
  await db.table("ledger").where("chat").equals(chat).and(({ at }) => at <= until).delete();
}

/**
 * How many sources and commits went. Nobody can say which vectors were of the words of a whole pool: then all go.
 * @param {import("dexie").Dexie} db
 * @param {Burial} burial
 * @param {string} until up to which clock all of a pool goes
 * @param {import("./log.js").LogRow[]} log
 */
async function buryWords(db, { purge, dead, nodes }, until, log) {
  const { pool } = purge;
  let [sources, commits] = [0, 0];
  if (purge.whole) {
    const stay = { sources: later(log, "source", until), commits: later(log, "commit", until) };
    sources += await ofPool(db, "sources", pool).and(({ key }) => !stay.sources.has(key)).delete();
    commits += await ofPool(db, "commits", pool).and(({ id }) => !stay.commits.has(id)).delete();
    await ofPool(db, "commits", pool).modify((row) => void (row.clock = stay.commits.get(row.id)));
    await dropLedger(db, pool, until);
    await db.table("vectors").clear();
  }
  sources += await drop(db, "sources", purge.keys.map((key) => [pool, key]));
  commits += await drop(db, "commits", [...new Set([...purge.commits, ...dead])].map((id) => [pool, id]));
  if (purge.keys.length || purge.commits.length) {
    await db.table("ledger").where("chat").equals(pool).and(({ kind }) => kind === "attempt").delete();
    const gone = new Set(nodes);
    await db.table("vectors").filter(({ node }) => gone.has(node)).delete();
  }
  return { sources, commits };
}

/**
 * How many of the rows were there.
 * @param {import("dexie").Dexie} db
 * @param {string} name
 * @param {string[][]} keys
 */
async function drop(db, name, keys) {
  const found = await db.table(name).bulkGet(keys);
  const there = keys.filter((_, at) => found[at]);
  await db.table(name).bulkDelete(there);
  return there.length;
}
