// What leaves the chat for good, what comes into it from elsewhere, and what is told anew afterwards.
import "fake-indexeddb/auto";
import assert from "node:assert/strict";
import { test } from "node:test";
import { setUpApp, settle } from "./app_kit.mjs";

const record = (/** @type {string[]} */ nodes) => ({ version: 1, chat: "c", recall: "r", text: "Hello.", core: "", recalled: nodes.join(" "), nodes, state: "", cards: [], tokens: 3, at: "", uses: 0, edited: false, hand: [], degraded: [] });

test("what is forgotten for good leaves the records of recalls in the chat's own file, and the others stay", async (t) => {
  const going = [{ node: "n2", kind: "moment", text: "two" }];
  const receipts = [{ place: "store", state: "done", count: 2, replicas: [] }];
  const { app, host, engines } = setUpApp({ answers: { "node.purge": { purge: "p", node: "n1", text: "one", messages: [0], commits: 1, going, receipts } } });
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  t.after(() => app.set({ enabled: false }));
  host.say("And now?", "Now it rains.", "Still?");
  for (const [index, nodes] of /** @type {const} */ ([[0, ["n1"]], [2, ["n3"]], [4, ["n3", "n2"]]])) host.chat[index].extra.tidelore_recall = record([...nodes]);
  await app.start();
  await settle();
  const before = host.saves;
  const gone = await app.purgeNode("n1");
  assert.deepEqual(gone.receipts, [...receipts, { place: "records", state: "done", count: 2, replicas: [] }]);
  assert.deepEqual(host.chat.map(({ extra }) => Boolean(extra.tidelore_recall)), [false, false, true, false, false]);
  assert.ok(host.saves > before, "the chat was saved");
  const [asked] = engines[0].calls.filter(({ method }) => method === "node.purge");
  assert.deepEqual(Object.keys(asked.params).sort(), ["chat", "node"]);
});

test("what another extension left is looked for by the names that the open chat may have had there", async (t) => {
  const { app, host } = setUpApp();
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  t.after(() => app.set({ enabled: false }));
  /** @type {string[]} */
  const asked = [];
  host.metadata = () => ({ st_bme_graph: { nodes: [{ id: "a", type: "event", fields: { summary: "one" } }], edges: [] } });
  host.userFiles = { text: async (/** @type {string} */ name) => (asked.push(name), null), written: () => [] };
  await app.start();
  await settle();
  const found = await app.left();
  assert.deepEqual(found.map(({ place, chat, here, nodes }) => [place, chat, here, nodes]), [["chat", "i1", true, 1]]);
  assert.ok(asked.includes("ST-BME_sync_i1.json"));
});

test("after a restore the whole chat is told again, since what came may belong to it", async (t) => {
  const { app, engines } = setUpApp();
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  t.after(() => app.set({ enabled: false }));
  await app.start();
  await settle();
  const told = () => engines[0].calls.filter(({ method }) => method === "chat.update").length;
  const before = told();
  await app.restored();
  assert.equal(told(), before + 1);
});
