// Memories as a file, out and in. What a file would bring is shown before anything is written.
import { h } from "../ui/dom.js";
import { button } from "../ui/fields.js";
import { createBringing } from "./bringing.js";
import { filePicker } from "./parts.js";

/** @typedef {import("./parts.js").Desk} Desk */

export const FORMATS = ["tidelore", "markdown", "jsonl"];
const MOST_BYTES = 48 << 20;

/** @param {Desk} desk @param {() => void} redraw */
export function fileSection(desk, redraw) {
  const { app, say } = desk;
  const { t } = app.text;
  const bringing = createBringing(desk, redraw, "tidelore-file");
  let format = "tidelore";
  let secret = false;

  const save = () =>
    bringing.during(async () => {
      const { name, text, nodes } = await app.call("export", { format, private: secret });
      download(name, new Blob([text], { type: "text/plain" }));
      say(t("files.saved", { name, n: nodes }));
    });

  /** @param {any} event */
  async function choose({ target }) {
    /** @type {File[]} */
    const chosen = [...(target.files ?? [])];
    if (!chosen.length) return;
    /** @type {string[]} */
    let texts = [];
    const read = await bringing.during(async () => {
      if (chosen.reduce((sum, { size }) => sum + size, 0) > MOST_BYTES) throw new Error(t("files.too_large"));
      texts = await Promise.all(chosen.map((file) => file.text()));
    });
    target.value = "";
    // The files of one sync hold one graph together.
    if (read) await bringing.look(chosen.map(({ name }) => name).join(t("list.comma")), texts.join("\n"));
  }

  return () => {
    const { chat } = app.status();
    if (!chat || chat.off) return null;
    const busy = bringing.busy();
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
        filePicker(app, { id: "tidelore-file", multiple: true, "aria-describedby": "tidelore-file-hint", on: { change: choose } }),
        h("small", { id: "tidelore-file-hint" }, t("files.hint")),
      ]),
      bringing.draw(),
    ]);
  };
}

let given = "";

/** Gives a file to the browser. @param {string} name @param {Blob} file */
export function download(name, file) {
  // The one before has been read by now; this one has yet to be.
  if (given) URL.revokeObjectURL(given);
  given = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = given;
  link.download = name;
  link.click();
}
