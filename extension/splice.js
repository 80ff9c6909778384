// The difference between two states of a chat as one splice, so that a swipe in a chat of thousands of messages sends one message.

/**
 * @typedef {{role: string, text: string, name: string, hidden: boolean, date: string}} Row
 * @typedef {{at: number, remove: number, messages: Row[]}} Splice
 */

/** @param {import("./types.js").HostMessage[]} messages @returns {Row[]} */
export const rowsOf = (messages) => messages.map(({ role, text, name, hidden, date }) => ({ role, text, name, hidden, date }));

/**
 * @param {Row[]} before @param {Row[]} after
 * @returns {Splice | null} null when they are equal
 */
export function splice(before, after) {
  const shorter = Math.min(before.length, after.length);
  let at = 0;
  while (at < shorter && equal(before[at], after[at])) at++;
  if (at === shorter && before.length === after.length) return null;
  let tail = 0;
  while (tail < shorter - at && equal(before[before.length - 1 - tail], after[after.length - 1 - tail])) tail++;
  return { at, remove: before.length - at - tail, messages: after.slice(at, after.length - tail) };
}

/** @param {Row | undefined} one @param {Row | undefined} other */
const equal = (one, other) =>
  one?.text === other?.text && one?.role === other?.role && one?.name === other?.name && one?.hidden === other?.hidden && one?.date === other?.date;
