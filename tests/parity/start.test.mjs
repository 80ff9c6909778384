import assert from "node:assert/strict";
import { readFile, rm, mkdtemp, writeFile, cp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { createHash } from "node:crypto";
import { connect } from "../../wasm/bridge.js";
import { nodeWorker } from "../../wasm/node-worker.mjs";
import { BUILD, failure, lock, message, open, sources } from "./kit.mjs";

const steps = (events, step) => events.filter((event) => event.step === step).map(({ outcome }) => outcome);

async function works(link) {
  const { inserted } = await link.call("chat.update", { chat: "c", messages: [message("Mara", "My cat is called Biscuit.")] });
  assert.equal(inserted, 1);
}

test("the start is from the snapshot, and random numbers differ from start to start", async () => {
  const ids = new Set();
  for (let run = 0; run < 2; run++) {
    const events = [];
    const link = open({ onEvent: (event) => events.push(event) });
    try {
      const info = await link.ready;
      assert.equal(info.how, "snapshot");
      assert.equal(info.build, lock.build);
      assert.deepEqual(steps(events, "source"), [...lock.files, "snapshot.json", "snapshot.bin.gz"].map(() => "taken"));
      await works(link);
      await link.call("extract.run", { chat: "c", lag: 0 });
      ids.add((await link.call("recall.run", { chat: "c", query: "cat" })).recall);
    } finally {
      link.close();
    }
  }
  assert.equal(ids.size, 2);
});

test("a plain start keeps a snapshot if asked to, which the next start uses; that of another build is not used", async () => {
  const events = [];
  const first = open({ snapshot: false, keep: true, onEvent: (event) => events.push(event) });
  assert.equal((await first.ready).how, "plain");
  await works(first);
  first.close();
  const { build, data } = events.find(({ step }) => step === "keep");
  assert.equal(build, lock.build);
  const second = open({ snapshot: false, kept: { build, data } });
  assert.equal((await second.ready).how, "snapshot");
  await works(second);
  second.close();
  const refused = [];
  const third = open({ snapshot: false, kept: { build: "another", data }, onEvent: (event) => refused.push(event) });
  assert.equal((await third.ready).how, "plain");
  assert.deepEqual(steps(refused, "kept"), ["refused"]);
  third.close();
});

/** The build with another snapshot in it, rightly hashed. */
async function withSnapshot(change) {
  const folder = await mkdtemp(join(tmpdir(), "tidelore-snapshot-"));
  await cp(BUILD, folder, { recursive: true });
  const data = await change();
  const sha256 = createHash("sha256").update(data).digest("hex");
  await writeFile(join(folder, "snapshot.bin.gz"), data);
  await writeFile(join(folder, "snapshot.json"), JSON.stringify({ build: lock.build, size: data.length, sha256 }));
  return { lock, sources: [{ name: "changed", url: pathToFileURL(folder).href }], folder };
}

test("a snapshot that cannot be used leads to a plain start", async () => {
  for (const change of [async () => Buffer.from("no gzip"), async () => gzipSync(Buffer.alloc(1 << 20))]) {
    const { folder, ...start } = { ...(await withSnapshot(change)), snapshotSeconds: 1 };
    const events = [];
    const link = connect(nodeWorker(), { start, onEvent: (event) => events.push(event) });
    try {
      assert.equal((await link.ready).how, "plain");
      assert.deepEqual(steps(events, "snapshot"), ["failed"]);
      await works(link);
    } finally {
      link.close();
      await rm(folder, { recursive: true });
    }
  }
});

test("a snapshot of another build is not even fetched", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tidelore-note-"));
  await cp(BUILD, folder, { recursive: true });
  const note = JSON.parse(await readFile(join(folder, "snapshot.json"), "utf8"));
  await writeFile(join(folder, "snapshot.json"), JSON.stringify({ ...note, build: "another" }));
  const events = [];
  const link = open({ sources: [{ name: "stale", url: pathToFileURL(folder).href }], onEvent: (event) => events.push(event) });
  try {
    assert.equal((await link.ready).how, "plain");
    const about = events.filter(({ file }) => file?.startsWith("snapshot")).map(({ file, outcome }) => `${file} ${outcome}`);
    assert.deepEqual(about, ["snapshot.json refused"]);
  } finally {
    link.close();
    await rm(folder, { recursive: true });
  }
});

test("a start from a snapshot that takes too long is given up for a plain one", async () => {
  const events = [];
  const link = open({ snapshotSeconds: 0, onEvent: (event) => events.push(event) });
  try {
    assert.equal((await link.ready).how, "plain");
    assert.match(events.find(({ step }) => step === "snapshot").detail, /longer than 0 s/);
    await works(link);
  } finally {
    link.close();
  }
});

test("calls before the start wait for it; a start that fails ends them with its error", async () => {
  const early = open();
  await works(early);
  early.close();
  const broken = open({ sources: [{ name: "nowhere", url: pathToFileURL(join(BUILD, "nowhere")).href }] });
  const waiting = failure(broken.call("chat.list"));
  assert.equal((await failure(broken.ready)).code, "runtime_missing");
  const error = await waiting;
  assert.equal(error.code, "runtime_missing");
  assert.ok(error.hint);
  assert.equal((await failure(broken.call("chat.list"))).code, "runtime_missing");
});

test("a file with another hash is never run", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tidelore-wrong-"));
  await cp(BUILD, folder, { recursive: true });
  const script = await readFile(join(folder, "pyodide.asm.js"));
  script[script.length - 2] ^= 1;
  await writeFile(join(folder, "pyodide.asm.js"), script);
  const events = [];
  const link = connect(nodeWorker(), {
    start: { lock, sources: [{ name: "wrong", url: pathToFileURL(folder).href }, ...sources] },
    onEvent: (event) => events.push(event),
  });
  try {
    await link.ready;
    const about = events.filter(({ file }) => file === "pyodide.asm.js").map(({ source, outcome }) => `${source} ${outcome}`);
    assert.deepEqual(about, ["wrong refused", "extension taken"]);
  } finally {
    link.close();
    await rm(folder, { recursive: true });
  }
});

test("a worker that dies ends every call with a named error", async () => {
  const worker = nodeWorker();
  const link = connect(worker, { start: { lock, sources } });
  await link.ready;
  const waiting = failure(link.call("chat.list"));
  await worker.terminate();
  assert.ok(["worker_failed", undefined].includes((await waiting).code));
  assert.equal((await failure(link.call("chat.list"))).code, "worker_failed");
});
