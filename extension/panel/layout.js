// Where the nodes of a graph lie: known places stay, new nodes come beside their neighbours, and a worker does the rest.

/**
 * @typedef {import("./memories_data.js").MemoryNode} MemoryNode
 * @typedef {import("./memories_data.js").MemoryEdge} MemoryEdge
 * @typedef {Map<string, [number, number]>} Places by node
 */

const ROW = 10;

/**
 * Places to begin with, the same for the same graph on every machine.
 * @param {MemoryNode[]} nodes @param {MemoryEdge[]} edges @param {Places} known
 * @returns {{places: Places, fresh: number}} `fresh`: how many were not known
 */
export function firstPlaces(nodes, edges, known) {
  /** @type {Places} */
  const places = new Map();
  const wide = 10 * Math.sqrt(nodes.length);
  for (const { id } of nodes) {
    const place = known.get(id);
    if (place) places.set(id, place);
  }
  const fresh = nodes.length - places.size;
  if (!fresh) return { places, fresh };
  /** @type {Map<string, [number, number, number]>} sums and count of the neighbours' places */
  const near = new Map();
  for (const { from, to } of edges) {
    for (const [one, other] of /** @type {[string, string][]} */ ([[from, to], [to, from]])) {
      const place = places.get(other);
      if (!place || places.has(one)) continue;
      const [x, y, count] = near.get(one) ?? [0, 0, 0];
      near.set(one, [x + place[0], y + place[1], count + 1]);
    }
  }
  for (const { id } of nodes) {
    if (places.has(id)) continue;
    const [turn, out] = drawn(id);
    const [x, y, count] = near.get(id) ?? [0, 0, 0];
    const radius = count ? 12 * (0.3 + out) : wide * Math.sqrt(out);
    places.set(id, [(count ? x / count : 0) + radius * Math.cos(turn * 2 * Math.PI), (count ? y / count : 0) + radius * Math.sin(turn * 2 * Math.PI)]);
  }
  return { places, fresh };
}

/** Two numbers from 0 to 1 that a name always gives. @param {string} name @returns {[number, number]} */
function drawn(name) {
  let one = 2166136261;
  let other = 84696351;
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    one = Math.imul(one ^ code, 16777619);
    other = Math.imul(other + code, 2654435761) ^ (other >>> 13);
  }
  return [(one >>> 0) / 2 ** 32, (other >>> 0) / 2 ** 32];
}

/**
 * @param {object} [options]
 * @param {() => Worker} [options.open]
 */
export function createLayout({ open = () => new Worker(new URL("./layout_worker.js", import.meta.url), { type: "module", name: "tidelore-layout" }) } = {}) {
  /** @type {Worker | null} */
  let worker = null;
  let task = 0;

  return {
    /**
     * @param {MemoryNode[]} nodes @param {MemoryEdge[]} edges both ends of each are among the nodes
     * @param {Places} places where they begin; changed in place
     * @param {Places} known what stays, as long as most of the graph does
     * @param {(done: boolean) => void} onStep after places have changed
     */
    run(nodes, edges, places, known, onStep) {
      const id = ++task;
      const few = known.size * 2 > nodes.length;
      const index = new Map(nodes.map((node, at) => [node.id, at]));
      const rows = new Float32Array(nodes.length * ROW);
      nodes.forEach((node, at) => {
        const [x, y] = places.get(node.id) ?? [0, 0];
        rows.set([x, y, 0, 0, 0, 0, 1, 1, 1, few && known.has(node.id) ? 1 : 0], at * ROW);
      });
      const pairs = new Float32Array(edges.length * 3);
      edges.forEach(({ from, to }, at) => {
        const ends = [index.get(from) ?? 0, index.get(to) ?? 0];
        for (const end of ends) rows[end * ROW + 6] = (rows[end * ROW + 6] ?? 0) + 1;
        pairs.set([(ends[0] ?? 0) * ROW, (ends[1] ?? 0) * ROW, 1], at * 3);
      });
      worker ??= open();
      worker.onmessage = ({ data }) => {
        if (data.id !== task) return;
        nodes.forEach((node, at) => places.set(node.id, [data.places[2 * at], data.places[2 * at + 1]]));
        onStep(data.done);
        if (!data.done) requestAnimationFrame(() => requestAnimationFrame(() => id === task && worker?.postMessage({ drawn: id })));
      };
      worker.postMessage({ id, nodes: rows, edges: pairs, rounds: few ? 60 : roundsFor(nodes.length), settings: settingsFor(nodes.length) }, [rows.buffer, pairs.buffer]);
    },
    /** What is under way comes to nothing. */
    stop() {
      task++;
      worker?.terminate();
      worker = null;
    },
  };
}

/** A large graph takes long for each round, and is seen from afar first. @param {number} nodes */
const roundsFor = (nodes) => (nodes < 500 ? 500 : nodes < 3000 ? 250 : 100);

/** As the library infers them from the size of a graph. @param {number} nodes */
const settingsFor = (nodes) => ({
  linLogMode: false,
  outboundAttractionDistribution: false,
  adjustSizes: false,
  edgeWeightInfluence: 1,
  scalingRatio: 10,
  strongGravityMode: true,
  gravity: 0.05,
  slowDown: 1 + Math.log(Math.max(1, nodes)),
  barnesHutOptimize: nodes > 1000,
  barnesHutTheta: 0.7,
});
