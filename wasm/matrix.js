// Vectors side by side in one array, and what an embedding model's answer must look like to get in.

const FIRST_ROWS = 64;
// Rounded as in the sidecar, so that equal vectors have equal cosines wherever they lie.
const ROUND = 1e6;
const SMALLEST_NORM = 1e-6;

/** A row-major matrix of rows of length 1, by node. */
export class Matrix {
  dimension;
  /** @type {string[]} */
  nodes = [];
  /** @type {Map<string, number>} */
  places = new Map();
  #values = new Float32Array(0);

  /** @param {number} dimension 0 until the first row says */
  constructor(dimension) {
    this.dimension = dimension;
  }

  /**
   * @param {string} node
   * @param {Float32Array} row
   */
  set(node, row) {
    this.dimension ||= row.length;
    let place = this.places.get(node);
    if (place === undefined) {
      place = this.nodes.push(node) - 1;
      this.places.set(node, place);
      this.#reserve(place + 1);
    }
    this.#values.set(row, place * this.dimension);
  }

  /** @param {string} node */
  delete(node) {
    const place = this.places.get(node);
    if (place === undefined) return;
    const last = /** @type {string} */ (this.nodes.pop());
    this.places.delete(node);
    if (last === node) return;
    this.#values.copyWithin(place * this.dimension, this.nodes.length * this.dimension, (this.nodes.length + 1) * this.dimension);
    this.nodes[place] = last;
    this.places.set(last, place);
  }

  /** @param {number} place */
  row(place) {
    return this.#values.subarray(place * this.dimension, (place + 1) * this.dimension);
  }

  /**
   * The cosine of a row with a vector of length 1.
   * @param {number} place
   * @param {Float32Array} vector
   */
  cosine(place, vector) {
    const values = this.#values;
    const { dimension } = this;
    let sum = 0;
    for (let at = 0, from = place * dimension; at < dimension; at++, from++) sum += values[from] * vector[at];
    return Math.round(sum * ROUND) / ROUND;
  }

  /** @param {number} rows */
  #reserve(rows) {
    const needed = rows * this.dimension;
    if (needed <= this.#values.length) return;
    const grown = new Float32Array(Math.max(needed, FIRST_ROWS * this.dimension, Math.ceil(this.#values.length * 1.5)));
    grown.set(this.#values);
    this.#values = grown;
  }
}

/**
 * @param {any} answer 32-bit floats row after row, or rows of numbers
 * @param {number} count
 * @returns {ArrayLike<number>[] | undefined}
 */
export function rowsOf(answer, count) {
  if (answer instanceof ArrayBuffer) {
    if (!answer.byteLength || answer.byteLength % (4 * count)) return undefined;
    const values = new Float32Array(answer);
    const dimension = values.length / count;
    return Array.from({ length: count }, (_, at) => values.subarray(at * dimension, (at + 1) * dimension));
  }
  if (!Array.isArray(answer) || answer.length !== count) return undefined;
  return answer.every((row) => Array.isArray(row) && row.every((value) => typeof value === "number")) ? answer : undefined;
}

/**
 * @param {ArrayLike<number>} row
 * @returns {Float32Array | undefined} nothing for zero, NaN or infinite ones
 */
export function normalised(row) {
  let sum = 0;
  for (let at = 0; at < row.length; at++) sum += row[at] * row[at];
  const norm = Math.sqrt(sum);
  return Number.isFinite(norm) && norm >= SMALLEST_NORM ? Float32Array.from(row, (value) => value / norm) : undefined;
}
