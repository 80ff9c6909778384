// The page's side against the sidecar as people run it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { WebSocket as NodeWebSocket } from "ws";
import { completePort, testModel } from "../../extension/models.js";
import { createEmbedder } from "../../extension/embedder.js";
import { createSidecar } from "../../extension/sidecar.js";
import { failure, said, service, settings, until } from "./remote_kit.mjs";

const ORIGIN = "http://127.0.0.1:8000";
const PAGE = { protocol: "http:", hostname: "127.0.0.1", origin: ORIGIN };
const PYTHON = process.env.TIDELORE_PYTHON ?? "python3";
const NEW_PORT = 0;

/** As a browser does: the page's origin goes along, and cannot be changed by the page. */
class WebSocket extends NodeWebSocket {
  constructor(url) {
    super(url, { origin: ORIGIN });
  }
}
const pageFetch = (url, options = {}) => fetch(url, { ...options, headers: { ...options.headers, Origin: ORIGIN } });

let data;
let models;
let process_;
let url;
let key;
const stored = new Map();
const open = [];

async function serve(port) {
  const child = spawn(PYTHON, ["-m", "tidelore", "serve", "--port", String(port), "--data", data, "--json", "--model-url", `${models.url}/v1`, "--model", "scribe"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let complaints = "";
  child.stderr.on("data", (part) => (complaints += part));
  for await (const line of createInterface({ input: child.stdout })) {
    const found = JSON.parse(line);
    return { child, ...found };
  }
  assert.fail(`the sidecar did not start: ${complaints}`);
}

const ended = (child) => (child.exitCode === null && child.signalCode === null ? new Promise((resolve) => child.once("exit", resolve)) : null);

async function command(...words) {
  const child = spawn(PYTHON, ["-m", "tidelore", ...words, "--data", data, "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  for await (const part of child.stdout) out += part;
  await ended(child);
  assert.equal(child.exitCode, 0, out);
  return out;
}

before(async () => {
  data = await mkdtemp(join(tmpdir(), "tidelore-page-"));
  models = await service(({ path, body }) =>
    path.endsWith("/embeddings")
      ? { body: { data: body.input.map((text, index) => ({ index, embedding: [text.length, 1] })) } }
      : { body: said(body.messages[0].content.includes("ready") ? '{"ready": true}' : `{"heard": ${body.messages[0].content.length}}`) },
  );
  await writeFile(join(data, "config.toml"), `[embedder]\nurl = "${models.url}/v1"\nname = "lengths"\nscale = 9.0\nfloor = 0.6\n`);
  ({ child: process_, url, key } = await serve(NEW_PORT));
});

after(async () => {
  for (const sidecar of open) sidecar.stop();
  process_.kill("SIGTERM");
  await ended(process_);
  await models.close();
  await rm(data, { recursive: true });
});

function page(more = {}) {
  const states = [];
  const events = [];
  const keys = { get: async (name) => stored.get(name) ?? null, set: async (name, value) => void stored.set(name, value) };
  const sidecar = createSidecar({
    url, client: "SillyTavern", keys, fetch: pageFetch, WebSocket, page: PAGE, wakes: new EventTarget(),
    onState: (state, problem) => states.push([state, problem?.code ?? ""]),
    onEvent: (event) => events.push(event),
    ...more,
  });
  open.push(sidecar);
  return { sidecar, states, events };
}

test("a page that has not paired is told so, and pairs by a code that the person types", async () => {
  const { sidecar, states } = page();
  await sidecar.start();
  assert.deepEqual(states.at(-1), ["refused", "sidecar_unpaired"]);
  const code = await sidecar.pair();
  assert.match(code, /^\d{6}$/);
  await command("pair", code);
  await until(() => sidecar.state() !== "pairing" && sidecar.state() !== "looking");
  assert.deepEqual(states.at(-1), ["connected", ""]);
  assert.ok(stored.get(`sidecar:${url}`));
  assert.notEqual(stored.get(`sidecar:${url}`), key, "the page has a key of its own");
});

test("once paired a page comes in by itself, and the memory answers", async () => {
  const { sidecar } = page();
  await sidecar.start();
  assert.equal(sidecar.state(), "connected", sidecar.problem()?.message);
  await sidecar.call("chat.update", { chat: "page", messages: [{ role: "user", name: "Mara", text: "My cat is called Biscuit." }] });
  const { chats } = await sidecar.call("chat.list");
  assert.deepEqual(chats.map(({ chat }) => chat), ["page"]);
  const error = await failure(sidecar.call("graph.get", { chat: "nobody's" }));
  assert.equal(error.code, "not_found");
  assert.ok(error.hint);
});

test("a message longer than a frame arrives whole", async () => {
  const { sidecar } = page();
  await sidecar.start();
  const long = "The lamp 🐈 burns. ".repeat(90_000);
  const texts = [long, "x"];
  const answer = await sidecar.call("embed", { texts, kind: "document" });
  const [first] = new Float32Array(Uint8Array.from(atob(answer.vectors), (letter) => letter.charCodeAt(0)).buffer);
  assert.equal(first, long.length);
});

test("its embedding model serves the page, and its memory model too", async () => {
  const { sidecar } = page();
  await sidecar.start();
  const embedder = createEmbedder({ settings: settings(), sidecar, page: PAGE });
  assert.equal(embedder.kind(), "sidecar");
  const { name, scale, floor } = embedder.port().model;
  assert.deepEqual([name, scale, floor], ["lengths", 9, 0.6]);
  const signal = new AbortController().signal;
  const vectors = new Float32Array(await embedder.port().embed({ texts: ["a", "four"], kind: "passage" }, signal));
  assert.deepEqual([...vectors], [1, 1, 4, 1]);
  const chosen = { host: {}, settings: settings({ model: { use: "sidecar" } }), sidecar };
  const port = completePort(chosen);
  assert.equal(port.name, "scribe");
  assert.equal(await port.complete([{ role: "user", content: "four" }], {}, 20, signal), '{"heard": 4}');
  assert.equal((await testModel(chosen)).ok, true);
  models.rule = () => ({ status: 401, body: { error: { message: "no" } } });
  assert.equal((await failure(port.complete([{ role: "user", content: "four" }], {}, 20, signal))).code, "model_refused");
});

test("what another client writes is heard", async () => {
  const one = page();
  const two = page();
  await Promise.all([one.sidecar.start(), two.sidecar.start()]);
  await one.sidecar.call("chat.update", { chat: "shared", messages: [{ role: "user", name: "Mara", text: "Hello there." }] });
  await until(() => two.events.length);
  assert.deepEqual([two.events[0].method, two.events[0].params.chat], ["changed", "shared"]);
  assert.equal(one.events.length, 0, "whoever wrote knows");
});

test("a page of an origin that was never let in, or not any more, is refused", async () => {
  const other = "http://127.0.0.1:9999";
  class Foreign extends NodeWebSocket {
    constructor(address) {
      super(address, { origin: other });
    }
  }
  const foreign = page({ WebSocket: Foreign, fetch: (address, options = {}) => fetch(address, { ...options, headers: { ...options.headers, Origin: other } }), page: { ...PAGE, origin: other } });
  await foreign.sidecar.start();
  assert.deepEqual(foreign.states.at(-1), ["refused", "sidecar_refused"]);
});

test("when the process is killed the page goes on, and is back when it runs again", async () => {
  const { sidecar, states } = page();
  await sidecar.start();
  const port = new URL(url).port;
  process_.kill("SIGKILL");
  await ended(process_);
  await until(() => sidecar.state() === "unreachable");
  assert.equal((await failure(sidecar.call("chat.list"))).code, "sidecar_closed");
  ({ child: process_ } = await serve(port));
  await until(() => sidecar.state() === "connected");
  assert.ok(states.some(([, code]) => code === "sidecar_closed"));
  assert.ok(await sidecar.call("chat.list"));
});

test("a page that is forgotten is refused the next time", async () => {
  const { sidecar, states } = page();
  await command("pair", "--forget", ORIGIN);
  await sidecar.start();
  assert.deepEqual(states.at(-1), ["refused", "sidecar_refused"]);
  assert.match(sidecar.problem().hint, /[Pp]air/);
  const code = await sidecar.pair();
  await command("pair", code);
  await until(() => sidecar.state() === "connected");
});

test("a sidecar that shuts down well says so to calls that wait", async () => {
  const { sidecar } = page();
  await sidecar.start();
  models.rule = () => new Promise(() => {});
  const call = failure(sidecar.call("model.complete", { messages: [{ role: "user", content: "x" }], budget: 60 }));
  const asked = models.requests.length;
  await until(() => models.requests.length > asked);
  process_.kill("SIGTERM");
  assert.ok(["closing", "sidecar_closed"].includes((await call).code), (await call).code);
  sidecar.stop();
});
