import assert from "node:assert/strict";
import { test } from "node:test";

import { createInjection, turnOf } from "../../extension/injection.js";
import { createRecords } from "../../extension/records.js";
import { defaults } from "../../extension/settings.js";
import { FakeHost, gate } from "./fake_host.mjs";

const RECALLED = {
  recall: "r1",
  core: "core text",
  recalled: "Mira fears the sea.",
  nodes: ["n1"],
  state: "s1",
  cards: [{ node: "n1", kind: "fact", text: "Mira fears the sea.", tokens: 5, score: 1 }],
  degraded: [],
};

function setUp({ answers = {}, notReady = () => null, settings = defaults() } = {}) {
  const host = new FakeHost().say("Hello.", "Good evening.", "What does Mira fear?");
  const calls = [];
  const outcomes = [];
  const errors = [];
  const synced = [];
  const late = gate();
  const injection = createInjection({
    host,
    records: createRecords(host),
    settings: () => settings,
    notReady,
    onOutcome: (outcome) => outcomes.push(outcome),
    onError: (error) => errors.push(error),
    now: () => 0,
    wait: () => late.promise,
    sync: {
      async now(reason, options) {
        synced.push({ reason, ...options });
        return { chat: "c1", pool: "p", title: "t", off: false, floors: [0, 1, 2] };
      },
    },
    async call(method, params) {
      calls.push({ method, params });
      const answer = answers[method];
      if (typeof answer === "function") return answer(params);
      if (answer) return answer;
      return { "recall.run": RECALLED, "recall.check": { stands: true }, "recall.delivered": {} }[method];
    },
  });
  return { host, calls, outcomes, errors, synced, injection, late, settings, methods: () => calls.map(({ method }) => method) };
}

test("both blocks go where the settings say, and a record lies on the user's message", async () => {
  const { host, injection, outcomes } = setUp();
  await injection.before(8000, "normal");
  assert.deepEqual(host.prompts.core, { text: "core text", placement: defaults().core });
  assert.deepEqual(host.prompts.recalled, { text: "Mira fears the sea.", placement: defaults().recalled });
  assert.equal(outcomes[0].outcome, "injected");
  const record = host.chat[2].extra.tidelore_recall;
  assert.deepEqual({ recall: record.recall, text: record.text, uses: record.uses }, { recall: "r1", text: "What does Mira fear?", uses: 1 });
});

for (const type of ["quiet", "impersonate"]) {
  test(`a generation of the type ${type} gets nothing, not even what was there before`, async () => {
    const { host, injection, calls } = setUp();
    await injection.before(8000, "normal");
    calls.length = 0;
    await injection.before(8000, type);
    assert.deepEqual([host.prompts.core.text, host.prompts.recalled.text, calls.length], ["", "", 0]);
  });
}

for (const type of ["swipe", "regenerate", "continue", "normal"]) {
  test(`the same turn again (${type}) gets what is on record, without another recall`, async () => {
    const { host, injection, outcomes, methods } = setUp();
    await injection.before(8000, "normal");
    host.say("She fears nothing.");
    await injection.before(8000, type);
    assert.deepEqual(methods(), ["recall.run", "recall.check"]);
    assert.equal(outcomes[1].outcome, "reused");
    assert.equal(host.prompts.recalled.text, "Mira fears the sea.");
    assert.equal(host.chat[2].extra.tidelore_recall.uses, 2);
  });
}

test("a record that the chat does not support any more is made anew", async () => {
  const { injection, methods } = setUp({ answers: { "recall.check": { stands: false } } });
  await injection.before(8000, "normal");
  await injection.before(8000, "swipe");
  assert.deepEqual(methods(), ["recall.run", "recall.check", "recall.run"]);
});

test("other words of the user make a recall of their own", async () => {
  const { host, injection, methods } = setUp();
  await injection.before(8000, "normal");
  host.chat[2].text = "What does Mira love?";
  await injection.before(8000, "regenerate");
  assert.deepEqual(methods(), ["recall.run", "recall.run"]);
});

test("what a person wrote into the record is used as it is", async () => {
  const { host, injection, methods } = setUp();
  await injection.before(8000, "normal");
  Object.assign(host.chat[2].extra.tidelore_recall, { recalled: "By hand.", edited: true });
  await injection.before(8000, "swipe");
  assert.equal(host.prompts.recalled.text, "By hand.");
  assert.deepEqual(methods(), ["recall.run"]);
});

test("a record of ST-BME is used when its message asks again and it was edited by hand", async () => {
  const { host, injection, methods } = setUp();
  host.chat[2].extra.bme_recall = { injectionText: "Old memory.", boundUserFloorText: "What does Mira fear?", manuallyEdited: true, tokenEstimate: 4 };
  await injection.before(8000, "swipe");
  assert.equal(host.prompts.recalled.text, "Old memory.");
  assert.deepEqual(methods(), []);
});

test("on a swipe the rejected reply is neither told nor asked about", async () => {
  const { host, injection, synced, calls } = setUp();
  host.say("The rejected reply.");
  await injection.before(8000, "swipe");
  assert.deepEqual(synced[0], { reason: "generation:swipe", leaveOutReply: true });
  assert.ok(!JSON.stringify(calls).includes("rejected"));
});

