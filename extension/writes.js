// What the page has to know of the engine's methods: which change what is remembered by hand, and which are about no chat.

/** They change the numbers that are shown. */
export const WRITES = new Set([
  ...["node.write", "nodes.write", "node.edit", "node.retire", "node.restore", "node.purge", "node.merge", "node.split", "node.pin", "node.unpin"],
  ...["node.archive", "node.unarchive", "node.private", "node.public", "edge.add", "edge.remove", "entity.alias", "cards.decide"],
  ...["undo", "redo", "import", "index.rebuild", "backup.restore"],
]);

const SENT = new Set([...WRITES, "chat.purge", "recall.delivered"]);

/** A preview changes nothing. @param {string} method @param {any} params */
export const writes = (method, params) => WRITES.has(method) && params?.dry !== true;

/** After it other replicas lack something. @param {string} method @param {any} params */
export const sends = (method, params) => SENT.has(method) && params?.dry !== true;

/** They take no chat, or do without. */
export const CHATLESS = new Set([
  ...["chat.list", "scope.list", "schema.get", "schema.set", "recall.deliveries", "job.list", "job.stop"],
  ...["settings.describe", "settings.set", "settings.reset", "prompt.list", "prompt.get", "prompt.set", "prompt.reset"],
  ...["backup.read", "backup.check", "backup.restore", "sync.status", "sync.vector", "sync.pull", "sync.push", "sync.mirror"],
]);
