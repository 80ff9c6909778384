// The figures of tests/bench/page.html: node tests/bench/page.mjs CHROMIUM BUILD [PARTS]   after tests/bench/page.py has made build/bench/world.json
// PARTS: some of starts, vectors, opening, recalls, first, replicas, with commas between
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { NAMED, browser } from "../extension/store/browser.mjs";

const [chromium, build, parts = ""] = process.argv.slice(2);
const profile = await mkdtemp(join(tmpdir(), "tidelore-bench-"));
const { visit, close } = await browser({ chromium, profile, build: resolve(build), seconds: 900 });
const sorted = (values) => values.toSorted((one, other) => one - other);
const at = (values, share) => sorted(values)[Math.min(values.length - 1, Math.floor(values.length * share))];
const number = (value) => (value < 10 ? value.toFixed(1) : value.toFixed(0)).padStart(9);

/** @param {string} host @param {string} wanted */
async function show(host, wanted) {
  const { figures = [], error } = await visit(host, `/tests/bench/page.html?${wanted}`, host);
  for (const { name, ms, long, goal } of figures) {
    if (!ms.length) continue; // it failed, as the error says
    const tasks = long.length ? `${long.length}: ${sorted(long).slice(-3).join(" ")}` : "-";
    console.log(`${name.padEnd(60)} ${number(at(ms, 0.5))} ${number(at(ms, 1))} ${String(ms.length).padStart(5)}  ${tasks.padEnd(10)}  ${goal}`);
  }
  if (!error) return;
  console.log(error);
  process.exitCode = 1;
}

console.log(`${"milliseconds, from the call in the page to the answer there".padEnd(60)} ${"median".padStart(9)} ${"worst".padStart(9)}  runs  long tasks  goal`);
await show("127.0.0.1", parts);
if (!parts || parts.includes("starts")) {
  console.log("plain http");
  await show(NAMED, "starts");
}
close();
await rm(profile, { recursive: true, force: true, maxRetries: 5 });
