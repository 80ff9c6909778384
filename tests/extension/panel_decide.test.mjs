import assert from "node:assert/strict";
import { test } from "node:test";
import { HOSTILE } from "./fake_app.mjs";
import { openPanel } from "./panel_kit.mjs";
import { exists, fill, named, until } from "./ui_kit.mjs";

/** @param {string} text @param {any} [more] */
const side = (text, more = {}) => ({ node: "f1", kind: "fact", sub: "state", text, state: "current", speakers: ["Ann"], first: 4, messages: [{ index: 4, role: "user", name: "Ann", text: `${text} Yes.`, quote: text }], ...more });
const card = (/** @type {any} */ more = {}) => ({
  ...{ id: "c1", kind: "conflict", reason: "speakers", about: "Ann", attribute: "lives in", likeness: 0, choices: ["keep_old", "keep_new", "keep_both", "merge"] },
  ...{ old: side("Ann lives in Lisbon."), new: side("Ann lives in Porto.", { node: "f2" }) },
  ...more,
});

/** The decide tab over these cards; each decision takes its card away. @param {any[]} cards @param {any} [options] */
async function decide(cards, options = {}) {
  let left = cards;
  const page = openPanel({
    ...options,
    methods: {
      "cards.list": () => ({ cards: left, total: left.length, degraded: [] }),
      "cards.decide": (/** @type {any} */ { card: id }) => {
        left = left.filter((each) => each.id !== id);
        return { commit: "k9", card: id, choice: "", node: "f1", gone: [] };
      },
      undo: () => ((left = cards), { commit: "k10" }),
      ...options.methods,
    },
  });
  page.panel.open({ tab: "decide" });
  const part = page.root.querySelector("#tidelore-tabpanel-decide");
  await until(() => part.querySelector(".tidelore-side, .tidelore-empty") && !part.textContent.includes("Reading"));
  const asked = () => page.called("call").filter(([method]) => method === "cards.decide").map(([, params]) => params);
  return { ...page, part, asked };
}

test("both sides are shown with who said it and the very words, and lead to memory and message", async () => {
  const { part, root, called } = await decide([card()]);
  assert.deepEqual([...part.querySelectorAll(".tidelore-side-text")].map((each) => each.textContent), ["Ann lives in Lisbon.", "Ann lives in Porto."]);
  assert.match(part.textContent, /They contradict: Ann · lives in/);
  assert.match(part.textContent, /1 of 1/);
  part.querySelector(".tidelore-link").click();
  assert.deepEqual(called("host.show"), [[4]]);
  part.querySelectorAll(".tidelore-side-text")[1].click();
  await until(() => root.querySelector("h3")?.textContent === "Ann lives in Porto.");
});

test("a key decides, the next card comes, and the decision can be undone", async () => {
  const { part, root, asked, press } = await decide([card(), card({ id: "c2" })]);
  press(part.querySelector(".tidelore-decision"), "2");
  await until(() => asked().length);
  assert.deepEqual(asked(), [{ card: "c1", choice: "keep_new" }]);
  await until(() => part.textContent.includes("1 of 1"));
  named(root, "button", "Undo").click();
  await until(() => part.textContent.includes("1 of 2"));
});

test("keys with a modifier, keys in a field, and choices that the card does not have decide nothing", async () => {
  const { part, asked, press } = await decide([card({ choices: ["keep_old", "keep_both"] })]);
  assert.equal(part.querySelectorAll(".tidelore-choices button").length, 2);
  press(part.querySelector(".tidelore-decision"), "1", { ctrlKey: true });
  press(part.querySelector(".tidelore-decision"), "4");
  press(part.querySelector(".tidelore-decision"), "9");
  assert.deepEqual(asked(), []);
});

test("a merge is written first, and left again without a decision", async () => {
  const { part, asked, press } = await decide([card()]);
  press(part.querySelector(".tidelore-decision"), "4");
  const area = part.querySelector("textarea");
  assert.equal(area.value, "Ann lives in Porto.");
  press(area, "1");
  press(area, "Escape");
  assert.equal(part.querySelector("textarea"), null);
  part.querySelectorAll(".tidelore-choices button")[3].click();
  fill(part.querySelector("textarea"), "Ann moved from Lisbon to Porto.");
  named(part, "button", "Merge into this").click();
  await until(() => asked().length);
  assert.deepEqual(asked(), [{ card: "c1", choice: "merge", text: "Ann moved from Lisbon to Porto." }]);
});

test("arrows and a finger that goes sideways turn the cards, round and round", async () => {
  const { part, press, window } = await decide([card(), card({ id: "c2", about: "Bo" })]);
  const shown = () => part.querySelector("h4").textContent;
  press(part.querySelector(".tidelore-decision"), "ArrowRight");
  assert.match(shown(), /Bo/);
  press(part.querySelector(".tidelore-decision"), "ArrowRight");
  assert.match(shown(), /Ann/);
  const touch = (/** @type {string} */ type, /** @type {number} */ x) => part.querySelector(".tidelore-decision").dispatchEvent(Object.assign(new window.Event(type, { bubbles: true }), { changedTouches: [{ clientX: x }] }));
  touch("touchstart", 200);
  touch("touchend", 190);
  assert.match(shown(), /Ann/);
  touch("touchstart", 200);
  touch("touchend", 80);
  assert.match(shown(), /Bo/);
});

test("with nothing to decide it says what would come here; a failure can be tried again", async () => {
  const none = await decide([]);
  assert.match(none.part.textContent, /Nothing to decide/);
  let times = 0;
  const failing = await decide([card()], { methods: { "cards.list": () => (times++ ? { cards: [], total: 0, degraded: [] } : Promise.reject(new Error("The store is away."))) } });
  assert.match(failing.part.textContent, /The store is away\./);
  named(failing.part, "button", "Try again").click();
  await until(() => exists(failing.root, "[role=tab]", "Decide") && failing.part.textContent.includes("Nothing to decide"));
});

test("words of others are text on a card, whatever they look like", async () => {
  const hostile = card({ kind: HOSTILE, reason: HOSTILE, about: HOSTILE, attribute: HOSTILE, old: side(HOSTILE, { speakers: [HOSTILE], messages: [{ index: null, role: HOSTILE, name: HOSTILE, text: HOSTILE, quote: HOSTILE }] }) });
  const { part } = await decide([hostile]);
  assert.ok(part.textContent.split(HOSTILE).length > 6);
  assert.equal(part.querySelector("img, b > img"), null);
  assert.equal(/** @type {any} */ (globalThis).caught, undefined);
});

test("what was written to merge one card is not there over the card of another chat", async () => {
  const { part, state, change, asked } = await decide([], { methods: { "cards.list": (/** @type {any} */ { chat }) => ({ cards: [card({ id: `of ${chat}` })], total: 1, degraded: [] }) } });
  [...part.querySelectorAll("button")].find((each) => each.textContent.includes("Merge")).click();
  fill(part.querySelector("textarea"), "Ann lives in both.");
  state.status = { ...state.status, chat: { ...state.status.chat, chat: "c2" } };
  change();
  await until(() => part.querySelector(".tidelore-side"));
  assert.equal(part.querySelector("textarea"), null);
  assert.deepEqual(asked(), []);
});
