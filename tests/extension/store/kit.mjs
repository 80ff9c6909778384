// What the tests of the page's store share: an IndexedDB in memory, and batches as the engine writes them.
import "fake-indexeddb/auto";
import { connect } from "../../../extension/store/database.js";
import { BrowserStore } from "../../../extension/store/store.js";

let databases = 0;
/** A name that no other test has. */
export const freshName = () => `tidelore-test-${process.pid}-${++databases}`;

/** A connection of its own, as another tab has one. */
export async function openStore(database, events = []) {
  const report = (event) => events.push(event);
  const store = new BrowserStore(await connect(database, report), report);
  await store.start();
  return store;
}

export const digits = (number) => String(number).padStart(20, "0");
export const row = (number, key = `k${number}`) => ({ order: digits(number), key, role: "user", name: "Ann", hidden: false, date: "" });
export const source = (key, text = `words of ${key}`) => ({ key, role: "user", text });
export const commit = (id, clock = 1, content = `{"id":"${id}"}`) => ({ id, clock: digits(clock), replica: "r", maker: "rules", content, marks: [`commit ${id}`], windowless: false });

/** An empty batch with something in it. */
export const batch = (parts = {}) => ({ pool: "p", clock: digits(1), sources: [], commits: [], newChat: null, chat: null, ledger: [], settings: {}, records: [], ...parts });
export const newChat = (id, pool = "p", parent = "") => ({ id, name: `name of ${id}`, pool, parent, clock: digits(7), title: "" });
export const change = (chat, revision, rowsIn = [], ordersOut = []) => ({ chat, revision, ordersOut, rowsIn });

export const note = (kind, chat, record = "") => ({ kind, chat, at: 1, body: "{}", record });

/** A purge of a chat, and of its pool where no other stands on it. */
export async function purge(store, chat, then = batch()) {
  const chats = await store.chats();
  const { pool, parent } = chats.find(({ id }) => id === chat);
  const others = chats.filter((each) => each.pool === pool && each.id !== chat).map(({ id }) => id);
  const whole = !others.length;
  const clock = digits(2n ** 60n);
  const graves = [[`chat ${chat}`, clock], ...(whole ? [["pool", clock]] : [])];
  const said = { id: `purge of ${chat}`, pool, clock, chats: [[chat, parent]], whole, commits: [], keys: [], words: whole, body: "{}" };
  return store.purge({ purge: said, graves, dead: [], nodes: [], cursor: 0, others, then, origin: "", sequence: 0 });
}

/** What a promise was rejected with. */
export async function failure(promise, about = "it") {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`${about} did not fail`);
}

/** All that the store holds. */
export async function everything(store) {
  const { cursor, ...pool } = await store.pool("p", 0);
  const [chats, revisions, sizes, settings] = await Promise.all([store.chats(), store.revisions(), store.sizes(), store.settings()]);
  const slots = await Promise.all(chats.map(({ id }) => store.chat(id)));
  return { cursor, pool, chats, revisions, sizes, settings, slots, ledger: await store.ledger("recall", "", 100) };
}
