// The chats of the sidecar as a person chooses among them: a conversation with its branches, and what holds beyond one chat.
import { scopeText } from "../panel/parts.js";
import { h } from "../ui/dom.js";

/**
 * @typedef {object} ChatRow
 * @property {string} chat the engine's name
 * @property {string} title
 * @property {string} pool
 * @property {string} scope "" for a chat that has messages
 * @property {number} messages
 */

/**
 * What was added to last comes first; a branch comes after what it branched from.
 * @param {{chats: {chat: string, messages: number, branch_of: string, pool: string}[]}} listed chat.list
 * @param {{scopes: {scope: string, chat: string}[]}} held scope.list
 * @returns {ChatRow[]}
 */
export function rowsOf({ chats }, { scopes }) {
  /** @type {Map<string, ChatRow[]>} by pool */
  const pools = new Map();
  for (const { chat, messages, pool } of [...chats].reverse()) {
    const row = { chat, title: chat, pool, scope: "", messages };
    const known = pools.get(pool);
    if (known) known.unshift(row);
    else pools.set(pool, [row]);
  }
  // What is remembered under a scope is in a chat of its own, which is in no list of chats.
  return [...[...pools.values()].flat(), ...scopes.map(({ scope, chat }) => ({ chat, title: scope, pool: "", scope, messages: 0 }))];
}

/**
 * @param {import("../types.js").App} app
 * @param {ChatRow[]} rows
 * @param {string} chosen
 * @param {(chat: string) => void} choose
 */
export function chooser(app, rows, chosen, choose) {
  const { t } = app.text;
  if (!rows.length) return h("span", { key: "chooser", class: "tidelore-dim tidelore-cut" }, t("console.no_chats"));
  /** @param {ChatRow} row */
  const option = ({ chat, title, scope, messages }) => h("option", { key: chat, value: chat }, scope ? scopeText(app, title) : t("console.chat", { title, n: messages }));
  const spoken = rows.filter(({ scope }) => !scope);
  const held = rows.filter(({ scope }) => scope);
  return h(
    "select",
    { key: "chooser", class: "text_pole tidelore-chooser", "aria-label": t("console.choose"), value: chosen, on: { change: (/** @type {any} */ event) => choose(event.target.value) } },
    [
      spoken.length > 0 && h("optgroup", { key: "chats", label: t("console.chats") }, spoken.map(option)),
      held.length > 0 && h("optgroup", { key: "scopes", label: t("console.scopes") }, held.map(option)),
    ],
  );
}
