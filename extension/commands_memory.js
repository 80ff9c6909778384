// Slash commands on single memories: finding them, marking them, joining and parting them, deciding.
import { json, needed, said, wrong } from "./command_tools.js";

/**
 * @typedef {import("./types.js").App} App
 * @typedef {import("./command_tools.js").Command} Command
 */

const CHOICES = ["keep_old", "keep_new", "keep_both", "merge"];
const TYPES = ["relates", "knows", "about", "part_of", "resolves", "supports", "echoes", "contrasts", "doubt", "occurred_at", "involved_in"];
const FOUND = 50;

/** Several in one argument: a JSON list, or parts between semicolons. @param {App} app @param {string | undefined} given @returns {string[]} */
function several(app, given) {
  const text = needed(app, given);
  try {
    const list = JSON.parse(text);
    if (Array.isArray(list) && list.every((each) => typeof each === "string")) return list;
  } catch {
    // Not meant as JSON.
  }
  return text
    .split(";")
    .map((part) => part.trim())
    .filter(Boolean);
}

/**
 * A mark that is set, or with off=true taken away.
 * @param {string} name @param {string} on method @param {string} off method
 * @returns {Command}
 */
const marking = (name, on, off) => ({
  name: `tidelore-${name}`,
  value: true,
  named: ["off"],
  says: true,
  notice: (t, text) => t(`command.done.${name}`, { text }),
  run: async (app, value, given) => (await app.call(given.off === "true" ? off : on, { node: needed(app, value) })).text,
});

/** @param {string} name @param {string} method @returns {Command} two memories by hand: joined, or not any more */
const joining = (name, method) => ({
  name: `tidelore-${name}`,
  value: true,
  named: ["from", "to", "type"],
  says: true,
  notice: (t) => t(`command.done.${name}`),
  async run(app, label, { from, to, type = "relates" }) {
    if (!TYPES.includes(type)) throw wrong(app, "type", { types: TYPES.join(", ") });
    const done = await app.call(method, { from: needed(app, from), to: needed(app, to), type, ...(label && { label }) });
    return done.edge ?? done.commits.join(" ");
  },
});

/** @type {Command[]} */
export const MEMORY_COMMANDS = [
  {
    name: "tidelore-find",
    value: true,
    none: "injection.nothing_found",
    async run(app, value) {
      const { nodes } = await app.call("node.list", { query: value, limit: FOUND });
      return nodes.map((/** @type {any} */ { id, text }) => `${id.slice(0, 8)} ${text}`).join("\n");
    },
  },
  {
    name: "tidelore-search",
    value: true,
    none: "injection.nothing_found",
    async run(app, value) {
      const { messages } = await app.call("sources.search", { query: needed(app, value), limit: FOUND });
      return messages.map((/** @type {any} */ { index, name, text }) => `#${app.floor(index)} ${name}: ${text}`).join("\n");
    },
  },
  { name: "tidelore-about", value: true, run: async (app, value) => json(await app.call("state.get", { about: needed(app, value) })) },
  marking("pin", "node.pin", "node.unpin"),
  marking("archive", "node.archive", "node.unarchive"),
  marking("private", "node.private", "node.public"),
  {
    name: "tidelore-restore",
    value: true,
    says: true,
    notice: (t, text) => t("command.done.restore", { text }),
    run: async (app, value) => (await app.call("node.restore", { node: needed(app, value) })).text,
  },
  {
    name: "tidelore-merge",
    value: true,
    named: ["keep", "others"],
    says: true,
    notice: (t, text) => t("command.done.merge", { text }),
    async run(app, text, { keep, others }) {
      const params = { keep: needed(app, keep), others: several(app, others), ...(text && { text }) };
      return (await app.call("node.merge", params)).text;
    },
  },
  {
    name: "tidelore-split",
    value: true,
    named: ["node", "names"],
    says: true,
    notice: (t) => t("command.done.split"),
    async run(app, value, { node, names }) {
      const parts = names ? { names: several(app, names) } : { texts: several(app, value) };
      return (await app.call("node.split", { node: needed(app, node), ...parts })).nodes.join(" ");
    },
  },
  joining("link", "edge.add"),
  joining("unlink", "edge.remove"),
  {
    name: "tidelore-alias",
    value: true,
    named: ["name"],
    says: true,
    notice: (t, text) => t("command.done.alias", { text }),
    run: async (app, value, { name }) => (await app.call("entity.alias", { name: needed(app, name), alias: needed(app, value) })).text,
  },
  { name: "tidelore-cards", run: async (app) => json((await app.call("cards.list")).cards) },
  {
    name: "tidelore-decide",
    value: true,
    named: ["choice", "text"],
    says: true,
    notice: (t) => t("command.done.decide"),
    async run(app, value, { choice = "", text }) {
      if (!CHOICES.includes(choice)) throw wrong(app, "choice", { choices: CHOICES.join(", ") });
      return (await app.call("cards.decide", { card: needed(app, value), choice, ...(text && { text }) })).node;
    },
  },
  { name: "tidelore-changes", run: async (app) => json((await app.call("undo.list")).changes) },
  {
    name: "tidelore-redo",
    value: true,
    says: true,
    notice: (t, text) => t("command.done.redo", { text }),
    run: async (app, value) => said(await app.call("redo", value ? { commit: value } : {})),
  },
  {
    name: "tidelore-rebuild",
    says: true,
    notice: (t) => t("command.done.rebuild"),
    run: async (app) => json(await app.call("index.rebuild")),
  },
];
