import assert from "node:assert/strict";
import { test } from "node:test";
import { packed, unpacked } from "../../extension/backup_file.js";
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

test("a change says in words what was done, once, and what reads otherwise since", async () => {
  const edits = [{ field: "private", before: null, after: true }, { field: "pinned", before: true, after: null }];
  const { part } = await actions({
    "undo.list": () => ({
      changes: [
        change({ commit: "k3", change: "private", node: "gone", text: "private: nothing -> True; pinned: True -> nothing", subject: "Ann has a secret.", edits }),
        change({ commit: "k2", change: "edit", node: "gone", text: "text: a -> b", subject: "Ann lives in Faro.", edits: [{ field: "text", before: "Ann lives in Braga.", after: "Ann lives in Faro." }] }),
        change({ commit: "k1", change: "edit", edits: [{ field: "importance", before: null, after: 9 }, { field: "known_by", before: ["Ann"], after: ["Ann", "Bo"] }] }),
      ],
      total: 3,
      next: "",
    }),
  });
  await until(() => part.querySelectorAll(".tidelore-change").length === 3);
  const [secret, moved, edited] = [...part.querySelectorAll(".tidelore-change .tidelore-edge")].map((each) => [...each.children].map((line) => line.textContent));
  assert.match(secret?.[0] ?? "", /^marked private, unpinned by a person/);
  assert.deepEqual(secret?.slice(1), ["Ann has a secret."]);
  assert.deepEqual(moved?.slice(1), ["Ann lives in Faro.", "Text: Ann lives in Braga. → Ann lives in Faro."]);
  assert.deepEqual(edited?.slice(1), ["Ann lives in Porto.", "importance: nothing → 9", "known_by: Ann → Ann, Bo"]);
});

test("a meaning index is made anew only where there is an embedder", async () => {
  const { part } = await actions({});
  assert.ok(!exists(part, "button", "Make the meaning index of this chat anew"));
  const { part: with_ } = await actions({}, { status: { embedder: "e5" } });
  assert.ok(exists(with_, "button", "Make the meaning index of this chat anew"));
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
  assert.deepEqual(asked("undo"), [{ chat: "c1", commit: "k7" }]);
});

