// What a person can have done: extraction, upkeep, files, and everything that can be taken back.
import { h } from "../ui/dom.js";
import { button } from "../ui/fields.js";
import { jobSection } from "../ui/jobs.js";
import { attempt } from "../ui/view.js";
import { changeSection } from "./changes.js";
import { fileSection } from "./files.js";
import { closedNote, drawnTab } from "./parts.js";

/** @param {import("./parts.js").Desk} desk */
export const actionsTab = (desk) =>
  drawnTab(desk.app, "actions", (redraw) => {
    const { app } = desk;
    const { t } = app.text;
    const jobs = jobSection(app, redraw, "tidelore-panel");
    const changes = changeSection(desk, redraw);
    const files = fileSection(desk, redraw);
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
          button(t("upkeep.reembed"), () => attempt(app, () => app.reembed())),
          button(t("upkeep.rebuild"), rebuild, { busy }),
        ]),
        h("p", { class: "tidelore-note" }, t("upkeep.rebuild_hint")),
      ]);

    return () => {
      const closed = closedNote(app);
      return closed ? [h("p", { key: "closed", class: "tidelore-empty" }, closed), jobs()] : [jobs(), changes(), files(), upkeep()];
    };
  });
