// When vectors are due: after what they are of, in the background; words recall meanwhile, whatever the embedder does.

/** @typedef {import("../wasm/bridge.js").EmbedPort} EmbedPort */

/**
 * @param {object} parts
 * @param {Pick<ReturnType<typeof import("./jobs.js").createJobs>, "add" | "drop">} parts.jobs
 * @param {() => {chat: string, title: string, off: boolean} | null} parts.openChat
 */
export function createEmbedding({ jobs, openChat }) {
  /** @type {EmbedPort | undefined} */
  let used;

  /** The memories of a chat have changed. @param {{chat?: string, title?: string}} of */
  function soon({ chat, title }) {
    if (!chat || !used) return;
    const open = openChat();
    jobs.add({ kind: "embed", method: "embed.run", chat, title: title ?? (open?.chat === chat ? open.title : ""), quiet: true });
  }

  return {
    soon,

    /** The engine has this embedder from now on; another than before begins with the open chat. @param {EmbedPort} [port] */
    uses(port) {
      if (port === used) return;
      used = port;
      // What hangs with the old one would hold up the new one.
      jobs.drop("embed");
      const open = openChat();
      if (open && !open.off) soon(open);
    },
  };
}
