// What all views share: following the app, and saying what went wrong.
import { patch } from "./dom.js";

/**
 * @typedef {import("../types.js").App} App
 * @typedef {import("./dom.js").Child} Child
 */

/**
 * Draws an element now and after every change of the app.
 * @param {App} app
 * @param {Element} element
 * @param {(redraw: () => void) => () => Child | Child[]} view gets a function that draws again after a change of its own
 * @returns {() => void} ends it
 */
export function follow(app, element, view) {
  let ended = false;
  /** @type {() => Child | Child[]} */
  let draw = () => null;
  const redraw = () => void (ended || patch(element, draw()));
  draw = view(redraw);
  const stop = app.onChange(redraw);
  redraw();
  return () => {
    ended = true;
    stop();
  };
}

/**
 * Does what a person asked for; a failure is shown as a notice.
 * @param {App} app
 * @param {() => any} action
 * @returns {Promise<boolean>} whether it went well
 */
export async function attempt(app, action) {
  try {
    await action();
    return true;
  } catch (error) {
    app.host.notify("error", app.text.error(error));
    return false;
  }
}
