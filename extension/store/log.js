// Which records there are, by origin, each with the chain up to it: a hash over all of them, as the engine's sync/chain.py makes it.
import Dexie from "../vendor/dexie.mjs";
import { sha256Plain } from "../../wasm/sha256.js";
import { StoreProblem } from "./problem.js";

/**
 * @typedef {"source" | "commit" | "chat" | "delivery" | "purge"} Kind
 * @typedef {{origin: string, sequence: number, kind: Kind, pool: string, id: string, clock: string, chain: string, purge?: string}} LogRow
 * @typedef {{origin: string, sequence: number, chain: string}} Head
 */

const CHAIN_DIGITS = 16;
const AT_ONCE = 256;
const bytes = new TextEncoder();

/**
 * @param {string} chain
 * @param {Pick<LogRow, "kind" | "pool" | "id">} record
 */
export const link = (chain, { kind, pool, id }) => sha256Plain(bytes.encode(`${chain} ${kind} ${pool} ${id}`)).slice(0, CHAIN_DIGITS);

/** Adds rows within one transaction; `rows` and `heads` are to be written at its end. */
export class LogWriter {
  /** @type {LogRow[]} */
  rows = [];
  #replica;
  #heads;

  /**
   * @param {string} replica of this store
   * @param {Head[]} heads of all origins that it will be given
   */
  constructor(replica, heads) {
    this.#replica = replica;
    this.#heads = new Map(heads.map((head) => [head.origin, head]));
  }

  /**
   * The next record of this store, or of `origin`; there a `sequence` that is not the next one is a conflict.
   * @param {Pick<LogRow, "kind" | "pool" | "id" | "clock">} record
   * @param {string} [origin]
   * @param {number} [sequence]
   */
  add({ kind, pool, id, clock }, origin = this.#replica, sequence = 0) {
    const head = this.#heads.get(origin) ?? { origin, sequence: 0, chain: "" };
    if (sequence && sequence !== head.sequence + 1) {
      throw new StoreProblem("conflict", `Record ${sequence} of ${origin} is not the next one, ${head.sequence + 1}.`, "Ask for the records again.");
    }
    const next = { origin, sequence: head.sequence + 1, chain: link(head.chain, { kind, pool, id }) };
    this.#heads.set(origin, next);
    // An index finds the few purges among all rows by this.
    this.rows.push({ ...next, kind, pool, id, clock, ...(kind === "purge" ? { purge: id } : {}) });
  }

  /** The heads that changed. */
  get heads() {
    return [...new Set(this.rows.map(({ origin }) => origin))].map((origin) => /** @type {Head} */ (this.#heads.get(origin)));
  }
}

/**
 * The rows of an origin after a sequence, in order.
 * @param {import("dexie").Dexie} db
 * @param {string} origin
 * @param {number} after
 * @param {number} [most]
 * @returns {Promise<LogRow[]>}
 */
export function rowsAfter(db, origin, after, most = AT_ONCE) {
  return db.table("log").where("[origin+sequence]").between([origin, after], [origin, Dexie.maxKey], false, true).limit(most).toArray();
}

/**
 * For what was written later than `clock`, by id, the smallest clock of those.
 * @param {LogRow[]} rows
 * @param {Kind} kind
 * @param {string} clock
 */
export function later(rows, kind, clock) {
  /** @type {Map<string, string>} */
  const out = new Map();
  for (const row of rows) {
    if (row.kind === kind && row.clock > clock && !((out.get(row.id) ?? "~") <= row.clock)) out.set(row.id, row.clock);
  }
  return out;
}
