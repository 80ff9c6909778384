// Slash commands: every action of the app, by a name. What they answer goes on through the pipe.
import { json, needed, said, wrong } from "./command_tools.js";
import { MEMORY_COMMANDS } from "./commands_memory.js";
import { saveBackup } from "./panel/backup.js";
import { FORMATS } from "./panel/files.js";
import { TABS, panelOf } from "./panel/open.js";
import { receiptText } from "./panel/receipts.js";
import { showAnswer } from "./ui/answer.js";
import { askConsent } from "./ui/consent.js";
import { openSettings } from "./ui/drawer.js";
import { changeAt, valueAt } from "./ui/fields.js";
import { parseRange } from "./ui/jobs.js";
import { askForDownload } from "./ui/own_embedder.js";
import { statusText } from "./ui/words.js";
import { whyText } from "./ui/why.js";

/**
 * @typedef {import("./types.js").App} App
 * @typedef {import("./command_tools.js").Command} Command
 */

/** @param {App} app @param {string} value */
function onOff(app, value) {
  if (["on", "true", "1"].includes(value.toLowerCase())) return true;
  if (["off", "false", "0"].includes(value.toLowerCase())) return false;
  throw wrong(app, "on_off");
}

/** @type {Command[]} */
export const COMMANDS = [
  {
    name: "tidelore",
    value: true,
    seen: (value) => value !== "help" && value !== "status",
    run(app, value) {
      if (value === "help") return helpText(app);
      if (value !== "status") openSettings(app);
      return statusText(app);
    },
  },
  {
    name: "tidelore-panel",
    value: true,
    run(app, value) {
      const tab = TABS.find((name) => name === value);
      if (value && !tab) throw wrong(app, "tab", { tabs: TABS.join(", ") });
      panelOf(app)?.open({ tab });
      return "";
    },
  },
  { name: "tidelore-on", says: true, run: (app) => app.set({ enabled: true }).then(() => app.text.t("command.done.on")) },
  { name: "tidelore-off", says: true, run: (app) => app.set({ enabled: false }).then(() => app.text.t("command.done.off")) },
  {
    name: "tidelore-chat",
    value: true,
    says: true,
    async run(app, value) {
      if (value) await app.switchChat(onOff(app, value));
      const { chat } = app.status();
      if (!chat) throw wrong(app, "no_chat");
      return app.text.t(chat.off ? "command.done.chat_off" : "command.done.chat_on");
    },
  },
  {
    name: "tidelore-recall",
    value: true,
    none: "injection.nothing_found",
    run: async (app, value) => blocks(value ? await app.simulate(value) : await app.recallAgain()),
  },
  {
    name: "tidelore-injected",
    value: true,
    none: "injection.nothing",
    run(app, value) {
      if (value && value !== "core" && value !== "recalled") throw wrong(app, "block");
      return app.lastInjected(value);
    },
  },
  {
    name: "tidelore-record",
    value: true,
    named: ["floor", "block", "delete"],
    run: record,
  },
  {
    name: "tidelore-extract",
    value: true,
    named: ["by"],
    says: true,
    run(app, value, { by = "" }) {
      if (by && by !== "rules" && by !== "model") throw wrong(app, "by");
      if (!value) {
        if (by) throw wrong(app, "by_range");
        app.extract();
        return app.text.t("command.done.extract");
      }
      const floors = parseRange(value, app.host.messages().length);
      if (!floors) throw wrong(app, "range", { last: Math.max(0, app.host.messages().length - 1) });
      app.extractRange(floors[0], floors[1], by === "" ? undefined : /** @type {"rules" | "model"} */ (by));
      return app.text.t("command.done.range", { first: floors[0], last: floors[1] });
    },
  },
  { name: "tidelore-retry", says: true, run: (app) => (app.retry(), app.text.t("command.done.retry")) },
  { name: "tidelore-jobs", run: (app) => json(app.jobs()) },
  { name: "tidelore-again", value: true, says: true, run: (app, value) => (app.again(jobId(app, value)), app.text.t("command.done.again")) },
  {
    name: "tidelore-stop",
    value: true,
    says: true,
    run(app, value) {
      const going = app.jobs().filter(({ state }) => ["waiting", "running", "paused"].includes(state));
      const ids = value ? [jobId(app, value)] : going.map(({ id }) => id);
      for (const id of ids) app.stop(id);
      return app.text.t("command.done.stop", { n: ids.length });
    },
  },
  { name: "tidelore-pause", says: true, run: (app) => (app.pause(), app.text.t("command.done.pause")) },
  { name: "tidelore-resume", says: true, run: (app) => (app.resume(), app.text.t("command.done.resume")) },
  { name: "tidelore-estimate", run: async (app) => json(await app.estimate()) },
  {
    name: "tidelore-agree",
    value: true,
    notice: (t, answer) => t(answer === "true" ? "command.done.agreed" : "command.done.not_agreed"),
    run: async (app, value) => {
      if (!value) return String(await askConsent(app));
      const agreed = onOff(app, value);
      await app.agree(agreed);
      return String(agreed);
    },
  },
  {
    name: "tidelore-remember",
    value: true,
    named: ["about", "kind"],
    says: true,
    notice: (t, text) => t("command.done.remember", { text }),
    async run(app, value, { about, kind }) {
      const { node } = await app.call("node.write", { text: needed(app, value), ...(about && { about }), ...(kind && { kind }) });
      return node;
    },
  },
  {
    name: "tidelore-edit",
    value: true,
    named: ["node", "field"],
    says: true,
    notice: (t, text) => t("command.done.edit", { text }),
    async run(app, value, { node = "", field = "" }) {
      // Without a value a field is taken away, but never because a pipe was empty.
      if (!field) needed(app, value);
      const changed = await app.call("node.edit", { node: needed(app, node), fields: { [field || "text"]: value || null } });
      return changed.text;
    },
  },
  { name: "tidelore-forget", value: true, says: true, notice: (t, text) => t("command.done.forget", { text }), run: async (app, value) => (await app.call("node.retire", { node: needed(app, value), siblings: true })).text },
  { name: "tidelore-undo", value: true, says: true, notice: (t, text) => t("command.done.undo", { text }), run: async (app, value) => said(await app.call("undo", value ? { commit: value } : {})) },
  ...MEMORY_COMMANDS,
  { name: "tidelore-node", value: true, run: async (app, value) => json(await app.call("node.get", { node: needed(app, value) })) },
  { name: "tidelore-why", value: true, run: async (app, value) => whyText(app, await app.call("why", { node: needed(app, value) })) },
  { name: "tidelore-stats", run: async (app) => json(await app.call("stats")) },
  {
    name: "tidelore-graph",
    value: true,
    async run(app, value) {
      if (value && !/^\d+$/.test(value)) throw wrong(app, "floor");
      return json(await app.call("graph.get", value ? { at: indexOfFloor(app, Number(value)) } : {}));
    },
  },
  { name: "tidelore-call", value: true, named: ["method"], run: callMethod },
  { name: "tidelore-sync", says: true, run: (app) => app.sync().then(() => app.text.t("command.done.sync")) },
  { name: "tidelore-exchange", says: true, run: (app) => app.exchange() },
  { name: "tidelore-reembed", says: true, run: (app) => (app.reembed(), app.text.t("command.done.reembed")) },
  { name: "tidelore-orphans", run: async (app) => json(await app.orphans()) },
  { name: "tidelore-purge", value: true, named: ["sure"], says: true, run: purge },
  { name: "tidelore-forget-for-good", value: true, named: ["sure"], says: true, run: forgetForGood },
  { name: "tidelore-export", value: true, named: ["private"], run: exported },
  { name: "tidelore-import", value: true, named: ["dry"], run: imported },
  { name: "tidelore-move-in", value: true, named: ["dry"], run: moveIn },
  { name: "tidelore-backup", says: true, run: (app) => saveBackup(app) },
  {
    name: "tidelore-test",
    value: true,
    says: true,
    async run(app, value) {
      if (value !== "model" && value !== "embedder") throw wrong(app, "target");
      const { ok, detail, ms } = await app.test(value);
      return app.text.t(ok ? "test.ok" : "test.failed", { detail, ms: Math.round(ms) });
    },
  },
  {
    name: "tidelore-embedder",
    value: true,
    says: true,
    async run(app, value) {
      const { ownEmbedder: own, text } = app;
      if (!own || !["", "download", "again", "remove"].includes(value)) throw wrong(app, "own");
      if (value === "download") await askForDownload(app);
      else if (value === "again") await own.again();
      else if (value === "remove") await own.remove();
      const { state, problem } = own.view();
      return problem ? text.error(problem) : text.t(`own.state.${state}`);
    },
  },
  { name: "tidelore-pair", says: true, run: (app) => app.pair() },
  { name: "tidelore-restart", says: true, run: (app) => app.restart().then(() => app.text.t("command.done.restart")) },
  { name: "tidelore-set", value: true, named: ["field"], run: setField },
];

