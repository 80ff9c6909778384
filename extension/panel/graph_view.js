// Draws a graph with sigma. What is drawn, and how strongly, is decided outside.
import { Graph } from "../vendor/graphology.mjs";
import { Sigma } from "../vendor/sigma.mjs";
import { pointerOf } from "./graph_pointer.js";
import { fitting, middleOf } from "./labels.js";
import { KINDS } from "./parts.js";

/**
 * @typedef {import("./memories_data.js").MemoryNode} MemoryNode
 * @typedef {import("./memories_data.js").MemoryEdge} MemoryEdge
 * @typedef {import("./layout.js").Places} Places
 *
 * @typedef {object} Emphasis
 * @property {Set<string> | null} shown null: all
 * @property {Set<string> | null} strong the others are faded; null: all are strong
 * @property {string} centre a node that stands out, "" for none
 */

// Beyond so many, lines are left out while the view moves.
const MANY_EDGES = 4000;
// So many have room for themselves.
const ROOMY = 2500;
// Beyond so many, nobody is looked for under the pointer meanwhile.
const MANY_NODES = 1000;
const LABEL = 42;
const HINT = 20;
// Of so many nodes each says what it is, where there is room; of more only who and what is named, until one comes nearer.
const FEW = 40;
// On a phone there is room for half as many.
const NARROW = 500;
// So many names are tried for each picture.
const MOST_NAMES = 600;

/**
 * @param {HTMLElement} element it has a size
 * @param {{onOpen: (id: string) => void, labelOf: (edge: MemoryEdge) => string}} ways
 */
export function createGraphView(element, { onOpen, labelOf }) {
  const colours = coloursOf(element);
  const graph = new Graph({ multi: true, type: "directed", allowSelfLoops: true });
  /** @type {Emphasis} */
  let emphasis = { shown: null, strong: null, centre: "" };
  let hovered = "";
  /** @type {Set<string> | null} the hovered node and its neighbours */
  let around = null;

  /** @type {any[]} the names of this picture */
  const names = [];

  const pointer = pointerOf(
    () => sigma,
    () => graph.order > MANY_NODES,
  );
  /** @type {Sigma} */
  const sigma = new Sigma(graph, element, {
    allowInvalidContainer: true,
    nodeProgramClasses: { circle: pointer.program },
    defaultEdgeColor: colours.line,
    labelColor: { color: colours.text },
    edgeLabelColor: { color: colours.text },
    labelFont: colours.font,
    edgeLabelFont: colours.font,
    labelSize: 12,
    edgeLabelSize: 11,
    labelRenderedSizeThreshold: 6,
    labelDensity: 2,
    labelGridCellSize: 120,
    minCameraRatio: 0.02,
    maxCameraRatio: 4,
    zIndex: true,
    renderEdgeLabels: true,
    stagePadding: 30,
    defaultDrawNodeLabel: (context, data) => void (data["label"] && names.push({ context, ...data })),
    defaultDrawNodeHover: (context, data) => drawHover(context, data, colours),
    nodeReducer(id, data) {
      const { shown, strong, centre } = emphasis;
      if (shown && !shown.has(id)) return { ...data, hidden: true };
      const inside = around ? around.has(id) : !strong || strong.has(id);
      if (!inside) return { ...data, color: colours.faint, label: "", zIndex: 0 };
      const stands = id === centre || id === hovered;
      const close = stands || Boolean(strong && strong.size < 12);
      return { ...data, zIndex: stands ? 3 : 2, forceLabel: close || data["named"], rank: stands ? 3 : close ? 2 : data["rank"], ...(stands ? { size: data["size"] * 1.4, highlighted: id === centre } : {}) };
    },
    edgeReducer(id, data) {
      const { shown, strong } = emphasis;
      const [from, to] = graph.extremities(id);
      if (shown && !(shown.has(from) && shown.has(to))) return { ...data, hidden: true };
      if (around) return hovered === from || hovered === to ? { ...data, color: colours.accent, zIndex: 1 } : { ...data, hidden: true };
      if (strong && !(strong.has(from) && strong.has(to))) return { ...data, color: colours.faint, label: "", zIndex: 0 };
      return strong ? { ...data, color: colours.accent, forceLabel: strong.size < 25 } : { ...data, label: "" };
    },
  });
  pointer.attach();

  sigma.on("beforeRender", () => void (names.length = 0));
  sigma.on("afterRender", () => {
    const context = names[0]?.context;
    if (!context) return;
    context.font = `12px ${colours.font}`;
    const { width } = sigma.getDimensions();
    for (const each of fitting(names, (text) => context.measureText(text).width, width)) drawName(context, { ...each, wide: width }, colours);
  });

  /** @param {string} id */
  function hover(id) {
    element.style.cursor = id ? "pointer" : "";
    // Fading all the others means to go through all of them: in a large graph the node alone stands out, as sigma draws it.
    const next = graph.size > MANY_EDGES ? "" : id;
    if (next === hovered) return;
    hovered = next;
    around = next ? new Set([next, ...graph.neighbors(next)]) : null;
    sigma.refresh({ skipIndexation: true });
  }
  sigma.on("enterNode", ({ node }) => hover(node));
  sigma.on("leaveNode", () => hover(""));
  sigma.on("clickNode", ({ node }) => onOpen(node));

  return {
    /** @param {MemoryNode[]} nodes @param {MemoryEdge[]} edges @param {Places} places */
    set(nodes, edges, places) {
      hover("");
      graph.clear();
      /** @type {Map<string, number>} */
      const degree = new Map();
      for (const { from, to } of edges) for (const end of [from, to]) degree.set(end, (degree.get(end) ?? 0) + 1);
      const few = nodes.length <= (element.clientWidth < NARROW ? FEW / 2 : FEW);
      // The more there are, the less room each has.
      const scale = Math.min(1, Math.sqrt(ROOMY / nodes.length));
      let named = 0;
      for (const node of nodes) {
        const [x, y] = places.get(node.id) ?? [0, 0];
        const kind = KINDS.includes(node.kind) ? node.kind : "page";
        const old = node.state !== "current";
        const who = kind === "entity";
        graph.addNode(node.id, {
          x,
          y,
          size: scale * Math.min(16, 2.5 + 1.1 * Math.sqrt(degree.get(node.id) ?? 0)),
          label: short(node.text, few && !who ? HINT : LABEL),
          color: colours.kinds[old ? `${kind}-old` : kind],
          rank: who ? 1 : 0,
          named: few || (who && named++ < MOST_NAMES),
        });
      }
      for (const edge of edges) graph.addDirectedEdgeWithKey(edge.id, edge.from, edge.to, { size: 1, label: labelOf(edge) });
      sigma.setSetting("hideEdgesOnMove", edges.length > MANY_EDGES);
      sigma.setSetting("hideLabelsOnMove", nodes.length > MANY_EDGES);
    },
    /** @param {Places} places */
    place(places) {
      graph.updateEachNodeAttributes(
        (id, data) => {
          const place = places.get(id);
          return place ? { ...data, x: place[0], y: place[1] } : data;
        },
        { attributes: ["x", "y"] },
      );
    },
    /** @param {Emphasis} next */
    emphasise(next) {
      emphasis = next;
      sigma.refresh({ skipIndexation: false });
    },
    /** Brings a node to the middle. @param {string} id */
    centre(id) {
      const data = sigma.getNodeDisplayData(id);
      if (data) void sigma.getCamera().animate({ x: data.x, y: data.y, ratio: 0.3 }, { duration: motion() });
    },
    /** @param {"in" | "out" | "all"} way */
    zoom(way) {
      const camera = sigma.getCamera();
      if (way === "all") void camera.animatedReset({ duration: motion() });
      else void camera[way === "in" ? "animatedZoom" : "animatedUnzoom"]({ factor: 1.6, duration: motion() });
    },
    sigma,
    kill: () => sigma.kill(),
  };
}

