import assert from "node:assert/strict";
import { test } from "node:test";

import { identify, renamed, token } from "../../extension/identity.js";
import { memoryPageStore } from "../../extension/page_store.js";

const PLACE = { kind: "character", owner: "Mira.png", file: "one", title: "one", integrity: "i1" };
const POOL = "a".repeat(32);
const MARK = { chat: "c1", pool: POOL, kind: "character", owner: "Mira.png", file: "one", integrity: "i1" };

function look({ place = PLACE, mark = null, files = ["one"], places = memoryPageStore().places } = {}) {
  let number = 0;
  return identify({ place, mark, places, files: async () => files, token: () => String(++number).padStart(32, "0") });
}

test("a chat without a mark is new", async () => {
  const { mark, branchOf, fresh } = await look();
  assert.deepEqual({ branchOf, fresh }, { branchOf: "", fresh: true });
  assert.notEqual(mark.chat, mark.pool);
  assert.equal(mark.file, "one");
});

test("a chat whose mark fits is known, and nothing is written", async () => {
  const found = await look({ mark: MARK });
  assert.deepEqual(found, { mark: MARK, branchOf: "", fresh: false });
});

test("a renamed chat stays the same", async () => {
  const { mark, branchOf, fresh } = await look({ place: { ...PLACE, file: "two" }, mark: MARK, files: ["two"] });
  assert.deepEqual({ chat: mark.chat, file: mark.file, branchOf, fresh }, { chat: "c1", file: "two", branchOf: "", fresh: true });
});

test("a branch has its own chat on the pool of its parent", async () => {
  const { mark, branchOf } = await look({ place: { ...PLACE, file: "one - Branch #1", integrity: "i2" }, mark: MARK, files: ["one", "one - Branch #1"] });
  assert.equal(branchOf, "c1");
  assert.notEqual(mark.chat, "c1");
  assert.equal(mark.pool, POOL);
});

test("a copy that kept SillyTavern's integrity mark is told from a rename by the file that is still there", async () => {
  const { branchOf } = await look({ place: { ...PLACE, file: "copy" }, mark: MARK, files: ["one", "copy"] });
  assert.equal(branchOf, "c1");
});

test("a branch that was opened before is found again when its metadata still holds its parent's mark", async () => {
  const { places } = memoryPageStore();
  const place = { ...PLACE, file: "branch", integrity: "i2" };
  await places.put({ chat: "c2", pool: POOL, ...place, people: [] });
  const { mark, branchOf } = await look({ place, mark: MARK, files: ["one", "branch"], places });
  assert.deepEqual({ chat: mark.chat, branchOf }, { chat: "c2", branchOf: "" });
});

test("metadata that was lost is made up for by what the browser remembers of the place", async () => {
  const { places } = memoryPageStore();
  await places.put({ chat: "c1", pool: POOL, ...PLACE, people: [] });
  const { mark, fresh } = await look({ places });
  assert.deepEqual({ chat: mark.chat, pool: mark.pool, fresh }, { chat: "c1", pool: POOL, fresh: true });
});

test("another chat in a file of the same name is not taken for the old one", async () => {
  const { places } = memoryPageStore();
  await places.put({ chat: "c1", pool: POOL, ...PLACE, people: [] });
  const { mark } = await look({ place: { ...PLACE, integrity: "other" }, places });
  assert.notEqual(mark.chat, "c1");
});

test("a chat that was made into a group, or copied to another character under its name, gets a memory of its own", async () => {
  const group = await look({ place: { ...PLACE, kind: "group", owner: "17" }, mark: MARK, files: ["one"] });
  const copy = await look({ place: { ...PLACE, owner: "Tova.png" }, mark: MARK, files: ["one"] });
  for (const { mark, branchOf } of [group, copy]) {
    assert.equal(branchOf, "c1");
    assert.notEqual(mark.chat, "c1");
  }
});

test("a chat of a renamed character stays the same, since nobody has the old name any more", async () => {
  const { mark, branchOf } = await look({ place: { ...PLACE, owner: "Mirabel.png" }, mark: MARK, files: null });
  assert.deepEqual([mark.chat, mark.owner, branchOf], ["c1", "Mirabel.png", ""]);
});

