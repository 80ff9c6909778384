import assert from "node:assert/strict";
import { test } from "node:test";
import { filtered, indexed } from "../../extension/panel/memories_data.js";
import { lineOf } from "../../extension/panel/node_page.js";
import { HOSTILE, quietStatus } from "./fake_app.mjs";
import { EDGES, NODES, hostileNode, openPanel } from "./panel_kit.mjs";
import { exists, fill, named, submit, until } from "./ui_kit.mjs";

const rows = (/** @type {any} */ root) => [...root.querySelectorAll(".tidelore-row .tidelore-row-text")].map((each) => each.textContent);

/** @param {any} [options] */
async function memories(options) {
  const page = openPanel(options);
  page.panel.open({ tab: "memories" });
  await until(() => page.called("call").some(([method]) => method === "graph.get"));
  await new Promise((resolve) => setImmediate(resolve));
  return page;
}

/** @param {any} root @param {string} text */
const open = (root, text) => [...root.querySelectorAll(".tidelore-row")].find((each) => each.textContent.includes(text))?.click();

test("all that is remembered is listed, best connected first", async () => {
  const { root } = await memories();
  assert.deepEqual(rows(root), ["Ann", "Ann lives in Lisbon.", "Ann lives in Porto.", "Ann takes the ferry."]);
  assert.match(root.querySelector(".tidelore-count").textContent, /4 of 4/);
});

