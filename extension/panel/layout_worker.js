// Finds places for the nodes of a graph, in a worker: the page draws on meanwhile. It goes on when the page has drawn what it was told, so that a
// slow page is not flooded.
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

const STEP_MS = 250;
const ROW = 10;
const port = /** @type {any} */ (globalThis);

/** @type {Task | null} */
let task = null;

port.onmessage = (/** @type {{data: Task | {drawn: number}}} */ { data }) => {
  if ("nodes" in data) task = data;
  if (task && ("nodes" in data || data.drawn === task.id)) step(task);
};

/** @param {Task} current */
function step(current) {
  const { id, nodes, edges, settings } = current;
  const end = Date.now() + STEP_MS;
  while (current.rounds > 0 && Date.now() < end) {
    iterate(settings, nodes, edges);
    current.rounds--;
  }
  const done = current.rounds <= 0;
  if (done) task = null;
  const places = placesOf(nodes);
  port.postMessage({ id, places, done }, [places.buffer]);
}

/** @param {Float32Array} nodes */
function placesOf(nodes) {
  const places = new Float32Array((nodes.length / ROW) * 2);
  for (let at = 0; at < places.length / 2; at++) {
    places[2 * at] = nodes[at * ROW] ?? 0;
    places[2 * at + 1] = nodes[at * ROW + 1] ?? 0;
  }
  return places;
}
