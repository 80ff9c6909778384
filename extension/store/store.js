// The engine's store in the browser's database. docs/wasm.md has methods and rows; texts and clocks are kept as they come.
import Dexie from "../vendor/dexie.mjs";
import { bury } from "./burying.js";
import { StoreProblem, openDatabase, storeError } from "./database.js";
import { LogWriter, rowsAfter } from "./log.js";
import { READ_OF_LOG, chatOut, commitOut, newestOf, purgesOf, recordsAfter } from "./records.js";
import { Writing, gravesOf } from "./writing.js";

/**
 * @typedef {import("./database.js").Report} Report
 * @typedef {import("./database.js").ChatRow} ChatRow
 *
 * @typedef {{order: string, key: string, role: string, name: string, hidden: boolean, date: string}} SlotRow
 * @typedef {{chat: {chat: string, revision: number, ordersOut: string[], rowsIn: SlotRow[]} | null, settings: Record<string, string>}} Rest
 * @typedef {import("./writing.js").Parts & Rest} Batch
 */

// What a write may touch. All writes of all tabs take turns, since they share the counter in `meta`.
const WRITTEN = ["chats", "slots", "sources", "commits", "ledger", "settings", "meta", "log", "heads", "graves"];
const PURGED = [...WRITTEN, "purges", "vectors", "positions"];
const FOREVER = String(2n ** 62n).padStart(20, "0");

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
    if (!this.#db.isOpen()) return this.#replica;
    // Another tab may have given the store another one.
    return this.#guard(async () => String((await this.#db.table("meta").get("replica"))?.value ?? this.#replica));
  }

  async version() {
    return this.#guard(async () => (await this.#number("writes")) - this.#own);
  }

  async chats() {
    const rows = await this.#chatRows();
    return rows.map(chatOut);
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
      this.#db.transaction("r", ["sources", "commits", "meta", "graves", "purges"], async () => {
        const [sources, commits, counter, graves, burials] = await Promise.all([
          this.#after("sources", pool, cursor),
          this.#after("commits", pool, cursor),
          this.#number("counter"),
          gravesOf(this.#db, pool),
          this.#db.table("purges").where("[pool+words]").equals([pool, 1]).count(),
        ]);
        return {
          sources: sources.map(({ key, role, text }) => ({ key, role, text })),
          commits: commits.map(commitOut),
          cursor: Math.max(cursor, counter),
          purged: graves.filter(({ mark }) => mark.startsWith("key ")).map(({ mark }) => mark.slice("key ".length)),
          burials,
          floor: graves.reduce((most, { clock }) => (clock < FOREVER && clock > most ? clock : most), "0"),
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
    await this.#write(WRITTEN, (numbers) => this.#writeBatch(batch, numbers));
    const chat = batch.chat?.chat ?? batch.newChat?.id ?? "";
    this.#channel?.postMessage({ chat, pool: batch.pool });
  }

  /**
   * Carries out a purge, all of it or nothing, and writes what comes after it.
   * @param {import("./burying.js").Burial & {then: Batch}} burial
   */
  async purge(burial) {
    const counts = await this.#write(PURGED, async (numbers) => {
      const done = await bury(this.#db, burial, numbers);
      await this.#writeBatch(burial.then, numbers);
      return done;
    });
    this.#channel?.postMessage({ chat: burial.purge.chats[0]?.[0] ?? "", pool: burial.purge.pool });
    return counts;
  }

  async heads() {
    const rows = await this.#guard(() => this.#db.table("heads").toArray());
    return Object.fromEntries(rows.map(({ origin, sequence, chain }) => [origin, { sequence, chain }]));
  }

  /** @param {[string, number][]} asked */
  async chains(asked) {
    const rows = await this.#guard(() => this.#db.table("log").bulkGet(asked));
    return rows.map((row) => row?.chain ?? "");
  }

  /** @param {string} origin @param {number} after @param {number} limit */
  async log(origin, after, limit) {
    return this.#guard(() => this.#db.transaction("r", READ_OF_LOG, () => recordsAfter(this.#db, origin, after, limit)));
  }

  /** The latest clock of all records of a pool. @param {string} pool */
  async newest(pool) {
    return this.#guard(() => newestOf(this.#db, pool));
  }

  async purges() {
    return this.#guard(() => this.#db.transaction("r", READ_OF_LOG, () => purgesOf(this.#db)));
  }

  /**
   * From now on this store writes as another replica; with `origin`, that one's records from `sequence` on become the new one's.
   * @param {string} replica
   * @param {string} origin
   * @param {number} sequence
   */
  async rename(replica, origin, sequence) {
    await this.#write(WRITTEN, async () => {
      const table = (/** @type {string} */ name) => this.#db.table(name);
      await table("meta").put({ name: "replica", value: replica });
      if (!origin) return;
      const rows = await rowsAfter(this.#db, origin, sequence - 1, Infinity);
      const [before, heads] = await Promise.all([table("log").get([origin, sequence - 1]), table("heads").toArray()]);
      const log = new LogWriter(replica, heads.filter((head) => head.origin !== origin).concat(before ?? []));
      rows.forEach((row) => log.add(row));
      await table("log").bulkDelete(rows.map((row) => [origin, row.sequence]));
      await table("heads").delete(origin);
      if (before && origin !== replica) await table("heads").put({ origin, sequence: sequence - 1, chain: before.chain });
      await Promise.all([table("log").bulkPut(log.rows), table("heads").bulkPut(log.heads)]);
    });
    this.#replica = replica;
  }

  /**
   * @param {Batch} batch
   * @param {Numbers} numbers
   */
  async #writeBatch(batch, numbers) {
    // First all questions, then all that is written: each turn of a database takes longer than what it does.
    const writing = new Writing(this.#db, batch, numbers);
    const [chat] = await Promise.all([this.#readForChat(batch), writing.read()]);
    writing.decide();
    const settings = Object.entries(batch.settings).map(([name, value]) => ({ name, value }));
    await Promise.all([this.#writeChat(batch, chat), writing.write(), settings.length && this.#db.table("settings").bulkPut(settings)]);
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
