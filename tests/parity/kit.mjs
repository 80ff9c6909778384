// What the tests of the bridge share: the build as a source, and a started worker.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { connect } from "../../wasm/bridge.js";
import { nodeWorker } from "../../wasm/node-worker.mjs";

export const BUILD = resolve(process.env.TIDELORE_WASM_BUILD ?? "build/wasm");
export const lock = JSON.parse(readFileSync(resolve(BUILD, "lock.json"), "utf8"));
export const sources = [{ name: "extension", url: pathToFileURL(BUILD).href }];

/** A link to an engine in a worker of its own. */
export function open({ ports, onEvent, ...start } = {}) {
  return connect(nodeWorker(), { ports, onEvent, start: { lock, sources, ...start } });
}

export const message = (name, text, role = "user") => ({ role, name, text });

/** What a call was rejected with. */
export async function failure(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it did not fail");
}

/** A promise with its ends. */
export function deferred() {
  let settle;
  const promise = new Promise((resolve, reject) => (settle = { resolve, reject }));
  return { promise, ...settle };
}
