import assert from "node:assert/strict";
import { after, test } from "node:test";
import { WebSocket } from "ws";
import { createConsole } from "../../extension/console/app.js";
import { chooser, rowsOf } from "../../extension/console/chats.js";
import { createLink } from "../../extension/console/link.js";
import { createDoor } from "../../extension/console/way_in.js";
import { memoryPageStore } from "../../extension/page_store.js";
import { create } from "../../extension/ui/dom.js";
import { createText } from "../../extension/text.js";
import { HOSTILE } from "./fake_app.mjs";
import { FakeClock } from "./remote_kit.mjs";
import { KEY, ready } from "./sidecar_kit.mjs";
import { TEXTS, openPage, pageWithApp, until } from "./ui_kit.mjs";

const CHATS = [
  { chat: "old", messages: 4, branch_of: "", pool: "p1" },
  { chat: "old @2", messages: 2, branch_of: "old", pool: "p1" },
  { chat: "new", messages: 6, branch_of: "", pool: "p2" },
];
const SCOPES = [{ scope: "profile", chat: "\u001fprofile" }];
const ANSWERS = /** @type {Record<string, (params: any) => any>} */ ({
  status: () => ({ model: "far", embedder: { name: "near" } }),
  "settings.describe": () => ({ settings: [["recall.preset", "plain"], ["recall.budget", 0], ["extract.lag", 2], ["extract.exchanges", 3]].map(([name, value]) => ({ name, value })) }),
  "chat.list": () => ({ chats: CHATS }),
  "scope.list": () => ({ scopes: SCOPES }),
  stats: ({ chat }) => ({ messages: chat === "old" ? 4 : 6, nodes: { fact: 2 } }),
  "sources.search": () => ({ messages: [{ text: "Where is the key?" }] }),
  "recall.run": () => ({ cards: [] }),
});
/** @type {(() => void)[]} */
const ends = [];
after(() => ends.forEach((end) => end()));

/** A console whose line is a script. @param {any} [options] */
async function console_({ answers = {}, chat = "", stored = memoryPageStore() } = {}) {
  /** @type {[string, any][]} */
  const calls = [];
  /** @type {any} */
  let line;
  /** @type {{times: number, why: any}} */
  const refused = { times: 0, why: null };
  const page = openPage();
  const found = await createConsole({
    text: createText("en", TEXTS["en"] ?? {}),
    key: KEY,
    url: "ws://127.0.0.1:1/ws",
    values: stored.values,
    document: /** @type {any} */ (page.document),
    onRefused: (why) => void (refused.times++, (refused.why = why)),
    chat,
    open: (options) => {
      line = options;
      return { call: async (method, params = {}) => (calls.push([method, params]), ({ ...ANSWERS, ...answers })[method]?.(params) ?? {}), again() {}, close() {} };
    },
  });
  line.onState("connected", null);
  await until(() => found.app.status().stats);
  return { ...found, calls, line, refused, page, stored };
}

test("newest first, a branch after what it branched from, and what holds beyond one chat at the end", () => {
  assert.deepEqual(rowsOf({ chats: CHATS }, { scopes: SCOPES }).map(({ chat }) => chat), ["new", "old", "old @2", "\u001fprofile"]);
});

test("the chooser offers chats and scopes by their names, as text", () => {
  const { app } = pageWithApp();
  const rows = rowsOf({ chats: [...CHATS, { chat: HOSTILE, messages: 1, branch_of: "", pool: "p4" }] }, { scopes: [{ scope: `character:${HOSTILE}`, chat: "\u001fprofile" }] });
  const element = create(/** @type {any} */ (chooser(app, rows, "old", () => {})));
  assert.equal(/** @type {any} */ (element).value, "old");
  assert.deepEqual([...element.querySelectorAll("optgroup")].map((each) => each.getAttribute("label")), ["Conversations", "Beyond one conversation"]);
  assert.ok(element.textContent?.includes(`character: ${HOSTILE}`));
  assert.equal(element.querySelector("img"), null);
});

test("it begins with the chat of the address, then with the one that was open last, then with the newest", async () => {
  const first = await console_();
  assert.equal(first.chosen(), "new");
  const named = await console_({ chat: "old" });
  assert.equal(named.app.status().chat?.title, "old");
  named.choose("old @2");
  await until(() => named.app.status().chat?.chat === "old @2");
  assert.equal((await console_({ stored: named.stored })).chosen(), "old @2");
  assert.equal((await console_({ chat: "gone" })).chosen(), "new");
});

test("what the engine is set to counts, and calls go to the chat that is chosen", async () => {
  const { app, calls } = await console_();
  assert.deepEqual([app.settings.preset, app.settings.lag, app.settings.model.exchanges], ["plain", 2, 3]);
  await app.simulate("key");
  assert.deepEqual(calls.at(-1), ["recall.run", { chat: "new", query: "key", preset: "plain", budget: null }]);
  await app.call("node.get", { node: "n1" });
  assert.deepEqual(calls.at(-1), ["node.get", { chat: "new", node: "n1" }]);
  await app.call("prompt.list");
  assert.deepEqual(calls.at(-1), ["prompt.list", {}]);
  assert.equal(app.host.messages().at(-1)?.text, "Where is the key?");
});

test("a change is counted at once, also one of another client", async () => {
  let facts = 2;
  const { app, line } = await console_({ answers: { stats: () => ({ messages: 6, nodes: { fact: facts } }) } });
  facts = 3;
  await app.call("node.write", { text: "x" });
  await until(() => app.status().stats.nodes.fact === 3);
  facts = 4;
  line.onChanged({ chat: "new", scope: "" });
  await until(() => app.status().stats.nodes.fact === 4);
});

