import assert from "node:assert/strict";
import { test } from "node:test";
import { MOST_DOTS, pieceOf, placesOf, smallGraph } from "../../extension/panel/small_graph.js";
import { create } from "../../extension/ui/dom.js";
import { HOSTILE } from "./fake_app.mjs";
import { EDGES, NODES } from "./panel_kit.mjs";
import { pageWithApp } from "./ui_kit.mjs";

const ids = (/** @type {{id: string}[]} */ all) => all.map(({ id }) => id).sort();

test("the piece holds what was delivered, the lines between, and what joins two of them", () => {
  const piece = pieceOf(["f1", "f2"], { nodes: NODES, edges: EDGES });
  assert.deepEqual(ids(piece.dots), ["e1", "f1", "f2"]);
  assert.deepEqual(piece.dots.filter(({ main }) => main).map(({ id }) => id).sort(), ["f1", "f2"]);
  assert.deepEqual(ids(piece.lines), ["x1", "x2", "x3"]);
  assert.deepEqual(ids(pieceOf(["f2"], { nodes: NODES, edges: EDGES }).dots), ["f2"]);
});

test("however much was delivered, it stays a picture that can be read", () => {
  const nodes = Array.from({ length: 200 }, (_, at) => ({ id: `n${at}`, kind: "fact", text: `fact ${at}` }));
  const edges = nodes.slice(1).map(({ id }) => ({ id: `e${id}`, type: "about", from: id, to: "n0", label: "" }));
  assert.equal(pieceOf(ids(nodes), { nodes, edges }).dots.length, MOST_DOTS);
});

test("every dot lies inside, none on another, and always at the same place", () => {
  const { dots, lines } = pieceOf(ids(NODES), { nodes: NODES, edges: EDGES });
  const places = placesOf(dots, lines);
  assert.deepEqual(placesOf(dots, lines), places);
  const all = [...places.values()];
  for (const [x, y] of all) assert.ok(x >= 0 && x <= 320 && y >= 0 && y <= 200, `${x} ${y}`);
  all.forEach(([ax, ay], at) => all.slice(at + 1).forEach(([bx, by]) => assert.ok(Math.hypot(ax - bx, ay - by) > 12)));
});

test("the picture says what it is, and opens what is pointed at; names are text", () => {
  const { app } = pageWithApp();
  /** @type {string[]} */
  const opened = [];
  const nodes = [{ id: "a", kind: "fact", text: HOSTILE }, { id: "b", kind: "entity", text: "Ann" }];
  const piece = pieceOf(["a", "b"], { nodes, edges: [{ id: "x", type: HOSTILE, from: "a", to: "b", label: HOSTILE }] });
  const element = create(smallGraph(app, piece, (id) => void opened.push(id)));
  assert.equal(element.getAttribute("role"), "img");
  assert.match(element.getAttribute("aria-label") ?? "", /2 memories and 1 connections/);
  assert.equal(element.querySelector("img"), null);
  /** @type {any} */ (element.querySelector(".tidelore-small-dot")).click();
  assert.deepEqual(opened, ["a"]);
});
