// The app over a page, an engine and remotes that do what a test says.
import { createApp } from "../../extension/app.js";
import { memoryPageStore } from "../../extension/page_store.js";
import { createText } from "../../extension/text.js";
import { FakeHost, gate } from "./fake_host.mjs";
import { TEXTS } from "./ui_kit.mjs";

// Node would wait for it for ever.
delete globalThis.BroadcastChannel;

const ANSWERS = {
  "chat.update": { screen: 1, inserted: 2, removed: 0, commits_in: 0, commits_out: 0 },
  "chat.splice": { screen: 2 },
  "extract.run": { windows: 1, failed: [] },
  "embed.run": { texts: 2, degraded: [] },
  "extract.plan": { windows: [], tokens: 0 },
  "sync.mirror": { new: 0, written_bytes: 0 },
  "index.refresh": { documents: 2, left: 0 },
  stats: { nodes: {}, rules_due: 0, model_due: 0, aside: 0, waiting: [] },
};

/**
 * @param {object} [options]
 * @param {Record<string, any>} [options.answers] of the engine, by method: a value, or a function of the parameters
 * @param {(number: number) => any} [options.starts] what a start comes to: an error, or anything else
 * @param {() => any} [options.embedder] its port, or nothing
 */
export function setUpApp({ answers = {}, starts = () => null, embedder = () => undefined } = {}) {
  const host = new FakeHost().say("Hello.", "Good evening.");
  const notices = [];
  const engines = [];
  const page = memoryPageStore();
  const app = createApp({
    host,
    text: createText("en", TEXTS.en),
    page,
    channel: `test-${Math.random()}`,
    remotes: {
      start: async () => {},
      ports: async () => ({ embed: embedder() }),
      modelName: () => "",
      embedderName: () => embedder()?.model.name ?? "",
      sidecarState: () => "off",
      sidecarProblem: () => null,
      runtimeUrl: () => undefined,
      sidecarCall: () => null,
      test: async () => ({ ok: true, detail: "", ms: 1 }),
      pair: async () => "",
      stop: () => {},
    },
    ui: { notice: (_app, cause, values) => void notices.push([cause, values]), consent: async () => {}, leaving: () => ({ memories: true, settings: true }) },
    dropMemories: async () => {},
    soon: (run) => run(),
    async openEngine({ onEvent }) {
      const calls = [];
      const hanging = new Set();
      const error = starts(engines.length + 1);
      const engine = {
        calls,
        closed: false,
        ready: error instanceof Error ? Promise.reject(error) : Promise.resolve({ how: "plain", store: "indexeddb" }),
        call(method, params, { signal } = {}) {
          calls.push({ method, params });
          const answer = answers[method] ?? ANSWERS[method];
          return new Promise((resolve, reject) => {
            hanging.add(reject);
            signal?.addEventListener("abort", () => reject(Object.assign(new Error("The call was cancelled."), { code: "cancelled" })));
            Promise.resolve(typeof answer === "function" ? answer(params) : answer).then(resolve, reject);
          });
        },
        setPorts: () => {},
        close: () => void (engine.closed = true),
        say: onEvent,
        /** As the bridge does when the worker ends. */
        end() {
          onEvent({ step: "worker", outcome: "failed", detail: "The worker has not answered for 120 s." });
          for (const reject of hanging) reject(Object.assign(new Error("The worker has not answered for 120 s."), { code: "worker_failed" }));
        },
      };
      engines.push(engine);
      return engine;
    },
  });
  return { app, host, page, notices, engines, causes: () => notices.map(([cause]) => cause) };
}

export { gate };

/** Lets what is due run. */
export const settle = async () => {
  for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve));
};
