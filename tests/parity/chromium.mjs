// Starts the engine in headless Chromium and prints what came of it, as JSON: node chromium.mjs CHROMIUM PROFILE BUILD
// Twice: from 127.0.0.1, and from a name that is no secure context.
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { deferred } from "./kit.mjs";

const ROOT = resolve(fileURLToPath(import.meta.url), "../../..");
const [chromium, profile, build] = process.argv.slice(2);
const SECONDS = 120;
const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".json": "application/json", ".wasm": "application/wasm" };

const PAGE = `<!doctype html><meta charset="utf-8"><script type="module">
import { connect } from "/wasm/bridge.js";
const say = (what) => fetch("/say", { method: "POST", body: JSON.stringify(what) });
const lock = await (await fetch("/dist/lock.json")).json();
const run = async (options) => {
  const events = [];
  const worker = new Worker("/wasm/worker.js", { type: "module" });
  const start = { lock, sources: [{ name: "own", url: new URL("/dist", location.href).href }], ...options };
  const link = connect(worker, { start, onEvent: (event) => events.push(event) });
  const { how } = await link.ready;
  const text = "My cat\\0 is called Biscuit, 林晚 😀.";
  await link.call("chat.update", { chat: "c", messages: [{ role: "user", name: "Mara", text }] });
  await link.call("extract.run", { chat: "c", lag: 0 });
  const { cards } = await link.call("recall.run", { chat: "c", query: "What is the cat called?" });
  const waiting = link.call("chat.list").catch((error) => error.code);
  link.close();
  return { how, card: cards[0].text, outcomes: [...new Set(events.map(({ outcome }) => outcome))], closed: await waiting, secure: isSecureContext };
};
try {
  await say([await run({}), await run({ snapshot: false })]);
} catch (error) {
  await say({ error: String(error) });
}
</script>`;

/** @type {{promise: Promise<any>, resolve: (said: any) => void}} */
let told;
const server = createServer(async (request, response) => {
  const [path] = request.url.split("?");
  // As SillyTavern's server sends them.
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
  response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
  if (path === "/say") {
    let body = "";
    for await (const part of request) body += part;
    response.end();
    told.resolve(JSON.parse(body));
  } else if (path === "/") {
    response.setHeader("Content-Type", "text/html");
    response.end(PAGE);
  } else {
    const file = path.startsWith("/dist/") ? join(build, path.slice(6)) : join(ROOT, path);
    const data = await readFile(file).catch(() => null);
    response.statusCode = data ? 200 : 404;
    response.setHeader("Content-Type", TYPES[extname(path)] ?? "application/octet-stream");
    response.end(data);
  }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));

async function visit(host, number) {
  told = deferred();
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
  const more = ["--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP tide.test 127.0.0.1"];
  const address = `http://${host}:${server.address().port}/`;
  const browser = spawn(chromium, [...flags, ...more, `--user-data-dir=${join(profile, number)}`, address], { stdio: "ignore" });
  const late = setTimeout(() => told.resolve({ error: `nothing after ${SECONDS} s` }), SECONDS * 1000);
  const result = await told.promise;
  clearTimeout(late);
  const ended = new Promise((done) => browser.once("exit", done));
  browser.kill();
  await ended;
  return result;
}

console.log(JSON.stringify({ local: await visit("127.0.0.1", "1"), named: await visit("tide.test", "2") }));
server.close();
