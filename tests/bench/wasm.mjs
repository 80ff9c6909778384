// Start times of the engine under Node, with and without the memory snapshot, and some calls: node tests/bench/wasm.mjs [RUNS]
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

process.chdir(resolve(fileURLToPath(import.meta.url), "../../.."));
const { message, open } = await import("../parity/kit.mjs");

const RUNS = Number(process.argv[2] ?? 5);
const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
const row = (name, values) => console.log(`${name.padEnd(58)} ${median(values).toFixed(0).padStart(7)} ${Math.max(...values).toFixed(0).padStart(7)}`);

console.log(`${"milliseconds".padEnd(58)} ${"median".padStart(7)} ${"worst".padStart(7)}   of ${RUNS}`);
for (const [name, options] of [["from the snapshot", {}], ["without a snapshot", { snapshot: false }]]) {
  const figures = { all: [], gather: [], start: [], call: [] };
  for (let run = 0; run < RUNS; run++) {
    const begin = performance.now();
    const link = open(options);
    const info = await link.ready;
    figures.all.push(performance.now() - begin);
    figures.gather.push(info.gatherMs);
    figures.start.push(info.startMs);
    const called = performance.now();
    await link.call("chat.update", { chat: "c", messages: [message("Mara", "My cat is called Biscuit.")] });
    figures.call.push(performance.now() - called);
    link.close();
  }
  row(`worker to ready, ${name}`, figures.all);
  row("  of that: files read and hashed", figures.gather);
  row("  of that: Python and engine", figures.start);
  row("  then the first call", figures.call);
}

const link = open();
const messages = Array.from({ length: 1000 }, (_, at) =>
  message(at % 2 ? "Tobin" : "Mara", `Message ${at}: my cat is called Biscuit${at}, and Tobin walked to Marrow Bay.`, at % 2 ? "assistant" : "user"),
);
const timed = async (name, work, runs = RUNS) => {
  const values = [];
  for (let run = 0; run < runs; run++) {
    const begin = performance.now();
    await work(run);
    values.push(performance.now() - begin);
  }
  row(name, values);
};
await timed("chat.update, 1,000 new messages", () => link.call("chat.update", { chat: "c", messages }), 1);
await timed("extract.run by rules over them", () => link.call("extract.run", { chat: "c", lag: 0 }), 1);
await timed("recall.run on what came of it", (run) => link.call("recall.run", { chat: "c", query: `What is Biscuit${run} called?`, trace: false }));
await timed("chat.update after a swipe", (run) =>
  link.call("chat.update", { chat: "c", messages: [...messages.slice(0, -1), { ...messages.at(-1), text: `Another reply ${run}.` }] }),
);
link.close();
