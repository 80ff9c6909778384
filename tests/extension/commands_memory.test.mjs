import assert from "node:assert/strict";
import { test } from "node:test";
import { registerCommands } from "../../extension/commands.js";
import { MEMORY_COMMANDS } from "../../extension/commands_memory.js";
import { pageWithApp, read } from "./ui_kit.mjs";

const ANSWERS = {
  "node.list": { nodes: [{ id: "3f2a000011112222", text: "The lamp is lit." }, { id: "77de000011112222", text: "Mira" }] },
  "sources.search": { messages: [{ index: 4, name: "Sam", text: "Is the lamp lit?" }] },
  "state.get": { name: "Mira", facts: [] },
  "node.split": { nodes: ["n8", "n9"] },
  "edge.add": { edge: "e1" },
  "edge.remove": { commits: ["k1", "k2"] },
  "cards.list": { cards: [{ id: "c1" }] },
  "cards.decide": { node: "n2" },
  "undo.list": { changes: [{ commit: "k1" }] },
  "index.rebuild": { nodes: 3 },
};

function commands() {
  const page = pageWithApp({ answers: { call: async (method) => ANSWERS[method] ?? { node: "n1", text: "The lamp is lit." } } });
  registerCommands(page.app);
  const specs = new Map(page.called("host.addCommand").map(([spec]) => [spec.name, spec]));
  /** @param {string} name @param {string} [value] @param {Record<string, string>} [given] */
  const run = async (name, value = "", given = {}) => (await specs.get(`tidelore-${name}`).run(given, value)).answer;
  return { ...page, run };
}

/** Command, text and arguments; what the engine is asked; what is answered. @type {[[string, string?, Record<string, string>?], [string, any], string][]} */
const CASES = [
  [["find", "lamp"], ["node.list", { query: "lamp", limit: 50 }], "3f2a0000 The lamp is lit.\n77de0000 Mira"],
  [["find"], ["node.list", { query: "", limit: 50 }], "3f2a0000 The lamp is lit.\n77de0000 Mira"],
  [["search", "lamp"], ["sources.search", { query: "lamp", limit: 50 }], "#4 Sam: Is the lamp lit?"],
  [["about", "Mira"], ["state.get", { about: "Mira" }], JSON.stringify(ANSWERS["state.get"], null, 2)],
  [["pin", "3f2a"], ["node.pin", { node: "3f2a" }], "The lamp is lit."],
  [["pin", "3f2a", { off: "true" }], ["node.unpin", { node: "3f2a" }], "The lamp is lit."],
  [["archive", "3f2a"], ["node.archive", { node: "3f2a" }], "The lamp is lit."],
  [["archive", "3f2a", { off: "true" }], ["node.unarchive", { node: "3f2a" }], "The lamp is lit."],
  [["private", "3f2a"], ["node.private", { node: "3f2a" }], "The lamp is lit."],
  [["private", "3f2a", { off: "true" }], ["node.public", { node: "3f2a" }], "The lamp is lit."],
  [["restore", "3f2a"], ["node.restore", { node: "3f2a" }], "The lamp is lit."],
  [["merge", "", { keep: "a", others: "b; c" }], ["node.merge", { keep: "a", others: ["b", "c"] }], "The lamp is lit."],
  [["merge", "One text.", { keep: "a", others: '["b;b"]' }], ["node.merge", { keep: "a", others: ["b;b"], text: "One text." }], "The lamp is lit."],
  [["split", "One; two", { node: "a" }], ["node.split", { node: "a", texts: ["One", "two"] }], "n8 n9"],
  [["split", "", { node: "a", names: "Nils" }], ["node.split", { node: "a", names: ["Nils"] }], "n8 n9"],
  [["link", "old friends", { from: "Mira", to: "Tova" }], ["edge.add", { from: "Mira", to: "Tova", type: "relates", label: "old friends" }], "e1"],
  [["link", "", { from: "Mira", to: "Tova", type: "knows" }], ["edge.add", { from: "Mira", to: "Tova", type: "knows" }], "e1"],
  [["unlink", "old friends", { from: "Mira", to: "Tova" }], ["edge.remove", { from: "Mira", to: "Tova", type: "relates", label: "old friends" }], "k1 k2"],
  [["alias", "Mirabel", { name: "Mira" }], ["entity.alias", { name: "Mira", alias: "Mirabel" }], "The lamp is lit."],
  [["cards"], ["cards.list", undefined], JSON.stringify([{ id: "c1" }], null, 2)],
  [["decide", "c1", { choice: "keep_new" }], ["cards.decide", { card: "c1", choice: "keep_new" }], "n2"],
  [["decide", "c1", { choice: "merge", text: "Both." }], ["cards.decide", { card: "c1", choice: "merge", text: "Both." }], "n2"],
  [["changes"], ["undo.list", undefined], JSON.stringify([{ commit: "k1" }], null, 2)],
  [["redo"], ["redo", {}], "The lamp is lit."],
  [["redo", "k2"], ["redo", { commit: "k2" }], "The lamp is lit."],
  [["rebuild"], ["index.rebuild", undefined], JSON.stringify({ nodes: 3 }, null, 2)],
];

test("each command asks the engine for just its method, and answers for the pipe", async () => {
  const { run, calls, called } = commands();
  for (const [line, asked, answer] of CASES) {
    calls.length = 0;
    assert.equal(await run(...line), answer, line[0]);
    assert.deepEqual(called("call"), [asked[1] === undefined ? [asked[0]] : asked], line[0]);
  }
  const tried = new Set(CASES.map(([[name]]) => `tidelore-${name}`));
  assert.deepEqual(MEMORY_COMMANDS.map(({ name }) => name).filter((name) => !tried.has(name)), []);
});

test("what is asked are methods of the engine and parameters that they take", () => {
  const sections = new Map(read("docs/methods.md").split("\n## ").map((section) => [section.split("\n", 1)[0], section.split("\nResult:")[0]]));
  for (const [, [method, params = {}]] of CASES) {
    const section = sections.get(method);
    assert.ok(section, method);
    for (const name of Object.keys(params)) assert.ok(section.includes(`\n- \`${name}\``), `${method} ${name}`);
  }
});

test("what is missing or no choice is refused, and the engine is not asked", async () => {
  const { run, called } = commands();
  const wrong = [
    ["search"],
    ["about"],
    ["pin"],
    ["restore"],
    ["merge", "text", { keep: "a" }],
    ["merge", "text", { others: "b" }],
    ["split", "", { node: "a" }],
    ["split", "one; two"],
    ["link", "friends", { from: "Mira" }],
    ["link", "friends", { from: "Mira", to: "Tova", type: "evidence" }],
    ["alias", "", { name: "Mira" }],
    ["alias", "Mirabel"],
    ["decide", "c1"],
    ["decide", "", { choice: "merge" }],
    ["decide", "c1", { choice: "both" }],
  ];
  for (const line of wrong) assert.equal(await run(...line), "", line.join(" "));
  const said = called("host.notify");
  assert.deepEqual([said.length, called("call")], [wrong.length, []]);
  for (const [kind, text] of said) assert.ok(kind === "error" && !text.includes("command."), text);
});
