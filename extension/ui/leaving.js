// What stays when the extension is taken out.

/** @typedef {{memories: boolean, settings: boolean}} Kept what is to stay; keys belong to the settings */

/**
 * Asks what is to go. Nothing is lost without a yes. It answers at once: SillyTavern gives the extension five seconds in all, so a dialog of the
 * page, which the person may take any time over, would come to nothing.
 * @param {Pick<import("../types.js").App, "text" | "host">} app
 * @returns {Kept}
 */
export function askLeaving({ text: { t }, host }) {
  const memories = !host.confirm(t("leaving.drop.memories"));
  const settings = !host.confirm(t("leaving.drop.settings"));
  return { memories, settings };
}
