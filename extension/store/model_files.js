// The files of the page's own embedding model, kept from start to start beside those of the runtime. They are big, so the connection is closed after use.
import { connect, storeError } from "./database.js";

/** See Shelf in wasm/embedder_worker.js. */
class ModelFiles {
  #db;

  /** @param {import("dexie").Dexie} db */
  constructor(db) {
    this.#db = db;
  }

  /**
   * @param {string} sha256
   * @returns {Promise<Uint8Array<ArrayBuffer> | undefined>}
   */
  async get(sha256) {
    return (await this.#db.table("files").get(`model ${sha256}`))?.data;
  }

  /** @param {{name: string, sha256: string, data: Uint8Array<ArrayBuffer>}[]} files all others are forgotten */
  async put(files) {
    try {
      await this.drop();
      await this.#db.table("files").bulkPut(files.map(({ name, sha256, data }) => ({ key: `model ${sha256}`, name, data })));
    } catch (error) {
      throw storeError(error);
    }
  }

  async drop() {
    await this.#db.table("files").where("key").startsWith("model ").delete();
  }

  close() {
    this.#db.close();
  }
}

/**
 * @param {{database: string}} options
 * @param {{report: import("./database.js").Report}} tools
 */
export async function openPort({ database }, { report }) {
  return new ModelFiles(await connect(database, report));
}
