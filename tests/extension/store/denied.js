// A page's store in a browser that refuses storage, as some do in a private window: reading `indexedDB` itself throws.
export async function openPort(options, tools) {
  Object.defineProperty(globalThis, "indexedDB", {
    get() {
      throw new DOMException("The operation is insecure.", "SecurityError");
    },
  });
  const { openPort: open } = await import("/extension/store/store.js");
  return open({ ...options, database: `${options.database}-denied` }, tools);
}
