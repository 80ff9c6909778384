// What went into the last prompt, word for word, how it was chosen, and what another sentence would bring.
import { RANGES, CHOICES } from "../settings.js";
import { h } from "../ui/dom.js";
import { attempt } from "../ui/view.js";
import { deliverySection } from "./deliveries.js";
import { drawnTab, kindChip, reasonText } from "./parts.js";

/**
 * @typedef {import("./parts.js").Desk} Desk
 * @typedef {import("../types.js").RecallRecord} RecallRecord
 *
 * @typedef {{node: string, text: string, score: number, signals: Record<string, number>, taken: boolean, reason: string}} TraceCard
 * @typedef {object} Found as recall.run gives it
 * @property {{node: string, kind: string, text: string, tokens: number, score: number}[]} cards
 * @property {string} core
 * @property {string} recalled
 * @property {number} tokens
 * @property {string[]} degraded
 * @property {{words: string[], names: string[], found: number, cards: TraceCard[]} | null} trace
 *
 * @typedef {{preset: string, budget: number | null, limit: number | null}} Way a recall is made in; null: as the preset says
 */

const BLOCKS = /** @type {const} */ (["core", "recalled"]);
export const SIGNALS = ["spread", "session", "words", "speaker", "date", "answer", "detail", "replies", "asks", "length", "about", "outdated", "importance", "recency", "cosine"];
const SHOWN = 40;
const MOST_CARDS = 200;
// To begin a comparison with, where nothing but the preset says.
const USUAL_BUDGET = 900;

/** @param {Desk} desk */
export const injectionTab = (desk) =>
  drawnTab(desk.app, "injection", (redraw) => {
    const last = lastPrompt(desk, redraw);
    const trial = tryOut(desk, redraw);
    const receipts = deliverySection(desk, redraw);
    // Where the panel is the page, it has put nothing into any prompt itself.
    return () => [desk.alone ? null : last(), trial(), receipts()];
  });

/** @param {Desk} desk @param {() => void} redraw */
function lastPrompt({ app, go }, redraw) {
  const { t } = app.text;
  /** @type {Map<string, number>} tokens by text */
  const counts = new Map();

  /** @param {string} text */
  function tokens(text) {
    if (!text) return 0;
    const known = counts.get(text);
    if (known !== undefined) return known;
    if (counts.size > 20) counts.clear();
    counts.set(text, -1);
    app.host.countTokens(text).then(
      (count) => {
        counts.set(text, count);
        redraw();
      },
      () => {},
    );
    return -1;
  }

  return () => {
    const texts = BLOCKS.map((block) => ({ block, text: app.lastInjected(block) }));
    const record = texts.some(({ text }) => text) ? recordOfLast(app) : null;
    return h("section", { key: "last", "aria-labelledby": "tidelore-last-title" }, [
      h("h4", { id: "tidelore-last-title" }, t("injection.last")),
      texts.every(({ text }) => !text) && h("p", { key: "none", class: "tidelore-note" }, t(app.status().lastRecall?.reason === "whole_chat" ? "injection.whole_chat" : "injection.nothing")),
      texts.map(({ block, text }) => {
        if (!text) return null;
        const count = tokens(text);
        return h("div", { key: block, class: "tidelore-injected" }, [
          h("h5", null, [t(`block.${block}`), h("span", { class: "tidelore-dim tidelore-number" }, count < 0 ? t("injection.counting") : t("injection.tokens", { n: count }))]),
          h("pre", { class: "tidelore-raw", tabindex: 0, "aria-label": t(`block.${block}`) }, text),
        ]);
      }),
      record?.edited && h("p", { key: "edited", class: "tidelore-note" }, t("injection.edited")),
      record && record.cards.length > 0 && h("details", { key: "cards", open: true }, [h("summary", null, t("injection.cards", { n: record.cards.length })), cardList({ app, go }, record.cards)]),
    ]);
  };
}

/** @param {import("../types.js").App} app */
const lastMessage = (app) => app.host.messages().findLast(({ role, hidden }) => role === "user" && !hidden) ?? null;

/** The record that the last prompt was made from. @param {import("../types.js").App} app @returns {RecallRecord | null} */
function recordOfLast(app) {
  const user = lastMessage(app);
  return user ? app.record(user.index) : null;
}

/**
 * @param {Pick<Desk, "app" | "go">} desk
 * @param {{node: string, kind: string, text: string, tokens: number, score: number}[]} cards
 */
const cardList = ({ app, go }, cards) =>
  h(
    "ol",
    { class: "tidelore-list" },
    cards.map(({ node, kind, text, tokens }) =>
      h("li", { key: node }, [
        h("button", { type: "button", class: "tidelore-edge", on: { click: () => go({ node }) } }, [
          h("span", { class: "tidelore-row-text" }, text),
          h("span", { class: "tidelore-row-kind" }, [kindChip(app, kind), h("span", { class: "tidelore-dim" }, app.text.t("injection.card_cost", { tokens }))]),
        ]),
      ]),
    ),
  );

