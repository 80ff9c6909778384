// After a job of the open chat: figures anew, and then the model may have something to read, or the person something to agree to.

const MODEL_DELAY_MS = 1500;
// What the store says of a full disk (extension/store/database.js), and what the browser says itself.
const FULL = /no room left|quota/i;

/** @param {string} said of an error */
export const isFull = (said) => FULL.test(said);

/**
 * @param {object} parts
 * @param {(method: string, params?: object) => Promise<any>} parts.call
 * @param {() => string | undefined} parts.openChat the engine's name of the open chat; undefined too where the engine is not there
 * @param {() => import("./types.js").Settings} parts.settings
 * @param {() => import("./types.js").JobView[]} parts.views
 * @param {() => boolean} parts.isTyping
 * @param {() => Promise<any>} parts.consent asks whether the model may read
 * @param {(cause: any, values?: any) => void} parts.notice
 * @param {(stats: any) => void} parts.onStats
 * @param {() => void} parts.extract lets the model read the open chat
 * @param {(error: any) => void} parts.onError
 */
export function createReading({ call, openChat, settings, views, isTyping, consent, notice, onStats, extract, onError }) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** @param {import("./types.js").JobView} job that has ended */
  async function after(job) {
    if (job.state === "failed" && isFull(job.error)) notice("quota");
    else if (job.state === "failed" && job.kind === "model") notice("model_failed", { detail: job.error });
    if (job.chat !== openChat()) return;
    try {
      const stats = await call("stats", { chat: job.chat });
      if (job.chat === openChat()) onStats(stats);
      if (job.kind === "rules") await consider(job.chat);
    } catch (error) {
      onError(error);
    }
  }

  /** Lets the model read what is due, or asks whether it may. @param {string} chat */
  async function consider(chat) {
    const { lag, model } = settings();
    const { use, agreed, asked, exchanges } = model;
    if (use === "none" || (asked && !agreed)) return;
    const { windows } = await call("extract.plan", { chat, by: "model", lag, exchanges });
    if (!windows.length || chat !== openChat()) return;
    clearTimeout(timer);
    if (!agreed) {
      // No dialog takes the keys away from somebody who is writing.
      if (isTyping()) timer = setTimeout(() => void consider(chat).catch(onError), MODEL_DELAY_MS);
      else await consent();
      return;
    }
    timer = setTimeout(() => {
      // One that is under way takes up whatever has become due.
      const going = views().some((job) => job.kind === "model" && job.chat === chat && ["waiting", "running", "paused"].includes(job.state));
      if (chat === openChat() && !going) extract();
    }, MODEL_DELAY_MS);
  }

  return { after, consider, stop: () => clearTimeout(timer) };
}
