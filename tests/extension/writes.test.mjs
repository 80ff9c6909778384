import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { CHATLESS, WRITES, sends, writes } from "../../extension/writes.js";
import { read } from "./ui_kit.mjs";

const sections = read("docs/methods.md").split(/^## /m).slice(1);
const nameOf = (/** @type {string} */ section) => section.slice(0, section.indexOf("\n"));
const chatOf = (/** @type {string} */ section) => /^- `chat`: (.*)$/m.exec(section.split("\nResult")[0] ?? "")?.[1];

test("the methods without a chat are those that the engine says", () => {
  // These two take a scope instead, where one is given.
  const either = ["node.write", "nodes.write"];
  const free = sections.filter((section) => !chatOf(section) || chatOf(section)?.includes("optional")).map(nameOf);
  assert.ok(free.length > 10);
  assert.deepEqual([...CHATLESS].sort(), free.filter((name) => !either.includes(name)).sort());
});

test("every method that changes memories by hand is known as one, and the engine has each", () => {
  const folder = "sidecar/tidelore/engine/operations/";
  const sources = readdirSync(new URL(`../../${folder}`, import.meta.url)).filter((name) => name.endsWith(".py")).map((name) => read(folder + name));
  const all = sources.flatMap((text) => [...text.matchAll(/@method\(\s*"([\w.]+)"[^@]*?\)\n(?:async )?def/g)].map(([whole, name = ""]) => ({ name, writes: whole.includes("writes=True") })));
  assert.ok(all.length > 40);
  const known = new Set(all.map(({ name }) => name));
  assert.deepEqual([...WRITES].filter((name) => !known.has(name)), []);
  // What follows the chat, works in the background or belongs to replicas is counted where it is called.
  const elsewhere = /^(chat|extract|embed|recall|sync|settings|prompt|schema|job|backup\.(read|check))\b/;
  assert.deepEqual(all.filter(({ name, writes: changes }) => changes && !elsewhere.test(name) && !WRITES.has(name)).map(({ name }) => name), []);
});

test("a preview is no write", () => {
  assert.ok(writes("import", { text: "" }) && sends("node.purge", {}) && sends("recall.delivered", {}));
  assert.ok(!writes("import", { dry: true }) && !sends("node.purge", { dry: true }) && !writes("graph.get", {}));
});
