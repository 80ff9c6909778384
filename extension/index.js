// What SillyTavern loads. The top level is cheap, since the next extension waits for it; everything else begins when the page is ready.
import { createApp } from "./app.js";
import { createHost } from "./host.js";

const host = createHost();
/** @type {Promise<import("./types.js").App & {start: () => Promise<void>, stop: () => void}> | undefined} */
let running;

async function begin() {
  const { assemble } = await import("./assemble.js");
  const app = await assemble(host, createApp);
  await app.start();
  return app;
}

function start() {
  running ??= begin();
  running.catch((error) => {
    console.error("Tidelore could not start:", error);
    host.notify("error", `Tidelore could not start: ${error instanceof Error ? error.message : String(error)}`);
  });
}

host.on("APP_READY", start);

/** SillyTavern's hook for the removal of what an extension has stored: asks what to keep. */
export async function clean() {
  const app = await running;
  await app?.leave();
}
