// Measures the engine as the page meets it. Long tasks are those of the page's main thread over 50 ms while the thing measured runs.
import { pass } from "../../extension/exchange.js";
import { messagesOf } from "../../extension/host_messages.js";
import { memoryPageStore } from "../../extension/page_store.js";
import { rowsOf, splice } from "../../extension/splice.js";
import { openPort } from "../../extension/store/store.js";
import { createSync } from "../../extension/sync.js";
import { sidecar, start, tell } from "../extension/store/page.js";

const DATABASE = "tidelore-bench";
const WITHOUT = "tidelore-bench-plain";
const RUNS = 5;
const parts = location.search.slice(1).split(",").filter(Boolean);
/** @type {{name: string, ms: number[], long: number[], goal: string}[]} */
const figures = [];
/** @type {number[]} */
let long = [];
new PerformanceObserver((list) => long.push(...list.getEntries().map(({ duration }) => Math.round(duration)))).observe({ type: "longtask" });

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Runs `work` so often, after `before`, which is not measured; gives its last result. */
async function measure(name, goal, work, { runs = RUNS, before = async (run) => run, after = async () => {} } = {}) {
  const figure = { name, goal, ms: [], long: [] };
  figures.push(figure);
  let result;
  for (let run = 0; run < runs; run++) {
    const given = await before(run);
    await pause(60); // what came before has ended, and the observer has told of it
    long = [];
    const begin = performance.now();
    result = await work(given, run);
    figure.ms.push(performance.now() - begin);
    await pause(60); // entries of the observer come late
    figure.long.push(...long);
    await after(result);
  }
  return result;
}

/** What SillyTavern holds of such messages. */
const hosted = (messages) =>
  messages.map(({ role, name, text }, at) => ({
    mes: text,
    name,
    is_user: role === "user",
    is_system: false,
    send_date: new Date(Date.UTC(2025, 0, 1) + at * 60_000).toISOString(),
    extra: {},
    swipes: [text],
    swipe_id: 0,
  }));

/** The extension's own routine on a chat in the place of SillyTavern's, which can be another one at any time. */
function desk(link) {
  let chat = "";
  let messages = [];
  const mark = () => ({ chat, pool: poolOf(chat), kind: "character", owner: "Mira.png", file: chat, integrity: "" });
  const sync = createSync({
    host: {
      place: () => ({ kind: "character", owner: "Mira.png", file: chat, integrity: "", title: chat }),
      messages: () => messagesOf({ chat: messages }),
      mark,
      setMark() {},
      files: async () => [chat],
      people: () => [],
    },
    call: (method, params) => link.call(method, params),
    places: memoryPageStore().places,
    onSynced() {},
    onError(error) {
      throw error;
    },
  });
  return {
    sync,
    show: (name, list) => {
      chat = name;
      messages = list;
      return sync.now("bench");
    },
  };
}

const POOLS = { full: "0".repeat(31) + "1", open: "0".repeat(31) + "2", first: "0".repeat(31) + "3" };
const poolOf = (chat) => POOLS[chat] ?? "0".repeat(31) + "4";

const wanted = (name) => !parts.length || parts.includes(name);
const forget = (database) => new Promise((done) => (indexedDB.deleteDatabase(database).onsuccess = done));

async function starts() {
  const close = ({ link }) => link.close();
  const kept = ({ until }) => until(({ step, outcome }) => step === "keep" && outcome === "kept");
  await measure("worker to ready, no snapshot, runtime from a sidecar", "< 8000", () => start({ database: WITHOUT, sidecar }), {
    runs: 3,
    before: () => forget(WITHOUT),
    after: async (started) => (await kept(started), close(started)),
  });
  const first = await start({ database: DATABASE, sidecar });
  await kept(first);
  close(first);
  await measure("worker to ready, from the kept snapshot", "< 2500", () => start({ database: DATABASE }), { runs: 7, after: close });
}

async function fill({ messages, commits }) {
  const { link } = await start({ database: DATABASE, sidecar });
  const { show } = desk(link);
  await show("full", hosted(messages));
  await show("open", hosted(messages));
  link.close();
  const store = await openPort({ database: DATABASE }, { report() {} });
  const nothing = { clock: "", sources: [], newChat: null, chat: null, ledger: [], records: [], settings: {} };
  await store.write({ ...nothing, pool: POOLS.full, commits });
  await store.write({ ...nothing, pool: POOLS.open, commits: commits.filter((_, at) => at % 5 < 2) });
  store.close();
}

async function opening({ messages, queries }) {
  const chat = hosted(messages);
  const fresh = async () => {
    const { link } = await start({ database: DATABASE });
    return { link, ...desk(link) };
  };
  await measure("chat of 5,000 messages, 2,000 commits: open, new worker", "< 1500", async (at) => (await at.show("open", chat), at), { before: fresh, after: (at) => at.link.close() });
  const at = await fresh();
  const recall = (name, query) => at.link.call("recall.run", { chat: name, query, trace: false });
  await at.show("open", chat);
  await measure("  the first recall in it", "", () => recall("open", queries[0]), { runs: 1 });
  await at.show("full", chat);
  await measure("  open again after another chat", "< 1500", (_, run) => at.show(run % 2 ? "full" : "open", chat), { runs: 10 });
  await measure("  nothing has changed", "", () => at.show("open", chat), { runs: 10, before: () => at.show("open", chat) });
  let last = chat;
  await at.show("open", last);
  const swiped = async (run) => {
    const text = `Another reply ${run}, ${queries[run % 60]}`;
    last = [...last.slice(0, -1), { ...last.at(-1), mes: text, swipes: [text] }];
  };
  await measure("  swipe: sync, until the new graph stands", "< 20", () => at.show("open", last), { runs: 30, before: swiped });
  const spliced = await at.link.call("chat.update", { chat: "open", messages: rowsOf(messagesOf({ chat: last })) });
  let { screen } = spliced;
  const splices = async (_, run) => {
    const part = { at: messages.length - 1, remove: 1, messages: [{ role: "assistant", text: `Swipe ${run}`, name: "Tobin", hidden: false, date: "" }] };
    ({ screen } = await at.link.call("chat.splice", { chat: "open", screen, ...part }));
  };
  await measure("  of that: chat.splice of one message", "", splices, { runs: 30 });
  await measure("  of that: messages mapped and compared", "", () => {
    const rows = rowsOf(messagesOf({ chat: last }));
    splice(rows, rowsOf(messagesOf({ chat: [...last.slice(0, -1), { ...last.at(-1), mes: "x" }] })));
  }, { runs: 30 });
  await measure("  chat.list, a call that reads two small things", "", () => at.link.call("chat.list", {}), { runs: 30 });
  await measure("  stats", "", () => at.link.call("stats", { chat: "open" }), { runs: 5 });
  at.link.close();
}

