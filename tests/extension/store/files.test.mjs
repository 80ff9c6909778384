import assert from "node:assert/strict";
import { test } from "node:test";
import { openPort } from "../../../extension/store/files.js";
import { freshName } from "./kit.mjs";

const bytes = (...values) => Uint8Array.from(values);
const open = () => openPort({ database: freshName() }, { report() {} });
const file = (sha256, ...values) => ({ name: `${sha256}.js`, sha256, data: bytes(...values) });

test("files come back by hash; those of an older lock are forgotten, those of this one stay", async () => {
  const files = await open();
  await files.put([file("old", 1), file("stays", 2)], ["old", "stays"]);
  await files.put([file("new", 3)], ["stays", "new"]);
  assert.deepEqual([await files.get("old"), await files.get("stays"), await files.get("new")], [undefined, bytes(2), bytes(3)]);
});

test("a snapshot is of one build, and only the newest is kept", async () => {
  const files = await open();
  await files.put([file("stays", 2)], ["stays"]);
  await files.putSnapshot("one", bytes(1));
  assert.deepEqual(await files.snapshot("two"), { packed: undefined, failures: 0 });
  await files.putSnapshot("two", bytes(2));
  assert.deepEqual(await files.snapshot("one"), { packed: undefined, failures: 0 });
  assert.deepEqual(await files.snapshot("two"), { packed: bytes(2), failures: 0 });
  assert.deepEqual(await files.get("stays"), bytes(2));
});

test("a snapshot that failed is gone, and failures are counted", async () => {
  const files = await open();
  await files.putSnapshot("one", bytes(1));
  await files.snapshotFailed("one");
  assert.deepEqual(await files.snapshot("one"), { packed: undefined, failures: 1 });
  await files.putSnapshot("one", bytes(3));
  await files.snapshotFailed("one");
  assert.deepEqual(await files.snapshot("one"), { packed: undefined, failures: 2 });
});
