// What the slash commands share.

/**
 * @typedef {import("./types.js").App} App
 * @typedef {Record<string, string>} Named
 *
 * @typedef {object} Command
 * @property {string} name its help is the text `command.NAME`, that of its value `command.NAME.value`
 * @property {boolean} [value] it takes a text
 * @property {string[]} [named] arguments by name; their help is `command.NAME.ARGUMENT`
 * @property {boolean} [says] what it answers is shown as a notice too, unless quiet=true: it is an action
 * @property {(t: App["text"]["t"], answer: string) => string} [notice] what is shown where the answer alone does not say what was done
 * @property {(value: string) => boolean} [seen] what it does is seen anyway: the answer is for the pipe alone
 * @property {string} [none] what is shown where the answer is empty
 * @property {(app: App, value: string, named: Named) => Promise<string> | string} run
 */

/** @param {App} app @param {string} key @param {Record<string, string | number>} [values] */
export const wrong = (app, key, values) => new Error(app.text.t(`command.wrong.${key}`, values));

/** @param {any} result */
export const json = (result) => JSON.stringify(result, null, 2);

/** What must be there. @param {App} app @param {string | undefined} value */
export function needed(app, value) {
  if (!value) throw wrong(app, "missing");
  return value;
}

/** The memory that was taken back or brought back; what the change says, where it is about none. @param {{subject?: string, text: string}} done */
export const said = ({ subject, text }) => subject || text;
