// The question before a model reads the chat for the first time, or reads a long one: which model, how much, and what leaves the machine.
import { create, h } from "./dom.js";

/** @typedef {import("../types.js").App} App */

/** From here on a person will notice that it takes its time. */
const LONG = 10;

/** @type {WeakMap<App, Promise<boolean>>} the question that is open */
const asking = new WeakMap();

/**
 * Asks and passes the answer on; a second caller waits for the same answer. Closing the dialog is "not now".
 * @param {App} app
 * @returns {Promise<boolean>} whether the model may read
 */
export function askConsent(app) {
  const open = asking.get(app) ?? ask(app).finally(() => asking.delete(app));
  asking.set(app, open);
  return open;
}

/** @param {App} app */
async function ask(app) {
  const { t } = app.text;
  const { windows, tokens, model } = await app.estimate();
  const facts = [
    [t("consent.model"), model || t("consent.model_unknown")],
    [t("consent.windows"), String(windows)],
    [t("consent.tokens"), windows ? t("consent.about", { tokens: tokens.toLocaleString(app.text.language) }) : "0"],
  ];
  const content = create(
    h("div", { class: "tidelore-dialog" }, [
      h("h3", null, t("consent.title")),
      h("p", null, t("consent.why")),
      h(
        "dl",
        { class: "tidelore-facts" },
        facts.map(([label, value]) => h("div", { key: label }, h("dt", null, label), h("dd", null, value))),
      ),
      !windows && h("p", null, t("consent.nothing_due")),
      windows > LONG && h("p", null, t("consent.long")),
      h("p", null, leaves(app)),
      h("p", null, t("consent.without")),
    ]),
  );
  const agreed = await app.host.ask(content, { ok: t("consent.agree"), cancel: t("consent.not_now"), cautious: true });
  await app.agree(agreed);
  return agreed;
}

/** Which words go where. @param {App} app */
function leaves({ settings, text: { t } }) {
  const { use, url } = settings.model;
  if (use === "endpoint") return t("consent.leaves.endpoint", { url });
  if (use === "sidecar") return t("consent.leaves.sidecar", { url: settings.sidecar.url });
  return t("consent.leaves.connection");
}