test("extraction is a job with a state, by the model only when a person has agreed", async () => {
  const { app, calls } = await console_({ answers: { "extract.run": () => ({ windows: 12, failed: [], interrupted: "" }) } });
  app.extract();
  await until(() => app.jobs()[0]?.state === "done");
  assert.deepEqual(calls.find(([method]) => method === "extract.run")?.[1], { chat: "new", by: "rules", lag: 2 });
  await app.agree(true);
  await until(() => app.jobs().filter(({ state }) => state === "done").length === 2);
  assert.deepEqual(calls.findLast(([method]) => method === "extract.run")?.[1], { chat: "new", by: "model", lag: 2, exchanges: 3 });
});

test("a key that is good no more is told, an engine that fails is shown with a way out", async () => {
  const { line, refused, app } = await console_();
  line.onState("refused", null);
  assert.equal(refused.times, 1);
  line.onState("refused", Object.assign(new Error("closed"), { code: "too_many_failures", hint: "" }));
  assert.equal(refused.why?.code, "too_many_failures");
  line.onState("unreachable", Object.assign(new Error("gone"), { code: "sidecar_closed", hint: "" }));
  assert.equal(app.status().engine, "starting");
  assert.match(app.status().sidecarProblem, /tried again by itself/);
});

test("notices are text, stay until they are put away, and a question is asked in the page", async () => {
  const { app, page } = await console_();
  app.host.notify("error", HOSTILE);
  const toast = /** @type {any} */ (page.document.querySelector(".tidelore-toast"));
  assert.ok(toast.textContent.includes(HOSTILE));
  assert.equal(toast.querySelector("img"), null);
  toast.querySelector("button").click();
  assert.equal(page.document.querySelector(".tidelore-toast"), null);
});

/** A door of a page at this address. @param {string} hash @param {any} answer @param {Record<string, string>} [kept] */
function doorAt(hash, answer, kept = {}) {
  const stored = new Map(Object.entries(kept));
  /** @type {any[]} */
  const asked = [];
  const location = { hash, origin: "http://127.0.0.1:1", pathname: "/console/" };
  const door = createDoor({
    location: /** @type {any} */ (location),
    history: /** @type {any} */ ({ replaceState: (/** @type {any} */ _state, /** @type {any} */ _title, /** @type {string} */ path) => void asked.push(["address", path]) }),
    storage: /** @type {any} */ ({ getItem: (/** @type {string} */ name) => stored.get(name) ?? null, setItem: (/** @type {string} */ name, /** @type {string} */ value) => stored.set(name, value), removeItem: (/** @type {string} */ name) => stored.delete(name) }),
    fetch: /** @type {any} */ (async (/** @type {string} */ url, /** @type {any} */ options) => (asked.push([url, options.body]), { ok: answer.key !== undefined, status: 403, json: async () => answer })),
  });
  return { door, asked };
}

test("the code of the address is taken out of it before it is used, and only once", async () => {
  const { door, asked } = doorAt("#login=abc", { key: "k", chat: "old" });
  assert.deepEqual(await door.enter(), { key: "k", chat: "old" });
  assert.deepEqual(asked, [["address", "/console/"], ["http://127.0.0.1:1/console/login", '{"code":"abc"}']]);
});

test("without a code the key of this tab is used, a code that is over is an error only where there is none", async () => {
  assert.deepEqual(await doorAt("", {}, { "tidelore-key": "mine" }).door.enter(), { key: "mine", chat: "" });
  assert.deepEqual(await doorAt("", {}).door.enter(), { key: "", chat: "" });
  const over = { error: { code: "login_over", message: "over", hint: "" } };
  assert.deepEqual(await doorAt("#login=abc", over, { "tidelore-key": "mine" }).door.enter(), { key: "mine", chat: "" });
  await assert.rejects(doorAt("#login=abc", over).door.enter(), { code: "login_over" });
});

/** A line to a scripted sidecar. @param {any} here */
function linkTo(here, key = KEY) {
  const clock = new FakeClock();
  /** @type {string[]} */
  const states = [];
  /** @type {any[]} */
  const changes = [];
  const link = createLink({ url: `${here.url.replace("http", "ws")}/ws`, key, client: "test", WebSocket: /** @type {any} */ (WebSocket), clock: /** @type {any} */ (clock), onState: (state) => void states.push(state), onChanged: (change) => void changes.push(change) });
  ends.push(() => link.close());
  return { link, clock, states, changes };
}

test("calls wait for the line, and it comes back by itself with what was missed", async () => {
  const here = await ready(() => ({ fine: true }), {});
  const { link, clock, states, changes } = linkTo(here);
  assert.deepEqual(await link.call("stats"), { fine: true });
  assert.deepEqual(states, ["looking", "connected"]);
  for (const line of here.sockets) line.terminate();
  await until(() => states.at(-1) === "unreachable");
  const waiting = link.call("stats");
  here.answer = ((/** @type {any} */ before) => (/** @type {any} */ message, /** @type {any} */ line) => (message.method === "hello" ? { ...before(message, line), everything: true } : before(message, line)))(here.answer);
  clock.pass(1000);
  assert.deepEqual(await waiting, { fine: true });
  assert.deepEqual(here.messages.filter(({ method }) => method === "hello").at(-1).params.seen, { run: "r1", revision: 5 });
  assert.deepEqual(changes, [{ chat: "", scope: "" }]);
});

test("a key that is refused is not tried again, and what waits ends", async () => {
  const here = await ready();
  const { link, states } = linkTo(here, "wrong");
  await assert.rejects(link.call("stats"), { code: "key_wrong" });
  assert.equal(states.at(-1), "refused");
  assert.equal(here.messages.length, 1);
});
