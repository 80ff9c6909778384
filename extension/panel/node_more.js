// What can be done with a memory beside editing it: pin, archive, mark private, merge, split. Each can be taken back.
import { h } from "../ui/dom.js";
import { button } from "../ui/fields.js";
import { searchField } from "./parts.js";
import { nodePurge } from "./purging.js";
import { filtered } from "./memories_data.js";

/**
 * @typedef {import("./parts.js").Desk} Desk
 * @typedef {import("./memories_data.js").MemoryNode} MemoryNode
 * @typedef {import("./memories_data.js").Memories} Memories
 * @typedef {{pinned: boolean, private: boolean}} Marks
 */

const OFFERED = 8;

/**
 * @param {Desk} desk
 * @param {() => void} redraw
 * @param {(method: string, params: object, said: string) => Promise<boolean>} change with a way back
 */
export function nodeMore(desk, redraw, change) {
  const { app } = desk;
  const { t } = app.text;
  /** @type {"" | "merge" | "split"} */
  let doing = "";
  let of = "";
  let typed = "";
  let chosen = "";
  let parts = ["", ""];
  const purge = nodePurge(desk, redraw);

  /** @param {"" | "merge" | "split"} what @param {MemoryNode} node */
  function begin(what, node) {
    doing = what;
    typed = "";
    chosen = "";
    parts = what === "split" ? halves(node.text) : ["", ""];
    redraw();
  }

  /** @param {MemoryNode} node @param {Memories} memories */
  function mergeForm(node, memories) {
    const query = typed.trim() || String(node.fields["name"] ?? "").split(/\s/)[0] || "";
    const others = filtered(memories, { query, kind: node.kind, state: "" }).filter(({ id }) => id !== node.id);
    const other = memories.byId.get(chosen);
    return h("section", { key: "merge", class: "tidelore-result", "aria-labelledby": "tidelore-merge-title" }, [
      h("h4", { id: "tidelore-merge-title" }, t("node.merge_title")),
      h("p", { class: "tidelore-note" }, t("node.merge_hint")),
      searchField(app, typed, (text) => {
        typed = text;
        desk.soon(redraw);
      }),
      h(
        "ul",
        { key: "others", class: "tidelore-list" },
        others.slice(0, OFFERED).map(({ id, text }) =>
          h("li", { key: id }, h("label", { class: "checkbox_label" }, [h("input", { type: "radio", name: "tidelore-merge-with", checked: id === chosen, on: { change: () => ((chosen = id), redraw()) } }), h("span", null, text)])),
        ),
      ),
      !others.length && h("p", { key: "none", class: "tidelore-note" }, t("memories.none_found")),
      h("div", { key: "actions", class: "tidelore-actions" }, [
        other && button(t("node.merge_do"), () => done(change("node.merge", { keep: node.id, others: [other.id] }, t("node.merged"))), { class: "tidelore-main" }),
        button(t("node.cancel"), () => begin("", node)),
      ]),
    ]);
  }

  /** @param {MemoryNode} node */
  const splitForm = (node) =>
    h("section", { key: "split", class: "tidelore-result", "aria-labelledby": "tidelore-split-title" }, [
      h("h4", { id: "tidelore-split-title" }, t("node.split_title")),
      h("p", { class: "tidelore-note" }, t("node.split_hint")),
      parts.map((part, at) =>
        h("div", { key: at, class: "tidelore-field" }, [
          h("label", { for: `tidelore-part-${at}` }, t("node.part", { n: at + 1 })),
          h("textarea", { id: `tidelore-part-${at}`, class: "text_pole", rows: 3, value: part, on: { input: (/** @type {any} */ event) => void (parts[at] = event.target.value) } }),
        ]),
      ),
      h("div", { key: "actions", class: "tidelore-actions" }, [
        button(t("node.split_do"), () => split(node), { class: "tidelore-main" }),
        button(t("node.split_more"), () => {
          parts = [...parts, ""];
          redraw();
        }),
        button(t("node.cancel"), () => begin("", node)),
      ]),
    ]);

  /** @param {MemoryNode} node */
  function split(node) {
    const texts = parts.map((part) => part.trim()).filter(Boolean);
    if (texts.length < 2) return desk.say(t("node.split_two"));
    return done(change("node.split", { node: node.id, texts }, t("node.was_split")));
  }

  /** @param {Promise<boolean>} well */
  async function done(well) {
    if (await well) doing = "";
    redraw();
  }

  return {
    /** @param {MemoryNode} node @param {Marks | null} marks */
    buttons(node, marks) {
      const archived = node.state === "archived";
      /** What goes aside is pinned no more. @param {string} done */
      const said = (done) => (marks?.pinned && ["node.archive", "node.private"].includes(done) ? t("node.unpinned_too") : "");
      const turn = (/** @type {boolean} */ on, /** @type {string} */ method, /** @type {string} */ back) => () =>
        change(on ? back : method, { node: node.id }, [t(`node.done.${(on ? back : method).split(".")[1]}`), said(on ? back : method)].filter(Boolean).join(" "));
      return [
        button(t(marks?.pinned ? "node.unpin" : "node.pin"), turn(marks?.pinned ?? false, "node.pin", "node.unpin"), { key: "pin" }),
        button(t(archived ? "node.unarchive" : "node.archive"), turn(archived, "node.archive", "node.unarchive"), { key: "archive" }),
        button(t(marks?.private ? "node.public" : "node.private"), turn(marks?.private ?? false, "node.private", "node.public"), { key: "private" }),
        button(t("node.merge"), () => begin("merge", node), { key: "merge" }),
        node.kind !== "entity" && button(t("node.split"), () => begin("split", node), { key: "split" }),
        purge.button(node.id),
      ];
    },

    /** Forgetting for good, with what became of it once the memory is gone. @param {string} id */
    purge: (id) => purge.draw(id),

    /** What is being done with it. @param {MemoryNode} node @param {Memories} memories */
    form(node, memories) {
      if (of !== node.id) {
        of = node.id;
        doing = "";
      }
      if (doing === "merge") return mergeForm(node, memories);
      return doing === "split" ? splitForm(node) : null;
    },
  };
}

/** A text in two, where a sentence ends near its middle. @param {string} text @returns {string[]} */
export function halves(text) {
  const ends = [...text.matchAll(/[.!?。！？；;]["”’」』)）]?\s*/g)].map(({ index, 0: found }) => index + found.length).filter((at) => at < text.length);
  const middle = text.length / 2;
  const at = ends.sort((one, other) => Math.abs(one - middle) - Math.abs(other - middle))[0];
  return at === undefined ? [text, ""] : [text.slice(0, at).trim(), text.slice(at).trim()];
}
