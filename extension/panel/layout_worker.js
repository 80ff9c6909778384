// Finds places for the nodes of a graph, in a worker: the page draws on meanwhile.
import { iterate } from "../vendor/forceatlas2.mjs";

/**
 * @typedef {object} Task
 * @property {number} id
 * @property {Float32Array} nodes a row of 10 numbers for each node, as forceatlas2 has them
 * @property {Float32Array} edges a row of 3 for each edge
 * @property {number} rounds
 * @property {Record<string, number | boolean>} settings
 *
 * @typedef {{id: number, places: Float32Array, done: boolean}} Step x and y of each node
 */

const SHOW_MS = 200;
const ROW = 10;
const port = /** @type {any} */ (globalThis);

port.onmessage = (/** @type {{data: Task}} */ { data: { id, nodes, edges, rounds, settings } }) => {
  let shown = Date.now();
  for (let round = 1; round <= rounds; round++) {
    iterate(settings, nodes, edges);
    const done = round === rounds;
    if (!done && Date.now() - shown < SHOW_MS) continue;
    shown = Date.now();
    const places = placesOf(nodes);
    port.postMessage({ id, places, done }, [places.buffer]);
  }
};

/** @param {Float32Array} nodes */
function placesOf(nodes) {
  const places = new Float32Array((nodes.length / ROW) * 2);
  for (let at = 0; at < places.length / 2; at++) {
    places[2 * at] = nodes[at * ROW] ?? 0;
    places[2 * at + 1] = nodes[at * ROW + 1] ?? 0;
  }
  return places;
}
