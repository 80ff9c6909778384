// The module worker: starts Pyodide and the engine, then passes messages on. What they mean is engine_host.py's affair.
import { boot } from "./boot.js";
import { LocalPorts } from "./local.js";
import { browser } from "./platform.js";
import { reason } from "./ports.js";

/**
 * @typedef {import("./boot.js").Platform} Platform
 * @typedef {import("./bridge.js").Endpoint} Endpoint
 */

/**
 * Serves one page, whose first message is `start`. Messages that come during the start wait for it.
 * @param {Endpoint} port
 * @param {Platform} platform
 */
export function serve(port, platform) {
  /** @type {any[]} */
  let early = [];
  /** @type {((text: string) => void) | undefined} */
  let receive;
  const local = new LocalPorts((message) => port.postMessage(message));
  /** @param {string} text */
  const send = (text) => {
    const message = JSON.parse(text);
    if (!local.take(message, pass)) port.postMessage(message);
  };

  /** @param {any} message */
  const pass = (message) => {
    try {
      receive?.(JSON.stringify(message));
    } catch (error) {
      // No JSON, or nested too deeply for one of the two. Whoever waits hears of it.
      const refused = { code: "bad_input", message: `This cannot be passed on: ${reason(error)}.`, hint: "Send plain JSON values, not deeply nested." };
      if (message.type === "call") port.postMessage({ type: "error", id: message.id, error: refused });
      else if (message.type === "answer") receive?.(JSON.stringify({ type: "answer", id: message.id, error: { ...refused, code: "" } }));
      else throw error;
    }
  };

  /** @param {unknown} error after which Python cannot be used any more */
  const died = (error) => {
    const hint = "It is started again by itself; if that happens again and again, the console has the details.";
    port.postMessage({ type: "failed", error: { code: "worker_failed", message: `Python has failed: ${lastLine(error)}.`, hint } });
  };

  port.addEventListener("message", async ({ data }) => {
    if (local.answered(data)) return;
    if (data?.type === "ping") return port.postMessage({ type: "pong" });
    if (data?.type !== "start") {
      if (!receive) early.push(data);
      else pass(data.type === "ports" ? { ...data, ports: local.described(data.ports) } : data);
      return;
    }
    try {
      /** @type {import("./boot.js").Report} */
      const report = (event) => port.postMessage({ type: "event", event }, event.data ? [event.data] : []);
      const [{ open, info, keep }] = await Promise.all([boot(data, platform, report, local.tools, died), local.open(data.local ?? {})]);
      receive = open(send, JSON.stringify(local.described(data.ports)));
      port.postMessage({ type: "ready", info: { ...info, store: local.storeKind(data.ports) } });
      const waiting = early;
      early = [];
      for (const message of waiting) pass(message.type === "ports" ? { ...message, ports: local.described(message.ports) } : message);
      await keep();
    } catch (/** @type {any} */ error) {
      const { code = "start_failed", hint = "Reload the page; if that does not help, the console has the details." } = error;
      console.error(error);
      port.postMessage({ type: "failed", error: { code: String(code), message: lastLine(error), hint: String(hint) } });
    }
  });
  port.start?.();
}

/**
 * What went wrong, in one line: of a Python error its last one.
 * @param {unknown} error
 */
const lastLine = (error) => reason(error).trim().split("\n").at(-1) ?? "";

/** @type {any} */
const scope = globalThis;
if (typeof scope.WorkerGlobalScope === "function" && scope instanceof scope.WorkerGlobalScope) serve(scope, browser);
