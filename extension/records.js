// The recall record on the user's message: what was put into the prompt for it, so that a swipe or a regeneration of the same turn gets the same.

/**
 * @typedef {import("./types.js").RecallRecord} RecallRecord
 * @typedef {import("./types.js").Block} Block
 */

/** @type {readonly Block[]} */
export const BLOCKS = ["core", "recalled"];

const FIELD = "tidelore_recall";
const OLDER = "bme_recall";
// Older records keep their cards and lose the two texts: a chat file of thousands of turns should not grow by them.
const WHOLE_RECORDS = 40;

/**
 * @param {Pick<import("./host.js").Host, "extra" | "setExtra" | "messages">} host
 */
export function createRecords(host) {
  return {
    /**
     * @param {number} index of a user's message
     * @returns {RecallRecord | null} ours; or what an older extension left there, which has a text only
     */
    get(index) {
      const own = host.extra(index, FIELD);
      if (own?.version === 1 && typeof own.recalled === "string" && typeof own.core === "string") return isWhole(own) ? own : mended(own);
      const older = host.extra(index, OLDER);
      return typeof older?.injectionText === "string" && older.injectionText ? fromOlder(older) : null;
    },

    /** @param {number} index @param {RecallRecord | null} record null takes it away */
    set(index, record) {
      host.setExtra(index, FIELD, record);
      if (record === null) return host.setExtra(index, OLDER, null);
      const users = host.messages().filter(({ role }) => role === "user");
      for (const { index: old } of users.slice(0, -WHOLE_RECORDS)) {
        const own = host.extra(old, FIELD);
        if (own?.recalled && !own.edited) host.setExtra(old, FIELD, { ...own, core: "", recalled: "" });
      }
    },
  };
}

/**
 * The record of a recall that was just made.
 * @param {string} chat
 * @param {string} text the user's words that it was made for
 * @param {any} found what `recall.run` answered
 * @param {number} tokens of both blocks, as SillyTavern counts them
 * @param {number} now ms since 1970
 * @returns {RecallRecord}
 */
export const recordOf = (chat, text, found, tokens, now) => ({
  version: 1,
  chat,
  recall: found.recall,
  text,
  core: found.core,
  recalled: found.recalled,
  nodes: found.nodes,
  state: found.state,
  cards: found.cards.map((/** @type {any} */ card) => ({ node: card.node, kind: card.kind, text: card.text, tokens: card.tokens, score: card.score })),
  tokens,
  at: new Date(now).toISOString(),
  uses: 0,
  edited: false,
  hand: [],
  degraded: found.degraded,
});

/**
 * The blocks that are a person's own words: these are used as they stand. The others are only a note of what the engine said, which it says again.
 * @param {RecallRecord} record
 * @returns {readonly Block[]} of an edited record that does not say which: both
 */
export const byHand = (record) => (record.edited ? (record.hand?.length ? record.hand : BLOCKS) : []);

/**
 * A recall in which a person's own words stand in the place of the engine's.
 * @param {RecallRecord} found @param {RecallRecord} kept the record that has them
 * @returns {RecallRecord}
 */
export function withWords(found, kept) {
  const hand = byHand(kept);
  const words = Object.fromEntries(hand.map((block) => [block, kept[block]]));
  return { ...found, ...words, edited: hand.length > 0, hand: [...hand] };
}

/** The memories behind the blocks that the engine made. @param {RecallRecord} record */
export function madeOf(record) {
  const cards = new Set(record.cards.map(({ node }) => node));
  const hand = byHand(record);
  return record.nodes.filter((node) => !hand.includes(cards.has(node) ? "recalled" : "core"));
}

/** @param {RecallRecord} record whether it holds a text that can be used again */
export const hasText = (record) => record.core !== "" || record.recalled !== "";

/** Chat files come from anywhere. @param {any} card */
const isCard = (card) => ["node", "kind", "text"].every((name) => typeof card?.[name] === "string") && Number.isFinite(card.tokens) && Number.isFinite(card.score);

/** @param {any} record */
const isWhole = (record) =>
  Array.isArray(record.cards) &&
  record.cards.every(isCard) &&
  Number.isFinite(record.tokens) &&
  [record.chat, record.recall, record.text, record.state].every((each) => typeof each === "string") &&
  Array.isArray(record.nodes) &&
  record.nodes.every((/** @type {any} */ node) => typeof node === "string") &&
  (record.hand === undefined || isHand(record.hand));

/** @param {any} hand @returns {hand is Block[]} */
const isHand = (hand) => Array.isArray(hand) && hand.every((each) => BLOCKS.includes(each));

/** @param {any} older @returns {RecallRecord} */
const fromOlder = (older) => ({
  version: 1,
  chat: "",
  recall: "",
  text: String(older.boundUserFloorText ?? older.recallInput ?? ""),
  core: "",
  recalled: older.injectionText,
  nodes: [],
  state: "",
  cards: [],
  tokens: Number(older.tokenEstimate) || 0,
  at: String(older.updatedAt ?? older.createdAt ?? ""),
  uses: Number(older.generationCount) || 0,
  edited: Boolean(older.manuallyEdited),
  degraded: [],
});

/** What is usable of a damaged record: it is shown, but never put in again unseen, since nothing says what it rests on. @param {any} own @returns {RecallRecord} */
const mended = (own) => ({
  ...own,
  chat: typeof own.chat === "string" ? own.chat : "",
  text: typeof own.text === "string" ? own.text : "",
  recall: "",
  nodes: [],
  state: "",
  cards: (Array.isArray(own.cards) ? own.cards : []).filter(isCard),
  tokens: Number(own.tokens) || 0,
  degraded: [],
  edited: own.edited === true,
  hand: isHand(own.hand) ? own.hand : undefined,
});
