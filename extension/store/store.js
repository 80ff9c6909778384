// The engine's store in the browser's database. docs/wasm.md has methods and rows; texts and clocks are kept as they come.
import Dexie from "../vendor/dexie.mjs";
import { StoreProblem, openDatabase, storeError } from "./database.js";

/**
 * @typedef {import("./database.js").Report} Report
 * @typedef {import("./database.js").ChatRow} ChatRow
 *
 * @typedef {{key: string, role: string, text: string}} SourceRow
 * @typedef {{id: string, clock: string, replica: string, maker: string, content: string}} CommitRow
 * @typedef {{order: string, key: string, role: string, name: string, hidden: boolean, date: string}} SlotRow
 * @typedef {{kind: string, chat: string, at: number, body: string}} NoteRow
 *
 * @typedef {object} Batch
 * @property {string} pool
 * @property {SourceRow[]} sources
 * @property {CommitRow[]} commits
 * @property {{id: string, name: string, pool: string, parent: string, clock: string} | null} newChat
 * @property {{chat: string, revision: number, ordersOut: string[], rowsIn: SlotRow[]} | null} chat
 * @property {NoteRow[]} ledger
 * @property {Record<string, string>} settings
 */

// What a write may touch. All writes of all tabs take turns, since they share the counter in `meta`.
const WRITTEN = ["chats", "slots", "sources", "commits", "ledger", "settings", "meta"];
const PURGED = [...WRITTEN, "vectors", "positions"];
const PARENTS_BETWEEN = ",";

/** Numbers above all that were given: one counter, so that one cursor reads sources and commits. */
class Numbers {
  /** @param {number} last */
  constructor(last) {
    this.last = last;
  }

  next() {
    return ++this.last;
  }
}

/** One writer on the database. */
export class BrowserStore {
  kind = "indexeddb";
  #db;
  #replica = "";
  // Writes of our own, so that `version` changes with those of others only.
  #own = 0;
  #report;
  /** @type {BroadcastChannel | undefined} */
  #channel;

  /**
   * @param {import("dexie").Dexie} db
   * @param {Report} report
   */
  constructor(db, report) {
    this.#db = db;
    this.#report = report;
  }

