// Memories as a file, out and in. What a file would bring is shown before anything is written.
import { h } from "../ui/dom.js";
import { button } from "../ui/fields.js";
import { attempt } from "../ui/view.js";
import { kindChip } from "./parts.js";

/**
 * @typedef {import("./parts.js").Desk} Desk
 * @typedef {{format: string, dry: boolean, commit: string, nodes: number, edges: number, messages: number, known: number, left_out: Record<string, number>, sample: {kind: string, text: string, new: boolean}[], notes: string[]}} Brought
 */

export const FORMATS = ["tidelore", "markdown", "jsonl"];
const MOST_BYTES = 48 << 20;

/** @param {Desk} desk @param {() => void} redraw */
export function fileSection({ app, data, say }, redraw) {
  const { t } = app.text;
  let format = "tidelore";
  let secret = false;
  let busy = false;
  /** @type {{name: string, text: string} | null} */
  let file = null;
  /** @type {Brought | null} what it would bring */
  let would = null;

  /** @param {() => Promise<any>} run */
  async function during(run) {
    if (busy) return;
    busy = true;
    redraw();
    await attempt(app, run);
    busy = false;
    redraw();
  }

  const save = () =>
    during(async () => {
      const { name, text, nodes } = await app.call("export", { format, private: secret });
      download(name, text);
      say(t("files.saved", { name, n: nodes }));
    });

  /** @param {any} event */
  const choose = ({ target }) =>
    during(async () => {
      const chosen = target.files?.[0];
      target.value = "";
      would = null;
      file = null;
      if (!chosen) return;
      if (chosen.size > MOST_BYTES) throw new Error(t("files.too_large"));
      file = { name: chosen.name, text: await chosen.text() };
      would = await app.call("import", { text: file.text, dry: true });
    });

  const bring = () =>
    during(async () => {
      if (!file) return;
      const { commit, nodes } = await app.call("import", { text: file.text });
      file = null;
      would = null;
      say(t("files.brought", { n: nodes }), commit ? () => app.call("undo", { commit }).then(() => data.renew()) : undefined);
      data.renew();
    });

  /** @param {Brought} found */
  const preview = ({ nodes, edges, messages, known, left_out: left, sample, notes }) =>
    h("div", { key: "would", class: "tidelore-result", role: "status" }, [
      h("p", { key: "name" }, h("b", null, file?.name ?? "")),
      h("p", { key: "counts" }, t("files.would", { nodes, edges, messages, known })),
      Object.keys(left).length > 0 && h("p", { key: "left", class: "tidelore-note" }, t("files.left_out", { what: Object.entries(left).map(([why, n]) => `${why} (${n})`).join(t("list.comma")) })),
      notes.map((note, at) => h("p", { key: `note-${at}`, class: "tidelore-note" }, note)),
      h(
        "ul",
        { key: "sample", class: "tidelore-list" },
        sample.map((each, at) => h("li", { key: at, class: each.new ? "" : "tidelore-faded" }, [kindChip(app, each.kind), " ", h("span", { class: "tidelore-row-text" }, each.text)])),
      ),
      h("div", { key: "actions", class: "tidelore-actions" }, [
        nodes + messages > 0 && button(t("files.bring"), bring, { busy, class: "tidelore-main" }),
        button(t("node.cancel"), () => {
          file = null;
          would = null;
          redraw();
        }),
      ]),
    ]);

  return () => {
    const { chat } = app.status();
    if (!chat || chat.off) return null;
    return h("section", { key: "files", "aria-labelledby": "tidelore-files-title" }, [
      h("h4", { id: "tidelore-files-title" }, t("files.title")),
      h("div", { key: "out", class: "tidelore-line" }, [
        h(
          "select",
          { class: "text_pole tidelore-grow", "aria-label": t("files.format"), value: format, on: { change: (/** @type {any} */ event) => ((format = event.target.value), redraw()) } },
          FORMATS.map((name) => h("option", { key: name, value: name }, t(`files.format.${name}`))),
        ),
        button(t("files.save"), save, { busy }),
      ]),
      format !== "tidelore" &&
        h("label", { key: "secret", class: "checkbox_label" }, [h("input", { type: "checkbox", checked: secret, on: { change: (/** @type {any} */ event) => void (secret = event.target.checked) } }), h("span", null, t("files.private"))]),
      h("div", { key: "in", class: "tidelore-field" }, [
        h("label", { for: "tidelore-file" }, t("files.choose")),
        h("input", { id: "tidelore-file", type: "file", class: "text_pole", "aria-describedby": "tidelore-file-hint", on: { change: choose } }),
        h("small", { id: "tidelore-file-hint" }, t("files.hint")),
      ]),
      would && preview(would),
    ]);
  };
}

/** Gives a text to the browser as a file. @param {string} name @param {string} text */
function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
