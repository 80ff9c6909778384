// What became of a memory: its versions, when it was last recalled and why, and who knows it.
import { h } from "../ui/dom.js";
import { when } from "./changes.js";
import { createLoad } from "./load.js";
import { reasonText } from "./parts.js";

/**
 * @typedef {import("./parts.js").Desk} Desk
 * @typedef {{commit: string, author: string, maker: string, at: number, change: string, text: string, fields: Record<string, any>, window: number[], live: boolean, why_not: string}} Version
 * @typedef {{recall: string, at: number, query: string, taken: boolean, reason: string, score: number}} LastRecall
 * @typedef {{pinned: boolean, private: boolean, known_by: string[], held_by: string, present: string[], recalled: LastRecall | null, delivered: {at: number, window: string, times: number} | null}} Why
 */

export const WHY_NOT = ["undone", "waiting", "not on screen", "replaced"];

/** @param {Desk} desk @param {() => void} redraw */
export function nodeStory({ app, data }, redraw) {
  const { t } = app.text;
  /** @type {ReturnType<typeof createLoad<Why>>} */
  const why = createLoad(app, redraw, (node) => app.call("node.why", { node }));
  /** @type {ReturnType<typeof createLoad<{versions: Version[]}>>} */
  const history = createLoad(app, redraw, (node) => app.call("node.history", { node }));

  /** @param {Why} found */
  function known({ known_by: by, held_by: held, present, recalled, delivered }) {
    /** @type {[string, string, string][]} */
    const rows = [];
    rows.push(["who", t("story.known_by"), by.length ? by.join(t("list.comma")) : t("story.everyone")]);
    if (held) rows.push(["held", t("story.held_by"), held]);
    if (present.length) rows.push(["present", t("story.present"), present.join(t("list.comma"))]);
    rows.push(["recalled", t("story.recalled"), recalled ? t(recalled.taken ? "story.taken" : "story.left", { when: when(app, recalled.at), why: reasonText(app, recalled.reason), query: recalled.query }) : t("story.never")]);
    rows.push(["delivered", t("story.delivered"), delivered ? t("story.times", { n: delivered.times, when: when(app, delivered.at) }) : t("story.never")]);
    return h("section", { key: "known", "aria-labelledby": "tidelore-known-title" }, [
      h("h4", { id: "tidelore-known-title" }, t("story.title")),
      h("dl", { class: "tidelore-facts" }, rows.map(([key, label, value]) => h("div", { key }, h("dt", null, label), h("dd", null, value)))),
    ]);
  }

  /** @param {Version[]} versions */
  const past = (versions) =>
    h("details", { key: "history" }, [
      h("summary", null, t("story.history", { n: versions.length })),
      h(
        "ol",
        { class: "tidelore-list" },
        versions.map(({ commit, author, at, text, live, why_not: not }, place) =>
          h("li", { key: `${commit}-${place}`, class: live ? "" : "tidelore-faded" }, [
            h("p", { class: "tidelore-dim" }, t("story.version", { author: t(`author.${author}`), when: when(app, at) })),
            h("p", { class: "tidelore-row-text" }, text),
            !live && not ? h("p", { class: "tidelore-note" }, WHY_NOT.includes(not) ? t(`story.not.${not.replaceAll(" ", "_")}`) : not) : null,
          ]),
        ),
      ),
    ]);

  return {
    /** @param {string} node */
    draw(node) {
      const found = why.get(node, app.status().stats, data.version());
      const all = history.get(node, app.status().stats, data.version());
      return [found && known(found), all && all.versions.length > 0 ? past(all.versions) : null];
    },
  };
}
