import assert from "node:assert/strict";
import { test } from "node:test";
import { HOSTILE } from "./fake_app.mjs";
import { openPanel } from "./panel_kit.mjs";
import { fill, named, submit, until } from "./ui_kit.mjs";
import { grouped } from "../../extension/panel/injection.js";
import { statusText } from "../../extension/ui/words.js";

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
  assert.match(root.textContent, /Ann lives in Porto\.fact9 tokens/);
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
  assert.deepEqual(
    [...root.querySelectorAll(".tidelore-group > summary")].map((each) => each.textContent),
    ["Selected: 1", "Left out, no room in the budget: 1", "Left out, does not share enough words with the question: 1"],
  );
  const [taken] = root.querySelectorAll(".tidelore-result ol > li");
  assert.match(taken.querySelector(".tidelore-edge").textContent, /its words were said/);
  assert.doesNotMatch(taken.querySelector(".tidelore-edge").textContent, /2\.50/);
  assert.match(taken.querySelector("details").textContent, /Score 2\.50/);
  assert.deepEqual([...taken.querySelectorAll(".tidelore-parts > div")].map((each) => each.textContent), ["the talk around it+0.80", "words+2.00", "replaced−0.30"]);
});

test("what was tried is grouped by what became of it, and only inside a group by score", () => {
  const cards = [traced({ node: "a", score: -0.52, reason: "walk" }), traced({ node: "b", score: 0.75, taken: false, reason: "weak" }), traced({ node: "c", score: 0.2, reason: "words" }), traced({ node: "d", taken: false, reason: "another" }), traced({ node: "e", score: 0.9, taken: false, reason: "weak" })];
  assert.deepEqual(grouped(cards).map(({ reason, cards: inside }) => [reason, inside.map(({ node }) => node)]), [["", ["c", "a"]], ["weak", ["e", "b"]], ["another", ["d"]]]);
});

test("with an embedder, what is too weak was not near in meaning either", async () => {
  const { root } = injection({ status: { embedder: "e5" } });
  submit(root.querySelector("#tidelore-tabpanel-injection form"));
  await until(() => root.querySelector(".tidelore-group"));
  assert.match(root.textContent, /and is not near enough in meaning: 1/);
});

test("where all of the chat is in the prompt, that is why it held no memory", () => {
  const { root, app } = injection({ answers: { lastInjected: () => "" }, status: { lastRecall: { outcome: "empty", reason: "whole_chat", ms: 3, tokens: 0, cards: 0, error: "", at: "" } } });
  assert.match(root.textContent, /All of the chat is still in the prompt, so nothing had to be recalled\./);
  assert.doesNotMatch(root.textContent, /held no memory/);
  const said = statusText(app);
  assert.match(said, /all of the chat is still in the prompt/);
  assert.doesNotMatch(said, /nothing fitting/);
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
