// What one write does to sources, commits, chats, receipts and the log. What is new here gets numbers of this store, what came keeps its own.
import Dexie from "../vendor/dexie.mjs";
import { StoreProblem } from "./problem.js";
import { LogWriter } from "./log.js";

/**
 * @typedef {import("./database.js").ChatRow} ChatRow
 * @typedef {import("./log.js").Kind} Kind
 * @typedef {{key: string, role: string, text: string}} SourceRow
 * @typedef {{id: string, clock: string, replica: string, maker: string, content: string, marks: string[], windowless: boolean}} CommitRow
 * @typedef {{kind: string, chat: string, at: number, body: string, record: string}} NoteRow
 * @typedef {{id: string, name: string, pool: string, parent: string, clock: string, title: string}} ChatRecord
 * @typedef {{origin: string, sequence: number, kind: Kind, pool: string, id: string, clock: string, body: any}} RecordRow
 * @typedef {{pool: string, mark: string, clock: string, parent: string}} Grave
 *
 * @typedef {object} Parts
 * @property {string} pool
 * @property {string} clock that of the sources
 * @property {SourceRow[]} sources
 * @property {CommitRow[]} commits
 * @property {ChatRecord | null} newChat
 * @property {NoteRow[]} ledger
 * @property {RecordRow[]} records
 */

export const PARENTS_BETWEEN = ",";
const POOL = "pool";
const NAMED = 8;

/** @param {number} at ms since 1970 */
export const clockOf = (at) => String(BigInt(at) << 16n).padStart(20, "0");

/**
 * As Python and SQLite order texts: by code points, not by halves of them.
 * @param {string} one
 * @param {string} other
 */
function isLess(one, other) {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at++;
  // Within a pair, its first half tells nothing.
  if (at && /[\ud800-\udbff]/.test(one[at - 1])) at--;
  return (one.codePointAt(at) ?? -1) < (other.codePointAt(at) ?? -1);
}

/**
 * A chat's `parent` with the parents of those of its ancestors that were purged.
 * @param {string} parent
 * @param {Map<string, string>} gone the parent of each chat that was
 */
export function lineage(parent, gone) {
  while (parent) {
    const known = parent.split(PARENTS_BETWEEN);
    const more = gone.get(known[known.length - 1]) ?? "";
    if (!more || known.includes(more.split(PARENTS_BETWEEN)[0])) return parent;
    parent += PARENTS_BETWEEN + more;
  }
  return parent;
}

/**
 * The parent of each chat that was purged.
 * @param {Grave[]} graves
 */
export const goneOf = (graves) => new Map(graves.filter(({ mark }) => mark.startsWith("chat ")).map(({ mark, parent }) => [mark.slice("chat ".length), parent]));

/**
 * @param {import("dexie").Dexie} db
 * @param {string} pool
 * @returns {PromiseLike<Grave[]>}
 */
export const gravesOf = (db, pool) => db.table("graves").where("[pool+mark]").between([pool, Dexie.minKey], [pool, Dexie.maxKey]).toArray();

/** Rows of one table, as they stand and as they will. */
class Rows {
  /** @type {Map<string, any>} */
  #rows = new Map();
  /** @type {Set<string>} */
  #changed = new Set();