/** @param {Desk} desk @param {() => void} redraw */
function tryOut({ app, go }, redraw) {
  const { t } = app.text;
  let sentence = "";
  let busy = false;
  let second = false;
  /** @type {Way} */
  let other = { preset: "", budget: 0, limit: null };
  /** @type {{way: Way, found: Found}[]} */
  let results = [];
  let chat = "";

  /** @returns {Way} */
  const own = () => ({ preset: app.settings.preset, budget: app.settings.budget || null, limit: null });

  async function run() {
    if (busy) return;
    const query = sentence.trim() || (lastMessage(app)?.text ?? "");
    if (!query) return;
    sentence = query;
    busy = true;
    redraw();
    const asked = chat;
    await attempt(app, async () => {
      const ways = second ? [own(), other] : [own()];
      const found = [];
      // The first as the app would do it; another way is asked of the engine itself. Neither is delivered anywhere.
      for (const [index, way] of ways.entries()) found.push({ way, found: index === 0 ? await app.simulate(query) : await app.call("recall.run", { query, ...way }) });
      if (asked === chat) results = found;
    });
    busy = false;
    redraw();
  }

  const wayFields = () => {
    const limit = (/** @type {any} */ { target }) => void (other = { ...other, limit: Number(target.value) >= 1 ? Math.min(MOST_CARDS, Math.round(Number(target.value))) : null });
    const [least, most] = RANGES["budget"] ?? [0, 100_000];
    return h("div", { key: "way", class: "tidelore-line" }, [
      h("label", { key: "preset", class: "tidelore-grow" }, [
        t("field.preset"),
        h(
          "select",
          { class: "text_pole", value: other.preset, on: { change: (/** @type {any} */ event) => void (other = { ...other, preset: event.target.value }) } },
          (CHOICES["preset"] ?? []).map((value) => h("option", { key: value, value }, t(`preset.${value}`))),
        ),
      ]),
      h("label", { key: "budget", class: "tidelore-grow" }, [
        t("field.budget"),
        h("input", {
          type: "number",
          class: "text_pole",
          min: least,
          max: most,
          value: other.budget,
          on: { change: (/** @type {any} */ event) => void (other = { ...other, budget: Math.min(Math.max(Math.round(Number(event.target.value)) || least, least), most) }) },
        }),
      ]),
      h("label", { key: "limit", class: "tidelore-grow" }, [
        t("injection.limit"),
        h("input", { type: "number", class: "text_pole", min: 1, max: MOST_CARDS, placeholder: t("injection.limit_preset"), value: other.limit ?? "", on: { change: limit } }),
      ]),
    ]);
  };

  return () => {
    const now = app.status().chat?.chat ?? "";
    if (now !== chat) {
      // What another chat recalled is not there to be opened in this one.
      if (chat) [sentence, results] = ["", []];
      chat = now;
    }
    return h("section", { key: "try", "aria-labelledby": "tidelore-try-title" }, [
      h("h4", { id: "tidelore-try-title" }, t("injection.try")),
      h("p", { class: "tidelore-note" }, t("injection.try_hint")),
      h(
        "form",
        {
          key: "form",
          on: {
            submit: (/** @type {any} */ event) => {
              event.preventDefault();
              void run();
            },
          },
        },
        [
          h("div", { class: "tidelore-line" }, [
            h("input", {
              type: "text",
              class: "text_pole",
              "aria-label": t("injection.sentence"),
              placeholder: lastMessage(app)?.text || t("injection.sentence"),
              autocomplete: "off",
              value: sentence,
              on: { input: (/** @type {any} */ event) => void (sentence = event.target.value) },
            }),
            h("button", { type: "submit", class: "menu_button tidelore-button tidelore-main", "aria-disabled": busy ? "true" : null }, t(busy ? "injection.running" : "injection.run")),
          ]),
          h("label", { class: "checkbox_label" }, [
            h("input", {
              type: "checkbox",
              checked: second,
              on: {
                change: (/** @type {any} */ event) => {
                  second = event.target.checked;
                  if (second && !other.preset) other = { preset: (CHOICES["preset"] ?? []).find((name) => name !== app.settings.preset) ?? app.settings.preset, budget: app.settings.budget || USUAL_BUDGET, limit: null };
                  redraw();
                },
              },
            }),
            h("span", null, t("injection.beside")),
          ]),
          second && wayFields(),
        ],
      ),
      results.length > 0 &&
        h(
          "div",
          { key: "results", class: "tidelore-beside", role: "status" },
          results.map(({ way, found }, index) => result({ app, go }, way, found, index)),
        ),
    ]);
  };
}

