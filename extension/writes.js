// Which methods of the engine change what is remembered by hand.

/** They change the numbers that are shown. */
export const WRITES = new Set([
  ...["node.write", "nodes.write", "node.edit", "node.retire", "node.restore", "node.merge", "node.split", "node.pin", "node.unpin"],
  ...["node.archive", "node.unarchive", "node.private", "node.public", "edge.add", "edge.remove", "entity.alias", "cards.decide"],
  ...["undo", "redo", "import", "index.rebuild"],
]);

/** After them other replicas lack something. */
export const EXCHANGED = new Set([...WRITES, "node.purge", "chat.purge", "recall.delivered"]);
