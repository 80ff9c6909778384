import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { sha256, sha256Plain } from "../../wasm/sha256.js";

const ascii = (text) => new TextEncoder().encode(text);

// From FIPS 180-2, appendix B, and the empty message.
const VECTORS = [
  ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  ["abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"],
  ["a".repeat(1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"],
];

test("the known vectors", async () => {
  for (const [text, hash] of VECTORS) {
    assert.equal(sha256Plain(ascii(text)), hash);
    assert.equal(await sha256(ascii(text)), hash);
  }
});

test("every length about a block, and parts of a buffer", () => {
  const bytes = randomBytes(400);
  for (let size = 0; size < 200; size++) {
    const part = new Uint8Array(bytes.buffer, bytes.byteOffset + 7, size);
    assert.equal(sha256Plain(part), createHash("sha256").update(part).digest("hex"), String(size));
  }
});

test("without crypto.subtle, as on a plain http address, the hash is the same", async () => {
  const real = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  Object.defineProperty(globalThis, "crypto", { value: {}, configurable: true });
  try {
    assert.equal(await sha256(ascii("abc")), VECTORS[1][1]);
  } finally {
    Object.defineProperty(globalThis, "crypto", real);
  }
});
