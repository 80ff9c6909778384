// Which names of a drawn graph are written: as many as fit beside each other, those that matter most first.

/**
 * @typedef {object} Label
 * @property {number} x middle of its node, in CSS pixels
 * @property {number} y
 * @property {number} size radius of its node
 * @property {string} label
 * @property {number} rank the higher the sooner
 *
 * @typedef {[number, number, number, number]} Box left, top, right, bottom
 */

const HEIGHT = 15;
const GAP = 3;
// Boxes are looked for by the squares that they touch, else a thousand names would be compared with each other.
const SQUARE = 64;

/**
 * Where the middle of a name is: that of its node, but where it would be cut off at an edge of the picture.
 * @param {number} x of the node @param {number} width of the name @param {number} wide the picture is
 */
export function middleOf(x, width, wide) {
  const half = width / 2 + GAP;
  return x < 0 || x > wide || 2 * half > wide ? x : Math.min(Math.max(x, half), wide - half);
}

/**
 * @template {Label} Item
 * @param {Item[]} labels @param {(label: string) => number} widthOf a text as it is written, in CSS pixels
 * @param {number} [wide] how wide the picture is
 * @returns {Item[]} none of which covers another
 */
export function fitting(labels, widthOf, wide = Infinity) {
  /** @type {Map<string, Box[]>} */
  const taken = new Map();
  /** @param {Box} box */
  const take = (box) => squaresOf(box).forEach((square) => taken.set(square, [...(taken.get(square) ?? []), box]));
  // No name lies on a node that matters.
  for (const { x, y, size, rank } of labels) if (rank > 0) take([x - size, y - size, x + size, y + size]);
  return [...labels]
    .sort((one, other) => other.rank - one.rank || other.size - one.size)
    .filter((each) => {
      const width = widthOf(each.label);
      const box = boxOf({ ...each, x: middleOf(each.x, width, wide) }, width);
      if (squaresOf(box).some((square) => taken.get(square)?.some((other) => meet(box, other)))) return false;
      take(box);
      return true;
    });
}

/** Below its node. @param {Label} label @param {number} width @returns {Box} */
const boxOf = ({ x, y, size }, width) => [x - width / 2 - GAP, y + size, x + width / 2 + GAP, y + size + HEIGHT];

/** @param {Box} one @param {Box} other */
const meet = (one, other) => one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];

/** @param {Box} box */
function squaresOf([left, top, right, bottom]) {
  const out = [];
  for (let column = Math.floor(left / SQUARE); column <= Math.floor(right / SQUARE); column++)
    for (let row = Math.floor(top / SQUARE); row <= Math.floor(bottom / SQUARE); row++) out.push(`${column}:${row}`);
  return out;
}
