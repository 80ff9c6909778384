import assert from "node:assert/strict";
import { test } from "node:test";
import { HOSTILE } from "./fake_app.mjs";
import { openPanel } from "./panel_kit.mjs";
import { fill, named, submit, until } from "./ui_kit.mjs";

const card = (/** @type {any} */ more) => ({ node: "f2", kind: "fact", text: "Ann lives in Porto.", tokens: 9, score: 2.5, ...more });
const traced = (/** @type {any} */ more) => ({ node: "f2", text: "Ann lives in Porto.", score: 2.5, signals: { words: 2, session: 0.8, outdated: -0.3, date: 0 }, taken: true, reason: "words", ...more });
const found = (/** @type {any} */ more) => ({
  core: "the rules",
  recalled: "Ann lives in Porto.",
  tokens: 31,
  cards: [card()],
  degraded: [],
  trace: { words: ["live"], names: ["Ann"], found: 57, cards: [traced(), traced({ node: "m1", text: "ferry", taken: false, reason: "over the budget" }), traced({ node: "m2", text: "mist", taken: false, reason: "weak" })] },
  ...more,
});
const user = [{ index: 6, role: "user", hidden: false, text: "Where does Ann live?" }];

/** @param {any} [options] */
function injection({ answers = {}, ...options } = {}) {
  const record = { recall: "r1", text: "Where does Ann live?", core: "the core", recalled: "the rest", cards: [card()], tokens: 40, edited: false };
  const page = openPanel({
    answers: { "host.messages": () => user, record: () => record, lastInjected: (/** @type {string} */ block) => ({ core: "the core", recalled: "the rest" })[block], simulate: async () => found(), ...answers },
    ...options,
  });
  page.panel.open({ tab: "injection" });
  return page;
}

test("the last prompt's blocks are shown word for word with what each costs", async () => {
  const { root } = injection();
  assert.deepEqual([...root.querySelectorAll(".tidelore-injected pre")].map((each) => each.textContent), ["the core", "the rest"]);
  await until(() => root.querySelectorAll(".tidelore-injected h5")[1].textContent.includes("2 tokens"));
  assert.match(root.textContent, /9 tokens, score 2\.50/);
});

test("a prompt without memory is said to have none", () => {
  const { root } = injection({ answers: { lastInjected: () => "" } });
  assert.match(root.textContent, /The last prompt held no memory\./);
  assert.equal(root.querySelector(".tidelore-injected"), null);
});

test("a sentence is tried: found, admitted, selected and delivered are told apart, each memory with its parts and its reason", async () => {
  const { root, called } = injection();
  fill(named(root, "input", "A sentence as you would write it in the chat"), "Porto?");
  submit(root.querySelector("#tidelore-tabpanel-injection form"));
  await until(() => root.querySelector(".tidelore-result"));
  assert.deepEqual(called("simulate"), [["Porto?"]]);
  assert.deepEqual([...root.querySelectorAll(".tidelore-steps li")].map((each) => each.textContent), ["found: 57", "admitted: 2", "cooled: 0", "selected: 1", "delivered: none, it is a trial"]);
  const [taken, over, weak] = root.querySelectorAll(".tidelore-result ol > li");
  assert.match(taken.textContent, /selected: its words were said/);
  assert.deepEqual([...taken.querySelectorAll(".tidelore-parts > div")].map((each) => each.textContent), ["the talk around it+0.80", "words+2.00", "replaced−0.30"]);
  assert.match(over.textContent, /left out: no room in the budget/);
  assert.match(weak.textContent, /left out: too weak/);
});

test("without a sentence it tries the last message", async () => {
  const { root, called } = injection();
  submit(root.querySelector("#tidelore-tabpanel-injection form"));
  await until(() => called("simulate").length);
  assert.deepEqual(called("simulate"), [["Where does Ann live?"]]);
});

test("another preset and budget are tried side by side, and no setting changes", async () => {
  const { root, called } = injection({ methods: { "recall.run": () => found({ tokens: 12, cards: [] }) } });
  fill(root.querySelector("#tidelore-tabpanel-injection input[type=checkbox]"), true);
  fill(root.querySelector("#tidelore-tabpanel-injection select"), "wake");
  fill(root.querySelector("#tidelore-tabpanel-injection input[type=number]"), "300");
  submit(root.querySelector("#tidelore-tabpanel-injection form"));
  await until(() => root.querySelectorAll(".tidelore-result").length === 2);
  assert.deepEqual(called("call").find(([method]) => method === "recall.run"), ["recall.run", { query: "Where does Ann live?", preset: "wake", budget: 300, limit: null }]);
  const heads = [...root.querySelectorAll(".tidelore-result > h5")].map((each) => each.textContent);
  assert.match(heads[0], /budget 900.*31 tokens/);
  assert.match(heads[1], /budget 300.*12 tokens/);
  assert.deepEqual(called("set"), []);
  assert.deepEqual(called("recallAgain"), []);
});

test("a trial that fails is told, and can be made again", async () => {
  let works = false;
  const { root, called } = injection({ answers: { simulate: async () => (works ? found() : Promise.reject(new Error("The engine is off."))) } });
  const form = root.querySelector("#tidelore-tabpanel-injection form");
  submit(form);
  await until(() => called("host.notify").length);
  works = true;
  submit(form);
  await until(() => root.querySelector(".tidelore-result"));
});

test("texts of memories and prompts are text, and a reason or a kind that is not known is shown as it is", async () => {
  const hostile = found({ core: HOSTILE, recalled: HOSTILE, degraded: [HOSTILE], trace: { words: [HOSTILE], names: [], found: 1, cards: [traced({ text: HOSTILE, reason: HOSTILE, taken: false, signals: { [HOSTILE]: 1 } })] } });
  const record = { text: HOSTILE, core: HOSTILE, recalled: HOSTILE, cards: [card({ text: HOSTILE, kind: HOSTILE })], tokens: 1, edited: true };
  const { root, document } = injection({ answers: { simulate: async () => hostile, lastInjected: () => HOSTILE, record: () => record } });
  submit(root.querySelector("#tidelore-tabpanel-injection form"));
  await until(() => root.querySelector(".tidelore-result"));
  assert.equal(document.querySelector("img"), null);
  assert.ok(root.textContent.split("<img src=x").length > 9);
});

test("a memory of a trial leads to its page", async () => {
  const { root } = injection();
  submit(root.querySelector("#tidelore-tabpanel-injection form"));
  await until(() => root.querySelector(".tidelore-result ol button"));
  root.querySelector(".tidelore-result ol button").click();
  await until(() => root.querySelector("h3")?.textContent === "Ann lives in Porto.");
});
