// Puts the parts together for a real page. Everything with a life of its own is made here and handed in.
import { registerCommands } from "./commands.js";
import { startEngine } from "./engine.js";
import { createLocalEmbedder } from "./local_embedder.js";
import { registerMacros } from "./macros.js";
import { dropDatabase, openPageStore } from "./page_store.js";
import { createRemotes } from "./remotes.js";
import { loadText } from "./text.js";
import { mountUi, ui } from "./ui/mount.js";

/**
 * @param {import("./host.js").Host} host
 * @param {typeof import("./app.js").createApp} createApp
 */
export async function assemble(host, createApp) {
  const [text, handle] = await Promise.all([loadText(host.locale()), host.handle()]);
  const page = await openPageStore(handle);
  const database = `tidelore-${handle}`;
  const app = createApp({
    host,
    text,
    page,
    channel: `tidelore-page-${handle}`,
    remotes: createRemotes({ host, page, local: createLocalEmbedder({ values: page.values, database }) }),
    ui,
    dropMemories: () => dropDatabase(database),
    openEngine: ({ cdns, ...options }) => startEngine({ database, ...options, ...(cdns.length ? { cdns } : {}) }),
  });
  registerCommands(app);
  registerMacros(app);
  mountUi(app);
  return app;
}
