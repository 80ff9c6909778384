import assert from "node:assert/strict";
import { test } from "node:test";
import { completions } from "../../extension/host_models.js";
import { completePort } from "../../extension/models.js";
import { ANSWER, ask, bare, direct, endpoint, MESSAGES, sillytavern, through } from "./models_kit.mjs";
import { deadUrl, events, failure, FakeClock, PAGE, said, settings } from "./remote_kit.mjs";

for (const [way, portOf] of [
  ["straight", direct],
  ["through SillyTavern's server", (url, change, more) => through(sillytavern(), url, change, more)],
]) {
  test(`${way}: the text of a plain and of a streamed answer`, async () => {
    const there = await endpoint(({ body }) => ({ body: body.stream ? events('{"oper', 'ations": []}') : said(ANSWER) }));
    assert.equal(await ask(portOf(there.url)), ANSWER);
    assert.equal(await ask(portOf(there.url, { stream: true })), ANSWER);
    const [{ path, body, headers }] = there.requests;
    assert.equal(path, "/v1/chat/completions");
    assert.deepEqual([body.model, body.max_tokens, body.messages], ["scribe", 700, MESSAGES]);
    assert.deepEqual(body.response_format, { type: "json_object" });
    assert.ok(!/other-key/.test(headers.authorization ?? ""), "a key that the person saved for another service stays away");
  });

  test(`${way}: an event stream that was not asked for is read`, async () => {
    const there = await endpoint(() => ({ headers: { "Content-Type": "text/event-stream" }, body: events('{"operations"', ": []}") }));
    const port = portOf(there.url);
    assert.equal(await ask(port), ANSWER);
    const before = there.requests.length;
    assert.equal(await ask(port), ANSWER);
    assert.equal(there.requests.length, before + 1, "the second time it is known");
  });

  test(`${way}: a plain answer where a stream was asked for is read`, async () => {
    const there = await endpoint(() => ({ body: said(ANSWER) }));
    assert.equal(await ask(portOf(there.url, { stream: true })), ANSWER);
  });

  test(`${way}: the key goes in the header, and stays out of errors`, async () => {
    const key = "sk-very-secret";
    const there = await endpoint(({ headers }) => ({ status: 401, reason: "Unauthorized", body: { error: { message: `Incorrect API key: ${headers.authorization}` } } }));
    for (const stream of [false, true]) {
      const error = await failure(ask(portOf(there.url, { stream }, { key })));
      assert.equal(error.code, "model_refused");
      assert.match(error.hint, /key/);
      assert.equal(there.requests.at(-1).headers.authorization, `Bearer ${key}`);
      assert.ok(!JSON.stringify([error.message, error.hint, error.raw]).includes(key));
    }
  });

  test(`${way}: what may pass is unreachable, what will not is refused`, async () => {
    const cases = [
      [429, "Too Many Requests", "model_unreachable"],
      [500, "Internal Server Error", "model_unreachable"],
      [503, "Service Unavailable", "model_unreachable"],
      [403, "Forbidden", "model_refused"],
      [404, "Not Found", "model_refused"],
    ];
    for (const [status, reason, code] of cases) {
      const there = await endpoint(() => ({ status, reason, body: { error: { message: `no: ${reason}` } } }));
      for (const stream of [false, true]) assert.equal((await failure(ask(portOf(there.url, { stream })))).code, code, `${status}, stream ${stream}`);
    }
    assert.equal((await failure(ask(portOf(await deadUrl())))).code, "model_unreachable");
  });

  test(`${way}: a service that takes no temperature or JSON mode is asked without`, async () => {
    const there = await endpoint(({ body }) => (body.response_format ? { status: 400, reason: "Bad Request", body: { error: { message: "no such format" } } } : { body: said(ANSWER) }));
    const port = portOf(there.url);
    assert.equal(await ask(port), ANSWER);
    assert.equal(await ask(port), ANSWER);
    assert.deepEqual(
      there.requests.map(({ body }) => "response_format" in body),
      [true, false, false],
    );
  });

  test(`${way}: empty answers, reasoning alone and scraps are of no use, and are kept for the job list`, async () => {
    const cases = [
      [said(""), /empty/],
      [{ choices: [{ message: { content: "", reasoning_content: "I think" } }] }, /only reasoned/],
      [{ choices: [{ message: { content: null, refusal: "I will not" } }] }, /refused to answer/],
    ];
    for (const [body, message] of cases) {
      const there = await endpoint(() => ({ body }));
      const error = await failure(ask(portOf(there.url)));
      assert.equal(error.code, "model_answer");
      assert.match(error.message, message);
      assert.match(error.raw, /choices/);
    }
  });
}

