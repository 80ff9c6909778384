// What was changed by hand, by tools and by upkeep, newest first: each can be taken back, and brought back.
import { h } from "../ui/dom.js";
import { button } from "../ui/fields.js";
import { attempt } from "../ui/view.js";
import { createLoad } from "./load.js";
import { EDGE_TYPES, edgeText } from "./parts.js";

/** Marks by the change that sets them and the one that takes them away. @type {Record<string, [string, string]>} */
const SWITCHES = { pinned: ["pin", "unpin"], archived: ["archive", "unarchive"], private: ["private", "public"] };

/**
 * @typedef {import("./parts.js").Desk} Desk
 * @typedef {{field: string, before: any, after: any}} FieldChange
 * @typedef {{change: string, text: string, subject: string, edits: FieldChange[]}} Told a change in the engine's words
 * @typedef {Told & {commit: string, at: number, author: string, node: string, undone: boolean, undo: string, waiting: boolean}} Change
 */

export const CHANGES = ["edit", "hide", "write", "link", "alias", "merge", "split", "pin", "unpin", "archive", "unarchive", "private", "public", "decide", "import", "upkeep"];
const PAGE = 20;

/** Each thing that was done, once: marking private unpins as well. @param {import("../types.js").App} app @param {Told} change */
export function changeName({ text: { t } }, { change, edits = [] }) {
  const names = [change, ...edits.flatMap(({ field, after }) => SWITCHES[field]?.[after ? 0 : 1] ?? [])];
  return [...new Set(names)].map((name) => (CHANGES.includes(name) ? t(`change.${name}`) : name)).join(t("list.comma"));
}

/** A line for each field that reads otherwise since; marks are said by the name. @param {import("../types.js").App} app @param {Told} change */
export function fieldChanges({ text: { t } }, { edits = [] }) {
  /** @param {any} value */
  const plain = (value) => (value === null ? t("changes.nothing") : Array.isArray(value) ? value.map(String).join(t("list.comma")) : String(value));
  return edits
    .filter(({ field }) => !(field in SWITCHES))
    .map(({ field, before, after }) =>
      h("span", { key: field, class: "tidelore-dim tidelore-row-text" }, t("changes.edit", { field: ["text", "name"].includes(field) ? t(`node.${field}`) : field, before: plain(before), after: plain(after) })),
    );
}

/** @param {Desk} desk @param {() => void} redraw */
export function changeSection({ app, data, go, say }, redraw) {
  const { t } = app.text;
  /** The memory that was changed, as it reads now; else what the change itself says. @param {Change} change */
  const subject = ({ node, text, change, subject: said }) =>
    data.get()?.byId.get(node)?.text || said || (change === "link" && EDGE_TYPES.includes(text) ? edgeText(app, { type: text, label: "" }) : text);
  /** @type {Change[]} those of the pages before */
  let earlier = [];
  let next = "";
  let busy = false;
  /** @type {ReturnType<typeof createLoad<{changes: Change[], total: number, next: string}>>} */
  const load = createLoad(app, redraw, async (chat) => {
    const found = await app.call("undo.list", { chat, limit: PAGE });
    earlier = [];
    next = found.next;
    return found;
  });

  async function more() {
    if (busy) return;
    busy = true;
    await attempt(app, async () => {
      const found = await app.call("undo.list", { before: next, limit: PAGE });
      earlier = [...earlier, ...found.changes];
      next = found.next;
    });
    busy = false;
    redraw();
  }

  /** @param {Change} change */
  async function turn({ commit, undone, undo }) {
    if (busy) return;
    busy = true;
    redraw();
    await attempt(app, async () => {
      // Undoing an undo is a redo.
      await app.call("undo", { commit: undone ? undo : commit });
      say(t(undone ? "changes.redone" : "panel.undone"));
      data.renew();
      load.renew();
    });
    busy = false;
    redraw();
  }

  return () => {
    const { chat, stats } = app.status();
    if (!chat || chat.off) return null;
    const found = load.get(chat.chat, stats, data.version());
    const shown = [...(found?.changes ?? []), ...earlier];
    return h("section", { key: "changes", "aria-labelledby": "tidelore-changes-title" }, [
      h("h4", { id: "tidelore-changes-title" }, t("changes.title")),
      load.fault() && h("p", { key: "fault", class: "tidelore-bad" }, load.fault()),
      found && !shown.length ? h("p", { key: "none", class: "tidelore-note" }, t("changes.none")) : null,
      h(
        "ul",
        { key: "list", class: "tidelore-list" },
        shown.map((change) =>
          h("li", { key: change.commit, class: `tidelore-change ${change.undone ? "tidelore-faded" : ""}`.trim() }, [
            h("button", { key: "what", type: "button", class: "tidelore-edge", on: { click: () => change.node && go({ node: change.node }) } }, [
              h("span", { class: "tidelore-dim" }, t("changes.line", { change: changeName(app, change), author: t(`author.${change.author}`), when: when(app, change.at) })),
              h("span", { class: "tidelore-row-text" }, subject(change)),
              fieldChanges(app, change),
            ]),
            change.waiting && h("span", { key: "waits", class: "tidelore-busy" }, t("changes.waits")),
            button(t(change.undone ? "changes.redo" : "panel.undo"), () => turn(change), { key: "turn", busy, "aria-label": `${t(change.undone ? "changes.redo" : "panel.undo")}: ${subject(change)}` }),
          ]),
        ),
      ),
      next && button(t("changes.more"), more, { key: "more", busy }),
    ]);
  };
}

/** A time as people of this language write it; "" where there is none. @param {import("../types.js").App} app @param {number} at ms since 1970 */
export const when = ({ text: { language } }, at) => (at ? new Date(at).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" }) : "");
