import assert from "node:assert/strict";
import { test } from "node:test";
import { halves } from "../../extension/panel/node_more.js";
import { HOSTILE } from "./fake_app.mjs";
import { EDGES, NODES, openPanel } from "./panel_kit.mjs";
import { exists, fill, named, until } from "./ui_kit.mjs";

const WHY = { node: "f2", kind: "fact", text: "", state: "current", pinned: false, private: false, known_by: [], held_by: "", present: ["Ann"], recalled: null, delivered: null };

/** The page of "Ann lives in Porto." @param {Record<string, any>} [methods] @param {any} [options] */
async function page(methods = {}, options = {}) {
  const opened = openPanel({ ...options, methods: { "node.why": () => WHY, ...methods } });
  opened.panel.open({ node: "f2" });
  const part = opened.root.querySelector(".tidelore-tab-memories");
  await until(() => part.querySelector(".tidelore-split-page .tidelore-belief") && exists(part, "h4", "Who knows it, and when it was used"));
  const asked = (/** @type {string} */ name) => opened.called("call").filter(([method]) => method === name).map(([, params]) => params);
  return { ...opened, part, asked };
}

test("a memory is pinned, archived and marked private by one button each, and each is undone", async () => {
  for (const [label, method] of [["Pin", "node.pin"], ["Archive", "node.archive"], ["Mark private", "node.private"]]) {
    const { part, root, asked } = await page();
    named(part, "button", /** @type {string} */ (label)).click();
    await until(() => exists(root, "button", "Undo"));
    assert.deepEqual(asked(/** @type {string} */ (method)), [{ node: "f2" }]);
    named(root, "button", "Undo").click();
    await until(() => asked("undo").length);
  }
});

test("what is pinned and private says so, and the buttons take it back", async () => {
  const nodes = NODES.map((node) => (node.id === "f2" ? { ...node, fields: { ...node.fields, pinned: true, private: true } } : node));
  const { part, asked } = await page({}, { graph: { nodes, edges: EDGES } });
  assert.ok(exists(part, "button", "Make public"));
  for (const word of ["pinned", "private"]) assert.ok(exists(part, "span", word), word);
  named(part, "button", "Unpin").click();
  await until(() => asked("node.unpin").length);
});

test("marking a pinned memory private says that it is pinned no more, and that no prompt has it", async () => {
  const nodes = NODES.map((node) => (node.id === "f2" ? { ...node, fields: { ...node.fields, pinned: true } } : node));
  const { part, root } = await page({}, { graph: { nodes, edges: EDGES } });
  named(part, "button", "Mark private").click();
  await until(() => exists(root, "button", "Undo"));
  const said = root.querySelector(".tidelore-says").textContent;
  assert.match(said, /goes into no prompt/);
  assert.match(said, /not pinned any more/);
});

test("what can be done stands open at a desk and is folded away on a phone", async () => {
  const desk = await page();
  assert.equal(desk.part.querySelector(".tidelore-more"), null);
  const phone = await page({}, { width: 390 });
  assert.ok(exists(phone.part.querySelector("details.tidelore-more"), "button", "Pin"));
  assert.equal(phone.part.querySelector("details.tidelore-more").open, false);
});

test("another memory of the same kind is found and merged into this one", async () => {
  const { part, asked, pass } = await page();
  named(part, "button", "Merge …").click();
  const search = [...part.querySelectorAll("input[type=search]")].at(-1);
  search.value = "lisbon";
  search.dispatchEvent(new (search.ownerDocument.defaultView.Event)("input", { bubbles: true }));
  pass();
  const choices = part.querySelectorAll("input[type=radio]");
  assert.equal(choices.length, 1);
  assert.ok(!exists(part, "button", "Merge"));
  choices[0].click();
  named(part, "button", "Merge").click();
  await until(() => asked("node.merge").length);
  assert.deepEqual(asked("node.merge"), [{ keep: "f2", others: ["f1"] }]);
  await until(() => !part.querySelector("input[type=radio]"));
});

test("a memory is split into the parts that are written, two at least", async () => {
  const { part, root, asked } = await page();
  named(part, "button", "Split …").click();
  const [first, second] = part.querySelectorAll("textarea");
  assert.equal(first.value, "Ann lives in Porto.");
  named(part, "button", "Split").click();
  assert.match(root.textContent, /Two parts at least/);
  assert.deepEqual(asked("node.split"), []);
  fill(second, "Ann has a cat.");
  named(part, "button", "One more part").click();
  named(part, "button", "Split").click();
  await until(() => asked("node.split").length);
  assert.deepEqual(asked("node.split"), [{ node: "f2", texts: ["Ann lives in Porto.", "Ann has a cat."] }]);
});

test("a text is cut where a sentence ends near its middle", () => {
  assert.deepEqual(halves("Ann has a cat. It is grey. It sleeps."), ["Ann has a cat.", "It is grey. It sleeps."]);
  assert.deepEqual(halves("安有一只猫。猫是灰的。"), ["安有一只猫。", "猫是灰的。"]);
  assert.deepEqual(halves("one sentence only"), ["one sentence only", ""]);
});

test("who knows it, its last recall and its versions are told; what does not count any more says why", async () => {
  const told = {
    ...WHY,
    known_by: ["Ann", HOSTILE],
    held_by: HOSTILE,
    recalled: { recall: "r1", at: Date.UTC(2026, 10, 30), query: HOSTILE, block: "", taken: false, reason: "over the limit", score: 1, signals: {} },
    delivered: { recall: "r0", at: Date.UTC(2026, 10, 29), window: "main", reason: "words", score: 1, times: 3 },
  };
  const version = { commit: "k1", author: "rules", maker: "rules", at: 0, change: "stated", text: HOSTILE, fields: {}, window: [4], live: true, why_not: "" };
  const { part } = await page({
    "node.why": () => told,
    "node.history": () => ({ node: "f2", versions: [version, { ...version, commit: "k2", author: "person", live: false, why_not: "undone" }] }),
  });
  await until(() => exists(part, "summary", "History: 2"));
  assert.match(part.textContent, /enough memories/);
  assert.match(part.textContent, /receipts: 3/);
  assert.match(part.textContent, /taken back/);
  assert.ok(part.textContent.split(HOSTILE).length > 5);
  assert.equal(part.querySelector("img"), null);
});
