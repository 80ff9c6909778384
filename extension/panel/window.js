// The panel as a window over the page: moved and resized by pointer or by keys, and where it was left the next time. Where the page is small,
// the style sheet makes it fill the page, whatever is set here.

/**
 * @typedef {{x: number, y: number, width: number, height: number}} Place in CSS pixels
 */

const LEAST = { width: 320, height: 280 };
// So much of it can always be reached.
const MARGIN = 60;
const STEP = 24;
const FULL = "(max-width: 1000px)";

/**
 * @param {HTMLElement} element
 * @param {(place: Place) => void} onPlaced a person has moved or resized it
 */
export function createWindow(element, onPlaced) {
  const view = /** @type {Window} */ (element.ownerDocument.defaultView);
  /** @type {Place | null} */
  let place = null;
  /** @type {Place | null} what a person has chosen: a page that is small for a while does not make the window small for ever */
  let wanted = null;

  /** @param {Place} wanted */
  function put({ x, y, width, height }) {
    wanted = { x, y, width, height };
    clip(wanted);
  }

  /** As much of it as fits. @param {Place} wish */
  function clip({ x, y, width, height }) {
    const most = { width: view.innerWidth, height: view.innerHeight };
    const size = { width: clamp(width, LEAST.width, most.width), height: clamp(height, LEAST.height, most.height) };
    place = { ...size, x: clamp(x, MARGIN - size.width, most.width - MARGIN), y: clamp(y, 0, most.height - MARGIN) };
    for (const [name, value] of Object.entries(place)) element.style.setProperty(`--tidelore-${name}`, `${Math.round(value)}px`);
  }

  /** @returns {Place} at the right, beside what is read */
  function usual() {
    const width = Math.min(760, view.innerWidth - 2 * MARGIN);
    const height = Math.min(640, view.innerHeight - 2 * MARGIN);
    return { x: view.innerWidth - width - 24, y: Math.max(48, (view.innerHeight - height) / 2), width, height };
  }

  /** @param {"move" | "size"} what @param {number} dx @param {number} dy @param {Place} from */
  const shifted = (what, dx, dy, from) => (what === "move" ? { ...from, x: from.x + dx, y: from.y + dy } : { ...from, width: from.width + dx, height: from.height + dy });

  return {
    full: () => view.matchMedia(FULL).matches,
    /** @param {unknown} known where it was, as it was stored */
    restore: (known) => put(isPlace(known) ? known : usual()),
    /** After the page has changed its size. */
    fit: () => void (wanted && clip(wanted)),

    /**
     * What a handle does to the window.
     * @param {"move" | "size"} what
     * @returns {Record<string, (event: any) => void>} listeners by event
     */
    handle: (what) => ({
      pointerdown(event) {
        if (event.button !== 0 || !place || view.matchMedia(FULL).matches) return;
        const from = place;
        const { clientX, clientY, pointerId, currentTarget } = event;
        const moved = (/** @type {any} */ later) => put(shifted(what, later.clientX - clientX, later.clientY - clientY, from));
        const ended = () => {
          currentTarget.removeEventListener("pointermove", moved);
          if (place && place !== from) onPlaced(place);
        };
        currentTarget.setPointerCapture(pointerId);
        currentTarget.addEventListener("pointermove", moved);
        currentTarget.addEventListener("lostpointercapture", ended, { once: true });
      },
      keydown(event) {
        const way = WAYS[event.key];
        if (!way || !place) return;
        event.preventDefault();
        put(shifted(what, way[0] * STEP, way[1] * STEP, place));
        onPlaced(place);
      },
    }),
  };
}

/** @type {Record<string, [number, number]>} */
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @param {number} value @param {number} least @param {number} most */
const clamp = (value, least, most) => Math.min(Math.max(value, least), Math.max(least, most));

/** @param {any} value @returns {value is Place} */
const isPlace = (value) => typeof value === "object" && value !== null && ["x", "y", "width", "height"].every((name) => Number.isFinite(value[name]));