test("two that swap their names stay two", () => {
  const before = [{ id: "a", name: "Mira" }, { id: "b", name: "Tova" }];
  assert.deepEqual(renamed(before, [{ id: "a", name: "Tova" }, { id: "b", name: "Mira" }]), []);
});

test("a mark that is damaged counts as none", async () => {
  for (const mark of [{}, { chat: "c1" }, { ...MARK, chat: 7 }, { ...MARK, chat: "\ud800" }, { ...MARK, owner: undefined }, { ...MARK, pool: "short" }, "text"]) {
    assert.equal((await look({ mark })).fresh, true);
  }
});

test("a switched-off chat stays off when it is renamed", async () => {
  const { mark } = await look({ place: { ...PLACE, file: "two" }, mark: { ...MARK, off: true }, files: ["two"] });
  assert.equal(mark.off, true);
});

test("a rename fails loudly when the list of files cannot be read, and is not taken for a branch", async () => {
  const failing = identify({
    place: { ...PLACE, file: "two" },
    mark: MARK,
    places: memoryPageStore().places,
    files: async () => {
      throw new Error("no list");
    },
    token,
  });
  await assert.rejects(failing, /no list/);
});

/** Opens files in turn, as one browser does: each mark is kept in its file, and the place table goes on. */
function browser() {
  const { places } = memoryPageStore();
  return {
    places,
    async open(file, mark, owners, owner = "Mira.png") {
      const place = { ...PLACE, file, title: file, owner };
      const found = await identify({ place, mark, places, files: async (row) => owners[row.owner] ?? null, token });
      await places.put({ ...place, chat: found.mark.chat, pool: found.mark.pool, people: [] });
      return found;
    },
  };
}

test("a backup that is imported beside its renamed original is a copy of it, under the original's old name too", async () => {
  const { open } = browser();
  const first = await open("one", null, { "Mira.png": ["one"] });
  const renamedTo = await open("two", first.mark, { "Mira.png": ["two"] });
  assert.equal(renamedTo.mark.chat, first.mark.chat);
  for (const file of ["one", "imported"]) {
    const copy = await open(file, first.mark, { "Mira.png": ["two", file] });
    assert.notEqual(copy.mark.chat, first.mark.chat, file);
    assert.deepEqual([copy.branchOf, copy.mark.pool], [first.mark.chat, first.mark.pool]);
  }
  assert.equal((await open("two", renamedTo.mark, { "Mira.png": ["two", "one", "imported"] })).mark.chat, first.mark.chat);
});

test("one backup imported twice makes two chats, though its original is gone", async () => {
  const { open } = browser();
  const owners = { "Mira.png": ["i1", "i2"] };
  const one = await open("i1", MARK, owners);
  const two = await open("i2", MARK, owners);
  assert.equal(one.mark.chat, MARK.chat);
  assert.notEqual(two.mark.chat, one.mark.chat);
  assert.equal((await open("i1", one.mark, owners)).mark.chat, one.mark.chat);
});

test("a chat whose card was away while a copy of it was open does not share the copy's memory", async () => {
  const { open } = browser();
  const original = await open("one", null, { "Mira.png": ["one"] });
  const copy = await open("one", original.mark, { "Tova.png": ["one"] }, "Tova.png");
  const back = await open("one", original.mark, { "Mira.png": ["one"], "Tova.png": ["one"] });
  assert.notEqual(back.mark.chat, copy.mark.chat);
  assert.equal(back.branchOf, copy.mark.chat);
});

test("a new name of the same person is an alias, another person is none", () => {
  const before = [
    { id: "persona:a", name: "Rowan" },
    { id: "Mira.png", name: "Mira" },
  ];
  assert.deepEqual(renamed(before, [{ id: "Mira.png", name: "Mirabel" }, { id: "persona:b", name: "Ash" }]), [{ name: "Mirabel", alias: "Mira" }]);
});

test("tokens are 128 bits in hexadecimal and differ", () => {
  assert.match(token(), /^[0-9a-f]{32}$/);
  assert.notEqual(token(), token());
});