test("memory that is late is left out, and what comes later is not put in", async () => {
  const slow = gate();
  const { host, injection, outcomes, late } = setUp({ answers: { "recall.run": () => slow.promise.then(() => RECALLED) } });
  const running = injection.before(8000, "normal");
  late.open();
  await running;
  assert.equal(outcomes[0].outcome, "late");
  slow.open();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(host.prompts.recalled.text, "");
  assert.equal(host.chat[2].extra.tidelore_recall, undefined);
});

test("a failed recall leaves the prompt as it is without us, and says why", async () => {
  const { host, injection, outcomes } = setUp({
    answers: {
      "recall.run": () => {
        throw new Error("the engine is ill");
      },
    },
  });
  await injection.before(8000, "normal");
  assert.deepEqual([host.prompts.core.text, host.prompts.recalled.text], ["", ""]);
  assert.deepEqual({ outcome: outcomes[0].outcome, error: outcomes[0].error }, { outcome: "failed", error: "the engine is ill" });
});

test("an engine that is not ready is not waited for", async () => {
  const { injection, outcomes, synced } = setUp({ notReady: () => "still starting" });
  await injection.before(8000, "normal");
  assert.deepEqual([outcomes[0].outcome, outcomes[0].error, synced.length], ["failed", "still starting", 0]);
});

test("blocks that SillyTavern counts as too long are asked for again, smaller, and left out when that does not help", async () => {
  const long = "word ".repeat(2000);
  const { host, injection, calls } = setUp({
    answers: { "recall.run": ({ budget }) => ({ ...RECALLED, core: "", recalled: budget > 300 ? long : "short" }) },
  });
  await injection.before(8000, "normal");
  assert.equal(host.prompts.recalled.text, "short");
  assert.ok(calls[1].params.budget < calls[0].params.budget);

  const stubborn = setUp({ answers: { "recall.run": { ...RECALLED, recalled: long } } });
  await stubborn.injection.before(8000, "normal");
  assert.equal(stubborn.host.prompts.recalled.text, "");
  assert.equal(stubborn.outcomes[0].outcome, "empty");
});

test("no more than a share of a small context is taken, and nothing of one that is full", async () => {
  const { injection, calls } = setUp();
  await injection.before(1000, "normal");
  assert.ok(calls[0].params.budget <= 300);
  const full = setUp();
  full.host.card = "x".repeat(4 * 950);
  await full.injection.before(1000, "normal");
  assert.deepEqual([full.outcomes[0].outcome, full.calls.length], ["too_small", 0]);
});

test("where the whole chat fits, all of it counts as in the prompt, however much memory might take", async () => {
  const { injection, calls } = setUp();
  await injection.before(1200, "normal");
  assert.equal(calls[0].params.context_from, 0);
});

test("where it does not, what memory may displace counts as gone", async () => {
  const { host, injection, calls } = setUp();
  host.chat.forEach((message) => (message.text = "x".repeat(4000)));
  await injection.gather([0, 1, 2]);
  await injection.before(2200, "normal");
  assert.equal(calls[0].params.context_from, 2, "1004 tokens each: two would fit, one beside 360 of memory");
});

test("what stands in the prompt beside the chat is learnt from the last one", async () => {
  const { host, injection, calls } = setUp();
  host.chat.forEach((message) => (message.text = "x".repeat(4000)));
  await injection.gather([0, 1, 2]);
  await injection.observe([
    { role: "system", content: "y".repeat(8000) },
    { role: "user", content: "z".repeat(400) },
  ]);
  await injection.before(5000, "normal");
  assert.equal(calls[0].params.context_from, 1, "3000 are left: three would not fit, two fit beside 600 of memory");
});

test("a receipt is given once, after the reply", async () => {
  const { injection, methods, calls } = setUp();
  await injection.before(8000, "normal");
  await injection.delivered();
  await injection.delivered();
  assert.deepEqual(methods(), ["recall.run", "recall.delivered"]);
  assert.deepEqual(calls[1].params, { chat: "c1", recall: "r1", nodes: ["n1"] });
});

test("the end of a stream takes the blocks out, and the receipt still comes with the message", async () => {
  const { host, injection, methods } = setUp();
  await injection.before(8000, "normal");
  injection.takeOut();
  assert.equal(host.prompts.recalled.text, "");
  await injection.delivered();
  assert.deepEqual(methods(), ["recall.run", "recall.delivered"]);
});

test("a request that was given up gets no receipt", async () => {
  const { injection, methods } = setUp();
  await injection.before(8000, "normal");
  injection.clear();
  await injection.delivered();
  assert.deepEqual(methods(), ["recall.run"]);
});

test("records of long ago keep their cards and lose their texts", async () => {
  const { host, injection } = setUp();
  await injection.before(8000, "normal");
  for (let turn = 0; turn < 41; turn++) host.say("A reply.", `Question ${turn}?`);
  await injection.before(8000, "normal");
  const old = host.chat[2].extra.tidelore_recall;
  assert.deepEqual([old.core, old.recalled, old.cards.length], ["", "", 1]);
});

test("the words of the newest user message decide, with what it answers beside it", () => {
  const host = new FakeHost().say("One.", "Two.", "Three.", "Four.");
  const { user, query, reply, earlier } = turnOf(host.messages(), true);
  assert.deepEqual([user.index, query, reply, earlier], [2, "Three.", "Two.", "One."]);
  assert.equal(turnOf(host.messages(), false).reply, "Four.");
  host.chat = [host.chat[1]];
  assert.deepEqual(turnOf(host.messages(), false), { user: null, query: "Two.", reply: "", earlier: "" });
});
