// Macros: what the last prompt got from memory, for people who place it themselves. Empty while memory is off.

/** @typedef {import("./types.js").App} App */

/** Name of a macro, and the block that it stands for; "" is both. @type {Record<string, "" | "core" | "recalled">} */
export const MACROS = { tidelore: "", tidelore_core: "core", tidelore_recalled: "recalled" };

/** @param {App} app */
export function registerMacros(app) {
  for (const [name, block] of Object.entries(MACROS)) {
    app.host.addMacro(name, app.text.t(`macro.${name}`), () => (isOn(app) ? app.lastInjected(block) : ""));
  }
}

/** @param {App} app */
function isOn({ settings, status }) {
  const { chat } = status();
  return settings.enabled && chat !== null && !chat.off;
}
