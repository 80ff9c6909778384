// The extension is being removed: what is to stay in this browser and among the person's files is asked before anything else happens.

/**
 * @param {object} parts
 * @param {{memories: boolean, settings: boolean}} parts.keep the person's answers
 * @param {Pick<import("./host.js").Host, "userFiles" | "dropSettings">} parts.host
 * @param {import("./page_store.js").PageStore} parts.page
 * @param {() => Promise<void>} parts.dropMemories
 */
export async function removeWhatGoes({ keep, host, page, dropMemories }) {
  if (!keep.memories) {
    await dropMemories();
    // Else they would come back from there.
    for (const name of host.userFiles.written()) await host.userFiles.remove(name);
    for (const { chat } of await page.places.all()) await page.places.remove(chat);
  }
  if (!keep.settings) {
    await page.values.clear();
    host.dropSettings();
  }
}
