import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createRemotes } from "../../extension/remotes.js";
import { memoryPageStore } from "../../extension/page_store.js";
import { deadUrl, failure, FakeClock, PAGE, said, service, settings, until } from "./remote_kit.mjs";

const open = [];
after(() => Promise.all(open.map((close) => close())));

const host = { currentModel: () => "current", profiles: () => [], askCurrent: async () => "{}", askProfile: async () => "{}", postCompletion: async () => null };

/** A sidecar without a network: every line stands as long as it is not cut. */
function fakeSockets(offers = { model: "far", embedder: { name: "near", dimension: 2, scale: 9, floor: 0.5 } }) {
  const lines = new Set();
  class Socket extends EventTarget {
    constructor(url) {
      super();
      this.url = url;
      lines.add(this);
      setImmediate(() => this.dispatchEvent(new Event("open")));
    }
    send(text) {
      const { id, method } = JSON.parse(text);
      const result = { hello: { version: 1, run: "r", revision: 1 }, status: offers, ping: {} }[method];
      setImmediate(() => this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify({ id, result }) })));
    }
    close() {
      if (lines.delete(this)) setImmediate(() => this.dispatchEvent(new Event("close")));
    }
  }
  return { Socket, lines };
}

function made(more = {}) {
  const page = memoryPageStore();
  const clock = new FakeClock();
  const events = [];
  let changes = 0;
  const remotes = createRemotes({ host, page, outside: { clock, page: PAGE, wakes: new EventTarget(), random: () => 1, ...more } });
  void remotes.start((event) => events.push(event), () => changes++);
  open.push(async () => remotes.stop());
  return { remotes, page, clock, events, changes: () => changes };
}

test("nothing is chosen: no port, no name, no request", async () => {
  const { remotes } = made({ fetch: () => assert.fail("nothing may be asked") });
  assert.deepEqual(await remotes.ports(settings({ model: { use: "none" } })), { complete: undefined, embed: undefined });
  assert.deepEqual([remotes.modelName(), remotes.embedderName(), remotes.sidecarState(), remotes.runtimeUrl()], ["", "", "off", undefined]);
});

test("keys lie in the page's store, and are read when ports are made", async () => {
  const there = await service(({ path, body }) => ({ body: path.endsWith("/embeddings") ? { data: body.input.map((_, index) => ({ index, embedding: [1, 2] })) } : said('{"ready": true}') }));
  open.push(there.close);
  const { remotes, page } = made();
  await page.values.set("key:model", "sk-model");
  await page.values.set("key:embedder", "sk-embedder");
  const chosen = settings({ model: { url: there.url }, embedder: { use: "endpoint", url: there.url, name: "shapes" } });
  const { complete, embed } = await remotes.ports(chosen);
  assert.deepEqual([remotes.modelName(), remotes.embedderName()], ["scribe", "shapes"]);
  const { signal } = new AbortController();
  await complete.complete([{ role: "user", content: "x" }], {}, 9, signal);
  await embed.embed({ texts: ["x"], kind: "passage" }, signal);
  assert.deepEqual(
    there.requests.map(({ headers }) => headers.authorization),
    ["Bearer sk-model", "Bearer sk-embedder"],
  );
  assert.equal((await remotes.test("model", chosen)).ok, true);
  assert.equal((await remotes.test("embedder", chosen)).detail, "shapes, 2");
});

test("the sidecar is looked for before the ports are made, and gives both", async () => {
  const { Socket } = fakeSockets();
  const { remotes, page, events } = made({ WebSocket: Socket });
  await page.values.set("sidecar:http://127.0.0.1:8414", "tl_key");
  const { complete, embed } = await remotes.ports(settings({ model: { use: "sidecar" }, sidecar: { use: true, url: "http://127.0.0.1:8414" } }));
  assert.deepEqual([complete.name, embed.model.name, remotes.sidecarState(), remotes.runtimeUrl()], ["far", "near", "connected", "http://127.0.0.1:8414"]);
  assert.deepEqual(events.map(({ params }) => params.state), ["looking", "connected"]);
});

test("a sidecar that comes later tells that other ports are due", async () => {
  const { Socket, lines } = fakeSockets();
  let up = false;
  class Late extends EventTarget {
    constructor(url) {
      super();
      if (up) return new Socket(url);
      setImmediate(() => this.dispatchEvent(new Event("close")));
    }
    close() {}
  }
  const { remotes, page, clock, changes } = made({ WebSocket: Late, fetch: async () => Promise.reject(new TypeError("nobody")) });
  await page.values.set("sidecar:http://127.0.0.1:8414", "tl_key");
  const chosen = settings({ model: { use: "sidecar" }, sidecar: { use: true, url: "http://127.0.0.1:8414" } });
  assert.deepEqual(await remotes.ports(chosen), { complete: undefined, embed: undefined });
  assert.equal(remotes.sidecarState(), "unreachable");
  up = true;
  clock.pass(1000);
  await until(() => remotes.sidecarState() === "connected");
  assert.ok(changes() >= 1);
  const before = changes();
  const { complete, embed } = await remotes.ports(chosen);
  assert.deepEqual([complete.name, embed.model.name], ["far", "near"]);
  await remotes.ports(chosen);
  assert.ok(changes() - before <= 1, "making ports does not call for ports for ever");
  for (const line of lines) line.close();
  await until(() => remotes.sidecarState() === "unreachable");
  assert.equal((await remotes.ports(chosen)).complete, undefined);
});

test("another address is another sidecar, and none when it is switched off", async () => {
  const { Socket, lines } = fakeSockets();
  const { remotes, page } = made({ WebSocket: Socket });
  for (const port of [1, 2]) await page.values.set(`sidecar:http://127.0.0.1:${port}`, "tl_key");
  const chosen = (port, use = true) => settings({ model: { use: "none" }, sidecar: { use, url: `http://127.0.0.1:${port}` } });
  await remotes.ports(chosen(1));
  await remotes.ports(chosen(2));
  assert.deepEqual([...lines].map(({ url }) => url), ["ws://127.0.0.1:2/ws"]);
  await remotes.ports(chosen(2, false));
  assert.deepEqual([remotes.sidecarState(), lines.size, remotes.embedderName()], ["off", 0, ""]);
  await remotes.ports(chosen(2));
  assert.equal(remotes.sidecarState(), "connected");
  remotes.stop();
  assert.deepEqual([remotes.sidecarState(), lines.size], ["off", 0]);
});

test("pairing says what is wrong", async () => {
  const { remotes } = made();
  assert.equal((await failure(remotes.pair())).code, "sidecar_off");
  await remotes.ports(settings({ sidecar: { use: true, url: await deadUrl() } }));
  assert.equal((await failure(remotes.pair())).code, "sidecar_unreachable");
});

test("an address of the sidecar that is none breaks nothing", async () => {
  const { remotes } = made();
  await remotes.ports(settings({ sidecar: { use: true, url: "not an address" } }));
  assert.equal(remotes.sidecarState(), "unreachable");
});
