// Records as they are read: rows of the log with the bodies that are stored for them.
import { rowsAfter } from "./log.js";

/**
 * @typedef {import("dexie").Dexie} Db
 */

export const READ_OF_LOG = ["log", "sources", "commits", "chats", "ledger", "purges"];

/** @param {any} row */
export const chatOut = ({ id, name, pool, parent, clock, title }) => ({ id, name, pool, parent, clock, title: title ?? "" });

/** @param {any} row */
export const commitOut = ({ id, clock, replica, maker, content }) => ({ id, clock, replica, maker, content });

/** @param {import("./log.js").LogRow} row */
const place = ({ origin, sequence, kind, pool, id, clock }) => ({ origin, sequence, kind, pool, id, clock });

/**
 * The records of an origin after a sequence, in order, until their texts have `limit` characters.
 * @param {Db} db
 * @param {string} origin
 * @param {number} after
 * @param {number} limit
 */
export async function recordsAfter(db, origin, after, limit) {
  const out = [];
  for (let size = 0, rows; (rows = await rowsAfter(db, origin, after)).length; after = rows[rows.length - 1].sequence) {
    const bodies = await Promise.all(rows.map((row) => bodyOf(db, row)));
    for (const [at, row] of rows.entries()) {
      const [body, length] = bodies[at];
      out.push({ ...place(row), body });
      size += length;
      if (size >= limit) return out;
    }
  }
  return out;
}

/**
 * What is stored of a record, null where it was purged, and how long its text is.
 * @param {Db} db
 * @param {import("./log.js").LogRow} row
 * @returns {Promise<[any, number]>}
 */
async function bodyOf(db, { kind, pool, id }) {
  const get = (/** @type {string} */ table, /** @type {any} */ key) => db.table(table).get(key);
  switch (kind) {
    case "source": {
      const found = await get("sources", [pool, id]);
      return found ? [{ key: id, role: found.role, text: found.text }, found.text.length] : [null, 0];
    }
    case "commit": {
      const found = await get("commits", [pool, id]);
      return found ? [commitOut(found), found.content.length] : [null, 0];
    }
    case "chat": {
      const found = await get("chats", id);
      return found ? [chatOut(found), found.name.length] : [null, 0];
    }
    case "delivery": {
      const found = await get("ledger", { record: id });
      return found ? [{ id: found.id, kind: found.kind, chat: found.chat, at: found.at, body: found.body }, found.body.length] : [null, 0];
    }
    default: {
      const found = await get("purges", id);
      return [found.body, found.body.length];
    }
  }
}

/** @param {Db} db @param {string} pool */
export async function newestOf(db, pool) {
  let newest = "0";
  await db.table("log").where("pool").equals(pool).each(({ clock }) => void (newest = clock > newest ? clock : newest));
  return newest;
}

/** All purges, oldest first as they were carried out here. @param {Db} db */
export async function purgesOf(db) {
  const [rows, purges] = await Promise.all([db.table("log").where("purge").above("").toArray(), db.table("purges").orderBy("number").toArray()]);
  const places = new Map(rows.map((row) => [row.id, place(row)]));
  return purges.map(({ id, body }) => ({ ...places.get(id), body }));
}
