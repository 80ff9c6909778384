// Files of the person on SillyTavern's server, for the mirror: whole files by name, as base64. There is no way to list them.

const FOLDER = "/user/files/";
// SillyTavern's clean-up of loose files spares what is listed under a key of `character_attachments`.
const LISTED = "tidelore";

/**
 * @param {() => any} context
 * @param {typeof fetch} [fetch]
 */
export function userFiles(context, fetch = globalThis.fetch.bind(globalThis)) {
  /** @param {string} path @param {object} body */
  const post = (path, body) => fetch(path, { method: "POST", headers: context().getRequestHeaders(), body: JSON.stringify(body) });

  /** @param {string} name */
  async function get(name) {
    const response = await fetch(FOLDER + encodeURIComponent(name), { cache: "no-cache" });
    if (response.status === 404) return null;
    if (!response.ok) throw new Error(`SillyTavern answered ${response.status} for ${name}.`);
    return response;
  }

  /** @param {string} name @param {number | null} size of a file that is there now; null: it is gone */
  function list(name, size) {
    const settings = context().extensionSettings;
    const lists = (settings.character_attachments ??= {});
    const url = FOLDER + name;
    /** @type {any[]} */
    const listed = Array.isArray(lists[LISTED]) ? lists[LISTED] : [];
    const there = listed.some((entry) => entry?.url === url);
    if (there === (size !== null)) return;
    lists[LISTED] = size === null ? listed.filter((entry) => entry?.url !== url) : [...listed, { url, size, name, created: Date.now() }];
    context().saveSettingsDebounced();
  }

  return {
    /** Names of the files that were written and not removed, by whichever browser. @returns {string[]} */
    written() {
      const listed = context().extensionSettings.character_attachments?.[LISTED];
      return Array.isArray(listed) ? listed.map((entry) => String(entry?.name)) : [];
    },

    /** @param {string} name @returns {Promise<string | null>} null: there is none */
    async read(name) {
      const response = await get(name);
      return response && base64(new Uint8Array(await response.arrayBuffer()));
    },

    /** Of a file of any extension. @param {string} name @returns {Promise<string | null>} null: there is none */
    async text(name) {
      const response = await get(name);
      return response && response.text();
    },

    /** @param {string} name @param {string} data base64 */
    async write(name, data) {
      const response = await post("/api/files/upload", { name, data });
      if (!response.ok) throw new Error(`SillyTavern answered ${response.status} when ${name} was to be written.`);
      list(name, Math.floor((data.length * 3) / 4));
    },

    /** @param {string} name */
    async remove(name) {
      const response = await post("/api/files/delete", { path: `user/files/${name}` });
      if (!response.ok && response.status !== 404) throw new Error(`SillyTavern answered ${response.status} when ${name} was to be removed.`);
      list(name, null);
    },
  };
}

/** @param {Uint8Array} data */
function base64(data) {
  let text = "";
  // An argument each: more at once and the stack is too small.
  for (let at = 0; at < data.length; at += 0x8000) text += String.fromCharCode(...data.subarray(at, at + 0x8000));
  return btoa(text);
}
