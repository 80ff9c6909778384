import assert from "node:assert/strict";
import { test } from "node:test";
import { createHost } from "../../extension/host.js";
import { mountRecallCards } from "../../extension/panel/recall_card.js";
import { createRecords } from "../../extension/records.js";
import { HOSTILE } from "./fake_app.mjs";
import { EDGES, NODES } from "./panel_kit.mjs";
import { exists, fill, named, pageWithApp, until } from "./ui_kit.mjs";

const record = (/** @type {any} */ more = {}) => ({
  version: 1,
  recall: "r1",
  text: "hello",
  core: "the core",
  recalled: "the rest",
  tokens: 40,
  edited: false,
  cards: [{ node: "f2", kind: "fact", text: "Ann lives in Porto.", tokens: 9, score: 2.5 }],
  ...more,
});

/** @type {() => void} ends the cards of the test before: the document is that of the newest page */
let end = () => {};

/** A chat as SillyTavern draws it: message 0 is a reply, 1 and 3 are the user's. @param {any} [options] */
function chat({ records = { 1: record(), 3: record({ recall: "r3" }) }, answers = {}, ...options } = {}) {
  end();
  /** @type {Record<number, any>} */
  const known = { ...records };
  const page = pageWithApp({
    answers: {
      "host.userMessages": () => createHost().userMessages(),
      "host.onDrawn": (/** @type {any} */ listener, /** @type {any} */ own) => createHost().onDrawn(listener, own),
      record: (/** @type {number} */ index) => known[index] ?? null,
      editRecord: async (/** @type {number} */ index, /** @type {any} */ change) => {
        if (change) known[index] = { ...known[index], ...change, edited: true, tokens: 5 };
        else delete known[index];
      },
      ...answers,
    },
    ...options,
  });
  const { MutationObserver } = /** @type {any} */ (page.window);
  Object.assign(globalThis, { MutationObserver, requestAnimationFrame: setImmediate });
  const list = page.document.createElement("div");
  list.id = "chat";
  page.document.body.append(list);
  /** @param {number} index @param {boolean} mine */
  function draw(index, mine) {
    const message = page.document.createElement("div");
    message.className = "mes";
    message.setAttribute("mesid", String(index));
    message.setAttribute("is_user", String(mine));
    const block = page.document.createElement("div");
    block.className = "mes_block";
    const text = page.document.createElement("div");
    text.className = "mes_text";
    text.textContent = `message ${index}`;
    block.append(text);
    message.append(block);
    list.append(message);
    return message;
  }
  for (const index of [0, 1, 2, 3]) draw(index, index % 2 === 1);
  /** @type {(() => any)[]} */
  const timers = [];
  const stop = mountRecallCards(page.app, { after: (run) => timers.push(run) });
  end = stop;
  const cards = () => [...list.querySelectorAll(".tidelore-card")].map((each) => Number(each.closest(".mes")?.getAttribute("mesid")));
  const at = (/** @type {number} */ index) => /** @type {any} */ (list.querySelector(`.mes[mesid="${index}"] .tidelore-card`));
  // What this page hears of changes to itself comes by a timer.
  const heard = () => page.window.happyDOM.waitUntilComplete();
  return { ...page, heard, list, draw, stop, cards, at, known, pass: () => Promise.all(timers.splice(0).map((run) => run())) };
}

const head = (/** @type {any} */ card) => card.querySelector(".tidelore-card-head");

test("each of the user's messages that has a record shows how many memories went with it, and no other does", () => {
  const { cards, at } = chat({ records: { 1: record() } });
  assert.deepEqual(cards(), [1]);
  assert.equal(head(at(1)).querySelector(".tidelore-badge").textContent, "1");
  assert.equal(head(at(1)).getAttribute("aria-expanded"), "false");
  assert.equal(at(1).querySelector(".tidelore-card-body"), null);
});

test("it opens to the memories that were delivered", () => {
  const { at } = chat();
  head(at(1)).click();
  assert.equal(head(at(1)).getAttribute("aria-expanded"), "true");
  assert.match(at(1).querySelector("li").textContent, /Ann lives in Porto\./);
});

test("what was delivered is drawn as a small graph of its own chat, read once, and a dot leads to its memory", async () => {
  const cards = ["f1", "f2"].map((node) => ({ node, kind: "fact", text: node, tokens: 1, score: 1 }));
  const { at, called } = chat({ records: { 1: record({ chat: "c7", cards }) }, answers: { call: async () => ({ nodes: NODES, edges: EDGES }) } });
  head(at(1)).click();
  await until(() => at(1).querySelector(".tidelore-small-graph"));
  assert.deepEqual(called("call"), [["graph.get", { chat: "c7" }]]);
  assert.equal(at(1).querySelectorAll(".tidelore-small-main").length, 2);
  assert.equal(at(1).querySelectorAll(".tidelore-small-dot").length, 3);
  head(at(1)).click();
  head(at(1)).click();
  assert.equal(called("call").length, 1);
});

test("a single memory, or a graph that cannot be read, leaves the list as it is", async () => {
  const { at, called } = chat({ answers: { call: async () => Promise.reject(new Error("gone")) } });
  head(at(1)).click();
  await until(() => called("call").length);
  assert.equal(at(1).querySelector(".tidelore-small-graph"), null);
  assert.match(at(1).querySelector("li").textContent, /Porto/);
});

