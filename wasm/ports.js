// What the page and the worker both know of ports: their methods, and errors as plain objects.

/** @type {Record<string, string[]>} */
export const PORT_METHODS = {
  complete: ["complete"],
  embed: ["embed"],
  mirror: ["read", "write", "remove"],
  vectors: ["put", "forget", "score", "gram"],
  store: ["replica", "version", "chats", "pool", "chat", "revisions", "sizes", "write", "heads", "chains", "log", "newest", "purges", "rename", "ledger", "settings", "purge"],
};

/**
 * Runs a method of a port. A method that the port does not have is bad_input.
 * @param {any} target the port
 * @param {string} port its name
 * @param {string} method
 * @param {any[]} values
 * @param {AbortSignal} signal goes last
 * @returns {Promise<any>} never undefined, which is no JSON
 */
export async function askPort(target, port, method, values, signal) {
  if (!target || !PORT_METHODS[port]?.includes(method) || typeof target[method] !== "function") {
    throw Object.assign(new Error(`There is no port ${port}.${method}.`), { code: "bad_input" });
  }
  return (await target[method](...values, signal)) ?? null;
}

/** @param {unknown} error */
export const reason = (error) => (error instanceof Error ? error.message : String(error));

/**
 * An error as it crosses between page, worker and engine.
 * @param {any} error
 */
export const plainError = (error) => ({
  code: typeof error?.code === "string" ? error.code : "",
  message: reason(error),
  hint: typeof error?.hint === "string" ? error.hint : "",
  raw: typeof error?.raw === "string" ? error.raw : "",
});
