// A long list of which only what is seen is in the page. All rows have one height.
import { h } from "../ui/dom.js";

// Until the first row has been measured.
const HEIGHT = 56;
const SPARE = 8;

/**
 * @template Item
 * @param {object} options
 * @param {() => void} options.redraw
 * @param {string} options.label
 * @param {(item: Item) => string} options.keyOf
 * @param {(item: Item, props: Record<string, any>) => import("../ui/dom.js").Described} options.row a button with these properties; its height is that of all
 */
export function createList({ redraw, label, keyOf, row }) {
  let top = 0;
  let height = HEIGHT;
  let seen = 600;
  let active = 0;
  /** @type {HTMLElement | null} */
  let box = null;
  /** @type {Item[]} */
  let items = [];

  function measure() {
    if (!box) return;
    top = box.scrollTop;
    seen = box.clientHeight || seen;
    const first = /** @type {HTMLElement | null} */ (box.querySelector("li[aria-posinset]"));
    height = first?.offsetHeight || height;
  }

  /** @param {any} event */
  function onScroll({ currentTarget }) {
    box = currentTarget;
    const before = range().join();
    measure();
    if (range().join() !== before) redraw();
  }

  const range = () => {
    const first = Math.max(0, Math.floor(top / height) - SPARE);
    return [first, Math.min(items.length, Math.ceil((top + seen) / height) + SPARE)];
  };

  /** @param {any} event */
  function onKey(event) {
    const page = Math.max(1, Math.floor(seen / height) - 1);
    const to = { ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + page, PageUp: active - page, Home: 0, End: items.length - 1 }[/** @type {string} */ (event.key)];
    if (to === undefined || !items.length) return;
    event.preventDefault();
    box = event.currentTarget;
    focus(to);
  }

  /** @param {number} index */
  function focus(index) {
    active = Math.min(Math.max(index, 0), items.length - 1);
    if (!box) return redraw();
    measure();
    if (active * height < top) box.scrollTop = active * height;
    else if ((active + 1) * height > top + seen) box.scrollTop = (active + 1) * height - seen;
    top = box.scrollTop;
    redraw();
    /** @type {HTMLElement | null} */ (box.querySelector(`li[aria-posinset="${active + 1}"] button`))?.focus();
  }

  return {
    /** @param {Item[]} all @param {string} chosen key of the one that is open */
    draw(all, chosen) {
      if (all !== items) {
        items = all;
        active = Math.min(active, Math.max(0, items.length - 1));
      }
      if (box?.isConnected) measure();
      const [first = 0, end = 0] = range();
      return h("ul", { key: "list", class: "tidelore-rows", "aria-label": label, on: { scroll: onScroll, keydown: onKey } }, [
        h("li", { key: "above", "aria-hidden": "true", style: `height: ${first * height}px` }),
        items.slice(first, end).map((item, at) => {
          const index = first + at;
          const key = keyOf(item);
          return h("li", { key, "aria-setsize": items.length, "aria-posinset": index + 1 }, [
            row(item, {
              tabindex: index === active ? 0 : -1,
              "aria-current": key === chosen ? "true" : null,
              on: { focus: () => void (active = index) },
            }),
          ]);
        }),
        h("li", { key: "below", "aria-hidden": "true", style: `height: ${(items.length - end) * height}px` }),
      ]);
    },
    /** Back to the beginning, as after another search. */
    reset() {
      active = 0;
      top = 0;
      if (box) box.scrollTop = 0;
    },
    focus: () => focus(active),
    /** @param {string} key */
    choose(key) {
      const index = items.findIndex((item) => keyOf(item) === key);
      if (index >= 0) active = index;
    },
  };
}
