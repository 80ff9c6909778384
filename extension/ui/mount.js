// Where the parts that people see get into the page.
import { askConsent } from "./consent.js";
import { mountDrawer, openSettings } from "./drawer.js";
import { askLeaving } from "./leaving.js";
import { mountMenu } from "./menu.js";
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
  const parts = [mountDrawer(app), mountMenu(app, () => openSettings(app))];
  return () => parts.forEach((remove) => remove());
}
