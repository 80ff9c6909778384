// What was begun for one chat is done there or not at all, whichever chat is on screen by then.
import assert from "node:assert/strict";
import { test } from "node:test";

import { gate, settle, setUpApp } from "./app_kit.mjs";

const FOUND = { core: "the core", recalled: "Zephyrine keeps the lamp.", nodes: [], cards: [], recall: "r", state: "s", degraded: [] };
const RECORD = { version: 1, chat: "c", recall: "r", text: "Hello.", core: "", recalled: "words", nodes: ["n1"], state: "s", cards: [], tokens: 4, at: "", uses: 1, edited: false, hand: [], degraded: [] };
const other = { code: "error.other_chat" };

/** Another chat comes on screen, with messages at the same places. */
function openAnother(host) {
  host.place_ = { kind: "character", owner: "Ash.png", file: "other", title: "other", integrity: "i9" };
  host.mark_ = null;
  host.chat = [];
  host.say("Who are you?", "Ash.");
}

async function started(t, answers = {}) {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const kit = setUpApp({ answers: { "recall.run": FOUND, ...answers } });
  await kit.app.start();
  await kit.app.sync();
  return { ...kit, sent: () => kit.engines[0].calls };
}

test("a command whose chat was left before the engine knew it is carried out nowhere", async (t) => {
  const telling = gate();
  let hold = false;
  const slow = async () => {
    if (hold) await telling.promise;
    return { screen: 2, inserted: 1, removed: 0, commits_in: 0, commits_out: 0 };
  };
  const { app, host, sent } = await started(t, { "chat.splice": slow });
  host.say("One more.");
  hold = true;
  const writing = app.call("node.write", { kind: "fact", text: "A note for Mira." });
  await settle();
  openAnother(host);
  telling.open();
  await assert.rejects(writing, other);
  assert.deepEqual(sent().filter(({ method }) => method === "node.write"), []);
});

test("a recall that was asked for again is written on no message of a chat that was opened meanwhile", async (t) => {
  const { app, host } = await started(t);
  const counting = gate();
  host.countTokens = async () => {
    await counting.promise;
    return 3;
  };
  const again = app.recallAgain();
  await settle();
  openAnother(host);
  const saves = host.saves;
  counting.open();
  await assert.rejects(again, other);
  assert.deepEqual([host.chat.map(({ extra }) => extra), host.saves], [[{}, {}], saves]);
});

test("an empty recall takes no card off a chat that was opened meanwhile", async (t) => {
  const recalling = gate();
  const { app, host } = await started(t, {
    "recall.run": async () => {
      await recalling.promise;
      return { ...FOUND, core: "", recalled: "" };
    },
  });
  const again = app.recallAgain();
  await settle();
  openAnother(host);
  host.setExtra(0, "tidelore_recall", RECORD);
  recalling.open();
  await assert.rejects(again, other);
  assert.deepEqual(host.extra(0, "tidelore_recall"), RECORD);
});

const ELSEWHERE = {
  "on a message of another chat": openAnother,
  "on another message": (host) => host.chat.unshift({ role: "user", text: "Before all.", name: "Rowan", hidden: false, date: "", unsettled: false, extra: {} }),
};
for (const [where, change] of Object.entries(ELSEWHERE)) {
  test(`words that a person put on a card are not written ${where}`, async (t) => {
    const { app, host } = await started(t);
    host.setExtra(0, "tidelore_recall", RECORD);
    const counting = gate();
    host.countTokens = async () => {
      await counting.promise;
      return 3;
    };
    const editing = app.editRecord(0, { recalled: "my own words" });
    await settle();
    change(host);
    const before = host.chat.map(({ extra }) => structuredClone(extra));
    counting.open();
    await assert.rejects(editing);
    assert.deepEqual(host.chat.map(({ extra }) => extra), before);
  });
}

test("forgetting for good takes the cards of its own chat only, and says that they stay where another is open", async (t) => {
  const purging = gate();
  const gone = { purge: "p", going: [], receipts: [{ place: "store", state: "done", count: 1, replicas: [] }] };
  const { app, host } = await started(t, {
    "node.purge": async () => {
      await purging.promise;
      return gone;
    },
  });
  const forgetting = app.purgeNode("n1");
  await settle();
  openAnother(host);
  host.setExtra(0, "tidelore_recall", RECORD);
  purging.open();
  assert.deepEqual((await forgetting).receipts.at(-1), { place: "records", state: "outside", count: 0, replicas: [] });
  assert.deepEqual(host.extra(0, "tidelore_recall"), RECORD);
});

test("what the last prompt of a chat held is not offered in the next chat", async (t) => {
  const { app, host } = await started(t);
  await host.before(8000, "normal");
  assert.equal(app.lastInjected("recalled"), FOUND.recalled);
  openAnother(host);
  await host.emit("CHAT_CHANGED", "other");
  assert.equal(app.lastInjected("both"), "");
});

test("that a chat could not be told is a problem until one can", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const told = { screen: 1, inserted: 2, removed: 0, commits_in: 0, commits_out: 0 };
  let broken = true;
  const { app, host } = setUpApp({ answers: { "chat.update": () => (broken ? Promise.reject(new Error("a broken chat")) : told) } });
  await app.start();
  await settle();
  t.mock.timers.tick(300);
  await settle();
  assert.equal(app.status().problem?.message, "a broken chat");
  broken = false;
  openAnother(host);
  await host.emit("CHAT_CHANGED", "other");
  t.mock.timers.tick(300);
  await settle();
  assert.equal(app.status().problem, null);
});
