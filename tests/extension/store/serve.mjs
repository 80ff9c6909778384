// The browser's store on an IndexedDB in memory, asked by lines of JSON: {store, method, arguments}. One database for each number.
import "fake-indexeddb/auto";
import { createInterface } from "node:readline";
import { openStore } from "./kit.mjs";

const stores = new Map();
for await (const line of createInterface({ input: process.stdin })) {
  const { store, method, arguments: values } = JSON.parse(line);
  let answer;
  try {
    if (!stores.has(store)) stores.set(store, await openStore(`tidelore-served-${store}`));
    answer = { result: (await stores.get(store)[method](...values)) ?? null };
  } catch (error) {
    answer = { error: { code: error.code ?? "error", message: `${error.message}`, hint: error.hint ?? String(error.stack) } };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
