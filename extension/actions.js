// What a person can do with the open chat: one function each, for drawer, slash commands and panel.
import { turnOf } from "./injection.js";
import { BLOCKS, byHand, hasText, recordOf } from "./records.js";
import { WRITES } from "./writes.js";

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
    const open = await sync.now("action");
    if (!open) throw problem("error.no_chat");
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

  const byModel = () => settings().model.use !== "none" && settings().model.agreed;

  return {
    /** @param {string} method @param {any} params */
    async call(method, params = {}) {
      const needsChat = !("chat" in params) && !WITHOUT_CHAT.has(method);
      const whole = needsChat ? { chat: (await current()).chat, ...params } : params;
      const result = await call(method, whole);
      if (WRITES.has(method)) await counted();
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
      const { chat, floors } = await current();
      const { user, query, reply, earlier } = turnOf(host.messages(), false);
      if (!user) throw problem("error.no_user_message");
      const { preset, budget } = settings();
      const params = { chat, query, reply, earlier, preset, budget, context_from: Math.max(0, floors.indexOf(user.index)), trace: false };
      const found = await call("recall.run", params, { deadline: RECALL_LIMIT_MS });
      if (!found.core && !found.recalled) {
        records.set(user.index, null);
        await host.saveChat();
        return null;
      }
      const tokens = (await host.countTokens(found.core)) + (await host.countTokens(found.recalled));
      const record = recordOf(chat, user.text, found, tokens, Date.now());
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
        const message = host.messages()[index];
        const tokens = (await host.countTokens(edited.core)) + (await host.countTokens(edited.recalled));
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
      await call("chat.purge", { chat });
      await page.places.remove(chat);
      await page.values.set(`panel:places:${chat}`, null);
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

const WITHOUT_CHAT = new Set([
  ...["chat.list", "scope.list", "schema.get", "schema.set", "recall.deliveries", "job.list", "job.stop"],
  ...["settings.describe", "settings.set", "settings.reset", "prompt.list", "prompt.get", "prompt.set", "prompt.reset"],
]);
