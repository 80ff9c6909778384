// A memory model for tests: an endpoint on loopback, and SillyTavern's part of the way to it.
import assert from "node:assert/strict";
import { after } from "node:test";
import { completePort } from "../../extension/models.js";
import { completions } from "../../extension/host_models.js";
import { FakeClock, PAGE, said, service, settings } from "./remote_kit.mjs";

export const MESSAGES = [{ role: "user", content: "What happened? {{user}} came." }];
export const ANSWER = '{"operations": []}';
export const never = () => new AbortController().signal;
const open = [];
after(() => Promise.all(open.map((each) => each.close())));

export async function endpoint(rule) {
  const made = await service(rule);
  open.push(made);
  return made;
}

/** A page without SillyTavern's route: its endpoints are asked straight. */
export const bare = { currentModel: () => "current", profiles: () => [], askCurrent: async () => ANSWER, askProfile: async () => ANSWER, postCompletion: async () => null };

/** The endpoint port, asked straight from the page. */
export const direct = (url, change = {}, more = {}) =>
  completePort({ host: bare, settings: settings({ model: { url: `${url}/v1`, ...change } }), clock: new FakeClock(), page: PAGE, ...more });

export const ask = (port, budget = 60, signal = never()) => port.complete(MESSAGES, {}, budget, signal);

/** SillyTavern 1.19.0's page and its server's route as far as they matter here; the endpoint behind is real. */
export function sillytavern(change = {}) {
  const seen = [];
  const context = {
    onlineStatus: "gpt-9",
    mainApi: "openai",
    getChatCompletionModel: () => "gpt-9",
    getRequestHeaders: () => ({ "Content-Type": "application/json", "X-CSRF-Token": "t" }),
    extensionSettings: { disabledExtensions: [], connectionManager: { profiles: [{ id: "p1", name: "Small", model: "tiny", api: "custom" }] } },
    generateRaw: async () => assert.fail("the answer of generateRaw goes through the person's regex scripts"),
    generateRawData: async (given) => (seen.push(given), said(ANSWER)),
    extractMessageFromData: (data) => data.choices[0].message.content,
    ConnectionManagerRequestService: {
      isProfileSupported: ({ api }) => {
        if (api === "unknown") throw new TypeError("undefined has no selected");
        return true;
      },
      sendRequest: async (...given) => (seen.push(given), { content: ANSWER, reasoning: "" }),
    },
    ...change,
  };
  return { context, seen, host: completions(() => context, route) };
}

async function route(path, { body, signal }) {
  assert.equal(path, "/api/backends/chat-completions/generate");
  const { custom_url, chat_completion_source, custom_include_headers, custom_include_body, custom_exclude_body, ...rest } = JSON.parse(body);
  assert.equal(chat_completion_source, "custom");
  assert.equal(custom_exclude_body, "");
  const headers = { "Content-Type": "application/json", Authorization: "Bearer the-persons-other-key" };
  const given = /^Authorization: (".*")$/s.exec(custom_include_headers);
  if (given) headers.Authorization = JSON.parse(given[1]);
  let answer;
  try {
    const merged = { ...rest, ...(custom_include_body ? JSON.parse(custom_include_body) : {}) };
    answer = await fetch(`${custom_url}/chat/completions`, { method: "POST", headers, body: JSON.stringify(merged), signal });
  } catch (error) {
    return Response.json({ error: { message: `Connection refused: ${error.message}`, code: "ECONNREFUSED" } }, { status: 502 });
  }
  if (rest.stream) {
    return new Response(answer.body, { status: answer.status === 401 ? 400 : answer.status, statusText: answer.statusText });
  }
  if (!answer.ok) return Response.json({ error: { message: answer.statusText || "Unknown error occurred" }, quota_error: false });
  const text = await answer.text();
  try {
    return Response.json(JSON.parse(text));
  } catch {
    const message = `invalid json response body at ${custom_url} reason: Unexpected token`;
    return Response.json({ error: { message, type: "invalid-json" } }, { status: 502 });
  }
}

export const through = (st, url, change = {}, more = {}) =>
  completePort({ host: st.host, settings: settings({ model: { url: `${url}/v1`, ...change } }), clock: new FakeClock(), page: PAGE, ...more });
