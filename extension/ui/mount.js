// Where the parts that people see get into the page.
import { mountPanel } from "../panel/mount.js";
import { mountRecallCards } from "../panel/recall_card.js";
import { askConsent } from "./consent.js";
import { mountDrawer, openSettings } from "./drawer.js";
import { askLeaving } from "./leaving.js";
import { mountInputButton, mountMenu } from "./menu.js";
import { notice } from "./notices.js";

/** @typedef {import("../types.js").App} App */

/** What the app itself asks and tells people. */
export const ui = {
  /** @param {App} app */
  async consent(app) {
    await askConsent(app);
  },
  notice,
  leaving: askLeaving,
};

/**
 * @param {App} app
 * @returns {() => void} takes everything away again
 */
export function mountUi(app) {
  const panel = mountPanel(app, { settings: () => openSettings(app) });
  const parts = [mountDrawer(app), mountMenu(app, () => panel.open()), mountInputButton(app, () => panel.toggle()), mountRecallCards(app), () => panel.remove()];
  return () => parts.forEach((remove) => remove());
}
