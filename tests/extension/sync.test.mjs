import assert from "node:assert/strict";
import { test } from "node:test";

import { memoryPageStore } from "../../extension/page_store.js";
import { rowsOf, splice } from "../../extension/splice.js";
import { createSync } from "../../extension/sync.js";
import { FakeHost, fakeTimers, gate } from "./fake_host.mjs";

/** An engine that keeps what it is told, as the real one does. */
function engine() {
  const chats = new Map();
  const calls = [];
  let screen = 0;
  let before = async () => {};
  return {
    chats,
    calls,
    texts: (chat) => chats.get(chat).rows.map(({ text }) => text),
    hold: (wait) => void (before = wait),
    async call(method, params) {
      calls.push({ method, params });
      await before();
      if (method === "chat.update") {
        const old = chats.get(params.chat)?.rows ?? [];
        chats.set(params.chat, { rows: params.messages, screen: String(++screen), branchOf: params.branch_of });
        return { inserted: params.messages.length - old.length, removed: 0, commits_in: 0, commits_out: 0, screen: String(screen) };
      }
      if (method === "chat.splice") {
        const chat = chats.get(params.chat);
        if (chat?.screen !== params.screen) throw Object.assign(new Error("another state"), { code: "conflict" });
        chat.rows = chat.rows.toSpliced(params.at, params.remove, ...params.messages);
        chat.screen = String(++screen);
        return { inserted: 0, removed: 0, commits_in: 0, commits_out: 0, screen: chat.screen };
      }
      return {};
    },
  };
}

function setUp() {
  const host = new FakeHost();
  const its = engine();
  const timers = fakeTimers();
  const synced = [];
  const errors = [];
  const sync = createSync({
    host,
    call: its.call,
    places: memoryPageStore().places,
    onSynced: (open, change) => synced.push({ open, ...change }),
    onError: (error) => errors.push(error),
    ...timers,
  });
  return { host, engine: its, timers, synced, errors, sync };
}

test("the open chat reaches the engine, and a second time only what changed", async () => {
  const { host, engine, sync } = setUp();
  host.say("Hello.", "Good evening.");
  const open = await sync.now("first");
  host.chat[1] = { ...host.chat[1], text: "Another reply." };
  await sync.now("swipe");
  assert.deepEqual(engine.texts(open.chat), ["Hello.", "Another reply."]);
  assert.deepEqual(
    engine.calls.map(({ method }) => method),
    ["chat.update", "chat.splice"],
  );
  assert.equal(engine.calls[1].params.messages.length, 1);
});

test("nothing is sent when nothing changed", async () => {
  const { host, engine, sync, synced } = setUp();
  host.say("Hello.");
  await sync.now("first");
  await sync.now("again");
  assert.equal(engine.calls.length, 1);
  assert.deepEqual(synced.map(({ changed }) => changed), [true, false]);
});

test("after somebody else wrote, the whole chat is sent again", async () => {
  const { host, engine, sync } = setUp();
  host.say("Hello.");
  const { chat } = await sync.now("first");
  engine.chats.get(chat).screen = "of another tab";
  host.say("Good evening.");
  await sync.now("next");
  assert.deepEqual(engine.texts(chat), ["Hello.", "Good evening."]);
});

test("a reply that is being generated or swiped away is left out", async () => {
  const { host, engine, sync } = setUp();
  host.say("Hello.", "Half a re");
  host.chat[1].unsettled = true;
  const { chat } = await sync.now("streaming");
  assert.deepEqual(engine.texts(chat), ["Hello."]);
  host.chat[1].unsettled = false;
  await sync.now("swipe", { leaveOutReply: true });
  assert.deepEqual(engine.texts(chat), ["Hello."]);
  await sync.now("settled");
  assert.deepEqual(engine.texts(chat), ["Hello.", "Half a re"]);
});

test("a chat that is opened while another is being told is told afterwards, each under its own name", async () => {
  const { host, engine, sync } = setUp();
  host.say("In the first.");
  const hold = gate();
  engine.hold(() => hold.promise);
  const running = sync.now("first");
  host.place_ = { ...host.place_, owner: "Ash.png", file: "other", integrity: "i9" };
  host.mark_ = null;
  host.chat = [];
  host.say("In the second.");
  hold.open();
  assert.equal(await running, null, "who asked for the first chat does not get the second");
  const told = [...engine.chats.entries()];
  assert.deepEqual(
    told.map(([, { rows }]) => rows.map(({ text }) => text)),
    [["In the second."]],
  );
});

test("the answer for a chat that was left is not taken for the open one", async () => {
  const { host, engine, sync, synced } = setUp();
  host.say("In the first.");
  const first = await sync.now("first");
  host.say("A reply.");
  const hold = gate();
  engine.hold(() => hold.promise);
  const running = sync.now("next");
  while (engine.calls.length < 2) await new Promise((resolve) => setImmediate(resolve));
  host.place_ = null;
  hold.open();
  assert.equal(await running, null);
  assert.deepEqual(engine.texts(first.chat), ["In the first.", "A reply."]);
  assert.equal(synced.at(-1).open, null);
});

