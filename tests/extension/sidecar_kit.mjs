// A sidecar that follows a script, and the page that looks for it.
import { createServer } from "node:http";
import { after } from "node:test";
import { WebSocket, WebSocketServer } from "ws";
import { createSidecar } from "../../extension/sidecar.js";
import { Joiner } from "../../extension/remote/chunks.js";
import { FakeClock, PAGE } from "./remote_kit.mjs";

export const KEY = "tl_key";
export const STATUS = { version: "0.1.0", model: "far", embedder: { name: "near", dimension: 2, scale: 9, floor: 0.5 } };
const open = [];
after(() => Promise.all(open.map((close) => close())));

/** A sidecar that follows a script: `answer(message, socket)` gives a result, throws {code, message, data}, or returns undefined and does as it likes. */
export async function scripted(answer = () => ({}), http = () => ({ body: { ok: true } })) {
  const server = new WebSocketServer({ noServer: true });
  const here = { answer, http, messages: [], sockets: new Set(), refuse: false, limits: { frame: 1 << 20 }, requests: [] };
  const listener = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const text = Buffer.concat(parts).toString();
    const asked = { method: request.method, path: request.url, body: text ? JSON.parse(text) : null };
    here.requests.push(asked);
    const { status = 200, body = {} } = await here.http(asked);
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  });
  listener.on("upgrade", (request, socket, head) => {
    if (here.refuse) return socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    server.handleUpgrade(request, socket, head, (line) => {
      here.sockets.add(line);
      const joiner = new Joiner();
      line.on("close", () => here.sockets.delete(line));
      line.on("message", async (data) => {
        let message = JSON.parse(data);
        if (message.chunk) {
          const whole = joiner.feed(message.chunk);
          if (whole === null) return;
          message = JSON.parse(whole);
        }
        here.messages.push(message);
        const reply = (more) => line.send(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...more }));
        try {
          const given = await here.answer(message, line);
          if (given !== undefined && message.id !== undefined) reply({ result: given });
        } catch (error) {
          reply({ error });
        }
      });
    });
  });
  await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
  here.url = `http://127.0.0.1:${listener.address().port}`;
  here.close = () => {
    for (const line of here.sockets) line.terminate();
    listener.closeAllConnections();
    return new Promise((resolve) => listener.close(resolve));
  };
  open.push(here.close);
  return here;
}

/** The usual answers to hello, status and ping; `more` for the rest. */
export const usual = (here, more = () => ({}), hello = {}) => (message, line) => {
  if (message.method === "hello") {
    if (message.params.token !== KEY) throw { code: -32000, message: "This key does not open anything here.", data: { code: "key_wrong", hint: "Pair again." } };
    return { version: 1, server: { name: "tidelore", version: "0.1.0" }, features: [], limits: here.limits, profile: "default", run: "r1", revision: 5, ...hello };
  }
  if (message.method === "status") return STATUS;
  if (message.method === "ping") return {};
  return more(message, line);
};

export async function ready(more, hello) {
  const here = await scripted();
  here.answer = usual(here, more, hello);
  return here;
}

export function page(url, more = {}) {
  const clock = new FakeClock();
  const states = [];
  const events = [];
  const stored = new Map([[`sidecar:${url}`, KEY]]);
  const keys = { get: async (name) => stored.get(name) ?? null, set: async (name, value) => void stored.set(name, value) };
  const wakes = new EventTarget();
  const sidecar = createSidecar({
    url, client: "SillyTavern", keys, clock, random: () => 1, WebSocket, page: PAGE, wakes,
    onState: (state, problem) => states.push([state, problem?.code ?? ""]),
    onEvent: (event) => events.push(event),
    ...more,
  });
  open.push(async () => sidecar.stop());
  return { sidecar, clock, states, events, stored, wakes };
}