/** @param {Pick<Desk, "app" | "go">} desk @param {Way} way @param {Found} found @param {number} key */
function result({ app, go }, way, found, key) {
  const { t } = app.text;
  const tried = found.trace?.cards ?? [];
  const admitted = tried.filter(({ reason }) => reason !== "weak");
  const cooled = tried.filter(({ reason }) => reason === "cooling");
  const steps = [
    ["found", t("injection.found", { n: found.trace?.found ?? tried.length })],
    ["admitted", t("injection.admitted", { n: admitted.length })],
    ["cooled", t("injection.cooled", { n: cooled.length })],
    ["selected", t("injection.selected", { n: found.cards.length })],
    ["delivered", t("injection.delivered_none")],
  ];
  return h("div", { key, class: "tidelore-result" }, [
    h("h5", null, [way.budget === null ? t(`preset.${way.preset}`) : t("injection.way", { preset: t(`preset.${way.preset}`), budget: way.budget }), h("span", { class: "tidelore-dim tidelore-number" }, t("injection.tokens", { n: found.tokens }))]),
    h("ul", { key: "steps", class: "tidelore-steps" }, steps.map(([step, text]) => h("li", { key: step }, text))),
    found.trace && (found.trace.words.length > 0 || found.trace.names.length > 0)
      ? h("p", { key: "asked", class: "tidelore-note" }, t("injection.asked", { words: [...new Set([...found.trace.names, ...found.trace.words])].join(t("list.comma")) }))
      : null,
    found.degraded.length > 0 && h("p", { key: "degraded", class: "tidelore-bad" }, found.degraded.join(t("list.comma"))),
    BLOCKS.map((block) => found[block] && h("details", { key: block }, [h("summary", null, t(`block.${block}`)), h("pre", { class: "tidelore-raw", tabindex: 0, "aria-label": t(`block.${block}`) }, found[block])])),
    tried.length
      ? h("div", { key: "cards" }, [h("p", { key: "how", class: "tidelore-note" }, t("injection.how")), grouped(tried).map(({ reason, cards }) => group({ app, go }, reason, cards, found.degraded.length > 0))])
      : h("p", { key: "nothing", class: "tidelore-note" }, t("injection.nothing_found")),
  ]);
}

/** Why memories are left, in the order in which a person asks after them; what has no place here comes last. */
const LEFT = ["cooling", "in context", "repeats", "over the limit", "over the budget", "weak"];

/**
 * What became of the candidates: those that were taken, then those that were not, by reason; inside the highest score first.
 * @param {TraceCard[]} tried @returns {{reason: string, cards: TraceCard[]}[]} reason "" for those that were taken
 */
export function grouped(tried) {
  /** @type {Map<string, TraceCard[]>} */
  const groups = new Map([["", []], ...LEFT.map((reason) => /** @type {[string, TraceCard[]]} */ ([reason, []]))]);
  for (const card of tried) {
    const reason = card.taken ? "" : card.reason;
    groups.set(reason, [...(groups.get(reason) ?? []), card]);
  }
  return [...groups].filter(([, cards]) => cards.length).map(([reason, cards]) => ({ reason, cards: [...cards].sort((one, other) => other.score - one.score) }));
}

/** @param {Pick<Desk, "app" | "go">} desk @param {string} reason @param {TraceCard[]} cards @param {boolean} degraded by words alone */
function group({ app, go }, reason, cards, degraded) {
  const { t } = app.text;
  // With an embedder a memory has had two ways to come in.
  const why = reason === "weak" && app.status().embedder && !degraded ? t("injection.far") : reasonText(app, reason);
  return h("details", { key: reason || "taken", class: "tidelore-group", open: reason !== "weak" }, [
    h("summary", null, reason ? t("injection.group_left", { why, n: cards.length }) : t("injection.group_taken", { n: cards.length })),
    h("ol", { class: "tidelore-list" }, cards.slice(0, SHOWN).map((card) => traceCard({ app, go }, card))),
  ]);
}

/** @param {Pick<Desk, "app" | "go">} desk @param {TraceCard} card */
function traceCard({ app, go }, { node, text, score, signals, taken, reason }) {
  const { t } = app.text;
  const parts = SIGNALS.filter((name) => Math.abs(signals[name] ?? 0) >= 0.005).map((name) => ({ name, share: signals[name] ?? 0 }));
  const most = Math.max(...parts.map(({ share }) => Math.abs(share)), 0.01);
  return h("li", { key: node, class: taken ? "" : "tidelore-faded" }, [
    h("button", { type: "button", class: "tidelore-edge", on: { click: () => go({ node }) } }, [
      h("span", { class: "tidelore-row-text" }, text),
      taken && h("span", { class: "tidelore-row-kind tidelore-good" }, reasonText(app, reason)),
    ]),
    parts.length > 0 &&
      h("details", { key: "parts" }, [
        h("summary", { class: "tidelore-small" }, t("injection.parts")),
        h("p", { key: "score", class: "tidelore-note" }, t("injection.score", { score: score.toFixed(2) })),
        h(
          "dl",
          { class: "tidelore-parts" },
          parts.map(({ name, share }) =>
            h("div", { key: name }, [
              h("dt", null, t(`signal.${name}`)),
              h("dd", null, [
                h("span", { class: "tidelore-bar-line", "aria-hidden": "true" }, h("span", { class: share < 0 ? "tidelore-minus" : null, style: `width: ${Math.round((100 * Math.abs(share)) / most)}%` })),
                h("span", { class: "tidelore-number" }, `${share < 0 ? "−" : "+"}${Math.abs(share).toFixed(2)}`),
              ]),
            ]),
          ),
        ),
      ]),
  ]);
}
