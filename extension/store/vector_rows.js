// Vectors on disk, one row a node and model. Derived: what is lost is embedded again.
import Dexie from "../vendor/dexie.mjs";
import { openDatabase, storeError } from "./database.js";

/** See Rows in wasm/vectors.js. */
class VectorRows {
  #table;

  /** @param {import("dexie").Dexie} db */
  constructor(db) {
    this.#table = db.table("vectors");
  }

  /**
   * @param {string} model
   * @returns {Promise<{node: string, hash: string, vector: ArrayBuffer}[]>}
   */
  async load(model) {
    return this.#table.where("[model+node]").between([model, Dexie.minKey], [model, Dexie.maxKey]).toArray();
  }

  /**
   * @param {string} model
   * @param {{node: string, hash: string, vector: ArrayBuffer}[]} rows
   */
  async put(model, rows) {
    try {
      await this.#table.bulkPut(rows.map((row) => ({ model, ...row })));
    } catch (error) {
      throw storeError(error);
    }
  }

  /**
   * @param {string} model
   * @param {string[]} nodes
   */
  async drop(model, nodes) {
    await this.#table.bulkDelete(nodes.map((node) => [model, node]));
  }
}

/**
 * @param {{database: string}} options
 * @param {{report: import("./database.js").Report}} tools
 */
export async function openPort({ database }, { report }) {
  return new VectorRows(await openDatabase(database, report));
}
