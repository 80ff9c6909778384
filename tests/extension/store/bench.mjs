// Speed of starts, store and vectors in Chromium: node tests/extension/store/bench.mjs CHROMIUM [BUILD]
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { NAMED, browser } from "./browser.mjs";

const [chromium = "/usr/bin/chromium", build = "build/wasm"] = process.argv.slice(2);
const profile = await mkdtemp(join(tmpdir(), "tidelore-bench-"));
const { visit, close } = await browser({ chromium, profile, build: resolve(build), seconds: 500 });
for (const host of ["127.0.0.1", NAMED]) {
  const { figures, error } = await visit(host, "/tests/extension/store/bench.html", host);
  console.log(`\n${host}: milliseconds, and tasks of the page's main thread over 50 ms`);
  for (const [name, ms, long] of figures ?? []) console.log(`${name.padEnd(60)} ${String(ms || "").padStart(7)}  ${long.join(" ")}`);
  if (error) console.log(error);
}
close();
await rm(profile, { recursive: true, force: true, maxRetries: 5 });
