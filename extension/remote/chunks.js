// Texts that are longer than a frame may be travel as several, in order: {"chunk": {"id", "at", "of", "text"}} (docs/sidecar.md).
import { Fault } from "./faults.js";

// What stands around the text of a chunk, and how many bytes a character of it can take: as an escape, six.
const AROUND = 200;
const WIDEST = 6;
const MOST = 64 << 20;

/**
 * The frames of a message.
 * @param {string} text
 * @param {string} id
 * @param {number} limit bytes of a frame
 * @returns {Generator<string>}
 */
export function* split(text, id, limit) {
  if (text.length * 3 <= limit || new TextEncoder().encode(text).length <= limit) {
    yield text;
    return;
  }
  const size = Math.floor((limit - AROUND) / WIDEST);
  const of = Math.ceil(text.length / size);
  for (let at = 0; at < of; at++) yield JSON.stringify({ chunk: { id, at, of, text: text.slice(at * size, (at + 1) * size) } });
}

/** Puts messages together. */
export class Joiner {
  /** @type {Map<string, string[]>} */
  #open = new Map();
  #size = 0;

  /** @param {any} chunk @returns {string | null} the message once it is whole. Throws a Fault for one that fits nowhere. */
  feed({ id, at, of, text }) {
    const parts = this.#open.get(id) ?? [];
    this.#open.set(id, parts);
    this.#size += String(text).length;
    if (at !== parts.length || !(at < of) || typeof text !== "string" || this.#size > MOST) {
      throw new Fault("sidecar_protocol", "The sidecar sent a message that cannot be put together.", "Use the same version of both.");
    }
    parts.push(text);
    if (at + 1 < of) return null;
    this.#open.delete(id);
    const whole = parts.join("");
    this.#size -= whole.length;
    return whole;
  }
}
