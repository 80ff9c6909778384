// SillyTavern's list of messages as plain values.

/** @typedef {import("./types.js").HostMessage} HostMessage */

// What SillyTavern and its slash commands put into a chat themselves: no part of the story.
const NOTES = new Set([
  "narrator",
  "comment",
  "generic",
  "help",
  "welcome",
  "welcome_prompt",
  "empty",
  "slash_commands",
  "formatting",
  "hotkeys",
  "macros",
  "assistant_note",
  "assistant_message",
]);

/** @type {Map<string, string>} */
const dates = new Map();

/**
 * @param {any} context of SillyTavern
 * @returns {HostMessage[]}
 */
export function messagesOf({ chat, streamingProcessor, timestampToMoment }) {
  const last = chat.length - 1;
  const streams = Boolean(streamingProcessor && !streamingProcessor.isFinished && !streamingProcessor.isStopped);
  return chat.map((/** @type {any} */ message, /** @type {number} */ index) => ({
    index,
    role: roleOf(message),
    text: textOf(message.mes),
    name: textOf(message.name),
    hidden: Boolean(message.is_system),
    date: dateOf(message.send_date, timestampToMoment),
    unsettled: index === last && !message.is_user && (streams || openSwipe(message)),
  }));
}

/** A chat file comes from anywhere. @param {any} value */
const textOf = (value) => (typeof value === "string" ? value : "");

/** A swipe slot that is about to be filled; what stands in `mes` is the reply that was swiped away. @param {any} message */
const openSwipe = (message) => Array.isArray(message.swipes) && message.swipe_id >= message.swipes.length && message.swipes.length > 0;

/** @param {any} message */
function roleOf(message) {
  const extra = message.extra ?? {};
  if (Array.isArray(extra.tool_invocations) || NOTES.has(extra.type)) return "system";
  return message.is_user ? "user" : "assistant";
}

/**
 * ISO 8601 with the local offset, so that "this morning" is this morning's day.
 * @param {any} sent
 * @param {((sent: any) => any) | undefined} toMoment SillyTavern's reader of its own older formats
 */
function dateOf(sent, toMoment) {
  const known = dates.get(String(sent));
  if (known !== undefined) return known;
  const out = sent === undefined || sent === null || sent === "" ? "" : read(sent, toMoment);
  if (dates.size > 50_000) dates.clear();
  dates.set(String(sent), out);
  return out;
}

/** @param {any} sent @param {((sent: any) => any) | undefined} toMoment */
function read(sent, toMoment) {
  const isIso = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(String(sent));
  const time = isIso || typeof sent === "number" ? new Date(sent) : typeof sent === "string" && toMoment?.(sent)?.toDate?.();
  if (!(time instanceof Date) || Number.isNaN(time.getTime())) return "";
  const minutes = -time.getTimezoneOffset();
  const local = new Date(time.getTime() + minutes * 60_000).toISOString().slice(0, 19);
  const size = Math.abs(minutes);
  return `${local}${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** @param {number} value */
const two = (value) => String(value).padStart(2, "0");
