// Buttons that ask again: the first press says what the second one does, and whoever looks elsewhere did not mean it.
import { button } from "./fields.js";

/** @param {() => void} redraw */
export function createTwoSteps(redraw) {
  let armed = "";

  /** @param {string} key */
  function leave(key) {
    if (armed !== key) return;
    armed = "";
    redraw();
  }

  /**
   * @param {string} key of this button among the others
   * @param {{text: string, sure: string, label?: string, sureLabel?: string, busy?: boolean}} words `label`, `sureLabel`: where the words alone do not say of what
   * @param {() => void} run
   */
  return (key, { text, sure, label = text, sureLabel = sure, busy = false }, run) => {
    const second = armed === key;
    return button(
      second ? sure : text,
      () => {
        armed = second ? "" : key;
        if (second) run();
        else redraw();
      },
      { key, busy, class: second ? "tidelore-danger" : "", "aria-label": second ? sureLabel : label, on: { blur: () => leave(key) } },
    );
  };
}
