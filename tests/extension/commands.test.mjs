import assert from "node:assert/strict";
import { test } from "node:test";
import { COMMANDS, registerCommands } from "../../extension/commands.js";
import { MACROS, registerMacros } from "../../extension/macros.js";
import { jobView } from "./fake_app.mjs";
import { LANGUAGES, TEXTS, pageWithApp, read } from "./ui_kit.mjs";

/** @param {any} [options] */
function commands(options) {
  const page = pageWithApp(options);
  registerCommands(page.app);
  const specs = new Map(page.called("host.addCommand").map(([spec]) => [spec.name, spec]));
  return {
    ...page,
    specs,
    /** As SillyTavern calls it. @param {string} line "name" or "name text" @param {Record<string, string>} [given] */
    async run(line, given = {}) {
      const [name = "", ...rest] = line.split(" ");
      const { answer } = await specs.get(`tidelore${name && `-${name}`}`).run(given, rest.join(" "));
      return answer;
    },
    /** As SillyTavern calls it, and nothing takes up the answer. @param {string} line @param {Record<string, string>} [given] */
    async type(line, given = {}) {
      const [name = "", ...rest] = line.split(" ");
      const { answer, show } = await specs.get(`tidelore${name && `-${name}`}`).run(given, rest.join(" "));
      show?.();
      return answer;
    },
  };
}

// What only tells something, keys (what is typed into a chat is kept), what belongs to the removal of the extension or follows the choice of a file.
const NOT_COMMANDS = new Set(["onChange", "defaults", "status", "jobs", "paused", "floor", "hasRecord", "setKey", "hasKey", "leave", "restored"]);

