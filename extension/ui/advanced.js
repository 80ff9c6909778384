// What few people need: where the blocks go, how long and how much, where the engine's files come from, and upkeep by hand.
import { CHOICES } from "../settings.js";
import { h } from "./dom.js";
import { button, faultOfUrl } from "./fields.js";
import { orphanSection } from "./orphans.js";
import { sidecarSection } from "./sidecar.js";
import { attempt } from "./view.js";
import { sourceName } from "./words.js";

/**
 * @typedef {import("../types.js").App} App
 * @typedef {import("./fields.js").Fields} Fields
 */

/**
 * @param {App} app @param {Fields} fields @param {() => void} redraw
 * @returns {() => import("./dom.js").Described}
 */
export function advancedSection(app, fields, redraw) {
  const { t } = app.text;
  const sidecar = sidecarSection(app, fields, redraw);
  const orphans = orphanSection(app, redraw);
  return () =>
    h("details", { key: "advanced", class: "tidelore-advanced" }, [
      h("summary", null, t("advanced.title")),
      h("section", { key: "prompt", "aria-labelledby": "tidelore-prompt-title" }, [
        h("h4", { id: "tidelore-prompt-title" }, t("prompt.title")),
        fields.choice("preset", choices(app, "preset"), { hint: t(`preset.hint.${app.settings.preset}`) }),
        fields.number("recallMs", { hint: t("recallMs.hint") }),
        placement(app, fields, "core"),
        placement(app, fields, "recalled"),
      ]),
      h("section", { key: "extraction", "aria-labelledby": "tidelore-extraction-title" }, [
        h("h4", { id: "tidelore-extraction-title" }, t("extraction.title")),
        fields.number("lag", { hint: t("lag.hint") }),
        fields.number("model.exchanges", { hint: t("exchanges.hint") }),
        fields.number("model.answerTokens"),
        fields.number("model.seconds"),
        fields.toggle("model.stream", { hint: t("stream.hint") }),
      ]),
      sidecar(),
      h("section", { key: "mirror", "aria-labelledby": "tidelore-mirror-title" }, [
        h("h4", { id: "tidelore-mirror-title" }, t("status.mirror")),
        fields.toggle("mirror", { hint: t("mirror.hint") }),
      ]),
      h("section", { key: "runtime", "aria-labelledby": "tidelore-runtime-title" }, [
        h("h4", { id: "tidelore-runtime-title" }, t("runtime.title")),
        sources(app),
        cdns(app, fields),
        h("div", { key: "actions", class: "tidelore-actions" }, button(t("runtime.restart"), () => attempt(app, () => app.restart()))),
      ]),
      h("section", { key: "upkeep", "aria-labelledby": "tidelore-upkeep-title" }, [
        h("h4", { id: "tidelore-upkeep-title" }, t("upkeep.title")),
        h("div", { key: "actions", class: "tidelore-actions" }, [
          button(t("upkeep.reembed"), () => attempt(app, () => app.reembed())),
          button(t("upkeep.sync"), () => attempt(app, () => app.sync())),
        ]),
      ]),
      orphans(),
    ]);
}

/** @param {App} app @param {string} path @param {string} [words] */
const choices = ({ text: { t } }, path, words = path) => (CHOICES[path] ?? []).map((value) => ({ value, text: t(`${words}.${value}`) }));

/** @param {App} app @param {Fields} fields @param {"core" | "recalled"} block */
function placement(app, fields, block) {
  const { t } = app.text;
  return h("fieldset", { key: block, class: "tidelore-block" }, [
    h("legend", null, t(`block.${block}`)),
    fields.choice(`${block}.position`, choices(app, `${block}.position`, "position")),
    app.settings[block].position === "in_chat" && fields.number(`${block}.depth`, { hint: t("depth.hint") }),
    fields.choice(`${block}.role`, choices(app, `${block}.role`, "role")),
  ]);
}

/** Every place that was tried for the engine's files, and what came of it. @param {App} app */
function sources(app) {
  const { t } = app.text;
  const tried = app.status().sources;
  if (!tried.length) return h("p", { key: "sources", class: "tidelore-note" }, t("runtime.no_sources"));
  return h("details", { key: "sources" }, [
    h("summary", null, t("runtime.sources", { n: tried.length })),
    h(
      "ul",
      { class: "tidelore-list tidelore-small" },
      tried.map(({ source, file, outcome, detail }, index) =>
        h("li", { key: `${index}-${source}-${file}` }, [
          h("span", { class: outcome === "taken" ? "tidelore-good" : "tidelore-dim" }, t(`runtime.outcome.${outcome}`)),
          " ",
          h("span", null, t("runtime.file_of", { file, source: sourceName(app, source) })),
          detail && h("small", null, detail),
        ]),
      ),
    ),
  ]);
}

/** @param {App} app @param {Fields} fields */
function cdns(app, fields) {
  const { t } = app.text;
  /** @param {string} text */
  const write = (text) => {
    const urls = text.split("\n").map((line) => line.trim()).filter(Boolean);
    if (urls.some((url) => faultOfUrl(app, url))) throw new Error(t("field.url_wanted"));
    return urls.map((url) => ({ name: app.settings.cdns.find((each) => each.url === url)?.name ?? new URL(url).host, url }));
  };
  /** @param {{url: string}[]} list */
  const read = (list) => list.map(({ url }) => url).join("\n");
  return fields.lines("cdns", { read, write, hint: t("cdns.hint"), placeholder: t("cdns.usual") });
}
