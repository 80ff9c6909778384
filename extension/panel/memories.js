// What is remembered: a list that can be searched, and beside it the page of one memory.
import { h } from "../ui/dom.js";
import { button } from "../ui/fields.js";
import { createList } from "./list.js";
import { MARKS, filtered, marked, scopesOf } from "./memories_data.js";
import { nodePage } from "./node_page.js";
import { FILTERED, KINDS, closed, drawnTab, filterField, kindChip, scopeText, searchField, sign, stateText } from "./parts.js";
import { SORTS, createPlaces, inOrder, placeText } from "./places.js";

/**
 * @typedef {import("./parts.js").Desk} Desk
 * @typedef {import("./memories_data.js").MemoryNode} MemoryNode
 */

/** @param {Desk} desk */
export function memoriesTab(desk) {
  const { app, data } = desk;
  const { t } = app.text;
  const filter = { query: "", kind: "", state: "", scope: "" };
  let chosen = "";
  let sort = "oldest";
  let typed = "";
  let chat = "";
  /** @type {{memories: any, filter: string, order: any, found: MemoryNode[]} | null} */
  let last = null;
  /** @type {ReturnType<typeof createList<MemoryNode>> | undefined} */
  let list;
  /** @type {ReturnType<typeof nodePage> | undefined} */
  let page;
  /** @type {ReturnType<typeof createPlaces> | undefined} */
  let places;
  /** @type {import("./places.js").Places | null} */
  let order = null;

  const tab = drawnTab(app, "memories", (redraw) => {
    list = createList({ redraw, label: t("memories.list"), keyOf: ({ id }) => id, row });
    places = createPlaces(app, redraw);
    page = nodePage(desk, redraw, { back, openNode: (id) => open(id) });
    return () => draw(redraw);
  });

  /** @param {MemoryNode} node @param {Record<string, any>} props */
  function row(node, { on, ...props }) {
    return h("button", { ...props, type: "button", class: `tidelore-row ${node.state === "current" ? "" : "tidelore-faded"}`.trim(), on: { ...on, click: () => open(node.id) } }, [
      h("span", { class: "tidelore-row-text" }, node.text),
      h("span", { class: "tidelore-row-kind" }, [
        kindChip(app, node.kind),
        MARKS.filter((mark) => marked(node, mark)).map((mark) => h("span", { key: mark, class: "tidelore-dim tidelore-mark" }, [sign(mark), stateText(app, mark)])),
        node.state === "current" ? null : h("span", { class: "tidelore-dim" }, stateText(app, node.state)),
        h("span", { class: "tidelore-dim tidelore-cut" }, placeText(app, order?.get(node.id))),
      ]),
    ]);
  }

  /** @param {() => void} redraw */
  function draw(redraw) {
    const now = app.status().chat?.chat ?? "";
    if (now !== chat) {
      // What was looked for in another chat is not looked for here.
      if (chat) only("");
      chat = now;
    }
    const memories = data.get();
    if (!memories && !chosen) return empty();
    order = memories ? (places?.get(memories.chat, sort, app.status().stats, data.version()) ?? null) : null;
    const found = memories ? search(memories) : [];
    const scopes = memories ? scopesOf(memories) : [];
    const shown = chosen;
    return h("div", { key: "split", class: `tidelore-split ${shown ? "tidelore-split-open" : ""}`.trim() }, [
      h("div", { key: "left", class: "tidelore-split-list" }, [
        h("div", { key: "filters", class: "tidelore-filters", role: "search" }, [
          searchField(app, typed, (text) => {
            typed = text;
            desk.soon(() => refine("query", typed, redraw));
          }),
          filterField(app, "kind", t("memories.kind"), KINDS.map((kind) => [kind, t(`kind.${kind}`)]), filter.kind, (value) => refine("kind", value, redraw)),
          filterField(app, "state", t("memories.state"), FILTERED.map((state) => [state, stateText(app, state)]), filter.state, (value) => refine("state", value, redraw)),
          scopes.length > 0 && filterField(app, "scope", t("memories.scope"), scopes.map((scope) => [scope, scopeText(app, scope)]), filter.scope, (value) => refine("scope", value, redraw)),
        ]),
        h("div", { key: "count", class: "tidelore-line tidelore-count-line" }, [
          h("p", { key: "n", class: "tidelore-note tidelore-count", role: "status" }, memories ? t("memories.count", { n: found.length, all: memories.nodes.length }) : t("memories.loading")),
          h("select", { key: "sort", class: "text_pole", "aria-label": t("memories.sort"), value: sort, on: { change: (/** @type {any} */ event) => sortBy(event.target.value, redraw) } }, SORTS.map((each) => h("option", { key: each, value: each }, t(`memories.sort.${each}`)))),
        ]),
        places?.fault() ? h("p", { key: "places", class: "tidelore-bad" }, places.fault()) : null,
        found.length ? list?.draw(found, chosen) : memories && h("p", { key: "none", class: "tidelore-empty" }, memories.nodes.length ? t("memories.none_found") : t("overview.nothing")),
      ]),
      h("div", { key: "right", class: "tidelore-split-page" }, shown ? page?.draw(shown) : h("p", { class: "tidelore-empty" }, t("memories.choose"))),
    ]);
  }

  /** @param {import("./memories_data.js").Memories} memories */
  function search(memories) {
    const key = JSON.stringify([filter, sort]);
    if (last?.memories !== memories || last.filter !== key || last.order !== order) last = { memories, filter: key, order, found: inOrder(filtered(memories, filter), order, sort) };
    return last.found;
  }

  /** @param {"query" | "kind" | "state" | "scope"} name @param {string} value @param {() => void} redraw */
  function refine(name, value, redraw) {
    filter[name] = value;
    list?.reset();
    redraw();
  }

  /** @param {string} value @param {() => void} redraw */
  function sortBy(value, redraw) {
    sort = value;
    list?.reset();
    redraw();
  }

  function empty() {
    const none = closed(app);
    if (none) return none;
    if (!data.fault()) return h("p", { class: "tidelore-empty", role: "status" }, t("memories.loading"));
    return h("div", { class: "tidelore-empty" }, [h("p", { class: "tidelore-bad" }, data.fault()), button(t("jobs.retry"), () => data.renew())]);
  }

  /** @param {string} id */
  function open(id) {
    chosen = id;
    list?.choose(id);
    tab.redraw();
    focus();
  }

  function back() {
    if (!chosen) return false;
    chosen = "";
    tab.redraw();
    list?.focus();
    return true;
  }

  /** @param {string} kind */
  function only(kind) {
    Object.assign(filter, { query: "", state: "", scope: "", kind });
    typed = "";
    chosen = "";
    list?.reset();
  }

  function focus() {
    /** @type {HTMLElement | null} */ (tab.element.querySelector(".tidelore-node-title"))?.focus();
  }

  return {
    ...tab,
    open,
    only,
    focus,
    back,
  };
}