/** @param {App} app */
export function registerCommands(app) {
  const { t } = app.text;
  for (const { name, value, named = [], says, notice, seen, none, run } of COMMANDS) {
    const all = says ? [...named, "quiet"] : named;
    app.host.addCommand({
      name,
      help: t(`command.${name}`),
      value: value ? t(`command.${name}.value`) : undefined,
      named: all.map((each) => ({ name: each, help: t(each === "quiet" ? "command.quiet" : `command.${name}.${each}`) })),
      async run(given, text) {
        const words = text.trim();
        let answer;
        try {
          answer = await run(app, words, given);
        } catch (error) {
          app.host.notify("error", app.text.error(error));
          return { answer: "" };
        }
        const shown = answer ? (notice?.(t, answer) ?? answer) : none ? t(none) : "";
        if (says && shown && given.quiet !== "true") app.host.notify("info", shown);
        if (says || !shown || seen?.(words)) return { answer };
        return { answer, show: () => showAnswer(app, `/${name}`, shown) };
      },
    });
  }
}

/** @param {App} app */
const helpText = ({ text: { t } }) => COMMANDS.map(({ name }) => `/${name}: ${t(`command.${name}`)}`).join("\n");

/** @param {{core: string, recalled: string} | null} found */
const blocks = (found) => (found ? [found.core, found.recalled].filter(Boolean).join("\n\n") : "");