const motion = () => (globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches ? 1 : 250);

/** So much of a text, in letters; one of Chinese takes the room of two. @param {string} text @param {number} most */
function short(text, most) {
  let room = most;
  const letters = [...text];
  const end = letters.findIndex((letter) => (room -= letter > "\u2e80" ? 2 : 1) < 0);
  return end < 0 ? text : `${letters.slice(0, end).join("")}…`;
}

/**
 * A name below its node, with a rim that keeps it apart from the lines behind it.
 * @param {CanvasRenderingContext2D} context
 * @param {any} data @param {{ground: string, text: string, font: string}} colours
 */
function drawName(context, { x, y, size, label, wide = Infinity }, { ground, text, font }) {
  if (typeof label !== "string" || !label) return;
  context.font = `12px ${font}`;
  context.textAlign = "center";
  context.lineJoin = "round";
  context.lineWidth = 4;
  const middle = middleOf(x, context.measureText(label).width, wide);
  context.strokeStyle = ground;
  context.strokeText(label, middle, y + size + 13);
  context.fillStyle = text;
  context.fillText(label, middle, y + size + 13);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {any} data @param {{ground: string, text: string, font: string, accent: string}} colours
 */
function drawHover(context, { x, y, size, label }, { ground, text, font, accent }) {
  context.font = `12px ${font}`;
  context.beginPath();
  context.arc(x, y, size + 3, 0, 2 * Math.PI);
  context.strokeStyle = accent;
  context.lineWidth = 2;
  context.stroke();
  if (typeof label !== "string" || !label) return;
  const wide = context.measureText(label).width + 8;
  context.fillStyle = ground;
  context.fillRect(x - wide / 2, y + size + 3, wide, 18);
  drawName(context, { x, y, size, label }, { ground, text, font });
}

/** What the style sheet says, as sigma reads colours. @param {HTMLElement} element */
function coloursOf(element) {
  const page = element.ownerDocument;
  const probe = page.createElement("span");
  element.append(probe);
  const canvas = page.createElement("canvas");
  canvas.width = canvas.height = 1;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { willReadFrequently: true }));
  /**
   * A colour over the ground: overlapping lines that shine through would add up to a blot.
   * @param {string} value @param {number} [strength]
   */
  const read = (value, strength = 1) => {
    context.globalAlpha = 1;
    for (const [colour, alpha] of /** @type {[string, number][]} */ ([["#808080", 1], ["var(--tidelore-ground)", 1], [value, strength]])) {
      probe.style.color = colour;
      context.globalAlpha = alpha;
      context.fillStyle = getComputedStyle(probe).color;
      context.fillRect(0, 0, 1, 1);
    }
    const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
    return `rgb(${red}, ${green}, ${blue})`;
  };
  /** @type {Record<string, string>} */
  const kinds = {};
  for (const kind of KINDS) {
    kinds[kind] = read(`var(--tidelore-${kind})`);
    kinds[`${kind}-old`] = read(`var(--tidelore-${kind})`, 0.35);
  }
  const found = {
    kinds,
    text: read("var(--tidelore-text)"),
    ground: read("var(--tidelore-ground)"),
    accent: read("var(--tidelore-accent)"),
    line: read("var(--tidelore-text)", 0.2),
    faint: read("var(--tidelore-text)", 0.12),
    font: getComputedStyle(element).fontFamily,
  };
  probe.remove();
  return found;
}
