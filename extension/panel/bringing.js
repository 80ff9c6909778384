// A text with memories, shown as what it would bring before anything is written.
import { h } from "../ui/dom.js";
import { button } from "../ui/fields.js";
import { attempt } from "../ui/view.js";
import { kindChip } from "./parts.js";

/**
 * @typedef {import("./parts.js").Desk} Desk
 * @typedef {{chat: string, format: string, dry: boolean, commit: string, nodes: number, edges: number, messages: number, commits: number, known: number, left_out: Record<string, number>, sample: {kind: string, text: string, new: boolean}[], notes: string[]}} Brought
 */

/** @param {Desk} desk @param {() => void} redraw @param {string} prefix of its ids */
export function createBringing({ app, data, say, alone }, redraw, prefix) {
  const { t } = app.text;
  let busy = false;
  let name = "";
  let text = "";
  let into = "";
  /** The chat that was open when it was looked at; what it would bring is said of that one. */
  let here = "";
  /** @type {Brought | null} what it would bring */
  let would = null;

  /** @param {() => Promise<any>} run @returns {Promise<boolean>} */
  async function during(run) {
    if (busy) return false;
    busy = true;
    redraw();
    const well = await attempt(app, run);
    busy = false;
    redraw();
    return well;
  }

  const open = () => app.status().chat?.chat ?? "";
  const where = () => (into ? { chat: into } : {});

  async function ask() {
    let taken = false;
    const well = await during(async () => {
      would = null;
      try {
        would = await app.call("import", { ...where(), text, dry: true });
      } catch (/** @type {any} */ error) {
        taken = error?.code === "conflict";
        throw error;
      }
    });
    // What belongs to another conversation may still go into one of its own.
    if (!well && !(taken && alone)) cancel();
  }

  const bring = () =>
    during(async () => {
      const at = where();
      const chat = into || here;
      const { commit, nodes, messages } = await app.call("import", { ...at, text });
      if (into) await app.restored();
      cancel();
      say(t("files.brought", { n: nodes, messages }), commit ? () => app.call("undo", { chat, commit }).then(() => data.renew()) : undefined);
      data.renew();
    });

  function cancel() {
    would = null;
    text = "";
    into = "";
    redraw();
  }

  /** Where several conversations lie side by side, it may become another one. */
  const target = () =>
    h("div", { key: "into", class: "tidelore-field" }, [
      h("label", { for: `${prefix}-into` }, t("files.into")),
      h("input", {
        id: `${prefix}-into`,
        type: "text",
        class: "text_pole",
        autocomplete: "off",
        placeholder: app.status().chat?.title ?? "",
        value: into,
        on: { change: (/** @type {any} */ event) => ((into = event.target.value.trim()), ask()) },
      }),
      h("small", null, t("files.into_hint")),
    ]);

  /** @param {Brought} found */
  const preview = ({ nodes, edges, messages, commits, known, left_out: left, sample, notes }) => [
    h("p", { key: "counts" }, t("files.would", { nodes, edges, messages, known })),
    Object.keys(left).length > 0 && h("p", { key: "left", class: "tidelore-note" }, t("files.left_out", { what: Object.entries(left).map(([why, n]) => `${why} (${n})`).join(t("list.comma")) })),
    notes.map((note, at) => h("p", { key: `note-${at}`, class: "tidelore-note" }, note)),
    nodes + messages + commits === 0 && h("p", { key: "nothing", class: "tidelore-note" }, t("files.nothing_new")),
    h(
      "ul",
      { key: "sample", class: "tidelore-list" },
      sample.map((each, at) => h("li", { key: at, class: each.new ? "" : "tidelore-faded" }, [kindChip(app, each.kind), " ", h("span", { class: "tidelore-row-text" }, each.text)])),
    ),
  ];

  return {
    busy: () => busy,
    during,
    /** Shows what a text would bring. @param {string} of what it is called @param {string} what */
    look(of, what) {
      cancel();
      name = of;
      here = open();
      text = what;
      return ask();
    },
    draw() {
      if (text && !busy && here !== open()) [would, text, into] = [null, "", ""];
      return text
        ? h("div", { key: "would", class: "tidelore-result", role: "status" }, [
            h("p", { key: "name", class: "tidelore-row-text" }, h("b", null, name)),
            alone && target(),
            ...(would ? preview(would) : [busy && h("p", { key: "wait" }, t("files.reading"))]).flat(),
            h("div", { key: "actions", class: "tidelore-actions" }, [
              would && would.nodes + would.messages + would.commits > 0 && button(t("files.bring"), bring, { busy, class: "tidelore-main" }),
              button(t("node.cancel"), cancel),
            ]),
          ])
        : null;
    },
  };
}
