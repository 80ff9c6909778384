// Where each memory comes from in the story, and the order of a list that follows from it. The engine knows both; a list asks it.
import { createLoad } from "./load.js";

/**
 * @typedef {object} Place as node.list gives it
 * @property {string} id
 * @property {number | null} first index of the first message, null for what rests on none
 * @property {number | null} last and of the last
 * @property {string} speaker of that message
 * @property {string} date of that message, as the page that sent it writes dates
 *
 * @typedef {Map<string, Place>} Places in the order that was asked for
 */

/** The orders of the list; all but "connected" are the engine's own. */
export const SORTS = ["oldest", "newest", "connected", "importance"];
const PAGE = 500;

/** @param {import("../types.js").App} app @param {() => void} redraw */
export function createPlaces(app, redraw) {
  /** @type {import("./load.js").Load<Places>} */
  const load = createLoad(app, redraw, async (chat, sort) => {
    /** @type {Places} */
    const places = new Map();
    const params = { chat, sort: sort === "connected" ? "newest" : sort, limit: PAGE };
    for (let offset = 0; offset !== null; ) {
      /** @type {{nodes: Place[], next: number | null}} */
      const { nodes, next } = await app.call("node.list", { ...params, offset });
      for (const node of nodes) places.set(node.id, node);
      offset = /** @type {number} */ (next);
    }
    return places;
  });
  return load;
}

/**
 * @template {{id: string}} Item
 * @param {Item[]} nodes best connected first @param {Places | null} places @param {string} sort
 * @returns {Item[]}
 */
export function inOrder(nodes, places, sort) {
  if (!places || sort === "connected") return nodes;
  const at = new Map([...places.keys()].map((id, index) => [id, index]));
  return [...nodes].sort((one, other) => (at.get(one.id) ?? at.size) - (at.get(other.id) ?? at.size));
}

/** "#4–9 · Mira · 3 May 2026": from which message on, up to which; what of it is known. @param {import("../types.js").App} app @param {Place | undefined} place */
export function placeText(app, place) {
  if (!place) return "";
  const { t } = app.text;
  const { first, last } = place;
  if (first === null) return t("memories.by_hand");
  /** @param {number} index */
  const floor = (index) => (app.floor(index) < 0 ? index : app.floor(index));
  const date = Date.parse(place.date);
  return [`#${floor(first)}${last === null || last === first ? "" : `–${floor(last)}`}`, place.speaker, Number.isNaN(date) ? "" : new Date(date).toLocaleDateString(app.text.language, { dateStyle: "medium" })].filter(Boolean).join(" · ");
}
