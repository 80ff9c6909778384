// What is remembered: a list that can be searched, and beside it the page of one memory.
import { h } from "../ui/dom.js";
import { button } from "../ui/fields.js";
import { createList } from "./list.js";
import { filtered, scopesOf } from "./memories_data.js";
import { nodePage } from "./node_page.js";
import { KINDS, SHOWN_STATES, drawnTab, filterField, kindChip, scopeText, searchField, stateText } from "./parts.js";

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
  let typed = "";
  let chat = "";
  /** @type {{memories: any, filter: string, found: MemoryNode[]} | null} */
  let last = null;
  /** @type {ReturnType<typeof createList<MemoryNode>> | undefined} */
  let list;
  /** @type {ReturnType<typeof nodePage> | undefined} */
  let page;

  const tab = drawnTab(app, "memories", (redraw) => {
    list = createList({ redraw, label: t("memories.list"), keyOf: ({ id }) => id, row });
    page = nodePage(desk, redraw, { back, openNode: (id) => open(id) });
    return () => draw(redraw);
  });

  /** @param {MemoryNode} node @param {Record<string, any>} props */
  function row(node, { on, ...props }) {
    return h("button", { ...props, type: "button", class: `tidelore-row ${node.state === "current" ? "" : "tidelore-faded"}`.trim(), on: { ...on, click: () => open(node.id) } }, [
      h("span", { class: "tidelore-row-text" }, node.text),
      h("span", { class: "tidelore-row-kind" }, [kindChip(app, node.kind), node.state === "current" ? null : h("span", { class: "tidelore-dim" }, stateText(app, node.state))]),
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
          filterField(app, "state", t("memories.state"), SHOWN_STATES.map((state) => [state, stateText(app, state)]), filter.state, (value) => refine("state", value, redraw)),
          scopes.length > 0 && filterField(app, "scope", t("memories.scope"), scopes.map((scope) => [scope, scopeText(app, scope)]), filter.scope, (value) => refine("scope", value, redraw)),
        ]),
        h("p", { key: "count", class: "tidelore-note tidelore-count", role: "status" }, memories ? t("memories.count", { n: found.length, all: memories.nodes.length }) : t("memories.loading")),
        found.length ? list?.draw(found, chosen) : memories && h("p", { key: "none", class: "tidelore-empty" }, memories.nodes.length ? t("memories.none_found") : t("overview.nothing")),
      ]),
      h("div", { key: "right", class: "tidelore-split-page" }, shown ? page?.draw(shown) : h("p", { class: "tidelore-empty" }, t("memories.choose"))),
    ]);
  }

  /** @param {import("./memories_data.js").Memories} memories */
  function search(memories) {
    const key = JSON.stringify(filter);
    if (last?.memories !== memories || last.filter !== key) last = { memories, filter: key, found: filtered(memories, filter) };
    return last.found;
  }

  /** @param {"query" | "kind" | "state" | "scope"} name @param {string} value @param {() => void} redraw */
  function refine(name, value, redraw) {
    filter[name] = value;
    list?.reset();
    redraw();
  }

  function empty() {
    const { chat } = app.status();
    if (!app.settings.enabled) return h("p", { class: "tidelore-empty" }, t("status.off"));
    if (!chat) return h("p", { class: "tidelore-empty" }, t("status.no_chat"));
    if (chat.off) return h("p", { class: "tidelore-empty" }, t("status.chat_off"));
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
