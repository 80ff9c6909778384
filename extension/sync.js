// One idempotent, serialised routine: the open chat as it stands goes to the engine, which finds the difference. Events only say that something changed.
import { identify, renamed, samePlace, token } from "./identity.js";
import { rowsOf, splice } from "./splice.js";

/**
 * @typedef {import("./types.js").HostMessage} HostMessage
 * @typedef {import("./types.js").ChatPlace} ChatPlace
 *
 * @typedef {object} Open the open chat as the engine knows it
 * @property {string} chat
 * @property {string} pool
 * @property {string} title
 * @property {ChatPlace} place
 * @property {boolean} off
 * @property {number[]} floors SillyTavern's index of each message of the engine
 *
 * @typedef {object} Change what came of a run
 * @property {boolean} changed something was new to the engine
 * @property {boolean} unknown the chat carries our mark, but nothing is stored of it in this browser
 * @property {string} reason
 *
 * @typedef {object} Sent what the engine was last told of a chat
 * @property {string} chat
 * @property {string} screen the engine's mark of that state
 * @property {import("./splice.js").Row[]} rows
 */

// Events come in bursts.
const SETTLE_MS = 300;

/**
 * @param {object} options
 * @param {Pick<import("./host.js").Host, "place" | "messages" | "mark" | "setMark" | "files" | "people">} options.host
 * @param {(method: string, params: object) => Promise<any>} options.call
 * @param {import("./identity.js").Places} options.places
 * @param {(open: Open | null, change: Change) => void} options.onSynced
 * @param {(error: any) => void} options.onError
 * @param {typeof globalThis.setTimeout} [options.setTimeout]
 * @param {typeof globalThis.clearTimeout} [options.clearTimeout]
 */
export function createSync({
  host,
  call,
  places,
  onSynced,
  onError,
  setTimeout = globalThis.setTimeout.bind(globalThis),
  clearTimeout = globalThis.clearTimeout.bind(globalThis),
}) {
  /** @type {Promise<any>} */
  let queue = Promise.resolve();
  /** @type {ReturnType<typeof globalThis.setTimeout> | undefined} */
  let timer;
  /** @type {Sent | null} */
  let sent = null;
  /** @type {Open | null} */
  let open = null;
  let held = false;
  /** @type {{place: ChatPlace, stood: string, identity: import("./identity.js").Identity} | null} */
  let planned = null;

  /**
   * Tells the engine the open chat now. Answers null when none is open, or another one than when it was asked for.
   * @param {string} reason
   * @param {{leaveOutReply?: boolean}} [options] the last message is a reply that is being replaced
   * @returns {Promise<Open | null>}
   */
  function now(reason, { leaveOutReply = false } = {}) {
    clearTimeout(timer);
    timer = undefined;
    const asked = host.place();
    const run = queue.then(() => once(reason, leaveOutReply));
    queue = run.catch(() => {});
    return run.then((found) => (found && asked && samePlace(asked, found.place) ? found : null));
  }

  /** @param {string} reason @param {boolean} leaveOutReply */
  async function once(reason, leaveOutReply) {
    for (;;) {
      const place = host.place();
      if (!place) {
        open = null;
        onSynced(null, { changed: false, unknown: false, reason });
        return null;
      }
      const { mark, branchOf, fresh } = await identityOf(place);
      if (!samePlace(place, host.place())) continue;
      const { chat, pool } = mark;
      // A chat file comes from anywhere: nothing but `true` switches memory off.
      const found = { chat, pool, title: place.title, place, off: mark.off === true, floors: /** @type {number[]} */ ([]) };
      if (found.off) {
        if (fresh) host.setMark(mark);
        open = found;
        onSynced(found, { changed: false, unknown: false, reason });
        return found;
      }
      // Notes of SillyTavern and results of tools are no part of the chat.
      const messages = settled(host.messages(), leaveOutReply).filter(({ role }) => role !== "system");
      found.floors = messages.map(({ index }) => index);
      const changed = await tell(found, rowsOf(messages), branchOf);
      const { aliased, known } = await remember(place, found);
      // The result is stored under its own chat, whichever is open by now.
      if (!samePlace(place, host.place())) continue;
      // A mark says that the engine has been told of the chat.
      if (fresh) host.setMark(mark);
      planned = null;
      open = found;
      onSynced(found, { changed: changed || aliased, unknown: !fresh && !known, reason });
      return found;
    }
  }

  /** What failed is tried again as the same chat. @param {ChatPlace} place */
  async function identityOf(place) {
    const mark = host.mark();
    const stood = JSON.stringify(mark);
    if (planned?.stood !== stood || !samePlace(planned.place, place)) {
      planned = { place, stood, identity: await identify({ place, mark, places, files: host.files, token }) };
    }
    return planned.identity;
  }

  /**
   * @param {Open} found @param {import("./splice.js").Row[]} rows @param {string} branchOf
   * @returns {Promise<boolean>} whether anything was new to the engine
   */
  async function tell({ chat, pool }, rows, branchOf) {
    const base = sent?.chat === chat ? sent : null;
    sent = null;
    if (base) {
      const part = splice(base.rows, rows);
      if (!part) {
        sent = base;
        return false;
      }
      try {
        const result = await call("chat.splice", { chat, screen: base.screen, ...part });
        sent = { chat, screen: result.screen, rows };
        return true;
      } catch (/** @type {any} */ error) {
        // Somebody else has told the engine of this chat, or it has let go of it.
        if (error.code !== "conflict" && error.code !== "not_found") throw error;
      }
    }
    const result = await call("chat.update", { chat, pool, messages: rows, branch_of: branchOf });
    sent = { chat, screen: result.screen, rows };
    return result.inserted > 0 || result.removed > 0 || result.commits_in > 0 || result.commits_out > 0;
  }

  /**
   * Where the chat lies, and the names people had; a new name of the same person becomes an alias.
   * @param {ChatPlace} place @param {Open} found
   */
  async function remember(place, { chat, pool }) {
    const known = await places.get(chat);
    const people = host.people();
    const news = renamed(known?.people ?? [], people);
    for (const change of news) await call("entity.alias", { chat, ...change });
    const kept = (known?.people ?? []).filter(({ id }) => !people.some((each) => each.id === id));
    const row = { chat, pool, ...place, people: [...kept, ...people] };
    if (JSON.stringify(row) !== JSON.stringify(known)) await places.put(row);
    return { aliased: news.length > 0, known: known !== null };
  }

  /**
   * The same, soon: several events make one run. While a reply is being generated it waits for the end.
   * @param {string} reason
   */
  function soon(reason) {
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined;
      if (held) return soon(reason);
      now(reason).catch(onError);
    }, SETTLE_MS);
  }

  return {
    now,
    soon,
    /** @param {boolean} value a reply is being generated: what is on screen is not settled */
    hold: (value) => void (held = value),
    open: () => open,
    /** The engine is another one now: tell it everything again. */
    forget: () => void (sent = null),
    /** Ends what is planned. */
    stop: () => clearTimeout(timer),
  };
}

/**
 * The messages that stand. What is being generated is left out: its text is not final, or it is the one that was swiped away.
 * @param {HostMessage[]} messages @param {boolean} leaveOutReply
 */
function settled(messages, leaveOutReply) {
  const last = messages.at(-1);
  const open = last && last.role === "assistant" && (leaveOutReply || last.unsettled);
  return open ? messages.slice(0, -1) : messages;
}