  /** Makes the replica at the first use, which proves that the browser stores; listens to other tabs. */
  async start() {
    await this.#guard(async () => {
      await this.#db.transaction("rw", "meta", async () => {
        const known = await this.#db.table("meta").get("replica");
        this.#replica = known?.value ?? randomId();
        if (!known) await this.#db.table("meta").put({ name: "replica", value: this.#replica });
      });
    });
    if (typeof BroadcastChannel !== "function") return;
    this.#channel = new BroadcastChannel(this.#db.name);
    this.#channel.onmessage = ({ data }) => this.#report({ step: "other", outcome: "written", chat: String(data?.chat ?? ""), pool: String(data?.pool ?? "") });
    // Under Node it would keep the process alive.
    /** @type {any} */ (this.#channel).unref?.();
  }

  close() {
    this.#channel?.close();
    this.#db.close();
  }

  async replica() {
    return this.#replica;
  }

  async version() {
    return this.#guard(async () => (await this.#number("writes")) - this.#own);
  }

  async chats() {
    const rows = await this.#chatRows();
    return rows.map(({ id, name, pool, parent, clock }) => ({ id, name, pool, parent, clock }));
  }

  async revisions() {
    return Object.fromEntries((await this.#chatRows()).map(({ id, revision }) => [id, revision]));
  }

  async sizes() {
    return Object.fromEntries((await this.#chatRows()).filter(({ size }) => size).map(({ id, size }) => [id, size]));
  }

  /**
   * @param {string} pool
   * @param {number} cursor
   */
  async pool(pool, cursor) {
    return this.#guard(() =>
      this.#db.transaction("r", "sources", "commits", "meta", async () => {
        const [sources, commits, counter] = await Promise.all([
          this.#after("sources", pool, cursor),
          this.#after("commits", pool, cursor),
          this.#number("counter"),
        ]);
        return {
          sources: sources.map(({ key, role, text }) => ({ key, role, text })),
          commits: commits.map(({ id, clock, replica, maker, content }) => ({ id, clock, replica, maker, content })),
          cursor: Math.max(cursor, counter),
        };
      }),
    );
  }

  /** @param {string} chat */
  async chat(chat) {
    return this.#guard(() =>
      this.#db.transaction("r", "chats", "slots", async () => {
        const [record, rows] = await Promise.all([this.#db.table("chats").get(chat), this.#slotsOf(chat).toArray()]);
        return {
          revision: record?.revision ?? 0,
          rows: rows.map(({ order, key, role, name, hidden, date }) => ({ order, key, role, name, hidden, date })),
        };
      }),
    );
  }

  async settings() {
    return this.#guard(async () => {
      const rows = await this.#db.table("settings").toArray();
      return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
    });
  }

  /**
   * @param {string} kind
   * @param {string} chat
   * @param {number} limit
   */
  async ledger(kind, chat, limit) {
    return this.#guard(() =>
      this.#db.transaction("r", "ledger", async () => {
        const [index, start] = chat ? ["[kind+chat+id]", [kind, chat]] : ["[kind+id]", [kind]];
        const table = this.#db.table("ledger");
        const ids = await table.where(index).between([...start, Dexie.minKey], [...start, Dexie.maxKey]).primaryKeys();
        // A walk backwards reads one row at a time, keys come all at once.
        const rows = await table.bulkGet(ids.slice(-limit).reverse());
        return limit > 0 ? rows : [];
      }),
    );
  }

  /**
   * All of it or nothing. Another revision, an unknown chat or a name that is taken is a conflict.
   * @param {Batch} batch
   */
  async write(batch) {
    await this.#write(WRITTEN, async (numbers) => {
      // First all questions, then all that is written: each turn of a database takes longer than what it does.
      const [chat, pool] = await Promise.all([this.#readForChat(batch), this.#readForPool(batch)]);
      const settings = Object.entries(batch.settings).map(([name, value]) => ({ name, value }));
      await Promise.all([
        this.#writeChat(batch, chat),
        this.#writePool(batch, pool, numbers),
        batch.ledger.length && this.#db.table("ledger").bulkAdd(batch.ledger.map((row) => ({ ...row, id: numbers.next() }))),
        settings.length && this.#db.table("settings").bulkPut(settings),
      ]);
    });
    const chat = batch.chat?.chat ?? batch.newChat?.id ?? "";
    this.#channel?.postMessage({ chat, pool: batch.pool });
  }

  /**
   * Removes a chat for good; when no other one uses its pool, the pool too, and all vectors, since nobody can say which were of its words.
   * @param {string} id
   */
  async purge(id) {
    let pool = "";
    const counts = await this.#write(PURGED, async () => {
      const chats = this.#db.table("chats");
      /** @type {ChatRow | undefined} */
      const record = await chats.get(id);
      if (!record) return { messages: 0, sources: 0, commits: 0, shared: false };
      pool = record.pool;
      await chats.delete(id);
      await this.#db.table("positions").delete(id);
      /** @type {ChatRow[]} */
      const others = await chats.toArray();
      const below = others.filter(({ parent }) => record.parent && parent.split(PARENTS_BETWEEN).at(-1) === id);
      await chats.bulkPut(below.map((row) => ({ ...row, parent: row.parent + PARENTS_BETWEEN + record.parent })));
      const shared = others.some((other) => other.pool === pool);
      const messages = await this.#slotsOf(id).delete();
      await this.#db.table("ledger").where("chat").anyOf(shared ? [id] : [id, pool]).delete();
      if (shared) return { messages, sources: 0, commits: 0, shared };
      const sources = await this.#ofPool("sources", pool).delete();
      const commits = await this.#ofPool("commits", pool).delete();
      await this.#db.table("vectors").clear();
      return { messages, sources, commits, shared };
    });
    this.#channel?.postMessage({ chat: id, pool });
    return counts;
  }

  /**
   * @template T
   * @param {string[]} tables
   * @param {(numbers: Numbers) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async #write(tables, work) {
    const done = await this.#guard(() =>
      this.#db.transaction("rw", tables, async () => {
        const meta = this.#db.table("meta");
        const [counter, writes] = await meta.bulkGet(["counter", "writes"]);
        const numbers = new Numbers(Number(counter?.value ?? 0));
        const out = await work(numbers);
        await meta.bulkPut([
          { name: "counter", value: numbers.last },
          { name: "writes", value: Number(writes?.value ?? 0) + 1 },
        ]);
        return out;
      }),
    );
    this.#own++;
    return done;
  }

  /**
   * What stands of the chat and of the places that are written. Rejects with a conflict.
   * @param {Batch} batch
   */
  async #readForChat({ newChat, chat }) {
    const chats = this.#db.table("chats");
    if (newChat && (await chats.where("name").equals(newChat.name).count())) {
      throw new StoreProblem("conflict", "A chat of that name was made meanwhile.", "Send the update again.");
    }
    if (!chat) return undefined;
    /** @type {ChatRow | undefined} */
    const record = newChat?.id === chat.chat ? { ...newChat, revision: 0, size: 0 } : await chats.get(chat.chat);
    if (record?.revision !== chat.revision) {
      throw new StoreProblem("conflict", "Another writer has changed this chat meanwhile.", "Send the update again.");
    }
    const orders = [...new Set([...chat.ordersOut, ...chat.rowsIn.map(({ order }) => order)])];
    const known = record.size ? await this.#db.table("slots").bulkGet(orders.map((order) => [chat.chat, order])) : [];
    return { record, known: known.filter(Boolean).length };
  }

  /**
   * @param {Batch} batch
   * @param {{record: ChatRow, known: number} | undefined} found
   */
  async #writeChat({ newChat, chat }, found) {
    const chats = this.#db.table("chats");
    if (newChat) await chats.add({ ...newChat, revision: 0, size: 0 });
    if (!chat || !found) return;
    const slots = this.#db.table("slots");
    const size = found.record.size - found.known + new Set(chat.rowsIn.map(({ order }) => order)).size;
    // A database does what it is told in the order in which it was told.
    await Promise.all([
      chat.ordersOut.length && slots.bulkDelete(chat.ordersOut.map((order) => [chat.chat, order])),
      chat.rowsIn.length && slots.bulkPut(chat.rowsIn.map((row) => ({ ...row, chat: chat.chat }))),
      chats.put({ ...found.record, revision: chat.revision + 1, size }),
    ]);
  }

  /**
   * The sources and commits that are new, each once; of equal commits the earliest.
   * @param {Batch} batch
   */
  async #readForPool({ pool, sources, commits }) {
    const first = new Map([...sources].reverse().map((row) => [row.key, row]));
    /** @type {Map<string, CommitRow>} */
    const earliest = new Map();
    for (const row of commits) {
      const other = earliest.get(row.id);
      // Clocks are texts of equal length, so they compare as the numbers would.
      if (!other || row.clock < other.clock) earliest.set(row.id, row);
    }
    const keys = [...new Set(sources.map(({ key }) => key))];
    const ids = [...earliest.keys()];
    const [knownSources, knownCommits] = await Promise.all([
      keys.length ? this.#db.table("sources").bulkGet(keys.map((key) => [pool, key])) : [],
      ids.length ? this.#db.table("commits").bulkGet(ids.map((id) => [pool, id])) : [],
    ]);
    return {
      sources: keys.filter((_, at) => !knownSources[at]).map((key) => /** @type {SourceRow} */ (first.get(key))),
      commits: [...earliest.values()].filter(({ clock }, at) => !knownCommits[at] || clock < knownCommits[at].clock),
    };
  }

  /**
   * @param {Batch} batch
   * @param {{sources: SourceRow[], commits: CommitRow[]}} fresh
   * @param {Numbers} numbers
   */
  async #writePool({ pool }, { sources, commits }, numbers) {
    const numbered = (/** @type {object} */ row) => ({ ...row, pool, number: numbers.next() });
    await Promise.all([
      sources.length && this.#db.table("sources").bulkAdd(sources.map(numbered)),
      commits.length && this.#db.table("commits").bulkPut(commits.map(numbered)),
    ]);
  }

  /** @param {string} name */
  async #number(name) {
    return Number((await this.#db.table("meta").get(name))?.value ?? 0);
  }

  /** @returns {Promise<ChatRow[]>} */
  #chatRows() {
    return this.#guard(() => this.#db.table("chats").toArray());
  }

  /** @param {string} chat */
  #slotsOf(chat) {
    return this.#db.table("slots").where("[chat+order]").between([chat, Dexie.minKey], [chat, Dexie.maxKey]);
  }

  /**
   * @param {"sources" | "commits"} table
   * @param {string} pool
   */
  #ofPool(table, pool) {
    return this.#db.table(table).where("[pool+number]").between([pool, Dexie.minKey], [pool, Dexie.maxKey]);
  }

  /**
   * In order of their numbers.
   * @param {"sources" | "commits"} table
   * @param {string} pool
   * @param {number} cursor
   */
  async #after(table, pool, cursor) {
    if (cursor) return this.#db.table(table).where("[pool+number]").between([pool, cursor], [pool, Dexie.maxKey], false, true).toArray();
    // All of them: rows lie by their keys, and reading them as they lie is faster than by another index.
    const rows = await this.#db.table(table).where(table === "sources" ? "[pool+key]" : "[pool+id]").between([pool, Dexie.minKey], [pool, Dexie.maxKey]).toArray();
    return rows.sort((one, other) => one.number - other.number);
  }

  /**
   * @template T
   * @param {() => PromiseLike<T>} work
   * @returns {Promise<T>}
   */
  async #guard(work) {
    try {
      return await work();
    } catch (error) {
      throw storeError(error);
    }
  }
}

/** 64 random bits; `randomUUID` is not there on plain http. */
function randomId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The store port of a worker.
 * @param {{database: string}} options
 * @param {{report: Report}} tools
 */
export async function openPort({ database }, { report }) {
  const store = new BrowserStore(await openDatabase(database, report), report);
  await store.start();
  return store;
}
