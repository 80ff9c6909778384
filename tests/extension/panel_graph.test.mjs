import assert from "node:assert/strict";
import { test } from "node:test";
import { firstPlaces } from "../../extension/panel/layout.js";
import { graphTab } from "../../extension/panel/graph.js";
import { createMemoriesData } from "../../extension/panel/memories_data.js";
import { EDGES, NODES } from "./panel_kit.mjs";
import { fill, named, pageWithApp, until } from "./ui_kit.mjs";

/** The tab with a drawing that notes what it is told, and a layout that a test brings to its end. @param {any} [options] */
async function graph({ nodes = NODES, edges = EDGES, methods = {}, load, stored = null, ...options } = {}) {
  /** @type {[string, ...any[]][]} */
  const told = [];
  /** @type {any[]} */
  const runs = [];
  /** @type {any} */
  const known = { "graph.get": ({ at } = /** @type {any} */ ({})) => ({ nodes: at === undefined ? nodes : nodes.slice(0, 1), edges: at === undefined ? edges : [] }), ...methods };
  const page = pageWithApp({
    answers: { call: async (/** @type {string} */ method, /** @type {any} */ params) => known[method](params) },
    status: { stats: { messages: 21, nodes: {} } },
    ...options,
  });
  if (stored) await page.app.kept.set("places:c1", stored);
  /** @type {any} */
  let ways = {};
  /** @type {any} */
  const view = new Proxy({}, { get: (_, name) => (...values) => void told.push([String(name), ...values]) });
  const makes = { count: 0 };
  /** @type {any[]} */
  const gone = [];
  /** @type {(() => void)[]} */
  const timers = [];
  /** @type {any} */
  const desk = { app: page.app, go: (/** @type {any} */ place) => gone.push(place), soon: (/** @type {any} */ run) => timers.push(run), look: { colours: "host" } };
  desk.data = createMemoriesData(page.app, () => tab.redraw());
  const tab = graphTab(desk, {
    load:
      load ??
      (async () => ({
        createGraphView: /** @type {any} */ ((/** @type {any} */ _, /** @type {any} */ given) => {
          makes.count++;
          ways = given;
          return view;
        }),
      })),
    layout: /** @type {any} */ ({ run: (/** @type {any[]} */ ...values) => runs.push(values), stop: () => told.push(["stop"]) }),
  });
  page.document.body.append(tab.element);
  tab.show();
  return { ...page, tab, told, runs, makes, gone, root: /** @type {any} */ (tab.element), ways: () => ways, pass: () => timers.splice(0).forEach((run) => run()), of: (/** @type {string} */ name) => told.filter(([each]) => each === name).map(([, ...values]) => values) };
}

test("all memories and their connections are drawn, and what was found of their places is kept", async () => {
  const { app, of, runs } = await graph();
  await until(() => of("set").length);
  const [nodes, edges, places] = of("set")[0] ?? [];
  assert.deepEqual(nodes.map((/** @type {any} */ { id }) => id).sort(), ["e1", "f1", "f2", "m1"]);
  assert.equal(edges.length, 4);
  assert.equal(places.size, 4);
  const [, , found, , onStep] = runs[0];
  found.set("e1", [5, 6]);
  onStep(false);
  assert.equal(of("place").length, 1);
  assert.equal(await app.kept.get("places:c1"), null);
  onStep(true);
  await until(() => of("place").length === 2);
  const kept = await app.kept.get("places:c1");
  const at = kept.ids.indexOf("e1");
  assert.deepEqual([...kept.xy.slice(2 * at, 2 * at + 2)], [5, 6]);
});

test("a graph whose places are all known is drawn there, with no layout", async () => {
  const ids = NODES.map(({ id }) => id);
  const { of, runs } = await graph({ stored: { ids, xy: Float32Array.from([1, 2, 3, 4, 5, 6, 7, 8]) } });
  await until(() => of("set").length);
  assert.deepEqual(of("set")[0]?.[2].get("f2"), [5, 6]);
  assert.deepEqual(runs, []);
});

test("stored places that are broken are none", async () => {
  const { of, runs } = await graph({ stored: { ids: ["e1"], xy: [1] } });
  await until(() => of("set").length);
  assert.equal(runs.length, 1);
});

test("a click on a node opens its page", async () => {
  const { ways, gone, of } = await graph();
  await until(() => of("set").length);
  ways().onOpen("f2");
  assert.deepEqual(gone, [{ node: "f2" }]);
});

