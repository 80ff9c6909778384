import assert from "node:assert/strict";
import { test } from "node:test";
import { HOSTILE } from "./fake_app.mjs";
import { openPanel } from "./panel_kit.mjs";
import { exists, fill, named, until } from "./ui_kit.mjs";

const change = (/** @type {any} */ more = {}) => ({ commit: "k1", at: Date.UTC(2026, 10, 30), author: "person", maker: "", change: "pin", node: "f2", text: "pinned: nothing -> True", undone: false, undo: "", waiting: false, ...more });

/** @param {Record<string, any>} methods @param {any} [options] */
async function actions(methods, options = {}) {
  const page = openPanel({ ...options, methods });
  page.panel.open({ tab: "actions" });
  const part = page.root.querySelector("#tidelore-tabpanel-actions");
  await until(() => part.querySelector("#tidelore-changes-title, .tidelore-empty"));
  await new Promise((resolve) => setImmediate(resolve));
  const asked = (/** @type {string} */ name) => page.called("call").filter(([method]) => method === name).map(([, params]) => params);
  return { ...page, part, asked };
}

test("changes are listed by what they changed; each is taken back, and brought back", async () => {
  let undone = false;
  const { part, asked } = await actions({
    "undo.list": () => ({ changes: [change({ undone, undo: undone ? "k2" : "" })], total: 1, next: "" }),
    undo: (/** @type {any} */ { commit }) => ((undone = commit === "k1"), { commit: "k2" }),
  });
  await until(() => part.textContent.includes("Ann lives in Porto."));
  assert.match(part.querySelector(".tidelore-change").textContent, /pinned by a person/);
  assert.ok(!part.textContent.includes("nothing -> True"));
  named(part, "button", "Undo: Ann lives in Porto.").click();
  await until(() => exists(part, "button", "Redo: Ann lives in Porto."));
  named(part, "button", "Redo: Ann lives in Porto.").click();
  await until(() => asked("undo").length === 2);
  assert.deepEqual(asked("undo"), [{ commit: "k1" }, { commit: "k2" }]);
});

test("of many changes the next page is read when it is asked for", async () => {
  const { part, asked } = await actions({
    "undo.list": (/** @type {any} */ { before }) => (before ? { changes: [change({ commit: "k0", text: "old", node: "" })], total: 2, next: "" } : { changes: [change()], total: 2, next: "k1" }),
  });
  await until(() => exists(part, "button", "Show earlier ones"));
  named(part, "button", "Show earlier ones").click();
  await until(() => part.querySelectorAll(".tidelore-change").length === 2);
  assert.deepEqual(asked("undo.list").at(-1), { before: "k1", limit: 20 });
  assert.ok(!exists(part, "button", "Show earlier ones"));
});

test("a file is shown before it is brought in, and what came can be undone", async () => {
  const would = { format: "tidelore", dry: true, commit: "", nodes: 3, edges: 2, messages: 0, commits: 1, known: 4, left_out: { "no text": 1 }, sample: [{ kind: "fact", sub: "", text: HOSTILE, new: true }], notes: [HOSTILE] };
  const { part, root, asked, window } = await actions({ import: (/** @type {any} */ { dry }) => ({ ...would, dry: Boolean(dry), commit: dry ? "" : "k7" }) });
  const input = part.querySelector("input[type=file]");
  const file = { name: HOSTILE, size: 10, text: async () => "the file" };
  Object.defineProperty(input, "files", { value: [file] });
  input.dispatchEvent(new window.Event("change", { bubbles: true }));
  await until(() => exists(part, "button", "Bring these in"));
  assert.deepEqual(asked("import"), [{ text: "the file", dry: true }]);
  assert.match(part.textContent, /New memories: 3, connections: 2, messages: 0; known already: 4/);
  assert.ok(part.textContent.split(HOSTILE).length > 3);
  assert.equal(part.querySelector("img"), null);
  named(part, "button", "Bring these in").click();
  await until(() => exists(root, "button", "Undo"));
  assert.deepEqual(asked("import").at(-1), { text: "the file" });
  named(root, "button", "Undo").click();
  await until(() => asked("undo").length);
  assert.deepEqual(asked("undo"), [{ commit: "k7" }]);
});

test("memories go out in the format that is chosen, what is private only when asked for", async () => {
  const { part, asked } = await actions({ export: () => ({ format: "markdown", name: "a.md", text: "# A", nodes: 1, edges: 0, messages: 0, left_out: {} }) });
  /** @type {string[]} */
  const saved = [];
  const before = URL.createObjectURL;
  URL.createObjectURL = () => (saved.push("made"), "blob:x");
  fill(part.querySelector("select"), "markdown");
  part.querySelector("input[type=checkbox]").click();
  named(part, "button", "Save as a file").click();
  await until(() => saved.length);
  URL.createObjectURL = before;
  assert.deepEqual(asked("export"), [{ format: "markdown", private: true }]);
});

test("the index is built anew once, however often the button is pressed", async () => {
  const { part, root, asked } = await actions({ "index.rebuild": () => ({ nodes: 4, edges: 4, documents: 3, texts: 3, degraded: [] }) });
  named(part, "button", "Build the index anew").click();
  named(part, "button", "Build the index anew").click();
  await until(() => root.textContent.includes("Built anew: 4 memories"));
  assert.equal(asked("index.rebuild").length, 1);
});

test("without a chat only the jobs are there", async () => {
  const { part } = await actions({}, { status: { chat: null } });
  assert.match(part.textContent, /No chat is open/);
  assert.equal(part.querySelector("#tidelore-files-title"), null);
});
