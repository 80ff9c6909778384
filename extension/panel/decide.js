// Memories that contradict or repeat each other, two at a time: a person decides what holds.
import { h } from "../ui/dom.js";
import { button } from "../ui/fields.js";
import { attempt } from "../ui/view.js";
import { createLoad } from "./load.js";
import { closed, drawnTab, kindChip, sign } from "./parts.js";

/**
 * @typedef {import("./parts.js").Desk} Desk
 * @typedef {{node: string, kind: string, sub: string, text: string, state: string, speakers: string[], first: number | null, messages: {index: number | null, role: string, name: string, text: string, quote: string}[]}} Side
 * @typedef {{id: string, kind: string, reason: string, about: string, attribute: string, likeness: number, old: Side, new: Side, choices: string[]}} Card
 */

export const CHOICES_OF_CARD = ["keep_old", "keep_new", "keep_both", "merge"];
export const CARD_KINDS = ["conflict", "duplicate"];
export const CARD_REASONS = ["speakers", "message", "words", "meaning", "name", "doubt"];
// A finger that goes so far sideways means the next card.
const SWIPE = 60;

/** @param {Desk} desk */
export function decideTab(desk) {
  const { app, data } = desk;
  const { t } = app.text;
  let at = 0;
  let busy = false;
  /** @type {string | null} what the one memory is to say, while a merge is written */
  let merging = null;
  /** The card that it is written for: it is for no other, nor for one of another chat. */
  let mergingOf = "";
  let from = 0;
  /** @type {ReturnType<typeof createLoad<{cards: Card[], total: number, degraded: string[]}>>} */
  let load;

  const tab = drawnTab(app, "decide", (redraw) => {
    load = createLoad(app, redraw, (chat) => app.call("cards.list", { chat }));
    return () => draw(redraw);
  });

  /** @param {Card} card @param {string} choice @param {() => void} redraw */
  async function decide(card, choice, redraw) {
    if (busy) return;
    if (choice === "merge" && merging === null) {
      merging = card.new.text;
      mergingOf = card.id;
      redraw();
      /** @type {HTMLElement | null} */ (tab.element.querySelector("textarea"))?.focus();
      return;
    }
    busy = true;
    const chat = app.status().chat?.chat;
    redraw();
    await attempt(app, async () => {
      const text = choice === "merge" ? { text: (merging ?? "").trim() } : {};
      const { commit } = await app.call("cards.decide", { card: card.id, choice, ...text });
      merging = null;
      desk.say(t(`decide.done.${choice}`), async () => {
        await app.call("undo", { chat, commit });
        changed();
      });
      changed();
    });
    busy = false;
    redraw();
    /** @type {HTMLElement | null} */ (tab.element.querySelector(".tidelore-decision"))?.focus();
  }

  function changed() {
    load.renew();
    data.renew();
  }

  /** @param {number} to @param {number} count @param {() => void} redraw */
  function turn(to, count, redraw) {
    at = (to + count) % Math.max(1, count);
    merging = null;
    redraw();
  }

  /** @param {() => void} redraw */
  function draw(redraw) {
    const none = closed(app);
    if (none) return none;
    const { chat, stats } = app.status();
    const found = load.get(chat?.chat, stats, data.version());
    if (!found) return load.fault() ? h("div", { class: "tidelore-empty" }, [h("p", { class: "tidelore-bad" }, load.fault()), button(t("jobs.retry"), load.renew)]) : h("p", { class: "tidelore-empty", role: "status" }, t("memories.loading"));
    const { cards, total } = found;
    if (!cards.length) return h("div", { class: "tidelore-empty" }, [h("p", null, t("decide.none")), h("p", { class: "tidelore-note" }, t("decide.none_why"))]);
    at = Math.min(at, cards.length - 1);
    const card = /** @type {Card} */ (cards[at]);
    if (card.id !== mergingOf) merging = null;
    return [
      h("div", { key: "bar", class: "tidelore-line tidelore-decide-bar" }, [
        h("h4", { class: "tidelore-grow" }, heading(card)),
        h("span", { role: "status", class: "tidelore-dim tidelore-number" }, t("decide.count", { n: at + 1, all: total })),
        h("span", { class: "tidelore-pair" }, [
          h("button", { key: "back", type: "button", class: "tidelore-sign-button", "aria-label": t("decide.back"), title: t("decide.back"), on: { click: () => turn(at - 1, cards.length, redraw) } }, sign("back")),
          h("button", { key: "next", type: "button", class: "tidelore-sign-button", "aria-label": t("decide.next"), title: t("decide.next"), on: { click: () => turn(at + 1, cards.length, redraw) } }, sign("next")),
        ]),
      ]),
      h("p", { key: "why", class: "tidelore-note" }, why(card)),
      h(
        "div",
        {
          key: "card",
          class: "tidelore-decision",
          role: "group",
          tabindex: -1,
          "aria-label": heading(card),
          on: {
            touchstart: (/** @type {any} */ event) => void (from = event.changedTouches[0].clientX),
            touchend: (/** @type {any} */ event) => {
              const moved = event.changedTouches[0].clientX - from;
              if (merging === null && Math.abs(moved) > SWIPE) turn(at + (moved < 0 ? 1 : -1), cards.length, redraw);
            },
          },
        },
        [side(card.old, "old"), side(card.new, "new")],
      ),
      merging !== null &&
        h("div", { key: "merge", class: "tidelore-field" }, [
          h("label", { for: "tidelore-merge-text" }, t("decide.merge_text")),
          h("textarea", { id: "tidelore-merge-text", class: "text_pole", rows: 3, value: merging, on: { input: (/** @type {any} */ event) => void (merging = event.target.value) } }),
        ]),
      h(
        "div",
        { key: "choices", class: "tidelore-choices" },
        merging === null
          ? CHOICES_OF_CARD.filter((choice) => card.choices.includes(choice)).map((choice) =>
              h("button", { key: choice, type: "button", class: "menu_button tidelore-button", "aria-disabled": busy ? "true" : null, "aria-keyshortcuts": key(choice), on: { click: () => decide(card, choice, redraw) } }, [
                h("kbd", { class: "tidelore-dim tidelore-key", "aria-hidden": "true" }, key(choice)),
                t(`decide.${choice}`),
              ]),
            )
          : [
              button(t("decide.merge_do"), () => decide(card, "merge", redraw), { busy, class: "tidelore-main" }),
              button(t("node.cancel"), () => {
                merging = null;
                redraw();
              }),
            ],
      ),
    ];
  }

  const key = (/** @type {string} */ choice) => String(CHOICES_OF_CARD.indexOf(choice) + 1);

  /** @param {Card} card */
  function heading({ kind, about, attribute }) {
    const what = CARD_KINDS.includes(kind) ? t(`decide.${kind}`) : kind;
    return about ? t("decide.about", { what, about: [about, attribute].filter(Boolean).join(t("list.between")) }) : what;
  }

  /** @param {Card} card */
  const why = ({ reason, likeness }) => (CARD_REASONS.includes(reason) ? t(`decide.reason.${reason}`, { share: Math.round(100 * likeness) }) : reason);

  /** @param {Side} shown @param {"old" | "new"} which */
  function side({ node, kind, text, speakers, messages }, which) {
    return h("section", { key: which, class: "tidelore-side", "aria-label": t(`decide.${which}`) }, [
      h("p", { key: "head", class: "tidelore-line" }, [h("span", { class: "tidelore-dim" }, t(`decide.${which}`)), kindChip(app, kind)]),
      h("button", { key: "text", type: "button", class: "tidelore-edge tidelore-side-text", on: { click: () => desk.go({ node }) } }, h("span", { class: "tidelore-row-text" }, text)),
      speakers.length > 0 && h("p", { key: "who", class: "tidelore-note" }, t("decide.said_by", { who: speakers.join(t("list.comma")) })),
      messages.map(({ index, role, name, text: words, quote }, place) => {
        const floor = index === null ? -1 : app.floor(index);
        return h("figure", { key: place, class: "tidelore-quote" }, [
          h("figcaption", null, [h("b", null, name || t(`role.${role}`)), floor < 0 ? h("span", { class: "tidelore-dim" }, t("node.gone")) : h("button", { type: "button", class: "tidelore-link", on: { click: () => desk.jump(floor) } }, [t("node.floor", { floor }), sign("go")])]),
          h("blockquote", null, quote || words),
        ]);
      }),
    ]);
  }

  tab.element.addEventListener("keydown", (event) => {
    const found = load.get(app.status().chat?.chat, app.status().stats, data.version());
    const card = found?.cards[at];
    const target = /** @type {HTMLElement} */ (event.target);
    if (!found || !card || event.ctrlKey || event.metaKey || event.altKey || target.matches("input, textarea, select")) return;
    const choice = CHOICES_OF_CARD[Number(event.key) - 1];
    if (choice && card.choices.includes(choice)) {
      event.preventDefault();
      void decide(card, choice, tab.redraw);
    }
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (way) turn(at + way, found.cards.length, tab.redraw);
  });

  return {
    ...tab,
    back() {
      if (merging === null) return false;
      merging = null;
      tab.redraw();
      return true;
    },
  };
}