test("reasoning parts and other choices are no answer, cut off last events cost only themselves", async () => {
  const stream = [
    { choices: [{ index: 0, delta: { reasoning_content: "hm" } }] },
    { choices: [{ index: 1, delta: { content: "other" } }] },
    { choices: [{ index: 0, delta: { content: [{ type: "thinking", text: "no" }, { type: "text", text: ANSWER }] } }] },
  ];
  const body = `: hello\r\n\r\n${stream.map((each) => `data: ${JSON.stringify(each)}\r\n\r\n`).join("")}data: {"choices": [{"del`;
  const there = await endpoint(() => ({ body }));
  assert.equal(await ask(direct(there.url)), ANSWER);
});

test("a stream is over when it says so, even if the line stays open", async () => {
  const there = await endpoint(() => (response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write(events(ANSWER));
  });
  assert.equal(await ask(direct(there.url, { stream: true })), ANSWER);
});

test("an error inside a stream is told", async () => {
  const there = await endpoint(() => ({ body: `data: ${JSON.stringify({ error: { message: "overloaded", code: 529 } })}\n\n` }));
  assert.equal((await failure(ask(direct(there.url, { stream: true })))).code, "model_unreachable");
});

test("a line that breaks in the middle is unreachable, not an answer", async () => {
  const there = await endpoint(() => (response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write(events(ANSWER).slice(0, 40), () => response.destroy());
  });
  assert.equal((await failure(ask(direct(there.url, { stream: true })))).code, "model_unreachable");
});

test("a web page is the wrong address", async () => {
  const there = await endpoint(() => ({ headers: { "Content-Type": "text/html" }, body: "<!doctype html><title>hi</title>" }));
  const error = await failure(ask(direct(there.url)));
  assert.equal(error.code, "model_refused");
  assert.match(error.hint, /\/v1/);
});

test("SillyTavern's own refusal of a page that it does not know says to reload", async () => {
  const context = { getRequestHeaders: () => ({}) };
  const host = completions(() => context, async () => new Response("<h1>Invalid CSRF token</h1>", { status: 403 }));
  const error = await failure(ask(completePort({ host: { ...bare, postCompletion: host.postCompletion }, settings: settings({ model: { url: "http://127.0.0.1:1/v1" } }), clock: new FakeClock(), page: PAGE })));
  assert.deepEqual([error.code, error.hint], ["model_unreachable", "Reload the page."]);
});

test("where SillyTavern has no such route the endpoint is asked straight", async () => {
  const there = await endpoint(() => ({ body: said(ANSWER) }));
  const host = { ...bare, postCompletion: completions(() => ({ getRequestHeaders: () => ({}) }), async () => new Response("<h1>Not found</h1>", { status: 404 })).postCompletion };
  assert.equal(await ask(completePort({ host, settings: settings({ model: { url: there.url } }), clock: new FakeClock(), page: PAGE })), ANSWER);
});

test("an endpoint that does not let the page read it is named, with the fix", async () => {
  const blocked = async (_url, { mode } = {}) => {
    if (mode === "no-cors") return new Response();
    throw new TypeError("Failed to fetch");
  };
  const error = await failure(ask(direct("http://127.0.0.1:1234", {}, { fetch: blocked })));
  assert.equal(error.code, "cors_blocked");
  assert.match(error.hint, /http:\/\/127\.0\.0\.1:8000/);
});
