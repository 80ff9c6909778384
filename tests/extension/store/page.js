// What the pages of the browser tests share. Each page says what came of it by `tell`.
import { localModules, startEngine } from "/extension/engine.js";

export { localModules };

/** @param {() => Promise<any>} work its result goes to the test, or what it failed with */
export async function tell(work) {
  let said;
  try {
    said = await work();
  } catch (error) {
    said = { error: `${error.code ?? ""} ${error.stack ?? error}` };
  }
  await fetch("/say", { method: "POST", body: JSON.stringify({ ...said, secure: isSecureContext }) });
}

export const sidecar = new URL("/side/", location.href).href;
export const message = (name, text, role = "user") => ({ role, name, text });

/** An engine that is ready, what it said at the start, and its events. */
export async function start(options) {
  const events = [];
  const link = await startEngine({ cdns: [], onEvent: (event) => events.push(event), ...options });
  const info = await link.ready;
  return { link, info, events, until: (holds) => until(() => events.some(holds)) };
}

async function until(holds) {
  while (!(await holds())) await new Promise((again) => setTimeout(again, 10));
}

/** `step outcome` of the events, each once; of files where they came from. */
export const short = (events) => [...new Set(events.map(({ step, source, outcome }) => [step, source, outcome].filter(Boolean).join(" ")))];
