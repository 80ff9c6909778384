// A page's store in memory: what an implementation of the store port must do, and no more. docs/wasm.md describes the rows.
import { link } from "../../extension/store/log.js";
import { clockOf, lineage } from "../../extension/store/writing.js";

class StoreProblem extends Error {
  constructor(code, message, hint) {
    super(message);
    Object.assign(this, { code, hint });
  }
}

const FOREVER = String(2n ** 62n).padStart(20, "0");
const conflict = () => new StoreProblem("conflict", "Another writer was here meanwhile.", "Send it again.");
const isLess = (one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;

/** @param {string} replica */
export function memoryStore(replica = "page") {
  const chats = new Map();
  const slots = new Map();
  const pools = new Map();
  const logs = new Map();
  const purges = new Map();
  const gone = new Map();
  const settings = new Map();
  let ledger = [];
  let counter = 0;

  const poolOf = (id) => {
    if (!pools.has(id)) pools.set(id, { sources: new Map(), commits: new Map(), graves: new Map(), burials: 0 });
    return pools.get(id);
  };
  const after = (rows, cursor) => [...rows.values()].filter((row) => row.sequence > cursor).map((row) => row.value);
  const logOf = (origin) => logs.get(origin) ?? [];
  const chainAt = (origin, sequence) => logOf(origin)[sequence - 1]?.chain ?? "";
  const buried = ({ graves }, marks, clock) => ["pool", ...marks].some((mark) => clock <= (graves.get(mark) ?? ""));

  function add({ kind, pool, id, clock }, origin = replica) {
    const rows = logOf(origin);
    rows.push({ origin, sequence: rows.length + 1, kind, pool, id, clock, chain: link(chainAt(origin, rows.length), { kind, pool, id }) });
    logs.set(origin, rows);
  }
  function checkNext(records) {
    const counts = new Map();
    for (const { origin, sequence } of records) {
      const due = (counts.get(origin) ?? logOf(origin).length) + 1;
      if (sequence !== due) throw conflict();
      counts.set(origin, due);
    }
  }
  function takeSource(pool, value, clock) {
    const home = poolOf(pool);
    const known = home.sources.get(value.key)?.value;
    if (buried(home, [`key ${value.key}`], clock) || (known && !isLess(value.text, known.text))) return false;
    home.sources.set(value.key, { sequence: ++counter, value });
    return true;
  }
  function takeCommit(pool, { marks, windowless, ...value }) {
    const home = poolOf(pool);
    const known = home.commits.get(value.id)?.value;
    // Clocks are texts of equal length, so they compare as the numbers would.
    if (buried(home, marks, value.clock) || (known && known.clock <= value.clock)) return false;
    home.commits.set(value.id, { sequence: ++counter, value });
    return true;
  }
  function takeChat(came) {
    if (came.clock <= (poolOf(came.pool).graves.get(`chat ${came.id}`) ?? "")) return;
    const known = chats.get(came.id);
    const parent = lineage(came.parent, gone);
    if (known) {
      if (came.clock < known.clock) known.clock = came.clock;
      if (parent.length > known.parent.length || (parent.length === known.parent.length && parent > known.parent)) known.parent = parent;
      return;
    }
    const called = came.title || came.name;
    const taken = [...chats.values()].some(({ name }) => name === came.name);
    chats.set(came.id, { ...came, parent, revision: 0, ...(taken ? { name: `${called} (${came.id.slice(0, 8)})`, title: called } : {}) });
  }
  const takeNote = (row) => row.record && ledger.some(({ record }) => record === row.record) ? undefined : ledger.push({ ...row, id: ++counter });
  function take({ kind, pool, id, clock, body }) {
    if (!body) return;
    if (kind === "source") takeSource(pool, body, clock);
    if (kind === "commit") takeCommit(pool, { ...body, clock });
    if (kind === "chat") takeChat(body);
    const grave = [...pools.values()].some(({ graves }) => clock <= (graves.get(`chat ${body.chat}`) ?? ""));
    if (kind === "delivery" && !grave) takeNote({ ...body, record: id });
  }

  function check({ pool, newChat, chat, commits, records }) {
    if (newChat && [...chats.values()].some(({ name }) => name === newChat.name)) throw conflict();
    const standing = chat && (newChat?.id === chat.chat ? 0 : chats.get(chat.chat)?.revision);
    if (chat && standing !== chat.revision) throw conflict();
    if (commits.some((row) => row.windowless && buried(poolOf(pool), row.marks, row.clock))) throw conflict();
    checkNext(records);
  }
  function write(batch) {
    const { pool, clock, newChat, chat } = batch;
    if (newChat) {
      chats.set(newChat.id, { ...newChat, revision: 0 });
      add({ kind: "chat", pool: newChat.pool, id: newChat.id, clock: newChat.clock });
    }
    if (chat) {
      if (!slots.has(chat.chat)) slots.set(chat.chat, new Map());
      const rows = slots.get(chat.chat);
      chat.ordersOut.forEach((order) => rows.delete(order));
      chat.rowsIn.forEach((row) => rows.set(row.order, row));
      chats.get(chat.chat).revision = chat.revision + 1;
    }
    for (const row of batch.sources) if (takeSource(pool, row, clock)) add({ kind: "source", pool, id: row.key, clock });
    for (const row of batch.commits) if (takeCommit(pool, row)) add({ kind: "commit", pool, id: row.id, clock: row.clock });
    for (const row of batch.ledger) {
      takeNote(row);
      if (row.record) add({ kind: "delivery", pool: "", id: row.record, clock: clockOf(row.at) });
    }
    for (const [name, value] of Object.entries(batch.settings)) settings.set(name, value);
    for (const record of batch.records) {
      take(record);
      add(record, record.origin);
    }
  }

  /** For what was written later than a clock, by id, the smallest clock of those. */
  function later(kind, pool, clock) {
    const out = new Map();
    for (const row of [...logs.values()].flat()) {
      if (row.kind === kind && row.pool === pool && row.clock > clock && !(out.get(row.id) <= row.clock)) out.set(row.id, row.clock);
    }
    return out;
  }
  const dropNotes = (chat, clock) => void (ledger = ledger.filter((row) => row.chat !== chat || clockOf(row.at) > clock));
  function buryChat(id, parent, pool, clock) {
    gone.set(id, parent);
    dropNotes(id, clock);
    const stays = later("chat", pool, clock).get(id);
    const messages = stays ? 0 : (slots.get(id)?.size ?? 0);
    if (stays && chats.has(id)) chats.get(id).clock = stays;
    if (!stays) [slots, chats].forEach((rows) => rows.delete(id));
    for (const each of chats.values()) each.parent = lineage(each.parent, gone);
    return messages;
  }
  function buryWords(home, { purge, dead }) {
    const before = [home.sources.size, home.commits.size];
    if (purge.whole) {
      const [sources, commits] = ["source", "commit"].map((kind) => later(kind, purge.pool, home.graves.get("pool")));
      home.sources.forEach((_, key) => sources.has(key) || home.sources.delete(key));
      home.commits.forEach((row, id) => (commits.has(id) ? (row.value = { ...row.value, clock: commits.get(id) }) : home.commits.delete(id)));
      dropNotes(purge.pool, home.graves.get("pool"));
    }
    purge.keys.forEach((key) => home.sources.delete(key));
    [...purge.commits, ...dead].forEach((id) => home.commits.delete(id));
    if (purge.keys.length || purge.commits.length) ledger = ledger.filter((row) => row.kind !== "attempt" || row.chat !== purge.pool);
    return { sources: before[0] - home.sources.size, commits: before[1] - home.commits.size };
  }

  const bodyOf = ({ kind, pool, id }) => {
    if (kind === "source") return poolOf(pool).sources.get(id)?.value;
    if (kind === "commit") return poolOf(pool).commits.get(id)?.value;
    if (kind === "chat") return chats.get(id);
    if (kind === "delivery") return ledger.find(({ record }) => record === id);
    return purges.get(id);
  };
  const recordOut = ({ chain, ...row }) => ({ ...row, body: bodyOf(row) ?? null });

  return {
    replica: () => replica,
    version: () => 0,
    chats: () => [...chats.values()].map(({ revision, ...record }) => record),
    pool(id, cursor) {
      const { sources, commits, graves, burials } = poolOf(id);
      const purged = [...graves.keys()].filter((mark) => mark.startsWith("key ")).map((mark) => mark.slice(4));
      const floor = [...graves.values()].filter((clock) => clock < FOREVER).sort().at(-1) ?? "0";
      return { sources: after(sources, cursor), commits: after(commits, cursor), cursor: counter, purged, burials, floor };
    },
    chat: (id) => ({ revision: chats.get(id)?.revision ?? 0, rows: [...(slots.get(id)?.values() ?? [])] }),
    revisions: () => Object.fromEntries([...chats].map(([id, { revision }]) => [id, revision])),
    sizes: () => Object.fromEntries([...slots].filter(([, rows]) => rows.size).map(([id, rows]) => [id, rows.size])),
    write(batch) {
      check(batch);
      write(batch);
    },
    purge(burial) {
      const { purge, graves, cursor, others, then, origin, sequence } = burial;
      const home = poolOf(purge.pool);
      const named = purge.chats.map(([id]) => id);
      const standing = [...chats.values()].filter(({ id, pool }) => pool === purge.pool && !named.includes(id)).map(({ id }) => id);
      const grown = after(home.sources, cursor).length + after(home.commits, cursor).length > 0;
      check(then);
      if (origin) checkNext([{ origin, sequence }]);
      if (purge.chats.length && `${standing.sort()}` !== `${[...others].sort()}`) throw conflict();
      if ((purge.keys.length || purge.commits.length) && grown) throw conflict();
      for (const [mark, clock] of graves) if (!(home.graves.get(mark) > clock)) home.graves.set(mark, clock);
      home.burials += purge.words ? 1 : 0;
      const messages = purge.chats.reduce((sum, [id, parent]) => sum + buryChat(id, parent, purge.pool, home.graves.get(`chat ${id}`)), 0);
      const counts = buryWords(home, burial);
      purges.set(purge.id, purge.body);
      add({ kind: "purge", pool: purge.pool, id: purge.id, clock: purge.clock }, origin || undefined);
      write(then);
      return { messages, ...counts, shared: standing.length > 0 && !purge.whole };
    },
    ledger: (kind, chat, limit) =>
      ledger
        .filter((row) => row.kind === kind && (!chat || row.chat === chat))
        .reverse()
        .slice(0, limit),
    settings: () => Object.fromEntries(settings),
    heads: () => Object.fromEntries([...logs].filter(([, rows]) => rows.length).map(([origin, rows]) => [origin, { sequence: rows.length, chain: rows.at(-1).chain }])),
    chains: (asked) => asked.map(([origin, sequence]) => chainAt(origin, sequence)),
    log(origin, start, limit) {
      const out = [];
      for (let size = 0, at = start; at < logOf(origin).length && size < limit; at++) {
        out.push(recordOut(logOf(origin)[at]));
        size += JSON.stringify(out.at(-1).body ?? "").length;
      }
      return out;
    },
    newest: (pool) => [...logs.values()].flat().filter((row) => row.pool === pool).map(({ clock }) => clock).sort().at(-1) ?? "0",
    purges: () => [...purges.keys()].map((id) => recordOut([...logs.values()].flat().find((row) => row.kind === "purge" && row.id === id))),
    rename(other, origin, sequence) {
      replica = other;
      if (origin) logOf(origin).splice(sequence - 1).forEach((row) => add(row));
    },
  };
}
