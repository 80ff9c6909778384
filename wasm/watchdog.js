// Whether the worker still lives. A browser says nothing when a worker ends, and nobody can see from outside that one runs in circles: while something
// is awaited from it, it is asked from time to time, and of so many questions it must answer one.

/**
 * @typedef {object} Watch
 * @property {number} every milliseconds between two questions
 * @property {number} misses so many without a word, and it counts as dead
 */

/**
 * Two minutes: the longest that Python computes at a stretch is the first reading of a chat of tens of thousands of messages on a phone. Counted in
 * questions and not by the clock, so that a page that slept takes nobody for dead when it wakes.
 * @type {Watch}
 */
export const USUAL = { every: 10_000, misses: 12 };

export class Watchdog {
  #ask;
  #onDead;
  #every;
  #misses;
  #unanswered = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {() => void} ask
   * @param {(seconds: number) => void} onDead called once after each time that it was set
   * @param {Watch} [watch]
   */
  constructor(ask, onDead, { every, misses } = USUAL) {
    this.#ask = ask;
    this.#onDead = onDead;
    this.#every = every;
    this.#misses = misses;
  }

  /** @param {boolean} awaited something is */
  set(awaited) {
    if (awaited === (this.#timer !== undefined)) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#unanswered = 0;
    if (awaited) this.#next();
  }

  /** A word of the worker: it lives. */
  heard() {
    this.#unanswered = 0;
  }

  #next() {
    this.#timer = setTimeout(() => {
      if (this.#unanswered >= this.#misses) {
        this.#timer = undefined;
        this.#onDead(Math.round((this.#every * this.#misses) / 1000));
        return;
      }
      this.#unanswered++;
      this.#ask();
      this.#next();
    }, this.#every);
  }
}
