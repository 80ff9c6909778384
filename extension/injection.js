// Before a generation: bring the engine up to date, recall, put the two blocks into the prompt. All within a limit of time; memory that is late or
// fails never holds the reply.
import { createHistoryRoom } from "./history_room.js";
import { byHand, hasText, madeOf, recordOf, withWords } from "./records.js";

/**
 * @typedef {import("./types.js").Settings} Settings
 * @typedef {import("./types.js").RecallRecord} RecallRecord
 * @typedef {import("./types.js").HostMessage} HostMessage
 * @typedef {NonNullable<import("./types.js").Status["lastRecall"]>} Outcome
 * @typedef {{user: HostMessage | null, query: string, reply: string, earlier: string}} Turn
 */

const SKIPPED = new Set(["quiet", "impersonate"]);
// More of the context than this is never taken: SillyTavern would drop history for it without a word.
const SHARE = 0.3;
const LEAST_TOKENS = 50;
// SillyTavern's counter and the engine's differ a little.
const TOLERANCE = 1.1;

class Late extends Error {}

/** @typedef {"nothing" | "no room"} None why a recall brought no text: nothing is to be told, or what is does not fit */

/** @typedef {"reading" | "counting" | "recalling"} Stage what a generation is waiting for */

/**
 * @param {object} options
 * @param {Pick<import("./host.js").Host, "messages" | "setPrompt" | "countTokens" | "cardText" | "setExtra" | "extra">} options.host
 * @param {{now: (reason: string, options?: {leaveOutReply?: boolean}) => Promise<import("./sync.js").Open | null>}} options.sync
 * @param {(method: string, params: object, options?: {signal?: AbortSignal}) => Promise<any>} options.call
 * @param {ReturnType<import("./records.js").createRecords>} options.records
 * @param {() => Settings} options.settings
 * @param {() => string | null} options.notReady why there can be no recall now, or null
 * @param {(stage: Stage) => string} options.lateAt why it was late, for people
 * @param {(outcome: Outcome) => void} options.onOutcome
 * @param {(error: any) => void} options.onError what went wrong outside the reply path
 * @param {() => number} [options.now] milliseconds
 * @param {(ms: number) => Promise<void>} [options.wait]
 */
