// Pairing with a sidecar: the short code, how it goes, and how it ended.
import { h } from "./dom.js";
import { button, faultOfUrl } from "./fields.js";

/**
 * @param {import("../types.js").App} app
 * @param {import("./fields.js").Fields} fields
 * @param {() => void} redraw
 * @returns {() => import("./dom.js").Described}
 */
export function sidecarSection(app, fields, redraw) {
  const { t } = app.text;
  let code = "";
  let fault = "";
  let busy = false;

  async function pair() {
    if (busy) return;
    busy = true;
    code = fault = "";
    redraw();
    try {
      code = await app.pair();
    } catch (error) {
      fault = app.text.error(error);
    }
    busy = false;
    redraw();
  }

  return () => {
    const { use } = app.settings.sidecar;
    const { sidecar: state, sidecarProblem: problem } = app.status();
    return h("section", { key: "sidecar", "aria-labelledby": "tidelore-sidecar-title" }, [
      h("h4", { id: "tidelore-sidecar-title" }, t("sidecar.title")),
      fields.toggle("sidecar.use", { hint: t("sidecar.hint") }),
      use && fields.text("sidecar.url", { check: (value) => (value ? faultOfUrl(app, value) : t("field.url_wanted")) }),
      use &&
        h("div", { key: "pairing", role: "status" }, [
          code && state === "pairing" && h("p", { key: "code" }, t("sidecar.confirm"), " ", h("output", { class: "tidelore-code" }, code)),
          h("p", { key: "state", class: fault || state === "refused" || state === "unreachable" ? "tidelore-bad" : "tidelore-note" }, fault || t(`sidecar.${state}`)),
          !fault && problem && h("p", { key: "problem", class: "tidelore-note" }, problem),
        ]),
      use && h("div", { key: "actions", class: "tidelore-actions" }, button(t(state === "connected" ? "sidecar.pair_again" : "sidecar.pair"), pair, { key: "pair", busy })),
    ]);
  };
}
