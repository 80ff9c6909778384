// Other windows of this browser that have the same chat open: each says which one it shows, and who shows the same answers.

/**
 * @param {object} options
 * @param {string} options.name of the channel; one for each account
 * @param {() => void} options.onOther another window has the open chat open too; may come more than once
 * @param {typeof globalThis.BroadcastChannel | undefined} [options.Channel] where the browser lacks it nobody is heard
 */
export function createPresence({ name, onOther, Channel = globalThis.BroadcastChannel }) {
  const channel = typeof Channel === "function" ? new Channel(name) : null;
  let here = "";

  if (channel) {
    channel.onmessage = ({ data }) => {
      if (!here || data?.chat !== here) return;
      if (data.asks) channel.postMessage({ chat: here, asks: false });
      onOther();
    };
  }

  return {
    /** @param {string} chat the engine's name of the open chat, "" for none */
    show(chat) {
      if (chat === here) return;
      here = chat;
      if (chat) channel?.postMessage({ chat, asks: true });
    },
  };
}
