// A few memories and how they hang together, drawn as one picture: each a dot in the colour of its kind, what connects them a line.
import { h } from "../ui/dom.js";
import { edgeText } from "./parts.js";

/**
 * @typedef {{id: string, kind: string, text: string}} Dot
 * @typedef {{id: string, type: string, from: string, to: string, label: string}} Line
 */

const WIDTH = 320;
const HEIGHT = 200;
const ROUNDS = 120;
const LABEL = 22;
const NAMED = 3;
export const MOST_DOTS = 24;

/**
 * The memories with the lines between them, and whatever joins two or more of them.
 * @param {string[]} wanted ids
 * @param {{nodes: Dot[], edges: Line[]}} graph
 * @returns {{dots: (Dot & {main: boolean})[], lines: Line[]}}
 */
export function pieceOf(wanted, { nodes, edges }) {
  const main = new Set(wanted.slice(0, MOST_DOTS));
  /** @type {Map<string, Set<string>>} which of them a node touches */
  const touched = new Map();
  for (const { from, to } of edges) {
    for (const [one, other] of /** @type {[string, string][]} */ ([[from, to], [to, from]])) {
      if (!main.has(other) || main.has(one)) continue;
      const known = touched.get(one);
      if (known) known.add(other);
      else touched.set(one, new Set([other]));
    }
  }
  const joints = [...touched].filter(([, of]) => of.size > 1).sort((one, other) => other[1].size - one[1].size || (one[0] < other[0] ? -1 : 1)).slice(0, Math.max(0, MOST_DOTS - main.size));
  const inside = new Set([...main, ...joints.map(([id]) => id)]);
  return {
    dots: nodes.filter(({ id }) => inside.has(id)).map((node) => ({ ...node, main: main.has(node.id) })),
    lines: edges.filter(({ from, to }) => from !== to && inside.has(from) && inside.has(to)),
  };
}

/**
 * Places in a box of 320 by 200, the same for the same piece.
 * @param {Dot[]} dots @param {Line[]} lines
 * @returns {Map<string, [number, number]>}
 */
export function placesOf(dots, lines) {
  /** @type {Map<string, [number, number]>} */
  const places = new Map(dots.map(({ id }, at) => [id, [Math.cos((2 * Math.PI * at) / dots.length) * 60, Math.sin((2 * Math.PI * at) / dots.length) * 60]]));
  const apart = 40;
  for (let round = 0; round < ROUNDS; round++) {
    const heat = 8 * (1 - round / ROUNDS);
    /** @type {Map<string, [number, number]>} */
    const push = new Map(dots.map(({ id }) => [id, [0, 0]]));
    const move = (/** @type {string} */ id, /** @type {number} */ dx, /** @type {number} */ dy) => {
      const [x, y] = push.get(id) ?? [0, 0];
      push.set(id, [x + dx, y + dy]);
    };
    dots.forEach(({ id: one }, at) => {
      for (const { id: other } of dots.slice(at + 1)) {
        const [dx, dy, distance] = between(places, one, other);
        const force = (apart * apart) / distance / distance;
        move(one, dx * force, dy * force);
        move(other, -dx * force, -dy * force);
      }
      const [x, y] = places.get(one) ?? [0, 0];
      move(one, -0.05 * x, -0.08 * y);
    });
    for (const { from, to } of lines) {
      const [dx, dy, distance] = between(places, from, to);
      const force = distance / apart / 4;
      move(from, -dx * force, -dy * force);
      move(to, dx * force, dy * force);
    }
    for (const [id, [dx, dy]] of push) {
      const size = Math.hypot(dx, dy) || 1;
      const step = Math.min(size, heat) / size;
      const [x, y] = places.get(id) ?? [0, 0];
      places.set(id, [x + dx * step, y + dy * step]);
    }
  }
  return fitted(places);
}

/** @param {Map<string, [number, number]>} places @param {string} one @param {string} other @returns {[number, number, number]} */
function between(places, one, other) {
  const [ax, ay] = places.get(one) ?? [0, 0];
  const [bx, by] = places.get(other) ?? [0, 0];
  return [ax - bx, ay - by, Math.max(1, Math.hypot(ax - bx, ay - by))];
}

/** @param {Map<string, [number, number]>} places @returns {Map<string, [number, number]>} */
function fitted(places) {
  const all = [...places.values()];
  const range = (/** @type {0 | 1} */ axis) => [Math.min(...all.map((each) => each[axis])), Math.max(...all.map((each) => each[axis]))];
  const [left = 0, right = 0] = range(0);
  const [top = 0, bottom = 0] = range(1);
  const scale = Math.min((WIDTH - 110) / Math.max(1, right - left), (HEIGHT - 44) / Math.max(1, bottom - top), 3);
  return new Map([...places].map(([id, [x, y]]) => [id, [WIDTH / 2 + (x - (left + right) / 2) * scale, HEIGHT / 2 + (y - (top + bottom) / 2) * scale]]));
}

/**
 * The picture. Who points at a dot opens its memory; the list beside it says the same in words, and is the way for keys and fingers.
 * @param {import("../types.js").App} app
 * @param {ReturnType<typeof pieceOf>} piece
 * @param {(id: string) => void} open
 */
export function smallGraph(app, { dots, lines }, open) {
  const places = placesOf(dots, lines);
  const at = (/** @type {string} */ id) => places.get(id) ?? [0, 0];
  // Names are short and tell where one is; of the memories themselves only a few have room for their words.
  const wordy = dots.filter(({ main }) => main).length <= NAMED;
  return h("div", { key: "graph", class: "tidelore-small-graph", role: "img", "aria-label": app.text.t("card.graph", { n: dots.length, edges: lines.length }) }, [
    lines.map((line) => {
      const [ax = 0, ay = 0] = at(line.from);
      const [bx = 0, by = 0] = at(line.to);
      const length = Math.hypot(bx - ax, by - ay);
      return h("span", { key: line.id, class: "tidelore-small-line", title: edgeText(app, line), style: `left: ${share(ax, WIDTH)}; top: ${share(ay, HEIGHT)}; width: ${share(length, WIDTH)}; rotate: ${Math.atan2(by - ay, bx - ax).toFixed(4)}rad` });
    }),
    dots.map(({ id, kind, text, main }) => {
      const [x = 0, y = 0] = at(id);
      const style = `left: ${share(x, WIDTH)}; top: ${share(y, HEIGHT)}`;
      const short = text.length > LABEL ? `${text.slice(0, LABEL - 1)}…` : text;
      return h("span", { key: id, class: `tidelore-small-dot ${main ? "tidelore-small-main" : ""}`.trim(), "data-kind": kind, title: text, style, on: { click: () => open(id) } }, main && kind !== "entity" && !wordy ? null : h("span", { class: "tidelore-small-name" }, short));
    }),
  ]);
}

/** @param {number} value @param {number} of */
const share = (value, of) => `${((100 * value) / of).toFixed(2)}%`;