test("a card comes back after its message was drawn anew, comes late with a late message, and goes with its message", async () => {
  const { list, draw, cards, known, heard } = chat();
  list.querySelector('[mesid="1"] .tidelore-card')?.remove();
  await heard();
  assert.equal(cards().join(), "1,3");
  list.querySelector('[mesid="3"]')?.remove();
  known[5] = record();
  draw(5, true);
  await heard();
  assert.equal(cards().join(), "1,5");
  list.replaceChildren();
  draw(1, true);
  await heard();
  assert.equal(cards().join(), "1");
});

test("messages that are numbered anew show what belongs to their new numbers", async () => {
  const { list, cards, heard } = chat({ records: { 1: record() } });
  list.querySelector('[mesid="1"]')?.setAttribute("mesid", "9");
  await heard();
  assert.deepEqual(cards(), []);
});

test("its own drawing does not call it again, nor does a reply that is coming in", async () => {
  const { list, at, called, heard } = chat();
  await heard();
  const before = called("record").length;
  head(at(1)).click();
  list.querySelector('[mesid="2"] .mes_text')?.append("more");
  await heard();
  assert.equal(called("record").length, before);
});

test("nothing that is drawn again is lost while somebody types", async () => {
  const { at, draw, change, cards, known, heard } = chat();
  head(at(1)).click();
  named(at(1), "button", "Edit").click();
  const area = at(1).querySelector("textarea");
  fill(area, "my own words");
  known[5] = record();
  draw(5, true);
  await heard();
  assert.ok(cards().includes(5));
  change();
  assert.equal(at(1).querySelector("textarea"), area);
  assert.equal(area.value, "my own words");
});

test("editing counts tokens as one types and stores both blocks", async () => {
  const { at, called, pass } = chat();
  head(at(1)).click();
  named(at(1), "button", "Edit").click();
  fill(at(1).querySelectorAll("textarea")[1], "a much longer text than before");
  await pass();
  assert.match(at(1).querySelector(".tidelore-card-body p").textContent, /^10 tokens$/);
  named(at(1), "button", "Save").click();
  await until(() => called("editRecord").length);
  assert.deepEqual(called("editRecord"), [[1, { core: "the core", recalled: "a much longer text than before" }]]);
  await until(() => at(1).textContent.includes("edited"));
  assert.equal(at(1).querySelector("textarea"), null);
});

test("deleting takes two steps, and leaving the button takes back the first", async () => {
  const { at, called, window, cards, heard } = chat();
  head(at(1)).click();
  named(at(1), "button", "Delete").click();
  assert.deepEqual(called("editRecord"), []);
  named(at(1), "button", "Really delete?").dispatchEvent(new window.Event("blur"));
  assert.ok(exists(at(1), "button", "Delete"));
  named(at(1), "button", "Delete").click();
  named(at(1), "button", "Really delete?").click();
  await heard();
  assert.deepEqual(called("editRecord"), [[1, null]]);
  assert.deepEqual(cards(), [3]);
});

test("only the newest message of the user is recalled again", async () => {
  const { at, called } = chat();
  head(at(1)).click();
  head(at(3)).click();
  assert.ok(!exists(at(1), "button", "Recall again"));
  named(at(3), "button", "Recall again").click();
  await until(() => called("recallAgain").length);
});

test("an older record, whose texts are not kept, still lists its memories and cannot be edited", () => {
  const { at } = chat({ records: { 1: record({ core: "", recalled: "" }) } });
  head(at(1)).click();
  assert.ok(!exists(at(1), "button", "Edit"));
  assert.match(at(1).textContent, /not kept this far back/);
});

test("keys and clicks in a card stay in it", () => {
  const { document, at, window } = chat();
  /** @type {string[]} */
  const got = [];
  for (const type of ["keydown", "click"]) document.addEventListener(type, () => got.push(type));
  head(at(1)).click();
  head(at(1)).dispatchEvent(new window.KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }));
  assert.deepEqual(got, []);
});

test("while memory is off there are no cards, and all of them go when the extension does", () => {
  const { cards, stop, state, change } = chat();
  state.settings = { ...state.settings, enabled: false };
  change();
  assert.deepEqual(cards(), []);
  state.settings = { ...state.settings, enabled: true };
  change();
  assert.deepEqual(cards(), [1, 3]);
  stop();
  change();
  assert.deepEqual(cards(), []);
});

test("the words of a record are text", () => {
  const { at, document } = chat({ records: { 1: record({ core: HOSTILE, recalled: HOSTILE, cards: [{ node: HOSTILE, kind: HOSTILE, text: HOSTILE, tokens: 1, score: 1 }] }) } });
  head(at(1)).click();
  named(at(1), "button", "Edit").click();
  assert.equal(document.querySelector("img"), null);
});

test("of a record from somebody else's chat file only cards that are cards are taken", () => {
  const extra = { ...record(), cards: [{ node: {}, text: [] }, null, ...record().cards], tokens: "many" };
  const host = { extra: () => extra, setExtra() {}, messages: () => [] };
  const { cards, tokens } = /** @type {any} */ (createRecords(/** @type {any} */ (host)).get(1));
  assert.deepEqual([cards, tokens], [record().cards, 0]);
});