/** @param {App} app @param {string} value */
function jobId(app, value) {
  const id = Number(value);
  if (!app.jobs().some((job) => job.id === id)) throw wrong(app, "job");
  return id;
}

/**
 * The engine counts only what is chat; SillyTavern's floors hold notes too.
 * @param {App} app @param {number} floor
 */
function indexOfFloor(app, floor) {
  let found = -1;
  if (floor >= app.host.messages().length) throw wrong(app, "floor");
  for (let index = 0; index <= floor && app.floor(index) >= 0 && app.floor(index) <= floor; index++) found = index;
  if (found < 0) throw wrong(app, "floor");
  return found;
}

/** @type {Command["run"]} */
async function record(app, value, { floor = "", block = "", delete: deletes = "" }) {
  const newest = app.host.messages().findLast(({ role }) => role === "user")?.index ?? -1;
  const index = floor ? Number(floor) : newest;
  const kept = Number.isInteger(index) ? app.record(index) : null;
  if (!kept) throw wrong(app, "no_record");
  if (deletes === "true") {
    await app.editRecord(index, null);
    return "";
  }
  if (block && block !== "core" && block !== "recalled") throw wrong(app, "block");
  if (block) await app.editRecord(index, { [block]: value });
  return blocks(app.record(index));
}

/** @type {Command["run"]} */
async function callMethod(app, value, { method = "" }) {
  let params;
  try {
    params = value ? JSON.parse(value) : {};
  } catch {
    params = null;
  }
  if (params === null || typeof params !== "object" || Array.isArray(params)) throw wrong(app, "json");
  return json(await app.call(needed(app, method), params));
}

/** @type {Command["run"]} */
async function purge(app, value, { sure = "" }) {
  const { t } = app.text;
  const orphan = (await app.orphans()).find(({ chat }) => chat === needed(app, value));
  if (!orphan) throw wrong(app, "no_orphan");
  if (sure !== "true") {
    const question = document.createElement("p");
    question.textContent = t("orphans.question", { title: orphan.title, messages: orphan.messages });
    if (!(await app.host.ask(question, { ok: t("orphans.purge_sure"), cancel: t("orphans.keep") }))) return "";
  }
  await app.purge(orphan.chat);
  return t("command.done.purge", { title: orphan.title });
}

/** @type {Command["run"]} */
async function forgetForGood(app, value, { sure = "" }) {
  const { t } = app.text;
  const node = needed(app, value);
  const would = await app.call("node.purge", { node, dry: true });
  if (sure !== "true") {
    const question = document.createElement("p");
    question.textContent = t("purge.question", { text: would.text, messages: would.messages.length, going: would.going.length });
    if (!(await app.host.ask(question, { ok: t("purge.do"), cancel: t("node.cancel"), cautious: true }))) return "";
  }
  const { receipts } = await app.purgeNode(would.node);
  return receipts.map((receipt) => t("status.line", { label: t(`receipt.${receipt.state}`), value: receiptText(app, receipt) })).join("\n");
}

/** @type {Command["run"]} */
async function exported(app, value, { private: secret = "" }) {
  if (value && !FORMATS.includes(value)) throw wrong(app, "format", { formats: FORMATS.join(", ") });
  return (await app.call("export", { ...(value && { format: value }), private: secret === "true" })).text;
}

/** @type {Command["run"]} */
async function imported(app, value, { dry = "" }) {
  return json(await app.call("import", { text: needed(app, value), dry: dry === "true" }));
}

/** @type {Command["run"]} */
async function moveIn(app, value, { dry = "" }) {
  const found = (await app.left?.()) ?? [];
  if (!value) return json(found.map(({ text, ...each }) => ({ ...each, characters: text.length })));
  const left = found.find(({ database, problem }) => database === value && !problem);
  if (!left) throw wrong(app, "no_left");
  return json(await app.call("import", { text: left.text, dry: dry === "true" }));
}

/** @type {Command["run"]} */
async function setField(app, value, { field = "" }) {
  const standard = valueAt(app.defaults(), needed(app, field));
  if (standard === undefined || (typeof standard === "object" && !Array.isArray(standard))) throw wrong(app, "field", { field });
  if (value) await app.set(changeAt(app.settings, field, value === "default" ? standard : parsed(app, value, standard)));
  const now = valueAt(app.settings, field);
  return typeof now === "object" ? JSON.stringify(now) : String(now);
}

/** A value as the field has them. @param {App} app @param {string} value @param {any} standard */
function parsed(app, value, standard) {
  if (typeof standard === "boolean") return onOff(app, value);
  if (typeof standard === "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    throw wrong(app, "value");
  }
}
