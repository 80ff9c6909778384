// What SillyTavern loads. The top level is cheap, since the next extension waits for it; everything else begins when the page is ready.
import { createApp } from "./app.js";
import { createHost } from "./host.js";

const host = createHost();
/** @type {Promise<import("./types.js").App & {start: () => Promise<void>}> | undefined} */
let running;
/** @type {Awaited<NonNullable<typeof running>> | undefined} */
let app;

async function begin() {
  const { assemble } = await import("./assemble.js");
  app = await assemble(host, createApp);
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

/**
 * SillyTavern's hook for the removal of what an extension has stored: asks what is to go. SillyTavern counts five seconds from when this function
 * returns, then goes on and reloads, so the question comes before the first wait.
 */
export function clean() {
  return app ? app.leave() : Promise.resolve();
}
