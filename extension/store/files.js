// Files that stay from start to start: the runtime by hash, and the snapshot of a build. All of it can be made or fetched again.
import { openDatabase } from "./database.js";

/** See Keeper in wasm/boot.js. */
class BrowserFiles {
  #files;

  /** @param {import("dexie").Dexie} db */
  constructor(db) {
    this.#files = db.table("files");
  }

  /**
   * @param {string} sha256
   * @returns {Promise<Uint8Array<ArrayBuffer> | undefined>}
   */
  async get(sha256) {
    return (await this.#files.get(`file ${sha256}`))?.data;
  }

  /**
   * @param {{name: string, sha256: string, data: Uint8Array<ArrayBuffer>}[]} files
   * @param {string[]} current hashes; files of others are forgotten
   */
  async put(files, current) {
    const kept = new Set(current.map((sha256) => `file ${sha256}`));
    await this.#forget((key) => key.startsWith("file ") && !kept.has(key));
    await this.#files.bulkPut(files.map(({ name, sha256, data }) => ({ key: `file ${sha256}`, name, data })));
  }

  /**
   * @param {string} build
   * @returns {Promise<{packed?: Uint8Array<ArrayBuffer>, failures: number}>}
   */
  async snapshot(build) {
    const row = await this.#files.get(`snapshot ${build}`);
    return { packed: row?.data, failures: row?.failures ?? 0 };
  }

  /**
   * @param {string} build
   * @param {Uint8Array<ArrayBuffer>} packed
   */
  async putSnapshot(build, packed) {
    const key = `snapshot ${build}`;
    await this.#forget((other) => other.startsWith("snapshot ") && other !== key);
    const failures = (await this.#files.get(key))?.failures ?? 0;
    await this.#files.put({ key, data: packed, failures });
  }

  /** @param {string} build */
  async snapshotFailed(build) {
    const key = `snapshot ${build}`;
    const failures = (await this.#files.get(key))?.failures ?? 0;
    await this.#files.put({ key, failures: failures + 1 });
  }

  /** @param {(key: string) => boolean} old */
  async #forget(old) {
    const keys = await this.#files.toCollection().primaryKeys();
    await this.#files.bulkDelete(keys.filter((key) => old(String(key))));
  }
}

/**
 * @param {{database: string}} options
 * @param {{report: import("./database.js").Report}} tools
 */
export async function openPort({ database }, { report }) {
  return new BrowserFiles(await openDatabase(database, report));
}
