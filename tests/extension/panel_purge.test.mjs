import assert from "node:assert/strict";
import { test } from "node:test";
import { HOSTILE } from "./fake_app.mjs";
import { EDGES, NODES, openPanel } from "./panel_kit.mjs";
import { exists, named, until } from "./ui_kit.mjs";

const WOULD = { purge: "", node: "f2", text: "Ann lives in Porto.", messages: [4, 6], commits: 2, going: [{ node: "m1", kind: "moment", text: HOSTILE }], receipts: [] };
const RECEIPTS = [
  { place: "store", state: "done", count: 3, replicas: [] },
  { place: "mirror", state: "waiting", count: 0, replicas: [] },
  { place: "replicas", state: "waiting", count: 1, replicas: [`${HOSTILE}`] },
  { place: "chat", state: "outside", count: 2, replicas: [] },
  { place: "records", state: "done", count: 1, replicas: [] },
];

function opened() {
  let gone = false;
  const page = openPanel({
    methods: {
      "graph.get": () => (gone ? { nodes: NODES.filter(({ id }) => id !== "f2"), edges: EDGES.filter(({ from }) => from !== "f2") } : { nodes: NODES, edges: EDGES }),
      "node.purge": () => WOULD,
    },
    answers: { purgeNode: async () => ((gone = true), { ...WOULD, purge: "p1", receipts: RECEIPTS }) },
  });
  page.panel.open({ node: "f2" });
  return page;
}

test("forgetting for good shows what goes along, asks twice, and then says what became of the words in each place", async () => {
  const { root, called } = opened();
  await until(() => exists(root, "button", "Forget for good …"));
  named(root, "button", "Forget for good …").click();
  await until(() => root.querySelector("#tidelore-purge-title"));
  const part = root.querySelector("#tidelore-purge-title").parentElement;
  assert.match(part.textContent, /messages go: 2.*changes: 2/);
  assert.match(part.textContent, /Floors: 4, 6/);
  assert.ok(part.textContent.includes(HOSTILE) && !root.querySelector("img"));
  const button = named(part, "button", "Forget for good");
  button.focus();
  button.click();
  assert.equal(button.textContent, "Really forget for good?");
  button.blur();
  assert.equal(button.textContent, "Forget for good", "who looks elsewhere did not mean it");
  button.click();
  assert.deepEqual(called("purgeNode"), []);
  button.click();
  await until(() => root.querySelector("#tidelore-purged-title"));
  assert.deepEqual(called("purgeNode"), [["f2"]]);
  // The memory is gone from the graph; what became of it stays to be read.
  await until(() => root.querySelector(".tidelore-node-title").textContent === "Not there now");
  const places = [...root.querySelectorAll(".tidelore-receipts > li")].map((each) => [each.getAttribute("data-state"), each.textContent]);
  assert.deepEqual(places.map(([state]) => state), ["done", "waiting", "waiting", "outside", "done"]);
  assert.match(String(places[3]?.[1]), /still hold the words: 2/);
  named(root, "button", "Done").click();
});

test("who cancels has changed nothing, and another memory's page shows nothing of it", async () => {
  const { root, panel, called } = opened();
  await until(() => exists(root, "button", "Forget for good …"));
  named(root, "button", "Forget for good …").click();
  await until(() => root.querySelector("#tidelore-purge-title"));
  panel.open({ node: "m1" });
  assert.equal(root.querySelector("#tidelore-purge-title"), null);
  panel.open({ node: "f2" });
  named(root.querySelector("#tidelore-purge-title").parentElement, "button", "Cancel").click();
  assert.equal(root.querySelector("#tidelore-purge-title"), null);
  assert.deepEqual(called("purgeNode"), []);
});
