// Local ports for the worker under Node: the page's own modules on an IndexedDB in memory. `options.what` says which, `options.refuse` that there is none.
import "fake-indexeddb/auto";
import { openPort as openStore } from "../../extension/store/store.js";
import { openPort as openFiles } from "../../extension/store/files.js";
import { openPort as openRows } from "../../extension/store/vector_rows.js";
import { openPort as openVectors } from "../../wasm/vectors.js";

const OPENERS = { store: openStore, files: openFiles, rows: openRows, vectors: openVectors };

export async function openPort({ what, refuse, hang, files, ...options }, tools) {
  if (hang) return new Promise(() => {});
  if (refuse) throw new Error(refuse);
  const port = await OPENERS[what](options, tools);
  // What an earlier start has left behind.
  if (files?.snapshot) await port.putSnapshot(files.build, files.snapshot);
  for (let failed = 0; failed < (files?.failures ?? 0); failed++) await port.snapshotFailed(files.build);
  return port;
}
