import assert from "node:assert/strict";
import { test } from "node:test";

import { listen } from "../../extension/events.js";
import { memoryPageStore } from "../../extension/page_store.js";
import { FakeHost } from "./fake_host.mjs";

function setUp({ on = true } = {}) {
  const host = new FakeHost();
  const log = [];
  const note = (name) => async (...args) => void log.push([name, ...args]);
  const { places } = memoryPageStore();
  listen({
    host,
    places,
    sync: { soon: (reason) => log.push(["sync", reason]) },
    injection: { before: note("before"), takeOut: note("takeOut"), clear: note("clear"), delivered: note("delivered"), observe: note("observe") },
    replying: (value) => log.push(["replying", value]),
    isOn: () => on,
    connectionChanged: note("connection"),
    onError: (error) => log.push(["error", error.message]),
  });
  return { host, log, places, names: () => log.map(([name]) => name) };
}

const HEARD = [
  ...["CHAT_CHANGED", "CHAT_LOADED", "CHAT_CREATED", "CHAT_RENAMED", "CHAT_DELETED", "GROUP_CHAT_CREATED", "GROUP_CHAT_DELETED", "GROUP_UPDATED"],
  ...["MESSAGE_SENT", "MESSAGE_RECEIVED", "MESSAGE_EDITED", "MESSAGE_UPDATED", "MESSAGE_DELETED", "MESSAGE_SWIPED", "MESSAGE_SWIPE_DELETED"],
  ...["GENERATION_STARTED", "GENERATION_STOPPED", "GENERATION_ENDED", "GROUP_WRAPPER_FINISHED", "IMPERSONATE_READY", "TOOL_CALLS_RENDERED"],
  ...["CHARACTER_RENAMED", "CHARACTER_EDITED", "PERSONA_CHANGED", "PERSONA_RENAMED"],
];

test("a dry run is no change", async () => {
  const { host, log } = setUp();
  await host.emit("GENERATION_STARTED", "normal", {}, true);
  assert.deepEqual(log, []);
});

test("every change of the chat leads to the one sync", async () => {
  const { host, log } = setUp();
  for (const name of HEARD) {
    log.length = 0;
    await host.emit(name, 0);
    assert.ok(log.some(([what]) => what === "sync"), name);
  }
});

test("a greeting that SillyTavern reports at each opening is no delivery", async () => {
  const { host, names } = setUp();
  await host.emit("MESSAGE_RECEIVED", 0, "first_message");
  await host.emit("MESSAGE_RECEIVED", 3, "command");
  assert.ok(!names().includes("delivered"));
  await host.emit("MESSAGE_RECEIVED", 3, "normal");
  assert.ok(names().includes("delivered"));
});

test("the end of a stream comes before its message: the receipt is still given", async () => {
  const { host, names } = setUp();
  await host.before(8000, "normal");
  await host.emit("GENERATION_ENDED", 3);
  await host.emit("MESSAGE_RECEIVED", 3, "normal");
  assert.ok(!names().includes("clear"));
  assert.ok(names().indexOf("takeOut") < names().indexOf("delivered"));
});

test("switched off, a generation asks for nothing and what was put in goes", async () => {
  const { host, names } = setUp({ on: false });
  await host.before(8000, "normal");
  assert.deepEqual(names(), ["clear"]);
});

test("dry runs teach nothing about the prompt, real ones do", async () => {
  const { host, names } = setUp();
  await host.emit("CHAT_COMPLETION_PROMPT_READY", { chat: [], dryRun: true });
  await host.emit("CHAT_COMPLETION_PROMPT_READY", { chat: [], dryRun: false });
  assert.ok(!names().includes("observe"), "no generation is going on");
  await host.before(8000, "normal");
  await host.emit("CHAT_COMPLETION_PROMPT_READY", { chat: [], dryRun: true });
  assert.ok(!names().includes("observe"));
  await host.emit("CHAT_COMPLETION_PROMPT_READY", { chat: [], dryRun: false });
  assert.ok(names().includes("observe"));
});

test("a quiet generation is no reply that anything waits for", async () => {
  const { host, log } = setUp();
  await host.before(8000, "quiet");
  assert.deepEqual(log, [
    ["replying", false],
    ["before", 8000, "quiet"],
  ]);
});

test("a renamed card keeps its chats and its person", async () => {
  const { host, places, log } = setUp();
  const row = { chat: "c", pool: "p", kind: "character", owner: "Mira.png", file: "one", title: "one", integrity: "", people: [{ id: "Mira.png", name: "Mira" }] };
  await places.put(row);
  await places.put({ ...row, chat: "d", owner: "Ash.png", people: [{ id: "Ash.png", name: "Ash" }] });
  await host.emit("CHARACTER_RENAMED", "Mira.png", "Mirabel.png");
  await new Promise((resolve) => setImmediate(resolve));
  const [first, second] = await places.all();
  assert.deepEqual([first.owner, first.people[0].id, second.owner], ["Mirabel.png", "Mirabel.png", "Ash.png"]);
  assert.deepEqual(log.at(-1), ["sync", "CHARACTER_RENAMED"]);
});
