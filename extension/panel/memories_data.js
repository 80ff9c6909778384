// The graph of the open chat as the panel works with it: loaded when it is looked at, and anew when something has changed.

/**
 * @typedef {object} MemoryNode as graph.get gives it
 * @property {string} id
 * @property {string} kind
 * @property {string} sub
 * @property {string} scope
 * @property {string} text
 * @property {Record<string, any>} fields
 * @property {string} state "current", "superseded" or "archived"
 * @property {string[]} subs
 *
 * @typedef {{id: string, type: string, from: string, to: string, label: string}} MemoryEdge
 *
 * @typedef {object} Memories
 * @property {string} chat
 * @property {MemoryNode[]} nodes best connected first
 * @property {MemoryEdge[]} edges
 * @property {Map<string, MemoryNode>} byId
 * @property {Map<string, MemoryEdge[]>} edgesOf by node, both directions
 * @property {Map<string, string>} words of each node, for the search
 */

/**
 * @param {import("../types.js").App} app
 * @param {() => void} onChange
 */
export function createMemoriesData(app, onChange) {
  /** @type {Memories | null} */
  let memories = null;
  let fault = "";
  let loading = false;
  let wanted = 0;
  /** @type {{chat: string, stats: any, version: number} | null} of what the memories were made, or tried */
  let made = null;

  function stale() {
    const { chat, stats } = app.status();
    return made?.chat !== (chat?.chat ?? "") || made.stats !== stats || made.version !== wanted;
  }

  async function load() {
    loading = true;
    const { chat, stats } = app.status();
    made = { chat: chat?.chat ?? "", stats, version: wanted };
    try {
      const graph = await app.call("graph.get", { private: true });
      // Another chat was opened meanwhile: its own graph is on the way.
      if (made.chat === (app.status().chat?.chat ?? "")) memories = indexed(made.chat, graph);
      fault = "";
    } catch (error) {
      memories = null;
      fault = app.text.error(error);
    }
    loading = false;
    onChange();
  }

  return {
    /** The memories, or null; what has changed is loaded in the background. @returns {Memories | null} */
    get() {
      const { chat } = app.status();
      if (!chat || chat.off || !app.settings.enabled) return null;
      if (!loading && stale()) void load();
      return memories?.chat === chat.chat ? memories : null;
    },
    fault: () => fault,
    loading: () => loading,
    /** Something was changed here. */
    renew() {
      wanted++;
      onChange();
    },
    version: () => wanted,
  };
}

/**
 * @param {string} chat @param {{nodes: MemoryNode[], edges: MemoryEdge[]}} graph
 * @returns {Memories}
 */
export function indexed(chat, { nodes, edges }) {
  /** @type {Map<string, MemoryEdge[]>} */
  const edgesOf = new Map();
  for (const edge of edges) {
    for (const end of [edge.from, edge.to]) {
      const known = edgesOf.get(end);
      if (known) known.push(edge);
      else edgesOf.set(end, [edge]);
    }
  }
  const degree = (/** @type {MemoryNode} */ { id }) => edgesOf.get(id)?.length ?? 0;
  return {
    chat,
    nodes: [...nodes].sort((one, other) => degree(other) - degree(one) || (one.text < other.text ? -1 : 1)),
    edges,
    byId: new Map(nodes.map((node) => [node.id, node])),
    edgesOf,
    words: new Map(nodes.map((node) => [node.id, wordsOf(node)])),
  };
}

/** The scopes of a graph, where there is more than one. @param {Memories} memories @returns {string[]} */
export function scopesOf({ nodes }) {
  const found = [...new Set(nodes.map(({ scope }) => scope))].sort();
  return found.length > 1 ? found : [];
}

/** @param {MemoryNode} node */
const wordsOf = ({ text, sub, fields }) => [text, sub, ...Object.values(fields).flat()].join("\n").toLocaleLowerCase();

/** Marks that a person sets; a filter takes them like a state. */
export const MARKS = ["pinned", "private"];

/** @param {MemoryNode} node @param {string} mark */
export const marked = ({ fields }, mark) => fields[mark] === true;

/**
 * @param {Memories} memories
 * @param {{query: string, kind: string, state: string, scope?: string}} filter "" for any
 * @returns {MemoryNode[]}
 */
export function filtered({ nodes, words }, { query, kind, state, scope = "" }) {
  const asked = query.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return nodes.filter(
    (node) => (!kind || node.kind === kind) && (!state || (MARKS.includes(state) ? marked(node, state) : node.state === state)) && (!scope || node.scope === scope) && asked.every((word) => words.get(node.id)?.includes(word)),
  );
}
