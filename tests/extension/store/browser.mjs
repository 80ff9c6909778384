// A server for the extension's files as SillyTavern's server sends them, and visits of a headless Chromium to a page of it.
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = resolve(fileURLToPath(import.meta.url), "../../../..");
const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".json": "application/json", ".wasm": "application/wasm", ".html": "text/html" };
/** A name that leads to this machine and is no secure context. */
export const NAMED = "tide.test";

/**
 * Under `/` the repository, with the wheel of `build`; `/with-dist/` is the same with a wasm/dist; `/side/runtime/` is a sidecar's. Nothing else has the runtime.
 * @param {{chromium: string, profile: string, build: string, seconds: number}} options
 */
export async function browser({ chromium, profile, build, seconds }) {
  let told;
  const file = (path) => {
    for (const [from, to] of [["/with-dist/wasm/dist/", build], ["/with-dist/wasm/engine/", build], ["/wasm/engine/", build], ["/side/runtime/", build], ["/with-dist/", ROOT], ["/wasm/dist/", "/nowhere"], ["/", ROOT]]) {
      if (path.startsWith(from)) return join(to, path.slice(from.length));
    }
    return "";
  };
  const asked = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://local");
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
    response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
    if (pathname === "/say") {
      let body = "";
      for await (const part of request) body += part;
      response.end();
      told(JSON.parse(body));
      return;
    }
    asked.push(pathname);
    const data = await readFile(file(pathname)).catch(() => null);
    response.statusCode = data ? 200 : 404;
    response.setHeader("Content-Type", TYPES[extname(pathname)] ?? "application/octet-stream");
    response.end(data);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
  const more = ["--disable-component-update", "--disable-sync", `--host-resolver-rules=MAP ${NAMED} 127.0.0.1`];
  return {
    asked,
    /**
     * What a page said with POST /say.
     * @param {string} host
     * @param {string} path
     * @param {string} folder of the profile: the same one keeps its databases
     */
    async visit(host, path, folder) {
      const said = new Promise((done) => (told = done));
      const address = `http://${host}:${server.address().port}${path}`;
      const process = spawn(chromium, [...flags, ...more, `--user-data-dir=${join(profile, folder)}`, address], { stdio: "ignore" });
      const late = setTimeout(() => told({ error: `nothing after ${seconds} s` }), seconds * 1000);
      const result = await said;
      clearTimeout(late);
      const ended = new Promise((done) => process.once("exit", done));
      process.kill();
      await ended;
      return result;
    },
    close: () => server.close(),
  };
}
