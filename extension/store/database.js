// The page's database: its tables, how it is opened, and what its failures mean. One connection for each name in a thread.
import Dexie from "../vendor/dexie.mjs";

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
];

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
  VERSIONS.forEach((tables, at) => db.version(at + 1).stores(tables));
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

/** An error as the engine has them. */
export class StoreProblem extends Error {
  /**
   * @param {"store_error" | "conflict"} code
   * @param {string} message
   * @param {string} hint
   */
  constructor(code, message, hint) {
    super(message);
    this.code = code;
    this.hint = hint;
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
