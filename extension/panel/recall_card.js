// The card under a user's message: what memory went with it, and how to change that. The page around it is drawn by others at any time, so each
// card is put back where it is missing and taken away where it has no message any more.
import { create, h, patch } from "../ui/dom.js";
import { button } from "../ui/fields.js";
import { attempt } from "../ui/view.js";
import { panelOf } from "./open.js";
import { kindChip, sign } from "./parts.js";
import { pieceOf, smallGraph } from "./small_graph.js";

/**
 * @typedef {import("../types.js").App} App
 * @typedef {import("../types.js").RecallRecord} RecallRecord
 *
 * @typedef {object} Card
 * @property {HTMLElement} element
 * @property {(index: number, record: RecallRecord, newest: boolean) => void} draw
 */

const BLOCKS = /** @type {const} */ (["core", "recalled"]);
const TYPING_MS = 250;

/**
 * @param {App} app
 * @param {{after?: (run: () => void, ms: number) => any}} [options]
 * @returns {() => void} takes the cards away again
 */
export function mountRecallCards(app, { after = (run, ms) => setTimeout(run, ms) } = {}) {
  /** @type {Map<HTMLElement, Card>} by the element of the message */
  const cards = new Map();

  function refresh() {
    const slots = app.settings.enabled ? app.host.userMessages() : [];
    const there = /** @type {Set<HTMLElement>} */ (new Set(slots.map(({ element }) => element)));
    for (const [element, card] of cards) {
      if (there.has(element)) continue;
      card.element.remove();
      cards.delete(element);
    }
    const newest = slots.reduce((most, { index }) => Math.max(most, index), -1);
    for (const { element, index } of slots) {
      const record = app.record(index);
      const known = cards.get(element);
      if (!record || (!record.core && !record.recalled && !record.cards.length)) {
        known?.element.remove();
        cards.delete(element);
        continue;
      }
      const card = known ?? createCard(app, after);
      cards.set(element, card);
      if (card.element.parentElement !== element) element.append(card.element);
      card.draw(index, record, index === newest);
    }
  }

  const stops = [app.onChange(refresh), app.host.onDrawn(refresh, ".tidelore-card")];
  refresh();
  return () => {
    for (const stop of stops) stop();
    for (const { element } of cards.values()) element.remove();
    cards.clear();
  };
}

