// What another memory extension left in this browser, as texts for `import`. It is only read: nothing is made, changed or upgraded.

/**
 * @typedef {object} LeftGraph one chat's graph
 * @property {string} database its name
 * @property {string} chat which chat it was of, as that extension called it
 * @property {string} text for `import`; "" where there is a problem
 * @property {number} nodes
 * @property {number} edges
 * @property {string} problem why it cannot be read, or ""
 */

const PREFIX = "STBME_";
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

/** @param {IDBFactory} indexedDB @param {string} name @returns {Promise<LeftGraph>} */
async function readDatabase(indexedDB, name) {
  const left = { database: name, chat: name.slice(PREFIX.length), text: "", nodes: 0, edges: 0, problem: "" };
  /** @type {IDBDatabase | null} */
  let database = null;
  try {
    database = await open(indexedDB, name);
    const tables = await rows(database);
    const text = JSON.stringify({ "ST-BME": left.chat, tables }, (key, value) => (VECTORS.has(key) || ArrayBuffer.isView(value) ? undefined : value));
    return { ...left, text, nodes: tables.nodes?.length ?? 0, edges: tables.edges?.length ?? 0 };
  } catch (error) {
    return { ...left, problem: error instanceof Error && error.message ? error.message : String(error) };
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