test("each memory says where it comes from, and the engine's order is that of the list", async () => {
  const place = (/** @type {string} */ id, /** @type {any} */ more) => ({ id, first: 4, last: 4, speaker: "Mira", date: "2026-11-02T10:00+01:00", ...more });
  const orders = /** @type {any} */ ({ newest: ["m1", "f2", "f1", "e1"], oldest: ["e1", "f1", "f2", "m1"], importance: ["f2", "m1", "e1", "f1"] });
  const places = /** @type {any} */ ({ e1: place("e1", { first: null, speaker: "", date: "" }), f1: place("f1", {}), f2: place("f2", { first: 7, last: 12, date: "" }), m1: place("m1", { first: 9, last: 9 }) });
  /** @type {any[]} */
  const asked = [];
  const { root } = await memories({
    methods: {
      "node.list": (/** @type {any} */ params) => {
        asked.push(params);
        const at = params.offset;
        return { nodes: orders[params.sort].slice(at, at + 3).map((/** @type {string} */ id) => places[id]), total: 4, next: at ? null : 3 };
      },
    },
  });
  await until(() => asked.length === 2 && root.querySelector(".tidelore-row")?.textContent.endsWith("by hand"));
  assert.deepEqual(asked.map(({ sort, offset }) => [sort, offset]), [["oldest", 0], ["oldest", 3]]);
  assert.deepEqual(rows(root), ["Ann", "Ann lives in Lisbon.", "Ann lives in Porto.", "Ann takes the ferry."]);
  fill(named(root, "select", "Order"), "newest");
  await until(() => rows(root)[0] === "Ann takes the ferry.");
  assert.deepEqual(rows(root), ["Ann takes the ferry.", "Ann lives in Porto.", "Ann lives in Lisbon.", "Ann"]);
  const said = [...root.querySelectorAll(".tidelore-row")].map((each) => each.textContent);
  assert.match(said[0], /#9 · Mira · Nov 2, 2026$/);
  assert.match(said[1], /#7–12 · Mira$/);
  assert.match(said[3], /by hand$/);
  fill(named(root, "select", "Order"), "oldest");
  await until(() => rows(root)[0] === "Ann");
  fill(named(root, "select", "Order"), "importance");
  await until(() => rows(root)[0] === "Ann lives in Porto.");
  fill(named(root, "select", "Order"), "connected");
  assert.equal(rows(root)[0], "Ann");
});

test("what is private is asked for, stays in the list with its mark, and can be had alone", async () => {
  const nodes = NODES.map((node) => (node.id === "f2" ? { ...node, fields: { ...node.fields, private: true } } : node));
  const { root, called } = await memories({ graph: { nodes, edges: EDGES } });
  assert.deepEqual(called("call").find(([method]) => method === "graph.get"), ["graph.get", { private: true }]);
  const row = [...root.querySelectorAll(".tidelore-row")].find((each) => each.textContent.includes("Porto"));
  assert.ok(row.querySelector(".tidelore-sign-private"));
  assert.equal(root.querySelectorAll(".tidelore-sign-private").length, 1);
  fill(named(root, "select", "state"), "private");
  assert.deepEqual(rows(root), ["Ann lives in Porto."]);
});

test("typing searches once it pauses, in fields too; kind and state narrow it down", async () => {
  const { root, pass, window } = await memories();
  const search = root.querySelector("input[type=search]");
  search.value = "PORTO lives";
  search.dispatchEvent(new window.Event("input", { bubbles: true }));
  assert.equal(rows(root).length, 4);
  pass();
  assert.deepEqual(rows(root), ["Ann lives in Porto."]);
  search.value = "";
  search.dispatchEvent(new window.Event("input", { bubbles: true }));
  pass();
  fill(named(root, "select", "kind"), "fact");
  fill(named(root, "select", "state"), "superseded");
  assert.deepEqual(rows(root), ["Ann lives in Lisbon."]);
  fill(named(root, "select", "kind"), "thread");
  assert.match(root.textContent, /Nothing matches this search/);
});

test("the graph is read when it is looked at, again after a job, and not again for nothing", async () => {
  const { called, change, state } = await memories();
  const reads = () => called("call").filter(([method]) => method === "graph.get").length;
  assert.equal(reads(), 1);
  change();
  change();
  assert.equal(reads(), 1);
  state.status = { ...state.status, stats: { ...state.status.stats } };
  change();
  assert.equal(reads(), 2);
});

test("another chat begins with no search and no memory open", async () => {
  const { root, state, change } = await memories();
  fill(named(root, "select", "kind"), "fact");
  open(root, "Porto");
  state.status = { ...state.status, chat: { chat: "c2", pool: "01", title: "Other", off: false } };
  change();
  await until(() => rows(root).length === 4);
  assert.equal(named(root, "select", "kind").value, "");
  assert.equal(root.querySelector("h3"), null);
});

test("what another chat remembers is never shown", async () => {
  let give = (/** @type {any} */ _graph) => {};
  const { root, state, change } = await memories({ methods: { "graph.get": () => new Promise((resolve) => (give = resolve)) } });
  const first = give;
  state.status = { ...quietStatus(), chat: { chat: "c2", pool: "01", title: "Other", off: false } };
  change();
  first({ nodes: NODES, edges: EDGES });
  await until(() => give !== first);
  assert.deepEqual(rows(root), []);
  give({ nodes: [{ ...NODES[0], text: "Bea", fields: {} }], edges: [] });
  await until(() => rows(root).length);
  assert.deepEqual(rows(root), ["Bea"]);
});

test("a memory shows its fields, its other versions, where it comes from and what it is connected with", async () => {
  const { root, called } = await memories();
  open(root, "Porto");
  await until(() => root.querySelector(".tidelore-quote"));
  const page = root.querySelector(".tidelore-split-page");
  assert.equal(page.querySelector("h3").textContent, "Ann lives in Porto.");
  assert.match(page.textContent, /lives in/);
  assert.equal(page.querySelector("mark").textContent, "I live in Porto.");
  assert.match(page.textContent, /Noted by rules, from:/);
  assert.match(page.textContent, /By a person:/);
  named(page, "button", "Floor 4").click();
  assert.deepEqual(called("host.show"), [[4]]);
  named(page, "button", "Ann lives in Lisbon.").click();
  assert.equal(root.querySelector("h3").textContent, "Ann lives in Lisbon.");
  named(root.querySelector(".tidelore-edges"), "button", "about →Ann").click();
  assert.equal(root.querySelector("h3").textContent, "Ann");
});

test("a message that is not drawn is said to be so, and on a small page the panel makes way for one that is", async () => {
  const far = await memories({ answers: { "host.show": () => false } });
  open(far.root, "Porto");
  await until(() => far.root.querySelector(".tidelore-quote"));
  named(far.root, "button", "Floor 4").click();
  assert.match(far.root.querySelector("[role=status].tidelore-says").textContent, /Floor 4 is not shown/);
  const small = await memories({ width: 390 });
  open(small.root, "Porto");
  await until(() => small.root.querySelector(".tidelore-quote"));
  named(small.root, "button", "Floor 4").click();
  assert.equal(small.root.hidden, true);
});

test("an edit sends what changed and what was seen, and can be undone", async () => {
  const { root, called } = await memories();
  open(root, "Porto");
  named(root, "button", "Edit").click();
  fill(root.querySelector("#tidelore-edit-text"), "Ann lives in Braga.");
  submit(root.querySelector("form"));
  await until(() => called("call").some(([method]) => method === "node.edit"));
  const [, params] = called("call").find(([method]) => method === "node.edit") ?? [];
  assert.deepEqual(params, { node: "f2", fields: { text: "Ann lives in Braga." }, expects: { text: "Ann lives in Porto." } });
  await until(() => exists(root, "button", "Undo"));
  named(root, "button", "Undo").click();
  await until(() => called("call").some(([method]) => method === "undo"));
  assert.deepEqual(called("call").find(([method]) => method === "undo"), ["undo", { chat: "c1", commit: "k1" }]);
});

test("an edit that is refused keeps what was typed and says why; one without a text is not sent", async () => {
  const conflict = () => Promise.reject(Object.assign(new Error("It reads otherwise by now."), { code: "x", hint: "" }));
  const { root, called } = await memories({ methods: { "node.edit": conflict } });
  open(root, "Porto");
  named(root, "button", "Edit").click();
  fill(root.querySelector("#tidelore-edit-text"), "   ");
  submit(root.querySelector("form"));
  assert.match(root.querySelector(".tidelore-says").textContent, /needs a text/);
  fill(root.querySelector("#tidelore-edit-text"), "Ann lives in Braga.");
  submit(root.querySelector("form"));
  await until(() => called("host.notify").length);
  assert.match(called("host.notify")[0]?.[1], /It reads otherwise/);
  assert.equal(root.querySelector("#tidelore-edit-text").value, "Ann lives in Braga.");
  assert.equal(called("call").filter(([method]) => method === "node.edit").length, 1);
});

test("a memory is forgotten with one click and comes back with another", async () => {
  const graph = { nodes: NODES, edges: EDGES };
  const { root, called } = await memories({ graph, methods: { "node.retire": () => ((graph.nodes = NODES.filter(({ id }) => id !== "f2")), { commit: "k9" }), undo: () => (graph.nodes = NODES) } });
  open(root, "Porto");
  named(root, "button", "Forget").click();
  await until(() => rows(root).length === 3);
  assert.match(root.querySelector(".tidelore-says").textContent, /Forgotten: Ann lives in Porto\./);
  named(root, "button", "Undo").click();
  await until(() => rows(root).length === 4);
  assert.deepEqual(called("call").find(([method]) => method === "undo"), ["undo", { chat: "c1", commit: "k9" }]);
});

test("words of people and models are text everywhere, whatever they look like", async () => {
  const graph = { nodes: [hostileNode, { ...hostileNode, id: "h2" }], edges: [{ id: "x", type: HOSTILE, from: "h1", to: "h2", label: HOSTILE }] };
  const why = () => ({ beliefs: [{ author: "model", maker: HOSTILE, fields: { [HOSTILE]: HOSTILE }, messages: [{ index: 1, role: "user", name: HOSTILE, text: HOSTILE, quote: HOSTILE }] }] });
  const { root, document, panel } = await memories({ graph, methods: { why }, status: { chat: { chat: "c1", pool: "00", title: HOSTILE, off: false } } });
  panel.open({ node: "h1" });
  await until(() => root.querySelector(".tidelore-quote"));
  assert.equal(document.querySelector("img, script, .tidelore-panel b b"), null);
  assert.equal(/** @type {any} */ (globalThis).caught, undefined);
  assert.ok(root.textContent.split("<img src=x").length > 8);
});

test("of ten thousand memories only those that are seen are in the page, and keys reach the last", async () => {
  const nodes = Array.from({ length: 10_000 }, (_, index) => ({ ...NODES[3], id: `m${index}`, text: `moment ${String(index).padStart(5, "0")}`, fields: {} }));
  const { root, press, document } = await memories({ graph: { nodes, edges: [] } });
  const drawn = () => root.querySelectorAll(".tidelore-row").length;
  assert.ok(drawn() > 5 && drawn() < 60, String(drawn()));
  press(root.querySelector(".tidelore-row"), "End");
  assert.equal(document.activeElement.querySelector(".tidelore-row-text").textContent, "moment 09999");
  assert.equal(document.activeElement.closest("li").getAttribute("aria-posinset"), "10000");
  assert.ok(drawn() < 60);
  press(document.activeElement, "Home");
  assert.equal(document.activeElement.querySelector(".tidelore-row-text").textContent, "moment 00000");
});

test("why there is nothing to see is said, with a way to try again where there is one", async () => {
  for (const [options, words] of /** @type {const} */ ([
    [{ settings: { enabled: false } }, /Memory is off\./],
    [{ status: { chat: null } }, /no chat/i],
    [{ status: { chat: { chat: "c1", pool: "", title: "t", off: true } } }, /off for this chat/],
  ])) {
    const { panel, root } = openPanel(options);
    panel.open({ tab: "memories" });
    assert.match(root.textContent, words);
  }
  let broken = true;
  const { root } = await memories({ methods: { "graph.get": () => (broken ? Promise.reject(new Error("The store is closed.")) : { nodes: NODES, edges: EDGES }) } });
  await until(() => root.textContent.includes("The store is closed."));
  broken = false;
  named(root, "button", "Try again").click();
  await until(() => rows(root).length === 4);
});

test("the versions of a fact are in order, and a ring of them has an end", () => {
  const edge = (/** @type {string} */ from, /** @type {string} */ to) => ({ id: from + to, type: "replaces", from, to, label: "" });
  const of = (/** @type {any[]} */ edges) => indexed("c", { nodes: [], edges }).edgesOf;
  assert.deepEqual(lineOf("b", of([edge("b", "a"), edge("c", "b")])), ["a", "b", "c"]);
  assert.deepEqual(lineOf("a", of([edge("a", "b"), edge("b", "a")])).sort(), ["a", "b"]);
});

test("a search meets all its words in any order, without regard to capitals", () => {
  const memories_ = indexed("c", { nodes: NODES, edges: [] });
  const ids = (/** @type {string} */ query) => filtered(memories_, { query, kind: "", state: "" }).map(({ id }) => id);
  assert.deepEqual(ids("lisbon ANN"), ["f1"]);
  assert.deepEqual(ids("  "), ids(""));
  assert.deepEqual(ids("lisbon ferry"), []);
});
