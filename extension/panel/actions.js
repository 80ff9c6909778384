// What a person can have done: extraction, upkeep, files, and everything that can be taken back.
import { h } from "../ui/dom.js";
import { button } from "../ui/fields.js";
import { jobSection } from "../ui/jobs.js";
import { orphanSection } from "../ui/orphans.js";
import { attempt } from "../ui/view.js";
import { backupSection } from "./backup.js";
import { changeSection } from "./changes.js";
import { fileSection } from "./files.js";
import { movingSection } from "./moving_in.js";
import { closed, drawnTab } from "./parts.js";
import { purgeSection } from "./purges.js";
import { replicaSection } from "./replicas.js";

/** @param {import("./parts.js").Desk} desk */
export const actionsTab = (desk) =>
  drawnTab(desk.app, "actions", (redraw) => {
    const { app } = desk;
    const { t } = app.text;
    const jobs = jobSection(app, redraw, "tidelore-panel");
    const changes = changeSection(desk, redraw);
    const files = fileSection(desk, redraw);
    const moving = movingSection(desk, redraw);
    const backup = backupSection(desk, redraw);
    const replicas = replicaSection(desk, redraw);
    const purges = purgeSection(desk, redraw);
    const orphans = orphanSection(app, redraw, "tidelore-panel");
    let busy = false;

    async function rebuild() {
      if (busy) return;
      busy = true;
      redraw();
      await attempt(app, async () => {
        const { nodes, documents } = await app.call("index.rebuild");
        desk.say(t("upkeep.rebuilt", { nodes, documents }));
        desk.data.renew();
      });
      busy = false;
      redraw();
    }

    const upkeep = () =>
      h("section", { key: "upkeep", "aria-labelledby": "tidelore-panel-upkeep-title" }, [
        h("h4", { id: "tidelore-panel-upkeep-title" }, t("upkeep.title")),
        h("div", { class: "tidelore-actions" }, [
          app.status().embedder && button(t("upkeep.reembed"), () => attempt(app, () => app.reembed()), { key: "reembed" }),
          button(t("upkeep.rebuild"), rebuild, { key: "rebuild", busy }),
        ]),
        h("p", { class: "tidelore-note" }, t("upkeep.rebuild_hint")),
      ]);

    const ofStore = () => (app.status().engine === "ready" ? [backup(), replicas(), purges(), !desk.alone && orphans()] : []);

    return () => {
      const none = closed(app);
      return none ? [none, jobs(), ...ofStore()] : [jobs(), changes(), files(), moving(), upkeep(), ...ofStore()];
    };
  });
