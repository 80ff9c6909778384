// A page's store in memory: what an implementation of the store port must do, and no more. docs/wasm.md describes the rows.

class StoreProblem extends Error {
  constructor(code, message, hint) {
    super(message);
    Object.assign(this, { code, hint });
  }
}

/** @param {string} replica */
export function memoryStore(replica = "page") {
  const chats = new Map();
  const slots = new Map();
  const pools = new Map();
  let ledger = [];
  const settings = new Map();
  let counter = 0;

  const poolOf = (id) => {
    if (!pools.has(id)) pools.set(id, { sources: new Map(), commits: new Map() });
    return pools.get(id);
  };
  const after = (rows, cursor) => [...rows.values()].filter((row) => row.sequence > cursor).map((row) => row.value);

  return {
    replica: () => replica,
    version: () => 0,
    chats: () => [...chats.values()].map(({ revision, ...record }) => record),
    pool(id, cursor) {
      const { sources, commits } = poolOf(id);
      return { sources: after(sources, cursor), commits: after(commits, cursor), cursor: counter };
    },
    chat: (id) => ({ revision: chats.get(id)?.revision ?? 0, rows: [...(slots.get(id)?.values() ?? [])] }),
    revisions: () => Object.fromEntries([...chats].map(([id, { revision }]) => [id, revision])),
    sizes: () => Object.fromEntries([...slots].filter(([, rows]) => rows.size).map(([id, rows]) => [id, rows.size])),
    write(batch) {
      const { newChat, chat } = batch;
      if (newChat && [...chats.values()].some(({ name }) => name === newChat.name)) {
        throw new StoreProblem("conflict", "A chat of that name was made meanwhile.", "Send the update again.");
      }
      const standing = chat && (newChat?.id === chat.chat ? 0 : chats.get(chat.chat)?.revision);
      if (chat && standing !== chat.revision) {
        throw new StoreProblem("conflict", "Another writer has changed this chat meanwhile.", "Send the update again.");
      }
      if (newChat) chats.set(newChat.id, { ...newChat, revision: 0 });
      if (chat) {
        if (!slots.has(chat.chat)) slots.set(chat.chat, new Map());
        const rows = slots.get(chat.chat);
        chat.ordersOut.forEach((order) => rows.delete(order));
        chat.rowsIn.forEach((row) => rows.set(row.order, row));
        chats.get(chat.chat).revision = chat.revision + 1;
      }
      const { sources, commits } = poolOf(batch.pool);
      for (const value of batch.sources) {
        if (!sources.has(value.key)) sources.set(value.key, { sequence: ++counter, value });
      }
      for (const value of batch.commits) {
        // Clocks are texts of equal length, so they compare as the numbers would.
        const known = commits.get(value.id);
        if (!known || value.clock < known.value.clock) commits.set(value.id, { sequence: ++counter, value });
      }
      for (const row of batch.ledger) ledger.push({ ...row, id: ++counter });
      for (const [name, value] of Object.entries(batch.settings)) settings.set(name, value);
    },
    purge(id) {
      const record = chats.get(id);
      if (!record) return { messages: 0, sources: 0, commits: 0, shared: false };
      const messages = slots.get(id)?.size ?? 0;
      slots.delete(id);
      chats.delete(id);
      const others = [...chats.values()];
      for (const each of others) {
        if (record.parent && each.parent.split(",").at(-1) === id) each.parent += `,${record.parent}`;
      }
      const shared = others.some(({ pool }) => pool === record.pool);
      ledger = ledger.filter(({ chat }) => chat !== id && (shared || chat !== record.pool));
      const { sources, commits } = shared ? { sources: new Map(), commits: new Map() } : poolOf(record.pool);
      if (!shared) pools.delete(record.pool);
      return { messages, sources: sources.size, commits: commits.size, shared };
    },
    ledger: (kind, chat, limit) =>
      ledger
        .filter((row) => row.kind === kind && (!chat || row.chat === chat))
        .reverse()
        .slice(0, limit),
    settings: () => Object.fromEntries(settings),
  };
}