test("a search makes what it finds stand out, once typing pauses; a kind or a state leaves the others out", async () => {
  const { root, of, pass, window } = await graph();
  await until(() => of("emphasise").length);
  const search = root.querySelector("input[type=search]");
  search.value = "porto";
  search.dispatchEvent(new window.Event("input", { bubbles: true }));
  assert.equal(of("emphasise").length, 1);
  pass();
  await until(() => of("emphasise").length === 2);
  assert.deepEqual([...(of("emphasise")[1]?.[0].strong ?? [])], ["f2"]);
  assert.match(root.querySelector("[role=status]").textContent, /1 of 4/);
  fill(named(root, "select", "kind"), "fact");
  fill(named(root, "select", "state"), "superseded");
  await until(() => of("emphasise").length === 4);
  assert.deepEqual([...(of("emphasise").at(-1)?.[0].shown ?? [])], ["f1"]);
});

test("one node is shown among its neighbours, and then all again", async () => {
  const { root, of, tab } = await graph();
  await until(() => of("emphasise").length);
  tab.around("m1");
  await until(() => of("centre").length);
  assert.deepEqual([...(of("emphasise").at(-1)?.[0].strong ?? [])].sort(), ["e1", "m1"]);
  named(root, "button", "Show all again").click();
  await until(() => of("emphasise").at(-1)?.[0].strong === null);
});

test("the slider shows the graph as of a message, and the end of it the present", async () => {
  const { root, of, called, pass, window } = await graph();
  await until(() => of("set").length);
  const slider = root.querySelector("input[type=range]");
  const slide = (/** @type {string} */ value) => {
    slider.value = value;
    slider.dispatchEvent(new window.Event("input", { bubbles: true }));
    pass();
  };
  slide("7");
  await until(() => of("set").length === 2);
  assert.deepEqual(called("call").at(-1), ["graph.get", { at: 7, private: true }]);
  assert.equal(of("set")[1]?.[0].length, 1);
  assert.match(root.textContent, /as of floor 7/);
  slide("20");
  await until(() => of("set").length === 3);
  assert.equal(of("set")[2]?.[0].length, 4);
  assert.match(root.textContent, /now/);
});

test("of more than ten thousand the best connected are drawn, and how many is said", async () => {
  const nodes = Array.from({ length: 20_000 }, (_, index) => ({ ...NODES[3], id: `m${index}`, text: `${index}`, fields: {} }));
  const edges = [{ id: "x", type: "about", from: "m19999", to: "m19998", label: "", fields: {} }, { id: "y", type: "about", from: "m19999", to: "m3", label: "", fields: {} }];
  const { root, of } = await graph({ nodes, edges });
  await until(() => of("set").length);
  const [drawn, lines] = of("set")[0] ?? [];
  assert.equal(drawn.length, 10_000);
  assert.equal(drawn[0].id, "m19999");
  assert.equal(lines.length, 2);
  assert.match(root.querySelector("[role=status]").textContent, /10000 of 20000/);
});

test("hiding it gives the drawing and the layout up, showing it again draws anew", async () => {
  const { tab, of, makes, listeners } = await graph();
  await until(() => of("set").length);
  tab.hide();
  assert.equal(of("kill").length, 1);
  assert.equal(listeners(), 0);
  tab.show();
  await until(() => makes.count === 2 && of("set").length === 2);
});

test("a browser that cannot draw is told where else to look", async () => {
  const error = console.error;
  console.error = () => {};
  try {
    const { root } = await graph({ load: async () => ({ createGraphView: () => { throw new Error("no WebGL"); } }) });
    await until(() => root.textContent.includes("WebGL is missing"));
  } finally {
    console.error = error;
  }
});

test("a new node begins beside its neighbours, and the same graph begins the same", () => {
  const known = /** @type {any} */ (new Map([["e1", [100, 200]]]));
  const first = firstPlaces(NODES, EDGES, known);
  assert.equal(first.fresh, 3);
  assert.deepEqual(first.places.get("e1"), [100, 200]);
  const [x = 0, y = 0] = first.places.get("m1") ?? [];
  assert.ok(Math.hypot(x - 100, y - 200) < 20);
  assert.deepEqual(firstPlaces(NODES, EDGES, known), first);
  assert.notDeepEqual(first.places.get("f1"), first.places.get("f2"));
});
