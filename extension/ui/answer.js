// The answer of a command, for a person who typed it: a line as a notice, more of it in a dialog.
import { create, h } from "./dom.js";

const LINE = 160;

/**
 * @param {import("../types.js").App} app
 * @param {string} title
 * @param {string} answer
 */
export function showAnswer(app, title, answer) {
  if (answer.length <= LINE && !answer.includes("\n")) return app.host.notify("info", answer);
  const content = create(
    h("div", { class: "tidelore-dialog" }, [h("h3", null, title), h("pre", { class: "tidelore-raw", tabindex: 0, "aria-label": title }, answer)]),
  );
  void app.host.ask(content, { ok: app.text.t("answer.close"), wide: true });
}
