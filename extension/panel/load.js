// What a tab shows of the engine's answers: asked for when it is looked at, and again when what it was made of has changed.

/**
 * @template Value
 * @typedef {object} Load
 * @property {(...of: any[]) => Value | null} get the newest answer there is; asks when `of` is not what the last question was about
 * @property {() => string} fault why there is none, for people
 * @property {() => boolean} loading
 * @property {() => void} renew asks again at the next look
 */

/**
 * @template Value
 * @param {import("../types.js").App} app
 * @param {() => void} redraw
 * @param {(...of: any[]) => Promise<Value>} ask
 * @returns {Load<Value>}
 */
export function createLoad(app, redraw, ask) {
  /** @type {any[] | null} */
  let asked = null;
  /** @type {Value | null} */
  let value = null;
  let fault = "";
  let loading = false;

  /** @param {any[]} of */
  async function run(of) {
    asked = of;
    loading = true;
    try {
      const found = await ask(...of);
      if (asked !== of) return;
      value = found;
      fault = "";
    } catch (error) {
      if (asked !== of) return;
      fault = app.text.error(error);
    }
    loading = false;
    redraw();
  }

  return {
    get(...of) {
      // Of another chat nothing is shown, not even for a moment.
      if (asked && asked[0] !== of[0]) value = null;
      if (!asked || of.length !== asked.length || of.some((each, at) => each !== asked?.[at])) void run(of);
      return value;
    },
    fault: () => fault,
    loading: () => loading,
    renew() {
      asked = null;
      redraw();
    },
  };
}
