import assert from "node:assert/strict";
import { test } from "node:test";
import { deadUrl, failure, until } from "./remote_kit.mjs";
import { KEY, page, ready } from "./sidecar_kit.mjs";

test("the page shows a code, the person confirms it, the key is kept and used", async () => {
  const here = await ready();
  let state = { state: "waiting" };
  here.http = ({ path }) => (path === "/pair/start" ? { status: 201, body: { id: "p1", code: "123456", seconds: 120 } } : { body: state });
  const { sidecar, clock, stored, states } = page(here.url);
  stored.clear();
  assert.equal(await sidecar.pair(), "123456");
  assert.deepEqual(here.requests[0].body, { client: "SillyTavern" });
  assert.equal(sidecar.state(), "pairing");
  const polls = () => here.requests.filter(({ path }) => path === "/pair/p1").length;
  for (let round = 1; round <= 2; round++) {
    await until(() => clock.waits[0] === 1000);
    clock.pass(1000);
    await until(() => polls() === round);
  }
  state = { state: "paired", key: KEY, profile: "default" };
  await until(() => clock.waits[0] === 1000);
  clock.pass(1000);
  await until(() => sidecar.state() === "connected");
  assert.equal(stored.get(`sidecar:${here.url}`), KEY);
  assert.deepEqual(states.map(([name]) => name), ["pairing", "looking", "connected"]);
});

test("a code that nobody confirms, or that is turned down, ends the pairing with a name", async () => {
  const answers = [
    [{ status: 404, body: { error: { code: "no_pairing", message: "Gone.", hint: "" } } }, "pairing_expired"],
    [{ status: 403, body: { error: { code: "pairing_refused", message: "No.", hint: "Again." } } }, "pairing_refused"],
  ];
  for (const [answer, code] of answers) {
    const here = await ready();
    here.http = ({ path }) => (path === "/pair/start" ? { status: 201, body: { id: "p1", code: "1", seconds: 120 } } : answer);
    const { sidecar, clock, states, stored } = page(here.url);
    stored.clear();
    await sidecar.pair();
    await until(() => clock.waits[0] === 1000);
    clock.pass(1000);
    await until(() => sidecar.state() !== "pairing");
    assert.deepEqual(states.at(-1), ["refused", code]);
    assert.equal(clock.waiting, 0);
  }
});

test("a pairing ends when its time is up", async () => {
  const here = await ready();
  here.http = ({ path }) => (path === "/pair/start" ? { status: 201, body: { id: "p1", code: "1", seconds: 2 } } : { body: { state: "waiting" } });
  const { sidecar, clock, states, stored } = page(here.url);
  stored.clear();
  await sidecar.pair();
  await until(() => clock.waits[0] === 1000);
  clock.pass(1000);
  await until(() => here.requests.length === 2 && clock.waits[0] === 1000);
  clock.pass(1000);
  await until(() => sidecar.state() !== "pairing");
  assert.deepEqual(states.at(-1), ["refused", "pairing_expired"]);
});

test("a page that was in goes on with its old key when a new pairing fails", async () => {
  const here = await ready();
  here.http = ({ path }) =>
    path === "/pair/start" ? { status: 201, body: { id: "p1", code: "1", seconds: 120 } } : { status: 403, body: { error: { code: "pairing_refused", message: "No.", hint: "" } } };
  const { sidecar, clock, states } = page(here.url);
  await sidecar.start();
  await sidecar.pair();
  await until(() => clock.waits[0] === 1000);
  clock.pass(1000);
  await until(() => sidecar.state() === "connected");
  assert.deepEqual(states.slice(-3), [["refused", "pairing_refused"], ["looking", ""], ["connected", ""]]);
  here.http = () => ({ status: 429, body: { error: { code: "too_many_pairings", message: "Later.", hint: "" } } });
  assert.equal((await failure(sidecar.pair())).code, "too_many_pairings");
  await until(() => sidecar.state() === "connected");
  here.http = () => ({ status: 404, body: { detail: "another program" } });
  assert.equal((await failure(sidecar.pair())).code, "sidecar_protocol");
});

test("a second pairing takes the place of the first, and of a connection that stands", async () => {
  const here = await ready();
  let count = 0;
  here.http = ({ path }) => (path === "/pair/start" ? { status: 201, body: { id: `p${++count}`, code: String(count), seconds: 120 } } : { body: { state: "waiting" } });
  const { sidecar, clock } = page(here.url);
  await sidecar.start();
  await sidecar.pair();
  assert.equal(await sidecar.pair(), "2");
  await until(() => clock.waits[0] === 1000);
  assert.equal(clock.waiting, 1, "the connection has no timer left, nor has the first pairing");
  clock.pass(1000);
  await until(() => here.requests.some(({ path }) => path === "/pair/p2"));
  assert.ok(!here.requests.some(({ path }) => path === "/pair/p1"));
  sidecar.stop();
  assert.equal(sidecar.state(), "off");
});

test("a pairing with nobody there fails with a name", async () => {
  const { sidecar, states, stored } = page(await deadUrl());
  stored.clear();
  assert.equal((await failure(sidecar.pair())).code, "sidecar_unreachable");
  assert.deepEqual(states.at(-1), ["unreachable", "sidecar_unreachable"]);
});
