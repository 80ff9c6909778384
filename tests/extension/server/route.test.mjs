// The endpoint of the memory model through the route of a real SillyTavern server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { completions } from "../../../extension/host_models.js";
import { completePort } from "../../../extension/models.js";
import { deadUrl, events, failure, PAGE, said, service, settings } from "../remote_kit.mjs";

const SERVER = process.env.TIDELORE_SILLYTAVERN;
const ANSWER = '{"operations": []}';
const KEY = "sk-of-the-memory-model";
const OTHER = "sk-that-the-person-saved-for-another-service";
const MESSAGES = [{ role: "system", content: "Note what happens." }, { role: "user", content: "Mara came. {{user}} left." }];

let headers;
let there;
/** The page's fetch: addresses are of the server, and its session goes along. */
const pageFetch = (path, options = {}) => fetch(`${SERVER}${path}`, { ...options, headers: { ...options.headers, Cookie: headers.Cookie } });
const host = completions(() => ({ getRequestHeaders: () => ({ "Content-Type": "application/json", "X-CSRF-Token": headers.token }) }), pageFetch);
const none = async () => assert.fail("the page asks the endpoint by itself");

before(async () => {
  const response = await fetch(`${SERVER}/csrf-token`);
  const cookies = response.headers.getSetCookie().map((each) => each.split(";")[0]);
  headers = { token: (await response.json()).token, Cookie: cookies.join("; ") };
  const saved = await pageFetch("/api/secrets/write", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRF-Token": headers.token },
    body: JSON.stringify({ key: "api_key_custom", value: OTHER }),
  });
  assert.ok(saved.ok, `the key could not be saved: ${saved.status}`);
  there = await service(() => ({ body: said(ANSWER) }));
});
after(() => there.close());

function port(change = {}, key = KEY) {
  return completePort({ host, settings: settings({ model: { url: `${there.url}/v1/`, ...change } }), key, fetch: none, page: PAGE });
}
const ask = (made) => made.complete(MESSAGES, {}, 30, new AbortController().signal);

test("the request arrives as it was meant, with the key of the memory model and no other", async () => {
  assert.equal(await ask(port()), ANSWER);
  const { path, body, headers: sent } = there.requests.at(-1);
  assert.equal(path, "/v1/chat/completions");
  assert.equal(sent.authorization, `Bearer ${KEY}`);
  assert.deepEqual(body.messages, MESSAGES);
  assert.deepEqual([body.model, body.max_tokens, body.temperature, body.stream], ["scribe", 700, 0.2, false]);
  assert.deepEqual(body.response_format, { type: "json_object" });
});

test("without a key, that of another service stays away", async () => {
  assert.equal(await ask(port({}, "")), ANSWER);
  assert.ok(!String(there.requests.at(-1).headers.authorization ?? "").includes(OTHER));
});

test("streams are read, those that were not asked for too", async () => {
  there.rule = () => ({ headers: { "Content-Type": "text/event-stream" }, body: events('{"operations"', ": []}") });
  assert.equal(await ask(port({ stream: true })), ANSWER);
  assert.equal(await ask(port()), ANSWER);
  there.rule = () => ({ body: said(ANSWER) });
  assert.equal(await ask(port({ stream: true })), ANSWER);
});

test("a service that takes no JSON mode is asked without", async () => {
  there.rule = ({ body }) => (body.response_format ? { status: 400, reason: "Bad Request", body: { error: { message: "no" } } } : { body: said(ANSWER) });
  assert.equal(await ask(port()), ANSWER);
});

test("errors keep their sort on the way through the server", async () => {
  const cases = [
    [401, "Unauthorized", "model_refused"],
    [404, "Not Found", "model_refused"],
    [429, "Too Many Requests", "model_unreachable"],
    [500, "Internal Server Error", "model_unreachable"],
    [503, "Service Unavailable", "model_unreachable"],
  ];
  for (const [status, reason, code] of cases) {
    there.rule = () => ({ status, reason, body: { error: { message: `no: ${reason}` } } });
    for (const stream of [false, true]) {
      const error = await failure(ask(port({ stream })));
      assert.equal(error.code, code, `${status}, stream ${stream}: ${error.message}`);
    }
  }
  const dead = await deadUrl();
  for (const stream of [false, true]) assert.equal((await failure(ask(port({ url: dead, stream })))).code, "model_unreachable");
});

test("a request that is stopped is stopped at the endpoint too", async () => {
  let closed = 0;
  there.rule = () => (response) => response.on("close", () => closed++);
  const controller = new AbortController();
  const asked = there.requests.length;
  const pending = failure(port().complete(MESSAGES, {}, 30, controller.signal));
  while (there.requests.length === asked) await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  assert.equal((await pending).code, "cancelled");
  while (!closed) await new Promise((resolve) => setImmediate(resolve));
});

test("a page that the server does not know any more is told to reload", async () => {
  const { token } = headers;
  headers.token = "old";
  try {
    assert.equal((await failure(ask(port()))).hint, "Reload the page.");
  } finally {
    headers.token = token;
  }
});
