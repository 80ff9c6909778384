// The graph of the chat: what is remembered and how it hangs together, now or as of any message.
import { create, h, patch } from "../ui/dom.js";
import { button } from "../ui/fields.js";
import { createLayout, firstPlaces } from "./layout.js";
import { filtered, indexed, scopesOf } from "./memories_data.js";
import { FILTERED, KINDS, closedParts, edgeText, filterField, scopeText, searchField, signButton, stateText } from "./parts.js";

/**
 * @typedef {import("./parts.js").Desk} Desk
 * @typedef {import("./memories_data.js").Memories} Memories
 * @typedef {import("./layout.js").Places} Places
 * @typedef {typeof import("./graph_view.js").createGraphView} MakeView
 */

// Of more than this the best connected are drawn.
const MOST = 10_000;

/**
 * @param {Desk} desk
 * @param {{load?: () => Promise<{createGraphView: MakeView}>, layout?: ReturnType<typeof createLayout>}} [parts] the drawing is loaded when it is first looked at
 * @returns {import("./parts.js").Tab & {around: (id: string) => void}}
 */
export function graphTab(desk, { load = () => import("./graph_view.js"), layout = createLayout() } = {}) {
  const { app, data, go } = desk;
  const { t } = app.text;
  const filter = { query: "", kind: "", state: "", scope: "" };
  let typed = "";
  let centre = "";
  /** @type {number | null} the index of the message as of which the graph is shown, null for now */
  let at = null;
  /** @type {Memories | null} the graph as of that message */
  let past = null;
  let fault = "";
  let chat = "";
  /** @type {Memories | null} what is in the view */
  let drawn = null;
  let drawnColours = "";
  let asked = "";
  /** @type {ReturnType<MakeView> | null} */
  let view = null;
  let opening = false;
  let shown = false;
  /** @type {{chat: string, places: Places} | null} */
  let kept = null;
  /** @type {(() => void) | null} */
  let stop = null;

  const element = create(h("div", { class: "tidelore-tab tidelore-tab-graph" }));
  const bar = create(h("div", { class: "tidelore-graph-bar" }));
  const stage = create(h("div", { class: "tidelore-graph-stage", role: "img" }));
  const tools = create(h("div", { class: "tidelore-graph-tools" }));
  const note = create(h("div", { class: "tidelore-graph-note" }));
  const middle = create(h("div", { class: "tidelore-graph-middle" }));
  middle.append(stage, tools, note);
  element.append(bar, middle);

  /** The graph to show: at most so many of it. @returns {Memories | null} */
  const current = () => (at === null ? data.get() : past);

  function redraw() {
    if (!shown) return;
    const now = app.status().chat?.chat ?? "";
    if (now !== chat) {
      if (chat) leave();
      chat = now;
    }
    const memories = current();
    const total = memories?.nodes.length ?? 0;
    const found = memories ? emphasisOf(memories) : null;
    patch(bar, controls(memories, found?.count ?? 0));
    patch(tools, view && total ? [signButton("in", t("graph.in"), () => view?.zoom("in")), signButton("out", t("graph.out"), () => view?.zoom("out")), signButton("all", t("graph.all"), () => view?.zoom("all"))] : []);
    patch(note, message(memories));
    note.hidden = !note.childNodes.length;
    stage.setAttribute("aria-label", t("graph.label", { n: Math.min(total, MOST), edges: memories?.edges.length ?? 0 }));
    if (memories && total && !fault) void show(memories, found);
  }

  /** @param {Memories | null} memories */
  function message(memories) {
    if (fault) return [h("p", { class: "tidelore-bad" }, fault), button(t("jobs.retry"), retry)];
    if (memories?.nodes.length) return [];
    const none = closedParts(app);
    if (none.length) return none;
    if (data.fault()) return [h("p", { class: "tidelore-bad" }, data.fault()), button(t("jobs.retry"), retry)];
    return [h("p", null, t(memories ? "overview.nothing" : "memories.loading"))];
  }

  function retry() {
    fault = "";
    at = null;
    data.renew();
    redraw();
  }

  /** @param {Memories} memories */
  function emphasisOf(memories) {
    const shownNodes = filter.kind || filter.state || filter.scope ? new Set(filtered(memories, { ...filter, query: "" }).map(({ id }) => id)) : null;
    let strong = null;
    let count = shownNodes?.size ?? memories.nodes.length;
    if (centre && memories.byId.has(centre)) strong = new Set([centre, ...(memories.edgesOf.get(centre) ?? []).flatMap(({ from, to }) => [from, to])]);
    else if (filter.query) {
      strong = new Set(filtered(memories, filter).map(({ id }) => id));
      count = strong.size;
    }
    return { emphasis: { shown: shownNodes, strong, centre: memories.byId.has(centre) ? centre : "" }, count };
  }

  /** @param {Memories | null} memories @param {number} count */
  function controls(memories, count) {
    const last = Math.max(0, (app.status().stats?.messages ?? 0) - 1);
    const floor = at === null ? -1 : app.floor(at);
    const all = memories?.nodes.length ?? 0;
    const scopes = memories ? scopesOf(memories) : [];
    return [
      h("div", { key: "filters", class: "tidelore-filters", role: "search" }, [
        searchField(app, typed, (text) => {
          typed = text;
          desk.soon(() => refine({ query: typed }));
        }),
        filterField(app, "kind", t("memories.kind"), KINDS.map((kind) => [kind, t(`kind.${kind}`)]), filter.kind, (kind) => refine({ kind })),
        filterField(app, "state", t("memories.state"), FILTERED.map((state) => [state, stateText(app, state)]), filter.state, (state) => refine({ state })),
        scopes.length > 0 && filterField(app, "scope", t("memories.scope"), scopes.map((scope) => [scope, scopeText(app, scope)]), filter.scope, (scope) => refine({ scope })),
      ]),
      h("div", { key: "line", class: "tidelore-line tidelore-graph-line" }, [
        h("span", { key: "count", role: "status", class: "tidelore-dim" }, [all > MOST ? t("graph.densest", { n: MOST, all }) : t("memories.count", { n: count, all })]),
        centre && memories?.byId.has(centre)
          ? button(t("graph.whole"), () => {
              centre = "";
              redraw();
            })
          : null,
        last > 0 &&
          h("label", { key: "time", class: "tidelore-time" }, [
            h("span", null, at === null ? t("graph.now") : t("graph.as_of", { floor: floor < 0 ? at : floor })),
            h("input", {
              type: "range",
              min: 0,
              max: last,
              step: 1,
              value: at ?? last,
              "aria-label": t("graph.time"),
              "aria-valuetext": at === null ? t("graph.now") : t("graph.as_of", { floor: floor < 0 ? at : floor }),
              on: {
                input: (/** @type {any} */ event) => {
                  const value = Number(event.target.value);
                  at = value >= last ? null : value;
                  redraw();
                  desk.soon(() => void travel());
                },
              },
            }),
          ]),
      ]),
    ];
  }

  /** @param {Partial<typeof filter>} change */
  function refine(change) {
    Object.assign(filter, change);
    centre = "";
    redraw();
  }

  /** The graph as of the message that the slider stands at. */
  async function travel() {
    const index = at;
    const asOf = chat;
    if (index === null) {
      past = null;
      return redraw();
    }
    try {
      const graph = await app.call("graph.get", { at: index, private: true });
      if (at !== index || asOf !== chat) return;
      past = indexed(asOf, graph);
      fault = "";
    } catch (error) {
      if (at === index) fault = app.text.error(error);
    }
    redraw();
  }

  /** @param {Memories} memories @param {ReturnType<typeof emphasisOf> | null} found */
  async function show(memories, found) {
    if (drawnColours !== desk.look.colours) close();
    if (!view) {
      if (opening) return;
      opening = true;
      try {
        const { createGraphView } = await load();
        if (kept?.chat !== memories.chat) kept = { chat: memories.chat, places: placesFrom(await app.kept.get(`places:${memories.chat}`)) };
        if (!shown) return;
        view = createGraphView(stage, { onOpen: (id) => go({ node: id }), labelOf: (edge) => edgeText(app, edge) });
        drawnColours = desk.look.colours;
      } catch (error) {
        console.error("Tidelore:", error);
        fault = t("graph.no_drawing");
      } finally {
        opening = false;
      }
      return redraw();
    }
    if (kept?.chat !== memories.chat) {
      kept = { chat: memories.chat, places: placesFrom(await app.kept.get(`places:${memories.chat}`)) };
      if (!shown || !view) return;
    }
    if (drawn !== memories) put(memories);
    const state = JSON.stringify([filter, centre]);
    if (!found || asked === state) return;
    asked = state;
    view.emphasise(found.emphasis);
    if (centre) view.centre(centre);
  }

  /** @param {Memories} memories */
  function put(memories) {
    drawn = memories;
    asked = "";
    const nodes = memories.nodes.slice(0, MOST);
    const there = new Set(nodes.map(({ id }) => id));
    const edges = memories.edges.filter(({ from, to }) => there.has(from) && there.has(to));
    const known = kept?.places ?? new Map();
    const { places, fresh } = firstPlaces(nodes, edges, known);
    view?.set(nodes, edges, places);
    layout.stop();
    stage.setAttribute("aria-busy", String(fresh > 0));
    if (!fresh) return;
    layout.run(nodes, edges, places, known, (done) => {
      view?.place(places);
      stage.setAttribute("aria-busy", String(!done));
      if (!done || kept?.chat !== memories.chat) return;
      // Places of nodes that are only in the past or the future of this graph stay known.
      for (const [id, place] of places) known.set(id, place);
      void app.kept.set(`places:${memories.chat}`, placesOf(known)).catch(() => {});
    });
  }

  function close() {
    layout.stop();
    view?.kill();
    view = null;
    drawn = null;
    asked = "";
  }

  return {
    element,
    show() {
      shown = true;
      stop ??= app.onChange(redraw);
      redraw();
    },
    hide() {
      shown = false;
      stop?.();
      stop = null;
      close();
    },
    redraw,
    /** Shows a node among its neighbours. @param {string} id */
    around(id) {
      centre = id;
      at = null;
      past = null;
      Object.assign(filter, { query: "", kind: "", state: "", scope: "" });
      typed = "";
      redraw();
    },
  };

  /** Another chat begins with its own present. */
  function leave() {
    at = null;
    past = null;
    centre = "";
    fault = "";
    typed = "";
    Object.assign(filter, { query: "", kind: "", state: "", scope: "" });
  }
}

/** @param {any} stored @returns {Places} */
function placesFrom(stored) {
  if (!Array.isArray(stored?.ids) || stored.xy?.length !== stored.ids.length * 2) return new Map();
  return new Map(stored.ids.map((/** @type {string} */ id, /** @type {number} */ at) => [id, [Number(stored.xy[2 * at]) || 0, Number(stored.xy[2 * at + 1]) || 0]]));
}

/** @param {Places} places */
const placesOf = (places) => ({ ids: [...places.keys()], xy: Float32Array.from([...places.values()].flat()) });
