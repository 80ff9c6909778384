// What another memory extension left in this browser, as texts for `import`. It is only read: nothing is made, changed or upgraded.

/**
 * @typedef {object} LeftGraph one chat's graph
 * @property {"browser" | "chat" | "files" | "backup"} place where it lies
 * @property {string} database its name: of a database, a member of the chat's metadata, or a file
 * @property {string} chat which chat it was of, as that extension called it
 * @property {string} text for `import`; "" where there is a problem
 * @property {number} nodes
 * @property {number} edges
 * @property {string} problem why it cannot be read, or ""
 */

const PREFIX = "STBME_";
const IN_CHAT = "st_bme_graph";
const SYNC = (/** @type {string} */ chat) => `ST-BME_sync_${chat}.json`;
const BACKUPS = "ST-BME_BackupManifest.json";
// Other names of chats were rewritten for their files, nobody else knows how.
const PLAIN = /^[\w.-]{1,150}$/;
const NAME = /^ST-BME_(sync|backup)_[\w.~-]+\.json$/;
const TABLES = ["nodes", "edges", "tombstones", "meta"];
// Vectors are made anew, and they are most of the bytes.
const VECTORS = new Set(["embedding", "vector", "embeddings", "vectors"]);

/**
 * The graphs of ST-BME in its databases of this origin, in order of their names; empty ones are left out. A database that cannot be read is
 * named with its problem and keeps no other from being read.
 * @param {IDBFactory} indexedDB
 * @param {string[]} [names] of databases, where the browser lists none
 * @returns {Promise<LeftGraph[]>}
 */
export async function readStBme(indexedDB, names = []) {
  const listed = typeof indexedDB.databases === "function" ? (await indexedDB.databases()).map(({ name }) => name ?? "") : [];
  const wanted = [...new Set([...listed, ...names])].filter((name) => name.startsWith(PREFIX)).sort();
  const found = [];
  // One after the other: two large graphs need not be in memory at once as records.
  for (const name of wanted) found.push(await readDatabase(indexedDB, name));
  return found.filter(({ nodes, problem }) => nodes > 0 || problem);
}

/**
 * Everywhere that it can have left a graph: its databases, the open chat, its files on SillyTavern's server. The files cannot be listed, so
 * those of the chats that are known here are asked for, and those that its list of backups names.
 * @param {object} where
 * @param {IDBFactory} where.indexedDB
 * @param {Record<string, any> | null} where.metadata of the open chat
 * @param {string[]} where.chats names that the open chat may have had there
 * @param {(name: string) => Promise<string | null>} where.read a file of the person on the server; null: there is none
 * @returns {Promise<LeftGraph[]>}
 */
export async function lookForStBme({ indexedDB, metadata, chats, read }) {
  // Where the browser lists them, a guess finds nothing more; elsewhere most guesses are wrong.
  const guesses = typeof indexedDB.databases === "function" ? [] : chats.map((chat) => PREFIX + chat);
  const found = (await readStBme(indexedDB, guesses)).filter(({ database, problem }) => !problem || !guesses.includes(database));
  const inChat = metadata?.[IN_CHAT];
  if (inChat) found.push(...inMetadata({ place: "chat", database: IN_CHAT, chat: chats[0] ?? "", ...NOTHING }, inChat));
  const named = new Set([...chats, ...found.map(({ chat }) => chat)].filter((chat) => PLAIN.test(chat)));
  for (const chat of named) found.push(...(await readFile(read, "files", SYNC(chat), chat)));
  for (const { filename, chat } of await backups(read)) found.push(...(await readFile(read, "backup", filename, chat)));
  return found;
}

const NOTHING = { text: "", nodes: 0, edges: 0, problem: "" };

/** @param {unknown} error */
const sayingOf = (error) => (error instanceof Error && error.message ? error.message : String(error));

/** @param {string} chat @param {any} value */
const textOf = (chat, value) => JSON.stringify({ "ST-BME": chat, tables: value }, (key, each) => (VECTORS.has(key) || ArrayBuffer.isView(each) ? undefined : each));

/** @param {LeftGraph} left @param {any} value an object, or JSON of one @returns {LeftGraph[]} */
function inMetadata(left, value) {
  try {
    return whole(left, typeof value === "string" ? JSON.parse(value) : value);
  } catch (error) {
    return [{ ...left, problem: sayingOf(error) }];
  }
}

/** A graph in one value; none where nothing is in it. @param {LeftGraph} left @param {any} value @returns {LeftGraph[]} */
function whole(left, value) {
  const nodes = countOf(value, "nodes");
  return nodes ? [{ ...left, text: textOf(left.chat, value), nodes, edges: countOf(value, "edges") }] : [];
}

