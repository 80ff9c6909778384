import assert from "node:assert/strict";
import { test } from "node:test";
import { openPort as openRuntime } from "../../../extension/store/files.js";
import { openPort } from "../../../extension/store/model_files.js";
import { freshName } from "./kit.mjs";

const file = (sha256, value) => ({ name: `${sha256}.zip`, sha256, data: Uint8Array.of(value) });
const tools = { report() {} };

test("the model's files outlive the connection, those of another version go, and the runtime's are left alone", async () => {
  const database = freshName();
  const runtime = await openRuntime({ database }, tools);
  await runtime.put([{ name: "python.js", sha256: "r", data: Uint8Array.of(9) }], ["r"]);
  const first = await openPort({ database }, tools);
  await first.put([file("old", 1), file("stays", 2)]);
  first.close();
  const second = await openPort({ database }, tools);
  assert.deepEqual(await second.get("old"), Uint8Array.of(1));
  await second.put([file("stays", 2), file("new", 3)]);
  assert.deepEqual([await second.get("old"), await second.get("stays"), await second.get("new")], [undefined, Uint8Array.of(2), Uint8Array.of(3)]);
  // A new version of the runtime takes nothing of the model along.
  await runtime.put([], []);
  assert.deepEqual([await runtime.get("r"), await second.get("new")], [undefined, Uint8Array.of(3)]);
  await second.drop();
  assert.equal(await second.get("new"), undefined);
  second.close();
});
