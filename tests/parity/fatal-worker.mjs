// The worker under Node, whose Python can be made to fail for good by the message "abort".
import { parentPort } from "node:worker_threads";
import { node } from "../../wasm/node-worker.mjs";
import { serve } from "../../wasm/worker.js";

let py;
parentPort.on("message", (message) => {
  if (message?.type !== "abort") return;
  try {
    py.runPython("import os; os.abort()");
  } catch {
    // What it was told to do.
  }
});
serve(parentPort, {
  ...node,
  async prepare(files) {
    const loader = await node.prepare(files);
    return { ...loader, load: async (options) => (py = await loader.load(options)) };
  },
});
