// Time that tests hold, and services on loopback that say what they are told to.
import assert from "node:assert/strict";
import { createServer } from "node:http";

/** See `Clock` in extension/remote/faults.js. Time passes only by `pass`. */
export class FakeClock {
  #now = 0;
  #due = [];
  now = () => this.#now;
  after = (ms, run) => {
    const timer = { at: this.#now + ms, run };
    this.#due.push(timer);
    return () => {
      this.#due = this.#due.filter((each) => each !== timer);
    };
  };

  get waiting() {
    return this.#due.length;
  }

  /** Milliseconds until each timer, the next one first. */
  get waits() {
    return this.#due.map((each) => each.at - this.#now).sort((one, other) => one - other);
  }

  pass(ms) {
    const end = this.#now + ms;
    for (;;) {
      const next = this.#due.filter((each) => each.at <= end).sort((one, other) => one.at - other.at)[0];
      if (!next) break;
      this.#now = next.at;
      this.#due = this.#due.filter((each) => each !== next);
      next.run();
    }
    this.#now = end;
  }
}

/** Waits for a condition; the test runner's own limit ends one that never comes. */
export async function until(condition) {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}

/** How a promise failed. */
export async function failure(promise) {
  let value;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  assert.fail(`it did not fail, but gave ${JSON.stringify(value)}`);
}

/**
 * A service on loopback. `rule(request)` answers {status, headers, body}, or a function of the response for full control; the
 * requests are kept, each {path, headers, body}.
 */
export async function service(rule) {
  const requests = [];
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const text = Buffer.concat(parts).toString();
    const asked = { path: request.url, headers: request.headers, body: text ? JSON.parse(text) : null };
    requests.push(asked);
    const reply = await here.rule(asked, requests.length);
    if (typeof reply === "function") return reply(response);
    const { status = 200, reason, headers = {}, body = "" } = reply;
    response.writeHead(status, ...(reason ? [reason] : []), headers);
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const here = {
    rule,
    requests,
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
  return here;
}

/** An address where nobody listens. */
export async function deadUrl() {
  const gone = await service(() => ({}));
  await gone.close();
  return gone.url;
}

export const said = (content) => ({ choices: [{ index: 0, message: { role: "assistant", content } }] });
export const events = (...contents) => contents.map((content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`).join("") + "data: [DONE]\n\n";

/** A deep copy of some settings, with changes by section. */
export function settings(change = {}) {
  const base = {
    model: { use: "endpoint", profile: "", url: "", name: "scribe", stream: false, answerTokens: 700, seconds: 180, exchanges: 1, agreed: true, asked: true },
    embedder: { use: "auto", url: "", name: "" },
    sidecar: { use: false, url: "" },
  };
  return { ...base, ...Object.fromEntries(Object.entries(change).map(([name, value]) => [name, { ...base[name], ...value }])) };
}

/** SillyTavern's page as the browser has it. */
export const PAGE = { protocol: "http:", hostname: "127.0.0.1", origin: "http://127.0.0.1:8000" };
