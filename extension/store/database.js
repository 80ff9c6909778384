// The page's database: its tables, how it is opened, and what its failures mean. One connection for each name in a thread.
import Dexie from "../vendor/dexie.mjs";
import { LogWriter } from "./log.js";
import { StoreProblem } from "./problem.js";

export { StoreProblem };

/**
 * @typedef {(event: {step: string, outcome: string, [more: string]: any}) => void} Report
 *
 * @typedef {object} ChatRow
 * @property {string} id
 * @property {string} name
 * @property {string} pool
 * @property {string} parent
 * @property {string} clock
 * @property {number} revision
 * @property {number} size how many messages it has
 */

// One entry a version, never changed once released. Keys: primary first, then indices; texts that are only read whole have none.
// `meta`: replica, counter (the number of the newest source, commit or ledger row), writes.
/** @type {Record<string, string>[]} */
const VERSIONS = [
  {
    chats: "id, &name, pool",
    slots: "[chat+order]",
    sources: "[pool+key], [pool+number]",
    commits: "[pool+id], [pool+number]",
    ledger: "id, [kind+id], [kind+chat+id], chat",
    settings: "name",
    meta: "name",
    vectors: "[model+node]",
    files: "key",
    positions: "chat",
  },
  {
    log: "[origin+sequence], pool, purge",
    heads: "origin",
    graves: "[pool+mark], mark",
    purges: "id, number, [pool+words]",
    ledger: "id, [kind+id], [kind+chat+id], chat, &record",
  },
];
// What a version asks of the rows that were there before, by its number.
const UPGRADES = new Map([[2, numberRecords]]);

/** @type {Map<string, Promise<import("dexie").Dexie>>} */
const open = new Map();

/**
 * The open database of a name, such as `tidelore-default-user`. Rejects with a store_error.
 * @param {string} name
 * @param {Report} [report] outcomes `blocked` (another tab holds an older one open), `closed` (a newer one wants it)
 * @returns {Promise<import("dexie").Dexie>}
 */
export function openDatabase(name, report = () => {}) {
  const fresh = () => connect(name, report);
  const opening = open.get(name)?.then((db) => (db.isOpen() ? db : fresh()), fresh) ?? fresh();
  open.set(name, opening);
  return opening;
}

/**
 * A connection of its own.
 * @param {string} name
 * @param {Report} [report]
 */
export async function connect(name, report = () => {}) {
  // "strict": an answer means that it is on disk, as in the sidecar.
  const db = new Dexie(name, { chromeTransactionDurability: "strict", cache: "disabled", ...idb() });
  VERSIONS.forEach((tables, at) => {
    const version = db.version(at + 1).stores(tables);
    const upgrade = UPGRADES.get(at + 1);
    if (upgrade) version.upgrade(upgrade);
  });
  db.on("blocked", () => report({ step: "store", outcome: "blocked", detail: "Another tab holds an older database open." }));
  db.on("versionchange", () => {
    db.close();
    report({ step: "store", outcome: "closed", detail: "Another tab has a newer database, or deletes it." });
    return false; // Dexie's own answer would be to open it again
  });
  try {
    await db.open();
    return db;
  } catch (error) {
    db.close();
    throw storeError(error);
  }
}

/**
 * What was stored before there were records becomes the first records of this store, in the order in which it was written. Sources had no
 * clock: they count as older than any purge. Receipts of that time stay where they are.
 * @param {import("dexie").Transaction} transaction
 */
async function numberRecords(transaction) {
  const table = (/** @type {string} */ name) => transaction.table(name);
  const [replica, chats, sources, commits] = await Promise.all([table("meta").get("replica"), table("chats").toArray(), table("sources").toArray(), table("commits").toArray()]);
  if (!replica) return;
  const log = new LogWriter(replica.value, []);
  chats.sort((one, other) => (`${one.clock} ${one.id}` < `${other.clock} ${other.id}` ? -1 : 1));
  for (const { pool, id, clock } of chats) log.add({ kind: "chat", pool, id, clock });
  const words = [...sources.map((row) => ({ ...row, kind: "source", id: row.key, clock: "" })), ...commits.map((row) => ({ ...row, kind: "commit" }))];
  words.sort((one, other) => one.number - other.number);
  for (const { kind, pool, id, clock } of words) log.add({ kind, pool, id, clock: clock.padStart(20, "0") });
  await Promise.all([table("log").bulkPut(log.rows), table("heads").bulkPut(log.heads)]);
}

/**
 * What the browser has; reading it may itself be refused.
 * @returns {any}
 */
function idb() {
  try {
    const { indexedDB, IDBKeyRange } = globalThis;
    if (!indexedDB) return { indexedDB, IDBKeyRange };
    // A database newer than ours: Dexie would ask for any version then, and add what it misses there.
    const open = (/** @type {string} */ name, /** @type {number} */ version) => {
      if (!version) throw new DOMException("It is a newer database.", "VersionError");
      return indexedDB.open(name, version);
    };
    const deleteDatabase = (/** @type {string} */ name) => indexedDB.deleteDatabase(name);
    return { indexedDB: { open, deleteDatabase, cmp: indexedDB.cmp.bind(indexedDB) }, IDBKeyRange };
  } catch {
    return { indexedDB: undefined, IDBKeyRange: undefined };
  }
}

/**
 * What a failure of the database means and what to do; problems that say so themselves stay as they are.
 * @param {any} error
 */
export function storeError(error) {
  if (error instanceof StoreProblem) return error;
  const names = [error?.name, error?.inner?.name];
  const says = (/** @type {string} */ name) => names.includes(name);
  if (says("QuotaExceededError")) {
    return new StoreProblem("store_error", "The browser has no room left for memories; nothing was stored.", "Free some disk space, or remove site data that you do not need.");
  }
  if (says("VersionError")) {
    return new StoreProblem("store_error", "The browser's database was written by a newer Tidelore.", "Update the extension; nothing was changed.");
  }
  if (says("DatabaseClosedError")) {
    return new StoreProblem("store_error", "The browser's database was closed.", "Reload the page.");
  }
  if (says("MissingAPIError") || says("SecurityError") || says("OpenFailedError")) {
    return new StoreProblem("store_error", `The browser refuses to store anything here (${oneLine(error)}).`, "Leave the private window, or allow site data for this page.");
  }
  return new StoreProblem("store_error", `The browser's database cannot be used (${oneLine(error)}).`, "Reload the page; if that does not help, restart the browser.");
}

/** @param {any} error */
const oneLine = (error) => (error?.name === "MissingAPIError" ? "it gives no IndexedDB" : firstLine(error));

/** @param {any} error */
const firstLine = (error) => String(error?.inner?.message || error?.message || error).trim().split("\n")[0];