async function recalls({ messages, queries }) {
  const { link } = await start({ database: DATABASE });
  const at = desk(link);
  const chat = hosted(messages);
  await measure("chat of 10,000 nodes, 5,000 commits: open, new worker", "", () => at.show("full", chat), { runs: 1 });
  const recall = (query) => link.call("recall.run", { chat: "full", query, trace: false, budget: 2000, context_tokens: 4000 });
  await measure("  the first recall in it", "", () => recall(queries[0]), { runs: 1 });
  await measure("  recall, words and graph", "< 60", (_, run) => recall(queries[run % 60]), { runs: 60 });
  let last = chat;
  const swiped = async (run) => {
    const text = `Another reply ${run}, ${queries[run % 60]}`;
    last = [...last.slice(0, -1), { ...last.at(-1), mes: text, swipes: [text] }];
    await at.show("full", last);
  };
  await measure("  recall right after a swipe", "", (_, run) => recall(queries[run % 60]), { runs: 20, before: swiped });
  link.close();
}

async function first({ spoken }) {
  const { link } = await start({ database: DATABASE });
  const at = desk(link);
  await measure("a chat of 5,000 messages told for the first time", "", () => at.show("first", hosted(spoken)), { runs: 1 });
  let steps = 0;
  const onProgress = () => steps++;
  const done = await measure("  extract.run by rules over it", "", () => link.call("extract.run", { chat: "first", lag: 0 }, { onProgress }), { runs: 1 });
  figures.at(-1).goal = `${done.commits} commits, ${steps} steps of progress`;
  link.close();
}

/** A first exchange of two pages' stores. A page meets a sidecar, which gives out and takes in faster, or the mirror. */
async function replicas({ spoken }) {
  const database = `${DATABASE}-replica`;
  const { link: filling } = await start({ database, sidecar });
  await desk(filling).show("full", hosted(spoken));
  const { commits } = await filling.call("extract.run", { chat: "full", lag: 0 });
  filling.close();
  const { link: one } = await start({ database });
  const { link: other } = await start({ database: `${database}-new`, sidecar });
  const spent = { "sync.vector": 0, "sync.pull": 0, "sync.push": 0 };
  const timed = (link) => async (method, params) => {
    const begin = performance.now();
    const answer = await link.call(method, params);
    spent[method] += performance.now() - begin;
    return answer;
  };
  const part = (name, method, goal) => figures.push({ name, goal, ms: [spent[method]], long: [] });
  const records = await measure("first sync of two pages, 5,000 messages read by rules", "", () => pass(timed(one), timed(other)), { runs: 1 });
  figures.at(-1).goal = `${records} records, ${commits} of them commits`;
  part("  of that: given out", "sync.pull", "");
  part("  of that: taken in", "sync.push", "< 5000");
  await measure("  a round without news", "", () => pass(timed(one), timed(other)), { runs: 10 });
  one.close();
  other.close();
}

/** Vectors of 512 numbers without an embedder's time. */
async function vectors() {
  const dimension = 512;
  const ask = async (_port, _method, [{ texts }]) => Float32Array.from({ length: texts.length * dimension }, () => Math.random() - 0.5).buffer;
  const { openPort: openVectors } = await import("../../wasm/vectors.js");
  const open = async () => {
    const rows = { module: new URL("../../extension/store/vector_rows.js", import.meta.url).href, options: { database: DATABASE } };
    const port = await openVectors({ rows }, { report() {}, ask });
    port.use({ name: "m", dimension, scale: 1, floor: 0.5 });
    return port;
  };
  const texts = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`node ${at}`, `the text of node ${at}`]));
  await (await open()).put(texts);
  const port = await measure("10,000 vectors of 512 (here on the main thread): read", "", async (port) => (await port.score("query", 50, null), port), { runs: 3, before: open });
  await measure("  searched", "", (_, run) => port.score(`another ${run}`, 50, Object.keys(texts)), { runs: 10 });
}

tell(async () => {
  try {
    if (wanted("starts")) await starts();
    if (parts.join() === "starts") return { figures };
    if (wanted("vectors")) await vectors();
    const world = await (await fetch("/build/bench/world.json")).json();
    if (["opening", "recalls", "first"].some(wanted)) await fill(world);
    if (wanted("opening")) await opening(world);
    if (wanted("recalls")) await recalls(world);
    if (wanted("first")) await first(world);
    if (wanted("replicas")) await replicas(world);
    return { figures };
  } catch (error) {
    return { figures, error: `${error.code ?? ""} ${error.stack ?? error}` };
  }
});