test("several events make one run", async () => {
  const { host, engine, sync, timers } = setUp();
  host.say("Hello.");
  sync.soon("MESSAGE_SENT");
  sync.soon("MESSAGE_UPDATED");
  sync.soon("CHAT_CHANGED");
  assert.equal(timers.count, 1);
  await timers.fire();
  await sync.now("wait");
  assert.equal(engine.calls.length, 1);
});

test("while a reply is generated an event waits for its end", async () => {
  const { host, engine, sync, timers } = setUp();
  host.say("Hello.");
  sync.hold(true);
  sync.soon("MESSAGE_SENT");
  await timers.fire();
  assert.equal(engine.calls.length, 0);
  sync.hold(false);
  await timers.fire();
  await sync.now("wait");
  assert.equal(engine.calls.length, 1);
});

test("a chat that is switched off is never told", async () => {
  const { host, engine, sync } = setUp();
  host.say("Hello.");
  host.mark_ = { chat: "c", pool: "a".repeat(32), kind: "character", owner: "Mira.png", file: host.place_.file, integrity: "i1", off: true };
  assert.equal((await sync.now("open")).off, true);
  assert.equal(engine.calls.length, 0);
});

test("with no chat open nothing happens", async () => {
  const { host, engine, sync } = setUp();
  host.place_ = null;
  assert.equal(await sync.now("closed"), null);
  assert.equal(engine.calls.length, 0);
});

test("a failure is told, and the next run tells the whole chat", async () => {
  const { host, engine, sync, errors, timers } = setUp();
  host.say("Hello.");
  engine.hold(async () => {
    throw Object.assign(new Error("disk full"), { code: "store_error" });
  });
  sync.soon("MESSAGE_SENT");
  await timers.fire();
  await sync.now("x").catch(() => {});
  assert.equal(errors[0].code, "store_error");
  engine.hold(async () => {});
  const { chat } = await sync.now("again");
  assert.deepEqual(engine.texts(chat), ["Hello."]);
});

test("a renamed character becomes an alias, once", async () => {
  const { host, engine, sync } = setUp();
  host.say("Hello.");
  await sync.now("first");
  host.people_[1].name = "Mirabel";
  await sync.now("renamed");
  await sync.now("again");
  const aliases = engine.calls.filter(({ method }) => method === "entity.alias").map(({ params }) => [params.name, params.alias]);
  assert.deepEqual(aliases, [["Mirabel", "Mira"]]);
});

test("floors of the engine's messages skip notes of SillyTavern", async () => {
  const { host, sync } = setUp();
  host.say("Hello.", "Note", "Question?");
  host.chat[1].role = "system";
  assert.deepEqual((await sync.now("open")).floors, [0, 2]);
});

test("a splice turns any list into any other", () => {
  const pick = (seed) => Array.from({ length: seed % 7 }, (_, at) => String((seed * 31 + at * 17) % 4));
  for (let seed = 0; seed < 3000; seed++) {
    const rows = (texts) => rowsOf(texts.map((text, index) => ({ index, role: "user", text, name: "", hidden: false, date: "", unsettled: false })));
    const [before, after] = [rows(pick(seed)), rows(pick(seed * 7 + 3))];
    const part = splice(before, after);
    const made = part ? before.toSpliced(part.at, part.remove, ...part.messages) : before;
    assert.deepEqual(made, after);
    if (part) assert.ok(part.remove || part.messages.length);
  }
});

test("a chat that carries our mark, of which nothing is stored here, is told as unknown once", async () => {
  const { host, sync, synced } = setUp();
  host.say("Hello.");
  await sync.now("new");
  await sync.now("again");
  assert.deepEqual(synced.map(({ unknown }) => unknown), [false, false]);
  const elsewhere = setUp();
  elsewhere.host.mark_ = host.mark_;
  elsewhere.host.say("Hello.");
  await elsewhere.sync.now("first");
  await elsewhere.sync.now("again");
  assert.deepEqual(elsewhere.synced.map(({ unknown }) => unknown), [true, false]);
});

test("a mark is left on a chat when the engine has been told of it, and what failed is tried again as the same chat", async () => {
  const { host, engine, sync } = setUp();
  host.say("Hello.");
  engine.hold(async () => {
    throw new Error("no engine");
  });
  await assert.rejects(sync.now("first"), /no engine/);
  assert.equal(host.mark(), null);
  engine.hold(async () => {});
  const open = await sync.now("again");
  assert.equal(host.mark().chat, open.chat);
  assert.deepEqual(new Set(engine.calls.map(({ params }) => params.chat)), new Set([open.chat]));
});

test("while a chat is being loaded nothing is told and nothing is written", async () => {
  const { host, engine, sync, synced } = setUp();
  // What host.js answers until SillyTavern has read the file.
  host.place_ = null;
  assert.equal(await sync.now("engine ready"), null);
  assert.deepEqual([engine.calls, host.mark(), synced.at(-1).open], [[], null, null]);
});

test("nothing but `true` in a chat's mark switches memory off", async () => {
  const { host, sync } = setUp();
  host.say("Hello.");
  const open = await sync.now("first");
  host.mark_ = { ...host.mark_, off: { no: 1 } };
  assert.deepEqual([(await sync.now("again")).off, open.chat === host.mark_.chat], [false, true]);
});
