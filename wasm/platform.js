// What loading a Pyodide takes in a browser. Under Node: node-worker.mjs.

/** @typedef {import("./boot.js").Platform} Platform */

/**
 * A browser takes the files as they were checked: scripts as blobs, the rest by a fetch that knows them.
 * @type {Platform}
 */
export const browser = {
  fetch: (url, options) => fetch(url, options),
  async prepare(files) {
    const base = "https://runtime.invalid/";
    /** @param {string} name */
    const script = (name) => {
      const data = /** @type {Uint8Array<ArrayBuffer>} */ (files.get(name));
      return URL.createObjectURL(new Blob([data], { type: "text/javascript" }));
    };
    const urls = ["pyodide.mjs", "pyodide.asm.js"].map(script);
    const original = globalThis.fetch;
    globalThis.fetch = async (request, options) => {
      const name = String(request).startsWith(base) ? String(request).slice(base.length) : "";
      const data = files.get(name);
      if (!data) return original(request, options);
      return new Response(data, { headers: { "Content-Type": name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream" } });
    };
    const [{ loadPyodide }] = await Promise.all(urls.map((url) => import(url)));
    return {
      load: (options) => loadPyodide({ indexURL: base, ...options }),
      async release() {
        globalThis.fetch = original;
        urls.forEach((url) => URL.revokeObjectURL(url));
      },
    };
  },
};
