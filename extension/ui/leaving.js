// What stays when the extension is taken out.
import { create, h } from "./dom.js";

/** @typedef {{memories: boolean, settings: boolean}} Kept what is to stay; keys belong to the settings */

/**
 * Asks what to keep. Nothing is lost without a yes: whoever closes the dialog keeps everything.
 * @param {Pick<import("../types.js").App, "text" | "host">} app
 * @returns {Promise<Kept>}
 */
export async function askLeaving({ text: { t }, host }) {
  /** @type {Kept} */
  const keep = { memories: true, settings: true };
  const content = create(
    h("div", { class: "tidelore-dialog" }, [
      h("h3", null, t("leaving.title")),
      h("p", null, t("leaving.chats_stay")),
      /** @type {const} */ (["memories", "settings"]).map((name) =>
        h("label", { key: name, class: "checkbox_label", for: `tidelore-leaving-${name}` }, [
          h("input", { id: `tidelore-leaving-${name}`, type: "checkbox", checked: keep[name], on: { change: (/** @type {any} */ event) => void (keep[name] = event.target.checked) } }),
          h("span", null, t(`leaving.keep.${name}`)),
        ]),
      ),
      h("p", { class: "tidelore-note" }, t("leaving.for_good")),
    ]),
  );
  const agreed = await host.ask(content, { ok: t("leaving.go"), cancel: t("leaving.keep_all") });
  return agreed ? { ...keep } : { memories: true, settings: true };
}
