import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { CDNS, RuntimeMissing, gather, sourcesFor } from "../../wasm/runtime.js";

const bytes = (text) => new TextEncoder().encode(text);
const locked = (name, part) => {
  const data = bytes(`the contents of ${name}`);
  return { name, part, version: "1", size: data.length, sha256: createHash("sha256").update(data).digest("hex") };
};
const lock = { pyodide: "0.1.2", files: [locked("a.wasm", "runtime"), locked("b.js", "runtime"), locked("c.whl", "engine"), locked("d.gz", "snapshot")] };
const ALL = lock.files.map((file) => file.name);

/** A net in which some addresses answer. */
function net(pages) {
  const asked = [];
  const fetch = async (url, { signal }) => {
    asked.push(url);
    const page = pages[url] ?? pages[url.slice(0, url.lastIndexOf("/") + 1)];
    if (page === undefined) return new Response(null, { status: 404 });
    if (page === "down") throw new TypeError("fetch failed");
    if (page === "hangs") return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    if (page === "deaf") return new Promise(() => {});
    return new Response(page === "right" ? `the contents of ${url.slice(url.lastIndexOf("/") + 1)}` : page);
  };
  return { fetch, asked };
}

async function run(sources, pages, options = {}) {
  const events = [];
  const { fetch, asked } = net(pages);
  const files = await gather({ lock, sources, fetch, onEvent: (event) => events.push(event), ...options }).catch((error) => error);
  const outcomes = events.map(({ source, file, outcome }) => `${source} ${file} ${outcome}`);
  return { files, events, outcomes, asked };
}

const OWN = { name: "own", url: "https://own.test/dist" };
const SIDECAR = { name: "sidecar", url: "http://sidecar.test/wasm/" };
const CDN = { name: "cdn", url: "https://cdn.test/x/", parts: ["runtime"] };

test("the first source that has everything is enough", async () => {
  const { files, outcomes, asked } = await run([OWN, SIDECAR, CDN], { "https://own.test/dist/": "right" });
  assert.deepEqual([...files.keys()].sort(), ALL);
  assert.equal(new TextDecoder().decode(files.get("b.js")), "the contents of b.js");
  assert.deepEqual(outcomes.sort(), ALL.map((name) => `own ${name} taken`));
  assert.equal(asked.length, 4);
});

test("what one source lacks comes from the next, and only that is asked for", async () => {
  const { files, outcomes, asked } = await run([OWN, SIDECAR, CDN], { "https://own.test/dist/c.whl": "right", "https://own.test/dist/d.gz": "right", "http://sidecar.test/wasm/": "down", "https://cdn.test/x/": "right" });
  assert.deepEqual([...files.keys()].sort(), ALL);
  assert.ok(outcomes.includes("own a.wasm missing"));
  assert.ok(outcomes.includes("sidecar a.wasm unreachable"));
  assert.ok(outcomes.includes("cdn a.wasm taken"));
  assert.ok(!asked.includes("https://cdn.test/x/c.whl"));
});

test("another hash is refused, and the next source is tried", async () => {
  const wrong = "THE contents of a.wasm";
  const { files, events, outcomes } = await run([OWN, CDN], { "https://own.test/dist/": "right", "https://own.test/dist/a.wasm": wrong, "https://cdn.test/x/": "right" });
  assert.ok(outcomes.includes("own a.wasm refused"));
  assert.match(events.find(({ outcome }) => outcome === "refused").detail, /^hash [0-9a-f]{64}, not [0-9a-f]{64}$/);
  assert.equal(new TextDecoder().decode(files.get("a.wasm")), "the contents of a.wasm");
});

test("another size is refused", async () => {
  const { files, outcomes } = await run([OWN], { "https://own.test/dist/": "right", "https://own.test/dist/b.js": "short" });
  assert.ok(outcomes.includes("own b.js refused"));
  assert.ok(files instanceof RuntimeMissing);
});

test("a file that nobody has is named, with what to do", async () => {
  const { files } = await run([OWN, CDN], { "https://own.test/dist/": "right", "https://own.test/dist/b.js": "wrong contents!", "https://cdn.test/x/b.js": "wrong contents!!!!" });
  assert.equal(files.code, "runtime_missing");
  assert.match(files.message, /b\.js/);
  assert.doesNotMatch(files.message, /a\.wasm/);
  assert.ok(files.hint);
});

test("a snapshot may be missing", async () => {
  const { files, outcomes } = await run([OWN], { "https://own.test/dist/a.wasm": "right", "https://own.test/dist/b.js": "right", "https://own.test/dist/c.whl": "right" });
  assert.deepEqual([...files.keys()].sort(), ALL.slice(0, 3));
  assert.ok(outcomes.includes("own d.gz missing"));
});

test("a source that hangs is given up, whether it hears of it or not", async () => {
  for (const kind of ["hangs", "deaf"]) {
    const { files, outcomes } = await run([SIDECAR, OWN], { "http://sidecar.test/wasm/": kind, "https://own.test/dist/": "right" }, { seconds: 0.05 });
    assert.ok(outcomes.includes("sidecar a.wasm late"));
    assert.equal(files.size, 4);
  }
});

test("parts that are not wanted are not asked for", async () => {
  const { files, asked } = await run([OWN], { "https://own.test/dist/": "right" }, { parts: ["runtime", "engine"] });
  assert.equal(files.size, 3);
  assert.ok(!asked.some((url) => url.endsWith("d.gz")));
});

test("the usual order: own folder, sidecar, CDNs at the version of the lock, which have no engine", () => {
  const found = sourcesFor(lock, { own: "/wasm/dist", sidecar: "http://127.0.0.1:1/wasm" });
  assert.deepEqual(found.map(({ name }) => name), ["extension", "sidecar", ...CDNS.map(({ name }) => name)]);
  assert.ok(found.slice(2).every(({ url, parts }) => url.includes("pyodide@0.1.2") && parts.join() === "runtime"));
  assert.deepEqual(sourcesFor(lock, { own: "/w", cdns: [] }), [{ name: "extension", url: "/w" }]);
});
