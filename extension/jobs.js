// Work in the background: extraction by rules and by model, embedding. Each of the three is a lane of its own, one job at a time, so that the rules
// wait neither for a model nor for vectors. What is due is the engine's plan: a job that was stopped, paused or lost with the page goes on where it was.

/**
 * @typedef {import("./types.js").JobView} JobView
 * @typedef {"rules" | "model" | "range" | "embed"} Kind
 *
 * @typedef {object} Job
 * @property {JobView} view
 * @property {object} params
 * @property {string} method
 * @property {boolean} asksModel
 * @property {AbortController} stopper
 * @property {boolean} lost the engine has ended under it once
 * @property {boolean} quiet nobody asked for it: it is listed while it runs, and when it has failed
 */

const KEPT = 30;

/**
 * @param {object} options
 * @param {(method: string, params: object, options: {signal: AbortSignal, onProgress: (done: number, total: number) => void}) => Promise<any>} options.call
 * @param {() => void} options.onChange
 * @param {(job: JobView) => void} options.onEnd a job has ended, well or not
 * @param {() => boolean} options.sharesModel the memory model is that of the replies
 */
export function createJobs({ call, onChange, onEnd, sharesModel }) {
  /** @type {Job[]} */
  let list = [];
  let number = 0;
  /** @type {Set<string>} */
  const running = new Set();
  let halted = false;
  let paused = false;
  let replying = false;

  // A reply needs the model that both share, and its query the embedder.
  const yields = (/** @type {Job} */ job) => (job.asksModel && sharesModel()) || job.view.kind === "embed";
  const mayRun = (/** @type {Job} */ job) => !halted && job.view.state === "waiting" && !(job.asksModel && paused) && !(replying && yields(job));

  /** @param {Job} job @param {Partial<JobView>} change */
  function show(job, change) {
    Object.assign(job.view, change);
    onChange();
  }

  function drain() {
    for (const lane of LANES) void drainOne(lane);
  }

  /** @param {string} lane */
  async function drainOne(lane) {
    if (running.has(lane)) return;
    running.add(lane);
    const next = () => list.find((job) => laneOf(job) === lane && mayRun(job));
    try {
      for (let job = next(); job; job = next()) await run(job);
    } finally {
      running.delete(lane);
    }
  }

  /** @param {Job} job */
  async function run(job) {
    job.stopper = new AbortController();
    show(job, { state: "running", error: "", hint: "" });
    /** @type {(done: number, total: number) => void} */
    const onProgress = (done, total) => show(job, { done, total });
    try {
      const result = await call(job.method, job.params, { signal: job.stopper.signal, onProgress });
      const failures = result.failed ?? [];
      const degraded = job.view.kind === "embed" ? result.degraded?.[0] : "";
      const error = result.interrupted || failures.at(-1)?.error || degraded || "";
      show(job, { state: error ? "failed" : "done", result, failures, error });
    } catch (/** @type {any} */ error) {
      const reason = job.stopper.signal.reason;
      const lost = error?.code === "worker_failed" && !job.lost;
      job.lost ||= lost;
      if (reason === YIELD || lost) show(job, { state: "waiting" });
      else if (reason === STOP) show(job, { state: "stopped" });
      else show(job, { state: "failed", error: String(error?.message ?? error), hint: String(error?.hint ?? "") });
    }
    if (!["waiting", "running"].includes(job.view.state)) onEnd(job.view);
    prune();
  }

  function prune() {
    const ended = list.filter(({ view }) => ["done", "stopped", "failed"].includes(view.state));
    // Small runs of the rules come with every message: nobody needs a list of them.
    const small = (/** @type {Job} */ { view }) => view.kind === "rules" && view.state === "done" && (view.result?.windows ?? 0) < 10;
    const later = (/** @type {Job} */ job) => ended.some(({ quiet, view }) => quiet && view.id > job.view.id && view.kind === job.view.kind && view.chat === job.view.chat);
    const dull = ended.filter((job) => small(job) || (job.quiet && (job.view.state !== "failed" || later(job))));
    const old = ended.filter((job) => !dull.includes(job)).slice(0, -KEPT);
    list = list.filter((job) => !dull.includes(job) && !old.includes(job));
    onChange();
  }

  return {
    /**
     * Plans a job; one that waits for the same is not planned twice.
     * @param {{kind: Kind, method: string, chat: string, title: string, params?: object, asksModel?: boolean, quiet?: boolean}} job
     * @returns {JobView}
     */
    add({ kind, method, chat, title, params = {}, asksModel = false, quiet = false }) {
      const whole = { chat, ...params };
      const same = list.find((each) => each.view.state === "waiting" && each.method === method && JSON.stringify(each.params) === JSON.stringify(whole));
      if (same) {
        same.quiet &&= quiet;
        return same.view;
      }
      /** @type {JobView} */
      const view = { id: ++number, chat, title, kind, state: "waiting", done: 0, total: 0, error: "", hint: "", failures: [], result: null };
      list.push({ view, params: whole, method, asksModel, stopper: new AbortController(), lost: false, quiet });
      onChange();
      drain();
      return view;
    },

    /** Newest first. */
    views: () => list.map(({ view, asksModel }) => ({ ...view, state: view.state === "waiting" && asksModel && paused ? /** @type {const} */ ("paused") : view.state })).reverse(),

    /** @param {number} id */
    stop(id) {
      const job = list.find(({ view }) => view.id === id);
      if (!job) return;
      if (job.view.state === "running") job.stopper.abort(STOP);
      else if (job.view.state === "waiting") {
        show(job, { state: "stopped" });
        prune();
      }
    },

    /** Runs a job that failed or was stopped once more. @param {number} id */
    again(id) {
      const job = list.find(({ view }) => view.id === id);
      if (!job || !["failed", "stopped"].includes(job.view.state)) return;
      show(job, { state: "waiting", failures: [], error: "", hint: "", done: 0, total: 0 });
      drain();
    },

    /** @param {boolean} value for all jobs that ask the model */
    pause(value) {
      paused = value;
      if (value) for (const job of list) if (job.asksModel && job.view.state === "running") job.stopper.abort(YIELD);
      onChange();
      drain();
    },
    paused: () => paused,

    /** A reply is being generated: what both need is left to it. @param {boolean} value */
    reply(value) {
      replying = value;
      if (value) for (const job of list) if (job.view.state === "running" && yields(job)) job.stopper.abort(YIELD);
      drain();
    },

    /** Gives up all jobs of a kind, without a word: what they were for has changed. @param {Kind} kind */
    drop(kind) {
      for (const job of list.filter(({ view }) => view.kind === kind)) {
        job.quiet = true;
        if (job.view.state === "running") job.stopper.abort(STOP);
        else if (job.view.state === "waiting") job.view.state = "stopped";
      }
      prune();
    },

    /** There is no engine for the moment: what waits goes on waiting. @param {boolean} value */
    halt(value) {
      halted = value;
      drain();
    },

    /** Ends everything: the engine is going away. */
    close() {
      for (const job of list) {
        if (job.view.state === "running") job.stopper.abort(STOP);
        else if (job.view.state === "waiting") job.view.state = "stopped";
      }
    },
  };
}

const LANES = ["rules", "model", "embed"];
/** @param {Job} job */
const laneOf = ({ asksModel, view }) => (asksModel ? "model" : view.kind === "embed" ? "embed" : "rules");
const STOP = new Error("stopped by the person");
const YIELD = new Error("put off");