test("every action of the app has a command", async () => {
  const app = /@typedef \{object\} App .*?\*\//s.exec(read("extension/types.js"))?.[0] ?? "";
  const actions = [...app.matchAll(/@property \{(\(.*) => .*\} (\w+)/g)].map(([, , name = ""]) => name);
  assert.ok(actions.length > 20);
  const page = commands({ jobs: [jobView({ id: 1 })] });
  const lines = ["-on", "chat off", "recall", "recall a lamp", "injected", "record", "extract", "extract 3-4", "retry", "again 1", "stop 1", "pause", "resume", "estimate", "agree on"];
  lines[0] = "on";
  for (const line of [...lines, "stats", "sync", "exchange", "reembed", "orphans", "test model", "pair", "restart"]) await page.run(line);
  await page.run("record", { delete: "true" });
  await page.run("purge o1", { sure: "true" });
  await page.run("forget-for-good n1", { sure: "true" });
  await page.run("move-in");
  const done = new Set(page.calls.map(([name]) => name));
  assert.deepEqual(actions.filter((name) => !done.has(name) && !NOT_COMMANDS.has(name)), []);
});

test("every command is in the docs and has its words in both languages", () => {
  const docs = read("docs/slash-commands.md");
  for (const { name, value, named = [] } of COMMANDS) {
    const row = docs.split("\n").find((line) => line.startsWith(`| \`/${name}\``) || line.startsWith(`| \`/${name} `));
    assert.ok(row, name);
    for (const each of named) assert.ok(row.includes(`${each}=`), `${name} ${each}`);
    for (const language of LANGUAGES) {
      for (const key of [`command.${name}`, value && `command.${name}.value`, ...named.map((each) => `command.${name}.${each}`)]) assert.ok(!key || TEXTS[language]?.[key], key);
    }
  }
  const known = new Set(COMMANDS.map(({ name }) => name));
  for (const [, name = ""] of docs.matchAll(/`\/(tidelore[\w-]*)/g)) assert.ok(known.has(name), name);
  for (const name of Object.keys(MACROS)) assert.ok(docs.includes(`\`{{${name}}}\``), name);
});

test("a name is given away once", () => {
  assert.equal(new Set(COMMANDS.map(({ name }) => name)).size, COMMANDS.length);
  for (const { name } of COMMANDS) assert.match(name, /^tidelore(-[a-z]+)*$/);
});

test("an action answers and is seen; quiet, it only answers", async () => {
  const { run, called } = commands();
  assert.equal(await run("off"), "Memory is off.");
  assert.deepEqual(called("host.notify"), [["info", "Memory is off."]]);
  assert.equal(await run("on", { quiet: "true" }), "Memory is on.");
  assert.equal(called("host.notify").length, 1);
  assert.deepEqual(called("set"), [[{ enabled: false }], [{ enabled: true }]]);
});

test("what goes wrong is a notice and an empty answer", async () => {
  const failing = () => Promise.reject(Object.assign(new Error("There is no memory n9."), { hint: "Look it up." }));
  const { run, called } = commands({ answers: { call: failing } });
  for (const line of ["why n9", "forget n9", "node n9", "undo", "stats", "graph"]) assert.equal(await run(line), "");
  assert.deepEqual(called("host.notify"), Array(6).fill(["error", "There is no memory n9. Look it up."]));
});

test("what is missing or makes no sense is refused before anything happens", async () => {
  const { run, called, calls } = commands({ jobs: [jobView({ id: 1 })] });
  /** @type {[string, Record<string, string>?][]} */
  const wrong = [
    ["chat maybe"],
    ["extract 5-3"],
    ["extract 3-99"],
    ["extract", { by: "model" }],
    ["extract 3-4", { by: "hand" }],
    ["again 7"],
    ["again"],
    ["stop 7"],
    ["remember"],
    ["edit text"],
    ["edit", { node: "n1" }],
    ["forget"],
    ["node"],
    ["why"],
    ["graph last"],
    ["graph 99999"],
    ["injected both"],
    ["record new", { block: "both" }],
    ["call {", { method: "stats" }],
    ["call []", { method: "stats" }],
    ["call {}"],
    ["test key"],
    ["purge o9", { sure: "true" }],
    ["forget-for-good"],
    ["export pdf"],
    ["import"],
    ["move-in STBME_9"],
    ["set 5"],
    ["set 5", { field: "model" }],
    ["set 5", { field: "constructor" }],
    ["set maybe", { field: "enabled" }],
    ["set many", { field: "budget" }],
  ];
  for (const [line, given] of wrong) assert.equal(await run(line, given), "", line);
  const errors = called("host.notify");
  assert.equal(errors.length, wrong.length);
  for (const [kind, text] of errors) assert.ok(kind === "error" && !text.includes("command."), text);
  const harmless = new Set(["host.addCommand", "host.notify", "record", "orphans", "left"]);
  assert.deepEqual(calls.filter(([name]) => !harmless.has(name)), []);
});

test("/tidelore opens the settings and answers how things stand; asked for the status it only answers", async () => {
  const { run, document, called } = commands();
  const settings = document.createElement("div");
  settings.className = "tidelore-settings";
  document.body.append(settings);
  const text = await run("");
  assert.match(text, /^Memory is on\.\nEngine: ready/);
  assert.equal(await run(" status"), text);
  assert.equal(called("host.reveal").length, 1);
  const help = await run(" help");
  assert.equal(help.split("\n").length, COMMANDS.length);
});

test("recall with a text changes nothing, without one it recalls again", async () => {
  const { run, called } = commands();
  assert.equal(await run("recall where is the lamp?"), "rule\n\nthe lamp is lit");
  assert.deepEqual([called("simulate"), called("recallAgain")], [[["where is the lamp?"]], []]);
  assert.equal(await run("recall"), "again");
  assert.equal(called("recallAgain").length, 1);
});

test("who typed a command that only answers sees the answer: a line as a notice, more of it in a dialog", async () => {
  const { type, called } = commands({ answers: { "host.ask": async () => true } });
  await type("set", { field: "budget" });
  assert.deepEqual(called("host.notify"), [["info", "900"]]);
  for (const line of [" status", " help", "stats", "jobs", "why n1", "recall a lamp", "record", "orphans"]) {
    called("host.ask").length = 0;
    const answer = await type(line);
    const [content, { cancel }] = called("host.ask").at(-1) ?? [];
    if (answer.includes("\n")) assert.deepEqual([content.querySelector("pre").textContent, cancel], [answer, undefined], line);
    else assert.deepEqual(called("host.notify").at(-1), ["info", answer], line);
  }
});

test("an empty answer is said in words, an error once, and what is seen anyway is not shown again", async () => {
  const nothing = { recallAgain: async () => null, lastInjected: () => "", estimate: () => Promise.reject(new Error("No.")) };
  const { type, called, document } = commands({ answers: nothing });
  assert.deepEqual([await type("recall"), await type("injected")], ["", ""]);
  assert.deepEqual(called("host.notify"), [["info", "Nothing that fits is remembered."], ["info", "The last prompt held no memory."]]);
  await type("estimate");
  assert.deepEqual(called("host.notify").slice(2), [["error", "No."]]);
  document.body.append(Object.assign(document.createElement("div"), { className: "tidelore-settings" }));
  await type("");
  await type("panel");
  await type("agree off");
  await type("off");
  assert.deepEqual(called("host.notify").slice(3), [["info", "The memory model reads nothing."], ["info", "Memory is off."]]);
  assert.equal(called("host.ask").length, 0);
});

test("a range goes to the app as floors, with who extracts it", async () => {
  const { run, called } = commands();
  await run("extract 7");
  await run("extract 3-9", { by: "rules" });
  await run("extract");
  assert.deepEqual(called("extractRange"), [
    [7, 7, undefined],
    [3, 9, "rules"],
  ]);
  assert.equal(called("extract").length, 1);
});

test("stop without a number stops all that is going on", async () => {
  const { run, called } = commands({ jobs: [jobView({ id: 4, state: "waiting" }), jobView({ id: 3 }), jobView({ id: 2, state: "done" })] });
  assert.equal(await run("stop"), "Jobs stopped: 2");
  assert.deepEqual(called("stop"), [[4], [3]]);
});

test("memories are written, changed, hidden and brought back through the service", async () => {
  const { run, called } = commands();
  assert.equal(await run("remember Bo is a cat.", { about: "Bo" }), "n1");
  assert.equal(await run("edit Bo is a dog.", { node: "n1" }), "Bo is a dog.");
  await run("edit", { node: "n1", field: "mood" });
  assert.equal(await run("forget n1"), "Bo is a cat.");
  assert.equal(await run("undo"), "Bo is a cat.");
  await run("undo k1");
  assert.deepEqual(called("call"), [
    ["node.write", { text: "Bo is a cat.", about: "Bo" }],
    ["node.edit", { node: "n1", fields: { text: "Bo is a dog." } }],
    ["node.edit", { node: "n1", fields: { mood: null } }],
    ["node.retire", { node: "n1", siblings: true }],
    ["undo", {}],
    ["undo", { commit: "k1" }],
  ]);
});

test("why gives the very words, with their floors as SillyTavern shows them", async () => {
  const page = commands();
  page.app.floor = (/** @type {number} */ index) => index + 2;
  assert.equal(await page.run("why n1"), "Bo is a cat.\nNoted by the memory model, from:\n  floor 5, Ann: cat is Bo\n  no longer in the chat, Assistant: A fine cat.");
});

test("the graph as of a floor counts only messages of the chat", async () => {
  const page = commands();
  const floors = [0, 2, 3, 7];
  page.app.floor = (/** @type {number} */ index) => floors[index] ?? -1;
  for (const floor of [0, 1, 2, 6, 9]) await page.run(`graph ${floor}`);
  assert.deepEqual(page.called("call").map(([, { at }]) => at), [0, 0, 1, 2, 3]);
  assert.deepEqual(JSON.parse(await page.run("graph")), { nodes: [], edges: [] });
});

test("a record is read, changed and deleted, by default that of the newest message", async () => {
  const { run, called } = commands();
  assert.equal(await run("record"), "the core\n\nthe rest");
  await run("record new words", { floor: "3", block: "recalled" });
  await run("record", { floor: "3", delete: "true" });
  assert.deepEqual(called("record")[0], [19]);
  assert.deepEqual(called("editRecord"), [
    [3, { recalled: "new words" }],
    [3, null],
  ]);
});

test("a purge is asked for, and a no keeps everything", async () => {
  const { run, called, state } = commands();
  state.agreeTo = false;
  assert.equal(await run("purge o1"), "");
  assert.deepEqual(called("purge"), []);
  assert.match(called("host.ask")[0][0].textContent, /"Lost harbour" \(80 messages\) for good/);
  state.agreeTo = true;
  assert.match(await run("purge o1"), /Lost harbour/);
  assert.deepEqual(called("purge"), [["o1"]]);
});

test("a setting is read, set in its own type, and put back", async () => {
  const { run, called, state, app } = commands();
  assert.equal(await run("set", { field: "recalled.depth" }), String(app.defaults().recalled.depth));
  assert.equal(await run("set 9", { field: "recalled.depth" }), "9");
  assert.equal(await run("set off", { field: "model.stream" }), "false");
  assert.equal(await run("set endpoint", { field: "embedder.use" }), "endpoint");
  assert.equal(await run('set [{"name": "a", "url": "https://a/"}]', { field: "cdns" }), '[{"name":"a","url":"https://a/"}]');
  assert.equal(await run("set default", { field: "recalled.depth" }), String(app.defaults().recalled.depth));
  assert.deepEqual(state.settings.recalled, app.defaults().recalled);
  assert.equal(called("set").length, 5);
});

test("agreeing by hand asks nothing, without a value it asks", async () => {
  const { run, called } = commands();
  assert.equal(await run("agree off"), "false");
  assert.equal(called("host.ask").length, 0);
  assert.equal(await run("agree"), "true");
  assert.equal(called("host.ask").length, 1);
  assert.deepEqual(called("agree"), [[false], [true]]);
});

test("a method of the service is called with its parameters", async () => {
  const { run, called } = commands();
  assert.deepEqual(JSON.parse(await run('call {"node": "n1"}', { method: "node.get" })), { id: "n1", kind: "fact", text: "Bo is a cat." });
  assert.deepEqual(called("call"), [["node.get", { node: "n1" }]]);
});

// ---- macros ----

/** @param {any} [options] */
function macros(options) {
  const page = pageWithApp(options);
  registerMacros(page.app);
  return { ...page, read: () => Object.fromEntries(page.called("host.addMacro").map(([name, , handler]) => [name, handler()])) };
}

test("macros are what the last prompt got", () => {
  assert.deepEqual(macros().read(), { tidelore: "core\n\nrecalled", tidelore_core: "core", tidelore_recalled: "recalled" });
});

test("macros are empty while memory is off, for everything or for this chat, and where no chat is open", () => {
  const empty = { tidelore: "", tidelore_core: "", tidelore_recalled: "" };
  const page = macros();
  page.state.settings = { ...page.state.settings, enabled: false };
  assert.deepEqual(page.read(), empty);
  assert.deepEqual(macros({ status: { chat: null } }).read(), empty);
  assert.deepEqual(macros({ status: { chat: { chat: "c1", pool: "0", title: "", off: true } } }).read(), empty);
});

test("forgetting for good is asked for with what goes along, a no keeps everything, and a yes answers with the receipts", async () => {
  const { run, state, called, calls } = commands();
  state.agreeTo = false;
  assert.equal(await run("forget-for-good n1"), "");
  const [question] = called("host.ask")[0];
  assert.match(question.textContent, /Forget “Bo is a cat\.” for good\?.*\(1\).*\(1\)/);
  assert.deepEqual(called("purgeNode"), []);
  state.agreeTo = true;
  const receipts = await run("forget-for-good n1");
  assert.deepEqual(called("purgeNode"), [["n1"]]);
  assert.match(receipts, /done: Store: records removed: 3\nwaits: Other replicas that have carried it out: 1; still to come: 1 \(01234567\)\nyours to do: Messages/);
  assert.ok(calls.filter(([name, method]) => name === "call" && method === "node.purge").every(([, , params]) => params.dry));
});

test("what another extension left is listed without its text, looked at and brought in by its name", async () => {
  const { run, called } = commands();
  const list = JSON.parse(await run("move-in"));
  assert.deepEqual(list.map((/** @type {any} */ { database, nodes, here }) => [database, nodes, here]), [["STBME_other", 4, false], ["ST-BME_sync_c1.json", 15, true], ["ST-BME_backup_x.json", 0, false]]);
  assert.ok(list.every((/** @type {any} */ each) => !("text" in each)));
  await run("move-in ST-BME_sync_c1.json", { dry: "true" });
  assert.equal(JSON.parse(await run("move-in ST-BME_sync_c1.json")).nodes, 3);
  assert.deepEqual(called("call"), [["import", { text: '{"a":1}', dry: true }], ["import", { text: '{"a":1}', dry: false }]]);
});
