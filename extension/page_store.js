// What the page itself keeps in this browser: where chats lie, keys, small values. The memories are the worker's (store/).
import { Dexie } from "./vendor/dexie.mjs";

/**
 * @typedef {import("./identity.js").PlaceRow} PlaceRow
 * @typedef {import("./identity.js").Places} Places
 *
 * @typedef {object} PageStore
 * @property {boolean} lasting false: only as long as the page, since the browser refuses a database
 * @property {string} problem why it is not lasting
 * @property {Places} places
 * @property {{get: (name: string) => Promise<any>, set: (name: string, value: any) => Promise<void>, clear: () => Promise<void>}} values keys among them
 */

/**
 * @param {string} handle of the account
 * @returns {Promise<PageStore>}
 */
export async function openPageStore(handle) {
  const db = new Dexie(`tidelore-page-${handle}`);
  db.version(1).stores({ places: "chat, [kind+owner+file]", values: "name" });
  try {
    await db.open();
  } catch (error) {
    return memoryPageStore(error instanceof Error ? error.message : String(error));
  }
  // Granted without a question where the browser trusts the site; there is nothing to ask on plain http.
  void globalThis.navigator?.storage?.persist?.().catch(() => false);
  const places = db.table("places");
  const values = db.table("values");
  return {
    lasting: true,
    problem: "",
    places: {
      get: async (chat) => (await places.get(chat)) ?? null,
      at: async ({ kind, owner, file }) => (await places.where({ kind, owner, file }).last()) ?? null,
      put: async (row) => void (await places.put(row)),
      remove: (chat) => places.delete(chat),
      all: () => places.toArray(),
    },
    values: {
      get: async (name) => (await values.get(name))?.value ?? null,
      set: async (name, value) => void (await (value === null ? values.delete(name) : values.put({ name, value }))),
      clear: () => values.clear(),
    },
  };
}

/**
 * The same, as long as the page lasts.
 * @param {string} [problem]
 * @returns {PageStore}
 */
export function memoryPageStore(problem = "") {
  /** @type {Map<string, PlaceRow>} */
  const rows = new Map();
  /** @type {Map<string, any>} */
  const values = new Map();
  return {
    lasting: false,
    problem,
    places: {
      get: async (chat) => rows.get(chat) ?? null,
      at: async ({ kind, owner, file }) =>
        [...rows.values()].filter((row) => row.kind === kind && row.owner === owner && row.file === file).at(-1) ?? null,
      put: async (row) => void rows.set(row.chat, row),
      remove: async (chat) => void rows.delete(chat),
      all: async () => [...rows.values()],
    },
    values: {
      get: async (name) => values.get(name) ?? null,
      set: async (name, value) => void (value === null ? values.delete(name) : values.set(name, value)),
      clear: async () => values.clear(),
    },
  };
}

/** Removes a database of this browser. @param {string} name @returns {Promise<void>} */
export const dropDatabase = (name) => Dexie.delete(name);
