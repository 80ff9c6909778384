// Other replicas of the memories: the mirror among SillyTavern's files, and a connected sidecar. Rounds run one after the other, in the background;
// what is in them is the engine's affair (sidecar/tidelore/engine/sync).

/**
 * @typedef {(method: string, params?: object) => Promise<any>} Call
 *
 * @typedef {object} Outcome what the last rounds came to
 * @property {"off" | "going" | "done" | "failed"} mirror
 * @property {"off" | "going" | "done" | "failed"} sidecar
 * @property {string} problem
 * @property {number} news records that came from elsewhere since the start
 * @property {number} sent bytes that the last round wrote
 * @property {number} size bytes that the mirror has
 */

const SETTLE_MS = 3000;
const LONGEST_MS = 30_000;
const AGAIN_MS = 60_000;
// A sidecar or another browser writes without telling: now and then somebody has to look.
const LOOK_MS = 120_000;

/**
 * @param {object} options
 * @param {Call} options.call the page's engine
 * @param {() => {mirror: boolean, sidecar: Call | null}} options.places where other replicas are now
 * @param {() => void} options.onNews records came from elsewhere
 * @param {() => void} options.onChange the outcome is another one
 * @param {(error: any) => void} options.onError
 * @param {import("./remote/faults.js").Clock} options.clock
 * @param {Pick<Document, "addEventListener" | "removeEventListener" | "visibilityState">} [options.screen] tells when the page is hidden
 */
export function createExchange({ call, places, onNews, onChange, onError, clock, screen = globalThis.document }) {
  /** @type {Outcome} */
  const outcome = { mirror: "off", sidecar: "off", problem: "", news: 0, sent: 0, size: 0 };
  let cancel = () => {};
  /** @type {number | null} */
  let dueSince = null;
  /** @type {Promise<void> | null} */
  let going = null;
  let again = false;
  let stopped = true;
  /** @type {Promise<void>} */
  let first = Promise.resolve();

  /** @param {Partial<Outcome>} change */
  function show(change) {
    Object.assign(outcome, change);
    onChange();
  }

  /** @param {number} ms */
  function plan(ms) {
    cancel();
    if (!stopped) cancel = clock.after(ms, () => void round());
  }

  /** Something was stored here: a round is due, soon but not at once. */
  function due() {
    if (stopped) return;
    if (going) {
      again = true;
      return;
    }
    dueSince ??= clock.now();
    plan(Math.max(0, Math.min(SETTLE_MS, dueSince + LONGEST_MS - clock.now())));
  }

  /** A page that is hidden may be closed, or frozen on a phone, at any moment: what is due goes out at once. */
  function onHide() {
    if (screen.visibilityState === "hidden" && dueSince !== null) void round();
  }

  /** One round now, or, where one is going, one more after it; ends when both have. Never rejects. @returns {Promise<void>} */
  function round() {
    if (stopped) return Promise.resolve();
    if (going) again = true;
    else
      going = rounds().finally(() => {
        going = null;
      });
    return going;
  }

  async function rounds() {
    cancel();
    dueSince = null;
    let failed = false;
    do {
      again = false;
      const { mirror, sidecar } = places();
      const problems = [await attempt("mirror", mirror && throughMirror), await attempt("sidecar", sidecar && (() => throughSidecar(sidecar)))];
      failed = problems.some(Boolean);
      show({ problem: problems.find(Boolean) ?? "" });
    } while (again && !stopped && !failed);
    plan(failed ? AGAIN_MS : LOOK_MS);
  }

  /**
   * @param {"mirror" | "sidecar"} place
   * @param {(() => Promise<number>) | false | null} exchange answers how many records were new here
   * @returns {Promise<string>} what went wrong
   */
  async function attempt(place, exchange) {
    if (!exchange || stopped) {
      if (outcome[place] !== "off") show({ [place]: "off" });
      return "";
    }
    show({ [place]: "going" });
    try {
      const news = await exchange();
      show({ [place]: "done", news: outcome.news + news });
      if (news) onNews();
      return "";
    } catch (/** @type {any} */ error) {
      if (stopped) return "";
      onError(error);
      show({ [place]: "failed" });
      return String(error?.message ?? error);
    }
  }

  async function throughMirror() {
    const done = await call("sync.mirror");
    show({ sent: done.written_bytes, size: done.size_bytes ?? 0 });
    return done.new;
  }

  /** @param {Call} other */
  async function throughSidecar(other) {
    const news = await pass(other, call);
    await pass(call, other);
    return news;
  }

  return {
    due,
    round,
    outcome: () => outcome,
    /** The first round since the start has ended, well or not. */
    settled: () => first,
    start() {
      if (!stopped) return;
      stopped = false;
      screen?.addEventListener("visibilitychange", onHide);
      first = round();
    },
    stop() {
      stopped = true;
      cancel();
      dueSince = null;
      screen?.removeEventListener("visibilitychange", onHide);
      Object.assign(outcome, { mirror: "off", sidecar: "off", problem: "" });
    },
  };
}

/**
 * All that `to` lacks, in one direction. Each answer is the next question.
 * @param {Call} from @param {Call} to
 * @returns {Promise<number>} how many records were new to `to`
 */
export async function pass(from, to) {
  let peer = "";
  let news = 0;
  for (;;) {
    const found = await from("sync.pull", await to("sync.vector", { peer }));
    const done = await to("sync.push", found);
    news += done.new;
    if (!found.more) return news;
    peer = found.replica;
  }
}
