// Which chat of the engine an open chat of SillyTavern is. The mark in the chat's metadata says so, but it is copied into every branch, checkpoint,
// group and export; owner, file name, SillyTavern's own integrity mark and the place where the chat was last seen tell a copy from a rename. What the
// metadata lost, the place table still knows.

/**
 * @typedef {import("./types.js").ChatPlace} ChatPlace
 * @typedef {import("./types.js").ChatMark} ChatMark
 * @typedef {import("./types.js").Person} Person
 *
 * @typedef {object} PlaceRow where a chat of the engine was last seen
 * @property {string} chat
 * @property {string} pool
 * @property {"character" | "group"} kind
 * @property {string} owner
 * @property {string} file
 * @property {string} title
 * @property {string} integrity
 * @property {Person[]} people names under which they spoke when it was last open
 *
 * @typedef {object} Places
 * @property {(chat: string) => Promise<PlaceRow | null>} get
 * @property {(place: Pick<ChatPlace, "kind" | "owner" | "file">) => Promise<PlaceRow | null>} at
 * @property {(row: PlaceRow) => Promise<void>} put
 * @property {(chat: string) => Promise<void>} remove
 * @property {() => Promise<PlaceRow[]>} all
 *
 * @typedef {{mark: ChatMark, branchOf: string, fresh: boolean}} Identity `fresh`: the mark is not what stood in the metadata
 */

/**
 * @param {object} found
 * @param {ChatPlace} found.place
 * @param {ChatMark | null} found.mark
 * @param {Places} found.places
 * @param {(place: Pick<ChatPlace, "kind" | "owner">) => Promise<string[] | null>} found.files names of an owner's chat files; null: there is no such owner
 * @param {() => string} found.token 32 random hexadecimal digits
 * @returns {Promise<Identity>}
 */
export async function identify({ place, mark, places, files, token }) {
  const here = { kind: place.kind, owner: place.owner, file: place.file, integrity: place.integrity };
  if (isMark(mark)) {
    const sameIntegrity = !mark.integrity || !place.integrity || mark.integrity === place.integrity;
    // A rename, of the chat or of its character, keeps SillyTavern's integrity mark and leaves no file in the old place.
    const stays = sameIntegrity && (samePlace(place, mark) || !(await files(mark))?.includes(mark.file));
    if (stays && !(await livesElsewhere())) return settled(mark, here);
    const known = await places.at(place);
    if (known && known.pool === mark.pool && known.chat !== mark.chat) return settled({ ...mark, chat: known.chat }, here, true);
    return { mark: { ...mark, ...here, chat: token() }, branchOf: mark.chat, fresh: true };
  }
  const known = await places.at(place);
  if (known && (!known.integrity || !place.integrity || known.integrity === place.integrity)) {
    return { mark: { chat: known.chat, pool: known.pool, ...here }, branchOf: "", fresh: true };
  }
  return { mark: { chat: token(), pool: token(), ...here }, branchOf: "", fresh: true };

  /** The chat of the mark is that of another file, which is still there: this one is a copy of what that was. */
  async function livesElsewhere() {
    const row = mark && (await places.get(mark.chat));
    if (!row || samePlace(place, row)) return false;
    return Boolean((await files(row))?.includes(row.file));
  }
}

/**
 * @param {ChatMark} mark @param {Pick<ChatPlace, "kind" | "owner" | "file" | "integrity">} here @param {boolean} [fresh]
 * @returns {Identity}
 */
function settled(mark, here, fresh = false) {
  const moved = !samePlace(here, mark) || mark.integrity !== here.integrity;
  return { mark: moved ? { ...mark, ...here } : mark, branchOf: "", fresh: fresh || moved };
}

/** Whether two name one file. @param {Pick<ChatPlace, "kind" | "owner" | "file">} place @param {Pick<ChatPlace, "kind" | "owner" | "file"> | null} other */
export const samePlace = (place, other) => other?.kind === place.kind && other.owner === place.owner && other.file === place.file;

/** @param {any} mark @returns {mark is ChatMark} */
const isMark = (mark) =>
  /^[\w-]{1,64}$/.test(typeof mark?.chat === "string" ? mark.chat : "") &&
  /^[0-9a-f]{32}$/.test(typeof mark?.pool === "string" ? mark.pool : "") &&
  typeof mark.file === "string" &&
  typeof mark.owner === "string" &&
  ["character", "group"].includes(mark.kind);

/**
 * Names that changed while the person stayed the same, since the chat was last open.
 * @param {Person[]} before @param {Person[]} now
 * @returns {{name: string, alias: string}[]}
 */
export function renamed(before, now) {
  const old = new Map(before.map((each) => [each.id, each.name]));
  const taken = new Set(now.map(({ name }) => name));
  return now.flatMap(({ id, name }) => {
    const alias = old.get(id);
    // A name that somebody else bears now is no alias.
    return alias && alias !== name && name && !taken.has(alias) ? [{ name, alias }] : [];
  });
}

/** 128 random bits, also where there is no secure context. */
export function token() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