/** How many records lie under a name, in whichever box. @param {any} value @param {string} name @returns {number} */
function countOf(value, name, depth = 0) {
  if (typeof value !== "object" || value === null || depth > 4) return 0;
  const own = value[name];
  if (typeof own === "object" && own !== null) return Array.isArray(own) ? own.length : Object.keys(own).length;
  return Math.max(0, ...Object.values(value).map((each) => countOf(each, name, depth + 1)));
}

/**
 * A file with a graph, or with a table of contents that names the files that hold it.
 * @param {(name: string) => Promise<string | null>} read @param {"files" | "backup"} place @param {string} name @param {string} chat
 * @returns {Promise<LeftGraph[]>}
 */
async function readFile(read, place, name, chat) {
  /** @type {LeftGraph} */
  const left = { place, database: name, chat, ...NOTHING };
  try {
    const text = await read(name);
    if (text === null) return [];
    const value = JSON.parse(text);
    const parts = (Array.isArray(value?.chunks) ? value.chunks : []).map((/** @type {any} */ each) => String(each?.filename ?? "")).filter((/** @type {string} */ each) => NAME.test(each));
    /** @type {Record<string, any[]>} */
    const pieces = {};
    for (const part of parts) {
      const piece = await read(part);
      if (piece === null) throw new Error(`${part} is missing.`);
      const { kind, records } = JSON.parse(piece);
      const box = kind === "runtime-meta" ? "meta" : String(kind);
      pieces[box] = [...(pieces[box] ?? []), ...(Array.isArray(records) ? records : [])];
    }
    return whole(left, parts.length ? { ...value, chunks: undefined, chunkGc: undefined, ...pieces } : value);
  } catch (error) {
    return [{ ...left, problem: sayingOf(error) }];
  }
}

/** @param {(name: string) => Promise<string | null>} read @returns {Promise<{filename: string, chat: string}[]>} */
async function backups(read) {
  try {
    const list = JSON.parse((await read(BACKUPS)) ?? "null");
    const entries = Array.isArray(list) ? list : list?.entries;
    if (!Array.isArray(entries)) return [];
    return entries.map((each) => ({ filename: String(each?.filename ?? ""), chat: String(each?.chatId ?? "") })).filter(({ filename }) => NAME.test(filename));
  } catch {
    // A list that cannot be read names nothing.
    return [];
  }
}

/** @param {IDBFactory} indexedDB @param {string} name @returns {Promise<LeftGraph>} */
async function readDatabase(indexedDB, name) {
  /** @type {LeftGraph} */
  const left = { place: "browser", database: name, chat: name.slice(PREFIX.length), text: "", nodes: 0, edges: 0, problem: "" };
  /** @type {IDBDatabase | null} */
  let database = null;
  try {
    database = await open(indexedDB, name);
    const tables = await rows(database);
    return { ...left, text: textOf(left.chat, tables), nodes: tables.nodes?.length ?? 0, edges: tables.edges?.length ?? 0 };
  } catch (error) {
    return { ...left, problem: sayingOf(error) };
  } finally {
    database?.close();
  }
}

/** @param {IDBFactory} indexedDB @param {string} name @returns {Promise<IDBDatabase>} */
function open(indexedDB, name) {
  return new Promise((resolve, reject) => {
    // Without a version it is opened as it is.
    const asked = indexedDB.open(name);
    asked.onupgradeneeded = () => {
      // It went since it was listed: nothing may be made in its place.
      asked.transaction?.abort();
    };
    asked.onsuccess = () => {
      // Whoever wants to upgrade or delete it need not wait for this.
      asked.result.onversionchange = () => asked.result.close();
      resolve(asked.result);
    };
    asked.onerror = () => reject(asked.error);
  });
}

/** All rows of the tables that are there, of one moment. @param {IDBDatabase} database @returns {Promise<Record<string, any[]>>} */
function rows(database) {
  const names = TABLES.filter((name) => database.objectStoreNames.contains(name));
  if (names.length === 0) return Promise.resolve({});
  return new Promise((resolve, reject) => {
    /** @type {Record<string, any[]>} */
    const out = {};
    const reading = database.transaction(names, "readonly");
    for (const name of names) {
      const asked = reading.objectStore(name).getAll();
      asked.onsuccess = () => (out[name] = asked.result);
    }
    reading.oncomplete = () => resolve(out);
    reading.onabort = () => reject(reading.error ?? new Error(`Reading ${database.name} was broken off.`));
  });
}