test("memories go out in the format that is chosen, what is private only when asked for", async () => {
  const { part, asked } = await actions({ export: () => ({ format: "markdown", name: "a.md", text: "# A", nodes: 1, edges: 0, messages: 0, left_out: {} }) });
  /** @type {string[]} */
  const saved = [];
  const before = URL.createObjectURL;
  URL.createObjectURL = () => (saved.push("made"), "blob:x");
  fill(part.querySelector("#tidelore-files-title ~ div select"), "markdown");
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

test("without a chat only the jobs and what concerns all chats are there", async () => {
  const { part } = await actions({}, { status: { chat: null } });
  assert.match(part.textContent, /No chat is open/);
  assert.equal(part.querySelector("#tidelore-files-title"), null);
  assert.equal(part.querySelector("#tidelore-moving-title"), null);
  assert.ok(part.querySelector("#tidelore-backup-title") && part.querySelector("#tidelore-panel-orphans-title"));
});

test("a chat whose memory is off says so on every tab that would show it, with a button to switch it on", async () => {
  const { part, panel, root, called } = await actions({}, { status: { chat: { chat: "c1", pool: "00", title: "Mira", off: true } } });
  for (const tab of /** @type {const} */ (["actions", "memories", "graph", "decide"])) {
    panel.open({ tab });
    const shown = root.querySelector(`#tidelore-tabpanel-${tab}`);
    assert.match(shown.textContent, /Memory is off for this chat/, tab);
    assert.ok(exists(shown, "button", "Switch it on for this chat"), tab);
  }
  assert.ok(!part.textContent.includes("No chat is open"));
  named(root.querySelector("#tidelore-tabpanel-decide"), "button", "Switch it on for this chat").click();
  await until(() => called("switchChat").length);
  assert.deepEqual(called("switchChat"), [[true]]);
});

/** Puts files into a field for them. @param {any} window @param {any} input @param {any[]} files */
function choose(window, input, files) {
  Object.defineProperty(input, "files", { value: files, configurable: true });
  input.dispatchEvent(new window.Event("change", { bubbles: true }));
}

test("the files of one sync are read together, whatever their order", async () => {
  const { part, window, asked } = await actions({ import: () => ({ format: "st-bme", dry: true, commit: "", nodes: 1, edges: 0, messages: 0, commits: 1, known: 0, left_out: {}, sample: [], notes: [] }) });
  const file = (/** @type {string} */ name, /** @type {string} */ text) => ({ name, size: text.length, text: async () => text });
  choose(window, part.querySelector("#tidelore-file"), [file("b.json", '{"b":1}'), file("a.json", '{"a":1}')]);
  await until(() => exists(part, "button", "Bring these in"));
  assert.deepEqual(asked("import"), [{ text: '{"b":1}\n{"a":1}', dry: true }]);
  assert.match(part.textContent, /b\.json, a\.json/);
});

test("what another extension left is looked for when asked, what is of this chat first, and brought in after a look", async () => {
  const { part, called, asked } = await actions({ import: (/** @type {any} */ { dry }) => ({ format: "st-bme", dry: Boolean(dry), commit: dry ? "" : "k9", nodes: 15, edges: 6, messages: 0, commits: 1, known: 0, left_out: {}, sample: [], notes: [] }) });
  assert.deepEqual(called("left"), []);
  named(part, "button", "Look for its memories").click();
  await until(() => part.querySelectorAll(".tidelore-left").length === 3);
  const [first, , broken] = part.querySelectorAll(".tidelore-left");
  assert.match(first.textContent, /ST-BME_sync_c1\.json.*this chat.*Memories: 15, connections: 6/);
  assert.ok(broken.textContent.includes(HOSTILE) && !broken.querySelector("button") && !part.querySelector("img"));
  named(part, "button", "Look at File ST-BME_sync_c1.json").click();
  await until(() => exists(part, "button", "Bring these in"));
  named(part, "button", "Bring these in").click();
  await until(() => asked("import").length === 2);
  assert.deepEqual(asked("import"), [{ text: '{"a":1}', dry: true }, { text: '{"a":1}' }]);
});

const LINES = ["one", "二", "three"];

test("a backup is read in pieces, packed as the command packs it, and given to the browser", async () => {
  const { part, root, asked } = await actions({ "backup.read": (/** @type {any} */ { at }) => (at ? { lines: LINES.slice(2), at: "" } : { lines: LINES.slice(0, 2), at: "p" }) });
  /** @type {Blob[]} */
  const saved = [];
  const before = URL.createObjectURL;
  URL.createObjectURL = (/** @type {any} */ blob) => (saved.push(blob), "blob:x");
  named(part, "button", "Save a backup").click();
  await until(() => saved.length);
  URL.createObjectURL = before;
  await until(() => /tidelore-\d{4}-\d\d-\d\d\.backup\.gz \(.* KB\): 3 lines/.test(root.textContent));
  assert.deepEqual(await unpacked(/** @type {Blob} */ (saved[0])), LINES);
  assert.deepEqual(asked("backup.read").map(({ at }) => at), ["", "p"]);
});

test("a backup is checked whole before anything of it is taken in, and a broken one is refused", async () => {
  let whole = false;
  const { part, window, asked, called } = await actions({
    "backup.check": () => ({ at: "c", records: 2, chats: 1, written: Date.UTC(2026, 10, 30), whole }),
    "backup.restore": () => ({ at: "r", new: 2, chats: 0, kept: 1, settings: 0, whole: true }),
  });
  const file = Object.assign(await packed(LINES), { name: HOSTILE });
  choose(window, part.querySelector("#tidelore-backup"), [file]);
  await until(() => called("host.notify").length);
  assert.match(called("host.notify")[0][1], /not a whole backup/);
  assert.ok(!exists(part, "button", "Restore"));
  choose(window, part.querySelector("#tidelore-backup"), [Object.assign(new Blob([new Uint8Array([0x1f, 0x8b, 1, 2, 3])]), { name: "torn.gz" })]);
  await until(() => called("host.notify").length === 2);
  assert.deepEqual(asked("backup.restore"), []);
  whole = true;
  choose(window, part.querySelector("#tidelore-backup"), [file]);
  await until(() => exists(part, "button", "Restore"));
  assert.match(part.textContent, /records: 2, chats: 1/);
  named(part, "button", "Restore").click();
  await until(() => called("restored").length === 1);
  assert.deepEqual(asked("backup.restore"), [{ lines: LINES, at: "" }]);
  await until(() => !exists(part, "button", "Restore"));
});

test("what was forgotten for good is listed with the replicas that are not heard of yet", async () => {
  const { part } = await actions({ "sync.status": () => ({ replica: "r", records: 4, replicas: [], purges: [{ purge: "p1", at: Date.UTC(2026, 10, 30), waiting: ["a", "b"] }, { purge: "p2", at: 1, waiting: [] }] }) });
  await until(() => part.textContent.includes("replicas not heard of yet: 2"));
  assert.match(part.textContent, /gone in every replica that is known/);
});

test("other replicas are named with what they lack, and a round can be asked for", async () => {
  const { part, root, called } = await actions({ "sync.status": () => ({ replica: "r", records: 4, replicas: [{ replica: "0123456789ab", at: Date.UTC(2026, 10, 30), lacks: 3 }, { replica: "ba9876543210", at: 1, lacks: 0 }], purges: [] }) });
  await until(() => part.textContent.includes("lacks records: 3"));
  assert.match(part.textContent, /01234567, last heard of Nov 30, 2026.*ba987654.*has everything/);
  named(part, "button", "Exchange now").click();
  await until(() => root.textContent.includes("up to date"));
  assert.equal(called("exchange").length, 1);
});

test("what a file would bring into one chat is not brought into another that is opened meanwhile", async () => {
  const would = { format: "jsonl", dry: true, commit: "", nodes: 3, edges: 2, messages: 0, commits: 1, known: 4, left_out: {}, sample: [], notes: [] };
  const { part, state, change: changed, window } = await actions({ import: () => would });
  const input = part.querySelector("input[type=file]");
  Object.defineProperty(input, "files", { value: [{ name: "a.jsonl", size: 10, text: async () => "the file" }] });
  input.dispatchEvent(new window.Event("change", { bubbles: true }));
  await until(() => exists(part, "button", "Bring these in"));
  state.status = { ...state.status, chat: { ...state.status.chat, chat: "c2" } };
  changed();
  await until(() => !exists(part, "button", "Bring these in"));
});
