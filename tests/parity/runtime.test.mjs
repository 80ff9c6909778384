import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { CDNS, RuntimeMissing, gather, gatherSnapshot, sourcesFor } from "../../wasm/runtime.js";

const bytes = (text) => new TextEncoder().encode(text);
const locked = (name, part) => {
  const data = bytes(`the contents of ${name}`);
  return { name, part, version: "1", size: data.length, sha256: createHash("sha256").update(data).digest("hex") };
};
const lock = { build: "this", pyodide: "0.1.2", files: [locked("a.wasm", "runtime"), locked("b.js", "runtime"), locked("c.whl", "engine")] };
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
  assert.equal(asked.length, 3);
});

test("what one source lacks comes from the next, and only that is asked for", async () => {
  const { files, outcomes, asked } = await run([OWN, SIDECAR, CDN], { "https://own.test/dist/c.whl": "right", "http://sidecar.test/wasm/": "down", "https://cdn.test/x/": "right" });
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

test("a source that hangs is given up, whether it hears of it or not", async () => {
  for (const kind of ["hangs", "deaf"]) {
    const { files, outcomes } = await run([SIDECAR, OWN], { "http://sidecar.test/wasm/": kind, "https://own.test/dist/": "right" }, { seconds: 0.05 });
    assert.ok(outcomes.includes("sidecar a.wasm late"));
    assert.equal(files.size, 3);
  }
});

test("a source that reads is asked for each file of its part, and what it lacks or has wrong comes from the next", async () => {
  const held = { "a.wasm": bytes("the contents of a.wasm"), "b.js": bytes("THE contents of b.js") };
  const kept = { name: "kept", url: "", parts: ["runtime"], read: async ({ name }) => held[name] };
  const first = await run([kept, OWN], { "https://own.test/dist/": "right" });
  assert.deepEqual(first.outcomes.sort(), ["kept a.wasm taken", "kept b.js refused", "own b.js taken", "own c.whl taken"]);
  kept.read = async () => undefined;
  const second = await run([kept, OWN], { "https://own.test/dist/": "right" });
  assert.deepEqual(second.outcomes.filter((outcome) => outcome.startsWith("kept")).sort(), ["kept a.wasm missing", "kept b.js missing"]);
  assert.equal(second.files.size, 3);
});

const PACKED = bytes("packed memory");
const note = (more = {}) => JSON.stringify({ build: "this", size: PACKED.length, sha256: createHash("sha256").update(PACKED).digest("hex"), ...more });

/** The snapshot that one source, or the next, gives. */
async function snapshot(pages, sources = [OWN, SIDECAR]) {
  const events = [];
  const { fetch, asked } = net(pages);
  const found = await gatherSnapshot({ lock, sources, fetch, onEvent: (event) => events.push(event) });
  return { text: found && new TextDecoder().decode(found), outcomes: events.map(({ source, file, outcome }) => `${source} ${file} ${outcome}`), asked };
}

test("a snapshot is taken from the first source whose note names this build", async () => {
  const own = "https://own.test/dist/snapshot";
  const beside = "http://sidecar.test/wasm/snapshot";
  const right = { [`${own}.json`]: note(), [`${own}.bin.gz`]: "packed memory" };
  assert.deepEqual(await snapshot(right), { text: "packed memory", outcomes: ["own snapshot.json taken", "own snapshot.bin.gz taken"], asked: [`${own}.json`, `${own}.bin.gz`] });
  const wrong = { build: note({ build: "another" }), json: "no json", size: note({ size: "large" }), hash: note({ sha256: 7 }) };
  for (const [way, said] of Object.entries(wrong)) {
    const { text, outcomes, asked } = await snapshot({ ...right, [`${own}.json`]: said, [`${beside}.json`]: note(), [`${beside}.bin.gz`]: "packed memory" });
    assert.equal(text, "packed memory", way);
    assert.match(outcomes[0], /^own snapshot\.json (refused|unreachable)$/);
    assert.ok(!asked.includes(`${own}.bin.gz`), way);
  }
  const damaged = await snapshot({ ...right, [`${own}.bin.gz`]: "packed MEMORY" });
  assert.deepEqual([damaged.text, damaged.outcomes[1]], [undefined, "own snapshot.bin.gz refused"]);
  assert.equal((await snapshot({})).text, undefined, "none is no failure");
});

test("a source that has no snapshot is not asked for one", async () => {
  const { asked } = await snapshot({}, [CDN, { ...SIDECAR, parts: ["runtime", "engine"] }]);
  assert.deepEqual(asked, []);
});

test("the usual order: own folders, sidecar, CDNs at the version of the lock, which have no engine", () => {
  const found = sourcesFor(lock, { own: "/x/wasm", sidecar: "http://127.0.0.1:1/" });
  const shown = found.map(({ name, url, parts, keep }) => [name, url, parts.join(" "), Boolean(keep)]);
  assert.deepEqual(shown.slice(0, 3), [
    ["extension", "/x/wasm/engine", "engine", false],
    ["extension", "/x/wasm/dist", "runtime snapshot", false],
    ["sidecar", "http://127.0.0.1:1/runtime", "runtime engine", true],
  ]);
  assert.deepEqual(shown.slice(3).map(([name]) => name), CDNS.map(({ name }) => name));
  assert.ok(shown.slice(3).every(([, url, parts, keep]) => url.includes("pyodide@0.1.2") && parts === "runtime" && keep));
  assert.deepEqual(sourcesFor(lock, { own: "/x/wasm/", cdns: [] }), found.slice(0, 2));
});