export function createInjection({
  host,
  sync,
  call,
  records,
  settings,
  notReady,
  lateAt,
  onOutcome,
  onError,
  now = Date.now,
  wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}) {
  const historyRoom = createHistoryRoom(host);
  let blocks = { core: "", recalled: "" };
  /** @type {AbortController | null} */
  let running = null;
  /** @type {Stage} */
  let stage = "reading";
  /** @type {{chat: string, recall: string, nodes: string[]} | null} */
  let pending = null;
  // Tokens of the prompt that are neither chat nor ours, as last seen in a finished prompt.
  let overhead = 0;

  /** @param {string} core @param {string} recalled */
  function put(core, recalled) {
    const { core: early, recalled: late } = settings();
    host.setPrompt("core", core, early);
    host.setPrompt("recalled", recalled, late);
    blocks = { core, recalled };
  }

  /** Takes both blocks out of the next prompt. A receipt for the last one may still come: a stream ends before its message is there. */
  function takeOut() {
    host.setPrompt("core", "");
    host.setPrompt("recalled", "");
  }

  /** The same, and what was in the last prompt, or is being got for the next one, counts as given up. */
  function clear() {
    takeOut();
    blocks = { core: "", recalled: "" };
    pending = null;
    running?.abort();
  }

  /**
   * What SillyTavern awaits before a generation.
   * @param {number} contextTokens @param {string} type
   * @param {{again?: boolean}} [options] `again`: recall anew whatever is on record
   */
  async function before(contextTokens, type, { again = false } = {}) {
    clear();
    if (SKIPPED.has(type) || !settings().enabled) return;
    const begin = now();
    const limit = new AbortController();
    running = limit;
    /** @type {Outcome} */
    let outcome = { outcome: "empty", ms: 0, tokens: 0, cards: 0, error: "", at: "" };
    try {
      const why = notReady();
      if (why !== null) throw new Error(why);
      const late = wait(settings().recallMs).then(() => {
        throw new Late();
      });
      const work = prepare(contextTokens, type, again, limit.signal);
      work.catch(() => {}); // what is late may fail unheard
      late.catch(() => {});
      outcome = { ...outcome, ...(await Promise.race([work, late])) };
    } catch (error) {
      clear();
      outcome =
        error instanceof Late
          ? { ...outcome, outcome: "late", error: lateAt(stage) }
          : { ...outcome, outcome: "failed", error: error instanceof Error ? error.message : String(error) };
    } finally {
      limit.abort();
    }
    onOutcome({ ...outcome, ms: now() - begin, at: new Date(now()).toISOString() });
  }

  /**
   * @param {number} contextTokens @param {string} type @param {boolean} again @param {AbortSignal} signal
   * @returns {Promise<Partial<Outcome>>}
   */
  async function prepare(contextTokens, type, again, signal) {
    const leaveOutReply = type === "swipe";
    /** What is late goes on, beside what a later generation does. @param {Stage} now */
    const enter = (now) => void (signal.aborted || (stage = now));
    enter("reading");
    const open = await sync.now(`generation:${type}`, { leaveOutReply });
    if (!open || open.off) return { outcome: "empty" };
    const turn = turnOf(host.messages(), leaveOutReply);
    const kept = turn.user && !again ? keptFor(open.chat, turn.user) : null;
    enter("counting");
    const room = await roomFor(contextTokens, turn, known(open.floors));
    const written = kept ? await tokensOf(byHand(kept).map((block) => kept[block])) : 0;
    if (room.budget < LEAST_TOKENS || written > room.most) return { outcome: "too_small" };
    enter("recalling");
    const used = kept && (await reusable(kept, room.most, signal));
    const found = used ?? (await recalled(open, turn, { ...room, budget: room.budget - written }, kept, signal));
    if (signal.aborted) return {};
    if (typeof found === "string") return found === "nothing" && room.from === 0 ? { outcome: "empty", reason: "whole_chat" } : { outcome: "empty" };
    put(found.core, found.recalled);
    const nodes = madeOf(found);
    pending = found.recall && nodes.length ? { chat: open.chat, recall: found.recall, nodes } : null;
    if (turn.user) records.set(turn.user.index, { ...found, uses: found.uses + 1 });
    return { outcome: used ? "reused" : "injected", tokens: found.tokens, cards: found.cards.length };
  }

  /** @param {string[]} texts */
  async function tokensOf(texts) {
    let sum = 0;
    for (const text of texts) sum += await host.countTokens(text);
    return sum;
  }

  /**
   * The record of this turn, when it was made for the same words in this chat.
   * @param {string} chat @param {HostMessage} user
   */
  function keptFor(chat, user) {
    const record = records.get(user.index);
    if (!record || record.text !== user.text) return null;
    if (record.edited) return record.chat === chat || record.chat === "" ? record : null;
    return record.chat === chat && record.state && hasText(record) ? record : null;
  }

  /**
   * The same recall once more. A chat file comes from anywhere, so of its texts only a person's own words are taken; the others the engine makes again
   * of the memories that they were made of, when the chat on screen still supports all of them.
   * @param {RecallRecord} kept @param {number} most tokens that there is room for @param {AbortSignal} signal
   * @returns {Promise<RecallRecord | null>} null: it is to be recalled anew
   */
  async function reusable(kept, most, signal) {
    if (byHand(kept).length === 2) return { ...kept, tokens: await tokensOf([kept.core, kept.recalled]) };
    if (!kept.state) return null;
    const asked = { chat: kept.chat, nodes: kept.nodes, state: kept.state, cards: kept.cards.map(({ node }) => node) };
    const { stands, core, recalled } = await call("recall.check", asked, { signal });
    if (!stands) return null;
    const made = withWords({ ...kept, core, recalled }, kept);
    const tokens = await tokensOf([made.core, made.recalled]);
    return tokens <= most * TOLERANCE ? { ...made, tokens } : null;
  }

  /**
   * A new recall, and in it what a person wrote into the record.
   * @param {import("./sync.js").Open} open @param {Turn} turn @param {{budget: number, from: number}} room @param {RecallRecord | null} kept @param {AbortSignal} signal
   * @returns {Promise<RecallRecord | None>}
   */
  async function recalled(open, turn, room, kept, signal) {
    const found = room.budget < LEAST_TOKENS ? "no room" : await recall(open, turn, room, signal);
    if (!kept || !byHand(kept).length) return found;
    const made = withWords(typeof found !== "string" ? found : { ...kept, chat: open.chat, recall: "", core: "", recalled: "", nodes: [], state: "", cards: [] }, kept);
    return { ...made, tokens: await tokensOf([made.core, made.recalled]) };
  }

  /**
   * @param {import("./sync.js").Open} open @param {Turn} turn @param {{budget: number, from: number}} room @param {AbortSignal} signal
   * @returns {Promise<RecallRecord | None>}
   */
  async function recall({ chat }, turn, room, signal) {
    let budget = room.budget;
    for (let round = 0; ; round++) {
      const params = { chat, query: turn.query, reply: turn.reply, earlier: turn.earlier, preset: settings().preset };
      const found = await call("recall.run", { ...params, budget, context_from: room.from, trace: false }, { signal });
      if (!found.core && !found.recalled) return "nothing";
      const tokens = (await host.countTokens(found.core)) + (await host.countTokens(found.recalled));
      const fits = tokens <= room.budget * TOLERANCE;
      if (fits) return recordOf(chat, turn.user?.text ?? "", found, tokens, now());
      if (round === 2) return "no room";
      budget = Math.max(1, Math.floor((budget * room.budget) / tokens) - 8);
    }
  }

  /**
   * How many tokens are to be put in, how many may be, and the first message (the engine's index) that will stand in the prompt anyway. Where the whole chat fits, memory
   * has nothing to tell of it; where it does not, memory takes the place of the oldest of what would fit.
   * @param {number} contextTokens @param {Turn} turn @param {HostMessage[]} messages
   */
  async function roomFor(contextTokens, turn, messages) {
    const fixed = Math.max(overhead, await host.countTokens(host.cardText()));
    const free = contextTokens - fixed;
    const most = Math.floor((free - (await host.countTokens(turn.user?.text ?? ""))) * SHARE);
    const budget = Math.min(settings().budget, most);
    const fits = historyRoom.from(messages, free) === 0;
    return { budget, most, from: fits ? 0 : historyRoom.from(messages, free - Math.max(0, budget)) };
  }

  /** @param {number[]} floors @returns {HostMessage[]} the messages that the engine knows */
  function known(floors) {
    const messages = host.messages();
    return floors.flatMap((floor) => messages[floor] ?? []);
  }

  return {
    before,
    takeOut,
    clear,
    blocks: () => blocks,

    /** Counts what the next prompt may hold, while nobody waits for it. @param {number[]} floors of the messages that the engine knows */
    gather: (floors) => historyRoom.gather(known(floors)),

    /** A reply has come: what was in its prompt is delivered. */
    async delivered() {
      const receipt = pending;
      pending = null;
      if (!receipt) return;
      try {
        await call("recall.delivered", { chat: receipt.chat, recall: receipt.recall, nodes: receipt.nodes });
      } catch (error) {
        onError(error);
      }
    },

    /**
     * Learns from a finished prompt what of it is neither chat nor ours.
     * @param {{role: string, content: any}[]} prompt
     */
    async observe(prompt) {
      const ours = [blocks.core, blocks.recalled];
      const other = prompt.filter(({ role, content }) => role === "system" && typeof content === "string" && !ours.includes(content));
      overhead = await host.countTokens(other.map(({ content }) => content).join("\n"));
    },
  };
}

/**
 * Whose words decide: the newest user message; before it the reply that it answers and the user's message before that.
 * @param {HostMessage[]} all @param {boolean} leaveOutReply
 * @returns {Turn}
 */
export function turnOf(all, leaveOutReply) {
  const open = leaveOutReply || all.at(-1)?.unsettled;
  const messages = (open && all.at(-1)?.role === "assistant" ? all.slice(0, -1) : all).filter(({ role, hidden }) => role !== "system" && !hidden);
  const at = messages.findLastIndex(({ role }) => role === "user");
  const user = messages[at] ?? null;
  if (!user) return { user: null, query: messages.at(-1)?.text ?? "", reply: "", earlier: "" };
  const before = messages.slice(0, at);
  return {
    user,
    query: user.text,
    reply: messages.slice(at + 1).at(-1)?.text ?? before.findLast(({ role }) => role === "assistant")?.text ?? "",
    earlier: before.findLast(({ role }) => role === "user")?.text ?? "",
  };
}