  /** @param {string[]} names @param {any[]} found */
  constructor(names, found) {
    names.forEach((name, at) => found[at] && this.#rows.set(name, found[at]));
  }

  /** @param {string} name */
  get(name) {
    return this.#rows.get(name);
  }

  /** @param {string} name @param {any} row */
  put(name, row) {
    this.#rows.set(name, row);
    this.#changed.add(name);
  }

  values() {
    return [...this.#rows.values()];
  }

  get changed() {
    return [...this.#changed].map((name) => this.#rows.get(name));
  }
}

/** Within one transaction: `read` all that is asked, `decide` without waiting, then `write`. */
export class Writing {
  #db;
  #parts;
  #numbers;
  /** @type {Map<string, string>} by pool and mark */
  #graves = new Map();
  /** @type {Map<string, string>} */
  #gone = new Map();
  #sources = new Rows([], []);
  #commits = new Rows([], []);
  #chats = new Rows([], []);
  #shared = new Rows([], []);
  /** @type {any[]} */
  #notes = [];
  #log = new LogWriter("", []);

  /**
   * @param {import("dexie").Dexie} db
   * @param {Parts} parts
   * @param {{next: () => number}} numbers
   */
  constructor(db, parts, numbers) {
    this.#db = db;
    this.#parts = parts;
    this.#numbers = numbers;
  }

  async read() {
    const { pool, sources, commits, newChat, ledger, records } = this.#parts;
    const of = (/** @type {Kind} */ kind) => records.filter((record) => record.kind === kind);
    const keys = unique([...sources.map(({ key }) => [pool, key]), ...of("source").map(({ pool, id }) => [pool, id])]);
    const ids = unique([...commits.map(({ id }) => [pool, id]), ...of("commit").map(({ pool, id }) => [pool, id])]);
    const shared = [...new Set([...ledger.map(({ record }) => record).filter(Boolean), ...of("delivery").map(({ id }) => id)])];
    const origins = [...new Set(records.map(({ origin }) => origin))];
    const db = this.#db;
    const table = (/** @type {string} */ name) => db.table(name);
    const pools = [...new Set([pool, ...records.map((record) => record.pool)])];
    const placed = records.some(({ kind }) => kind === "chat" || kind === "delivery");
    const [replica, graves, heads, knownSources, knownCommits, knownShared, chats] = await Promise.all([
      table("meta").get("replica"),
      Promise.all([...pools.map((each) => gravesOf(db, each)), placed ? table("graves").where("mark").startsWith("chat ").toArray() : []]),
      table("heads").toArray(),
      keys.length ? table("sources").bulkGet(keys) : [],
      ids.length ? table("commits").bulkGet(ids) : [],
      shared.length ? table("ledger").where("record").anyOf(shared).toArray() : [],
      newChat || of("chat").length ? table("chats").toArray() : [],
    ]);
    for (const { pool, mark, clock } of graves.flat()) this.#graves.set(name(pool, mark), clock);
    this.#gone = goneOf(graves.flat());
    this.#sources = new Rows(keys.map(([pool, key]) => name(pool, key)), knownSources);
    this.#commits = new Rows(ids.map(([pool, id]) => name(pool, id)), knownCommits);
    this.#chats = new Rows(chats.map(({ id }) => id), chats);
    this.#shared = new Rows(knownShared.map(({ record }) => record), knownShared);
    this.#log = new LogWriter(replica.value, heads.filter(({ origin }) => origin === replica.value || origins.includes(origin)));
  }

  /** Rejects with a conflict. */
  decide() {
    const { pool, clock, sources, commits, newChat, ledger, records } = this.#parts;
    if (newChat) this.#log.add({ kind: "chat", pool: newChat.pool, id: newChat.id, clock: newChat.clock });
    for (const row of sources) if (this.#source(pool, row, clock)) this.#log.add({ kind: "source", pool, id: row.key, clock });
    for (const row of commits) {
      if (row.windowless && this.#buried(pool, row.marks, row.clock)) {
        throw new StoreProblem("conflict", "What this change is about was purged meanwhile.", "Read it again.");
      }
      if (this.#commit(pool, row, row.clock)) this.#log.add({ kind: "commit", pool, id: row.id, clock: row.clock });
    }
    for (const row of ledger) {
      this.#note(row);
      if (row.record) this.#log.add({ kind: "delivery", pool: "", id: row.record, clock: clockOf(row.at) });
    }
    for (const record of records) {
      this.#take(record);
      this.#log.add(record, record.origin, record.sequence);
    }
  }

  /**
   * Its own record, beside what `decide` finds.
   * @param {Pick<import("./log.js").LogRow, "kind" | "pool" | "id" | "clock">} record
   * @param {string} origin
   * @param {number} sequence
   */
  add(record, origin, sequence) {
    this.#log.add(record, origin || undefined, sequence);
  }

  async write() {
    const put = (/** @type {string} */ table, /** @type {any[]} */ rows) => rows.length && this.#db.table(table).bulkPut(rows);
    // A database does what it is told in the order in which it was told.
    await Promise.all([
      put("sources", this.#sources.changed),
      put("commits", this.#commits.changed),
      put("chats", this.#chats.changed),
      this.#notes.length && this.#db.table("ledger").bulkAdd(this.#notes),
      put("log", this.#log.rows),
      put("heads", this.#log.heads),
    ]);
  }

  /** @param {string} pool @param {string[]} marks @param {string} clock */
  #buried(pool, marks, clock) {
    return this.#graves.size > 0 && [POOL, ...marks].some((mark) => clock <= (this.#graves.get(name(pool, mark)) ?? ""));
  }

  /**
   * True when it is new. Of two texts the smaller one stays, so that all replicas have the same one.
   * @param {string} pool @param {SourceRow} row @param {string} clock
   */
  #source(pool, { key, role, text }, clock) {
    const known = this.#sources.get(name(pool, key));
    if (this.#buried(pool, [`key ${key}`], clock) || (known && !isLess(text, known.text))) return false;
    this.#sources.put(name(pool, key), { pool, key, role, text, number: this.#numbers.next() });
    return true;
  }

  /**
   * True when it is new or came with a smaller clock, which is kept under a new number, so that other readers notice.
   * @param {string} pool @param {CommitRow} row @param {string} clock
   */
  #commit(pool, { id, replica, maker, content, marks }, clock) {
    const known = this.#commits.get(name(pool, id));
    if (this.#buried(pool, marks, clock) || (known && known.clock <= clock)) return false;
    this.#commits.put(name(pool, id), { pool, id, clock, replica, maker, content, number: this.#numbers.next() });
    return true;
  }

  /** @param {NoteRow} row */
  #note({ record, ...row }) {
    // A receipt that stands is not written once more.
    if (record && this.#shared.get(record)) return;
    const note = { ...row, ...(record ? { record } : {}), id: this.#numbers.next() };
    this.#notes.push(note);
    if (record) this.#shared.put(record, note);
  }

  /** @param {RecordRow} record */
  #take({ kind, pool, id, clock, body }) {
    if (!body) return;
    if (kind === "source") this.#source(pool, body, clock);
    if (kind === "commit") this.#commit(pool, body, clock);
    if (kind === "chat") this.#chat(body);
    if (kind === "delivery" && !this.#graveOf(body.chat, clock)) this.#note({ ...body, record: id });
  }

  /** @param {string} chat @param {string} clock */
  #graveOf(chat, clock) {
    const mark = `chat ${chat}`;
    return [...this.#graves].some(([at, until]) => at.endsWith(`\0${mark}`) && clock <= until);
  }

  /** @param {ChatRecord} came */
  #chat(came) {
    if (came.clock <= (this.#graves.get(name(came.pool, `chat ${came.id}`)) ?? "")) return;
    /** @type {ChatRow | undefined} */
    const known = this.#chats.get(came.id);
    const parent = lineage(came.parent, this.#gone);
    if (known) {
      const further = parent.length > known.parent.length || (parent.length === known.parent.length && parent > known.parent);
      this.#chats.put(came.id, { ...known, clock: came.clock < known.clock ? came.clock : known.clock, parent: further ? parent : known.parent });
      return;
    }
    const called = came.title || came.name;
    const taken = this.#chats.values().some((other) => other.name === came.name);
    const names = taken ? { name: `${called} (${came.id.slice(0, NAMED)})`, title: called } : { name: came.name, title: came.title };
    this.#chats.put(came.id, { ...came, ...names, parent, revision: 0, size: 0 });
  }
}

/** @param {string} pool @param {string} id */
const name = (pool, id) => `${pool}\0${id}`;

/** @param {string[][]} pairs */
const unique = (pairs) => [...new Map(pairs.map((pair) => [pair.join("\0"), pair])).values()];
