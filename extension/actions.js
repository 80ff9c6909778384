// What a person can do with the open chat: one function each, for drawer, slash commands and panel.
import { samePlace } from "./identity.js";
import { turnOf } from "./injection.js";
import { lookForStBme } from "./moving.js";
import { BLOCKS, byHand, hasText, recordOf } from "./records.js";
import { CHATLESS, writes } from "./writes.js";

/**
 * @typedef {import("./types.js").RecallRecord} RecallRecord
 * @typedef {import("./types.js").Settings} Settings
 */

const RECALL_LIMIT_MS = 20_000;

/**
 * @param {any} parts of app.js
 */
export function chatActions({ app, call, host, page, sync, jobs, injection, records, remotes, show, status, settings, text }) {
  /** @param {string} key */
  const problem = (key) => Object.assign(new Error(text.t(key)), { code: key, hint: "" });

  /** The open chat, known to the engine as it stands. @returns {Promise<import("./sync.js").Open>} */
  async function current() {
    const asked = host.place();
    const open = await sync.now("action");
    if (!open) throw problem(asked && host.place() ? "error.other_chat" : "error.no_chat");
    if (open.off) throw problem("error.chat_off");
    return open;
  }

  /** @param {import("./sync.js").Open} open @param {{kind: string, method: string, params?: object, asksModel?: boolean}} job */
  const plan = ({ chat, title }, job) => jobs.add({ chat, title, ...job });

  /** @param {() => Promise<void>} run an action whose outcome is seen in the job list */
  const background = (run) => void run().catch((error) => host.notify("error", text.error(error)));

  /** What a person changed shows in the numbers at once. */
  async function counted() {
    const chat = status.chat?.chat;
    if (!chat) return;
    const stats = await call("stats", { chat });
    if (chat === status.chat?.chat) show({ stats });
  }

  /**
   * What is to be written on a message: the chat that was meant must still be on screen, and the message in its place.
   * @param {import("./types.js").ChatPlace | null} place @param {import("./types.js").HostMessage | undefined} [message]
   */
  function stillThere(place, message) {
    if (!place || !samePlace(place, host.place())) throw problem("error.other_chat");
    if (message && host.messages()[message.index]?.text !== message.text) throw problem("error.no_message");
  }

  /**
   * The records of recalls quote what was recalled, and lie in the chat's own file.
   * @param {import("./sync.js").Open} open @param {Set<string>} nodes @returns {Promise<number | null>} how many are gone; null: another chat is on screen by now
   */
  async function withoutRecords({ place }, nodes) {
    if (!samePlace(place, host.place())) return null;
    let count = 0;
    for (const { index } of host.messages()) {
      if (!records.get(index)?.nodes.some((/** @type {string} */ node) => nodes.has(node))) continue;
      records.set(index, null);
      count++;
    }
    if (count) await host.saveChat();
    return count;
  }

  const byModel = () => settings().model.use !== "none" && settings().model.agreed;

  return {
    /** @param {string} method @param {any} params */
    async call(method, params = {}) {
      const needsChat = !("chat" in params) && !CHATLESS.has(method);
      const whole = needsChat ? { chat: (await current()).chat, ...params } : params;
      const result = await call(method, whole);
      if (writes(method, params)) await counted();
      return result;
    },

    async sync() {
      await current();
    },

    /** @param {boolean} on */
    async switchChat(on) {
      const mark = host.mark();
      if (!host.place() || !mark) throw problem("error.no_chat");
      host.setMark({ ...mark, off: !on });
      await host.saveMark();
      injection.clear();
      await sync.now("switch");
    },

    /** @param {string} query */
    async simulate(query) {
      const { chat } = await current();
      const { preset, budget } = settings();
      return call("recall.run", { chat, query, preset, budget }, { deadline: RECALL_LIMIT_MS });
    },

    async recallAgain() {
      const { chat, floors, place } = await current();
      const { user, query, reply, earlier } = turnOf(host.messages(), false);
      if (!user) throw problem("error.no_user_message");
      const { preset, budget } = settings();
      const params = { chat, query, reply, earlier, preset, budget, context_from: Math.max(0, floors.indexOf(user.index)), trace: false };
      const found = await call("recall.run", params, { deadline: RECALL_LIMIT_MS });
      const isEmpty = !found.core && !found.recalled;
      const tokens = isEmpty ? 0 : (await host.countTokens(found.core)) + (await host.countTokens(found.recalled));
      stillThere(place, user);
      const record = isEmpty ? null : recordOf(chat, user.text, found, tokens, Date.now());
      records.set(user.index, record);
      await host.saveChat();
      return record;
    },

    /** @param {number} index */
    record: (index) => records.get(index),

    /** @param {number} index @param {{core?: string, recalled?: string} | null} change */
    async editRecord(index, change) {
      const record = records.get(index);
      if (!record) throw problem("error.no_record");
      if (change === null) records.set(index, null);
      else {
        // A block that was left as it was is no words of a person's.
        const hand = BLOCKS.filter((block) => byHand(record).includes(block) || (change[block] ?? record[block]) !== record[block]);
        const edited = { ...record, ...change, edited: hand.length > 0, hand };
        const place = host.place();
        const message = host.messages()[index];
        const tokens = (await host.countTokens(edited.core)) + (await host.countTokens(edited.recalled));
        stillThere(place, message);
        records.set(index, { ...edited, text: message?.text ?? edited.text, tokens });
      }
      await host.saveChat();
    },

    /** @param {string} block */
    lastInjected(block) {
      if (!settings().enabled) return "";
      const { core, recalled } = injection.blocks();
      if (block === "core") return core;
      if (block === "recalled") return recalled;
      return [core, recalled].filter(Boolean).join("\n\n");
    },

    async estimate() {
      const { chat } = await current();
      const { lag, model } = settings();
      const found = await call("extract.plan", { chat, by: "model", lag, exchanges: model.exchanges });
      return { windows: found.windows.length, tokens: found.tokens, model: remotes.modelName() };
    },

    /** @param {boolean} agreed */
    async agree(agreed) {
      await app.set({ model: { agreed, asked: true } });
      if (agreed) app.extract();
    },

    extract: () =>
      background(async () => {
        const open = await current();
        const { lag, model } = settings();
        const params = byModel() ? { by: "model", lag, exchanges: model.exchanges } : { by: "rules", lag };
        plan(open, { kind: params.by, method: "extract.run", params, asksModel: params.by === "model" });
      }),

    /** @param {number} first @param {number} last @param {"rules" | "model"} [by] */
    extractRange: (first, last, by = byModel() ? "model" : "rules") =>
      background(async () => {
        const open = await current();
        const inside = open.floors.flatMap((floor, index) => (floor >= first && floor <= last ? [index] : []));
        if (!inside.length) throw problem("error.empty_range");
        const range = [inside[0], inside.at(-1)];
        const params = { by, range, exchanges: settings().model.exchanges };
        plan(open, { kind: "range", method: "extract.run", params, asksModel: by === "model" });
      }),

    retry: () =>
      background(async () => {
        const open = await current();
        if (!byModel()) throw problem("error.no_model");
        const { lag, model } = settings();
        plan(open, { kind: "model", method: "extract.run", params: { by: "model", lag, exchanges: model.exchanges, retry: true }, asksModel: true });
      }),

    /** @param {number} id */
    stop: (id) => jobs.stop(id),
    /** @param {number} id */
    again: (id) => jobs.again(id),
    pause: () => jobs.pause(true),
    resume: () => jobs.pause(false),
    paused: () => jobs.paused(),

    reembed: () => background(async () => void plan(await current(), { kind: "embed", method: "embed.run" })),

    async orphans() {
      const { chats } = await call("chat.list");
      const sizes = new Map(chats.map((/** @type {any} */ each) => [each.chat, each.messages]));
      /** @type {Map<string, Promise<string[] | null>>} */
      const lists = new Map();
      const out = [];
      for (const row of await page.places.all()) {
        if (!sizes.has(row.chat)) continue;
        const key = `${row.kind} ${row.owner}`;
        if (!lists.has(key)) lists.set(key, host.files(row));
        const files = await lists.get(key);
        if (!files?.includes(row.file)) out.push({ chat: row.chat, title: row.title, owner: row.owner, messages: sizes.get(row.chat) });
      }
      return out;
    },

    /** @param {string} chat */
    async purge(chat) {
      if (chat === status.chat?.chat) throw problem("error.purge_open");
      const { receipts } = await call("chat.purge", { chat });
      await page.places.remove(chat);
      await page.values.set(`panel:places:${chat}`, null);
      return receipts;
    },

    /** @param {string} node */
    async purgeNode(node) {
      const open = await current();
      const gone = await call("node.purge", { chat: open.chat, node });
      const count = await withoutRecords(open, new Set([node, ...gone.going.map((/** @type {any} */ each) => each.node)]));
      await counted();
      const records = { place: "records", state: count === null ? "outside" : "done", count: count ?? 0, replicas: [] };
      return { ...gone, receipts: [...gone.receipts, records] };
    },

    async left() {
      const place = host.place();
      const chats = place ? [place.integrity, place.file].filter(Boolean) : [];
      const found = await lookForStBme({ indexedDB: globalThis.indexedDB, metadata: host.metadata(), chats, read: (name) => host.userFiles.text(name) });
      return found.map((each) => ({ ...each, here: chats.includes(each.chat) }));
    },

    async restored() {
      // The chat on screen is told anew: what came may belong to it.
      sync.forget();
      await sync.now("restored");
      await counted();
    },

    /** @param {"model" | "embedder"} target */
    test: (target) => remotes.test(target, settings()),
    pair: async () => {
      await app.set({ sidecar: { use: true } });
      const code = await remotes.pair();
      show({ sidecar: remotes.sidecarState() });
      return code;
    },
    /** @param {string} name @param {string} key */
    async setKey(name, key) {
      await page.values.set(`key:${name}`, key || null);
      await app.usePorts();
    },
    /** @param {string} name */
    hasKey: async (name) => Boolean(await page.values.get(`key:${name}`)),

    kept: {
      /** @param {string} name */
      get: (name) => page.values.get(`panel:${name}`),
      /** @param {string} name @param {any} value */
      set: (name, value) => page.values.set(`panel:${name}`, value),
    },

    /** @param {number} index floor of a user's message @returns {boolean} */
    hasRecord(index) {
      const record = records.get(index);
      return record !== null && hasText(record);
    },

    /** @param {number} index of the engine @returns {number} SillyTavern's floor, or -1 */
    floor: (index) => sync.open()?.floors[index] ?? -1,
  };
}