/** @param {App} app @param {(run: () => void, ms: number) => any} after @returns {Card} */
function createCard(app, after) {
  const { t } = app.text;
  const element = create(h("div", { class: "tidelore-card" }));
  let open = false;
  let sure = false;
  let busy = false;
  let typed = 0;
  /** @type {{core: string, recalled: string} | null} what is being edited */
  let form = null;
  let tokens = 0;
  let index = -1;
  /** @type {RecallRecord | null} */
  let record = null;
  let newest = false;
  let drawn = "";
  /** @type {{of: RecallRecord, piece: ReturnType<typeof pieceOf> | null} | null} how the memories hang together, once somebody looks */
  let picture = null;

  /** @param {RecallRecord} shown */
  async function paint(shown) {
    const mine = { of: shown, piece: /** @type {ReturnType<typeof pieceOf> | null} */ (null) };
    picture = mine;
    try {
      mine.piece = pieceOf(shown.cards.map(({ node }) => node), await app.call("graph.get", { chat: shown.chat }));
    } catch {
      return; // the list says all of it
    }
    if (picture === mine && open) redraw();
  }

  // What is pressed and typed here is none of SillyTavern's business.
  for (const type of ["keydown", "click", "dblclick", "touchstart"]) element.addEventListener(type, (event) => event.stopPropagation(), { passive: true });

  function redraw() {
    if (!record) return;
    const count = record.cards.length;
    const label = t("card.title", { n: count, tokens: record.tokens });
    patch(element, [
      h(
        "button",
        {
          key: "head",
          type: "button",
          class: "tidelore-card-head",
          "aria-expanded": String(open),
          title: label,
          "aria-label": label,
          on: {
            click: () => {
              open = !open;
              sure = false;
              form = null;
              redraw();
            },
          },
        },
        [sign("tide"), h("span", { class: "tidelore-badge" }, String(count || "·")), record.edited ? h("span", { class: "tidelore-dim" }, t("card.edited")) : null],
      ),
      open && body(record),
    ]);
  }

  /** @param {RecallRecord} shown */
  function body(shown) {
    return h("div", { key: "body", class: "tidelore-card-body" }, [
      h("p", { key: "tokens", class: "tidelore-dim" }, t("injection.tokens", { n: form ? tokens : shown.tokens })),
      ...(form ? editor(form) : [list(shown)].flat()),
      h("div", { key: "actions", class: "tidelore-actions" }, form ? [button(t("node.save"), save, { busy, class: "tidelore-main" }), button(t("node.cancel"), cancel)] : actions(shown)),
    ]);
  }

  /** @param {RecallRecord} shown */
  function list({ cards, core, recalled }) {
    if (!cards.length) return h("pre", { key: "text", class: "tidelore-raw", tabindex: 0 }, [core, recalled].filter(Boolean).join("\n\n"));
    if (picture?.of !== record && record) void paint(record);
    return [
      picture?.piece && picture.piece.dots.length > 1 ? smallGraph(app, picture.piece, (node) => panelOf(app)?.open({ node })) : null,
      h(
        "ul",
        { key: "list", class: "tidelore-list" },
        cards.map(({ node, kind, text }) =>
          h("li", { key: node }, h("button", { type: "button", class: "tidelore-edge", on: { click: () => panelOf(app)?.open({ node }) } }, [kindChip(app, kind), h("span", { class: "tidelore-row-text" }, text)])),
        ),
      ),
    ];
  }

  /** @param {RecallRecord} shown */
  const actions = ({ core, recalled }) => [
    core || recalled ? button(t("card.edit"), edit, { key: "edit" }) : h("span", { key: "old", class: "tidelore-note" }, t("card.text_gone")),
    newest && button(t("card.again"), again, { key: "again", busy }),
    button(t(sure ? "card.delete_sure" : "card.delete"), remove, {
      key: "delete",
      busy,
      class: sure ? "tidelore-danger" : "",
      on: {
        blur: () => {
          if (!sure) return;
          sure = false;
          redraw();
        },
      },
    }),
  ];

  /** @param {{core: string, recalled: string}} values */
  const editor = (values) =>
    BLOCKS.filter((block) => record?.[block] || block === "recalled").map((block) => {
      const id = `tidelore-card-${index}-${block}`;
      return h("div", { key: block, class: "tidelore-field" }, [
        h("label", { for: id }, t(`block.${block}`)),
        h("textarea", {
          id,
          class: "text_pole",
          rows: Math.min(12, values[block].split("\n").length + 2),
          value: values[block],
          on: {
            input: (/** @type {any} */ event) => {
              values[block] = event.target.value;
              count();
            },
          },
        }),
      ]);
    });

  function edit() {
    if (!record) return;
    form = { core: record.core, recalled: record.recalled };
    tokens = record.tokens;
    redraw();
    element.querySelector("textarea")?.focus();
  }

  function cancel() {
    form = null;
    redraw();
    /** @type {HTMLElement | null} */ (element.querySelector(".tidelore-card-head"))?.focus();
  }

  /** Counts once typing pauses. */
  function count() {
    const mine = ++typed;
    after(async () => {
      if (mine !== typed || !form) return;
      const sum = (await app.host.countTokens(form.core)) + (await app.host.countTokens(form.recalled));
      if (mine !== typed || !form) return;
      tokens = sum;
      redraw();
    }, TYPING_MS);
  }

  /** @param {() => Promise<any>} action */
  async function during(action) {
    if (busy) return false;
    busy = true;
    redraw();
    const done = await attempt(app, action);
    busy = false;
    record = app.record(index);
    if (!record) {
      element.remove();
      return done;
    }
    redraw();
    return done;
  }

  async function save() {
    const given = form;
    if (!given) return;
    if (await during(() => app.editRecord(index, given))) cancel();
  }

  const again = () => during(async () => (await app.recallAgain()) ?? app.host.notify("info", t(app.status().lastRecall?.reason === "whole_chat" ? "injection.whole_chat" : "recall.empty")));

  async function remove() {
    if (!sure) {
      sure = true;
      return redraw();
    }
    sure = false;
    await during(() => app.editRecord(index, null));
  }

  return {
    element,
    draw(at, next, isNewest) {
      const state = JSON.stringify([at, next, isNewest]);
      if (state === drawn) return;
      // Another turn's record: what was being typed belongs to the one before.
      if (record && (record.recall !== next.recall || index !== at)) form = null;
      drawn = state;
      index = at;
      record = next;
      newest = isNewest;
      redraw();
    },
  };
}
