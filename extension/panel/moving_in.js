// What another memory extension has left within reach of this page: found, looked at, brought in.
import { h } from "../ui/dom.js";
import { button } from "../ui/fields.js";
import { attempt } from "../ui/view.js";
import { createBringing } from "./bringing.js";

/**
 * @typedef {import("./parts.js").Desk} Desk
 * @typedef {import("../moving.js").LeftGraph & {here: boolean}} Left
 */

export const LEFT_PLACES = ["browser", "chat", "files", "backup"];

/** @param {Desk} desk @param {() => void} redraw */
export function movingSection(desk, redraw) {
  const { app } = desk;
  const { t } = app.text;
  const bringing = createBringing(desk, redraw, "tidelore-moving");
  /** @type {Left[] | null} null: not looked for */
  let found = null;
  let busy = false;

  async function look() {
    if (busy || !app.left) return;
    busy = true;
    redraw();
    await attempt(app, async () => {
      const left = (await app.left?.()) ?? [];
      found = [...left.filter(({ here }) => here), ...left.filter(({ here }) => !here)];
    });
    busy = false;
    redraw();
  }

  /** @param {Left} left */
  const nameOf = ({ place, database }) => t(`moving.place.${place}`, { name: database });

  /** @param {Left} left */
  const row = (left) =>
    h("li", { key: `${left.place} ${left.database}`, class: "tidelore-line tidelore-left" }, [
      h("div", { key: "what", class: "tidelore-grow" }, [
        h("div", { class: "tidelore-row-text" }, [nameOf(left), left.here && h("b", { key: "here", class: "tidelore-here" }, t("moving.here"))]),
        h("small", { class: left.problem ? "tidelore-bad" : "tidelore-dim" }, left.problem ? t("moving.problem", { problem: left.problem }) : t("moving.holds", { nodes: left.nodes, edges: left.edges })),
      ]),
      !left.problem && button(t("moving.see"), () => bringing.look(nameOf(left), left.text), { key: "see", busy: bringing.busy(), "aria-label": t("moving.see_it", { name: nameOf(left) }) }),
    ]);

  return () => {
    const { chat } = app.status();
    if (!app.left || !chat || chat.off) return null;
    return h("section", { key: "moving", "aria-labelledby": "tidelore-moving-title" }, [
      h("h4", { id: "tidelore-moving-title" }, t("moving.title")),
      h("p", { key: "what", class: "tidelore-note" }, t("moving.what")),
      h("div", { key: "look", class: "tidelore-actions" }, button(t("moving.look"), look, { busy })),
      h("div", { key: "none", role: "status" }, found?.length === 0 ? t("moving.none") : null),
      found?.length ? h("ul", { key: "found", class: "tidelore-list" }, found.map(row)) : null,
      found?.some(({ here }) => !here) ? h("p", { key: "others", class: "tidelore-note" }, t("moving.others")) : null,
      bringing.draw(),
    ]);
  };
}
