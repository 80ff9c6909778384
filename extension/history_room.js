// Which of the newest messages will stand in the prompt anyway, by SillyTavern's own count of tokens. Counts are gathered while nobody waits.

/** @typedef {import("./types.js").HostMessage} HostMessage */

/** What SillyTavern spends on each message beside its text. */
const PER_MESSAGE = 4;
const KEPT = 20_000;
const USUAL_CONTEXT = 8192;

/**
 * @param {{countTokens: (text: string) => Promise<number>}} host
 */
export function createHistoryRoom(host) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  // Of what was counted: how many tokens a character is, for what was not.
  let characters = 0;
  let tokens = 0;
  let context = USUAL_CONTEXT;
  let round = 0;

  /** @param {string} text */
  async function count(text) {
    const known = counts.get(text);
    if (known !== undefined) return known;
    const found = await host.countTokens(text);
    if (counts.size >= KEPT) counts.clear();
    counts.set(text, found);
    characters += text.length;
    tokens += found;
    return found;
  }

  /** @param {HostMessage} message */
  const cost = ({ text, hidden }) => (hidden ? 0 : PER_MESSAGE + (counts.get(text) ?? Math.ceil(text.length * (characters ? tokens / characters : 0.4))));

  return {
    /**
     * Counts the newest messages, as many as a prompt may hold. A later call takes the place of one that is under way.
     * @param {HostMessage[]} messages those that the engine knows
     */
    async gather(messages) {
      const mine = ++round;
      let sum = 0;
      for (let at = messages.length - 1; at >= 0 && sum < context; at--) {
        const message = /** @type {HostMessage} */ (messages[at]);
        if (!message.hidden) sum += PER_MESSAGE + (await count(message.text));
        if (mine !== round) return;
      }
    },

    /**
     * The index of the first message that stands in the prompt; their number where none does.
     * @param {HostMessage[]} messages those that the engine knows
     * @param {number} room tokens that the prompt has for them
     */
    from(messages, room) {
      context = Math.max(context, room);
      let sum = 0;
      let from = messages.length;
      while (from > 0) {
        sum += cost(/** @type {HostMessage} */ (messages[from - 1]));
        if (sum > room) break;
        from--;
      }
      return from;
    },
  };
}
