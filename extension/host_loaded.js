// Whether the chat that SillyTavern names is the one that it holds. While it loads a chat it names that one already, beside no messages and metadata
// of nobody: who takes that for the chat tells the engine of an empty one, and a save then writes it over the file.

/** Events after which what SillyTavern holds is there on purpose, also when it is nothing. */
const SETTLED = new Set(["CHAT_CHANGED", "CHAT_LOADED", "CHAT_CREATED", "GROUP_CHAT_CREATED", "MESSAGE_DELETED"]);

/** @param {() => any} context of SillyTavern */
export function loading(context) {
  // SillyTavern gives every chat an integrity mark when it has been read; a version that does so for none is asked for none.
  let marks = false;
  let unmarked = false;
  /** @type {string | null} the mark of the chat that an event has told to be empty */
  let empty = null;

  const markOf = () => String(context().chatMetadata?.integrity ?? "");

  return {
    /** @param {string} event of SillyTavern, just heard */
    heard(event) {
      if (!SETTLED.has(event)) return;
      const mark = markOf();
      marks ||= mark !== "";
      unmarked = !marks;
      empty = context().chat.length ? null : mark;
    },

    /** @returns {boolean} whether messages and metadata are those of the chat that is named */
    done() {
      const mark = markOf();
      if (!mark && !unmarked) return false;
      if (context().chat.length) empty = null;
      return context().chat.length > 0 || empty === mark;
    },
  };
}
