// The other replicas that have exchanged memories with this one: whether they have everything, and when they were last heard of.
import { h } from "../ui/dom.js";
import { button } from "../ui/fields.js";
import { attempt } from "../ui/view.js";
import { when } from "./changes.js";
import { createLoad } from "./load.js";

/** @typedef {import("./parts.js").Desk} Desk */

/** @param {Desk} desk @param {() => void} redraw */
export function replicaSection({ app, data, say, alone }, redraw) {
  const { t } = app.text;
  let busy = false;
  /** @type {ReturnType<typeof createLoad<{replicas: {replica: string, at: number, lacks: number}[]}>>} */
  const load = createLoad(app, redraw, () => app.call("sync.status"));

  async function exchange() {
    if (busy) return;
    busy = true;
    redraw();
    await attempt(app, async () => say(await app.exchange()));
    busy = false;
    load.renew();
  }

  return () => {
    const { replicas: rounds } = app.status();
    const others = load.get("replicas", data.version(), JSON.stringify(rounds))?.replicas ?? [];
    return h("section", { key: "replicas", "aria-labelledby": "tidelore-replicas-title" }, [
      h("h4", { id: "tidelore-replicas-title" }, t("replicas.title")),
      load.fault() && h("p", { key: "fault", class: "tidelore-bad" }, load.fault()),
      others.length
        ? h(
            "ul",
            { key: "list", class: "tidelore-list" },
            others.map(({ replica, at, lacks }) =>
              h("li", { key: replica, class: "tidelore-line" }, [
                h("span", { key: "who", class: "tidelore-grow" }, t("replicas.one", { name: replica.slice(0, 8), when: when(app, at) })),
                h("span", { key: "how", class: lacks ? "tidelore-busy" : "tidelore-dim" }, lacks ? t("replicas.lacks", { n: lacks }) : t("replicas.even")),
              ]),
            ),
          )
        : h("p", { key: "none", class: "tidelore-note" }, t("replicas.none")),
      !alone && h("div", { key: "now", class: "tidelore-actions" }, button(t("replicas.now"), exchange, { busy })),
    ]);
  };
}
