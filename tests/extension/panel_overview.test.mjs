import assert from "node:assert/strict";
import { test } from "node:test";
import { findings } from "../../extension/panel/health.js";
import { HOSTILE, jobView, quietStatus } from "./fake_app.mjs";
import { openPanel } from "./panel_kit.mjs";
import { exists, named, until } from "./ui_kit.mjs";

const well = { model: "gpt", embedder: "small", stats: { nodes: { entity: 4, fact: 8 }, superseded: 2, rules_due: 0, model_due: 0, aside: 0, waiting: [] } };

/** @param {any} [options] */
function overview(options) {
  const page = openPanel({ settings: { model: { agreed: true, asked: true } }, ...options, status: { ...well, ...options?.status } });
  page.panel.open();
  return page;
}

test("when all is well it says so and asks for nothing", () => {
  const { root } = overview();
  assert.equal(root.querySelector("#tidelore-health-title").textContent, "All is well");
  assert.equal(root.querySelectorAll("[aria-labelledby=tidelore-health-title] li").length, 0);
});

test("what is remembered is counted by kind, and a kind leads to its memories", async () => {
  const { root } = overview();
  assert.match(root.querySelector("#tidelore-counts-title").textContent, /12/);
  assert.match(root.textContent, /replaced: 2/);
  const bars = [...root.querySelectorAll(".tidelore-bar")];
  assert.deepEqual(bars.map((each) => each.textContent), ["entity4", "fact8"]);
  bars[1].click();
  assert.equal(root.querySelector("#tidelore-tabpanel-memories").hidden, false);
  await until(() => exists(root, "select", "kind"));
  assert.equal(named(root, "select", "kind").value, "fact");
});

test("each thing that is wrong has its remedy beside it", async () => {
  const wrong = {
    problem: { code: "", message: "The disk is full.", hint: "Make room." },
    store: "memory",
    sidecar: "unreachable",
    sidecarProblem: "Nobody answers there.",
    stats: { ...well.stats, aside: 3 },
    lastRecall: { ...quietStatus().lastRecall, outcome: "late" },
  };
  const { root, called, settings } = overview({ status: wrong, jobs: [jobView({ id: 7, state: "failed", error: "No answer." })] });
  const health = root.querySelector("[aria-labelledby=tidelore-health-title]");
  assert.equal(root.querySelector("#tidelore-health-title").textContent, "Something needs you");
  for (const words of [/The disk is full\. Make room\./, /gone when it closes/, /Nobody answers there\./, /No answer\./, /too late/]) assert.match(health.textContent, words);
  named(health, "button", "Restart the engine").click();
  named(health, "button", "Try again").click();
  named(health, "button", "Try them again").click();
  health.querySelectorAll("button")[2].click();
  assert.deepEqual([called("restart"), called("again"), called("retry")], [[[]], [[7]], [[]]]);
  assert.equal(settings.opened, 1);
});

test("a change by hand that waits is told in the words of the page's language", () => {
  const waiting = [
    { node: "n1", change: "edit", text: "text: The mill. -> The old mill.", subject: "The mill.", edits: [{ field: "text", before: "The mill.", after: "The old mill." }] },
    { node: "n2", change: "hide", text: `hide: ${HOSTILE}`, subject: HOSTILE, edits: [] },
  ];
  const { root } = overview({ status: { stats: { ...well.stats, waiting } } });
  const rows = [...root.querySelectorAll("[aria-labelledby=tidelore-waiting-title] li")].map(({ textContent }) => textContent);
  assert.match(rows[0], /edited: The mill\..*Text: The mill\. → The old mill\./);
  assert.ok(rows[1].includes(`forgotten: ${HOSTILE}`));
  assert.equal(root.querySelector("[aria-labelledby=tidelore-waiting-title] img"), null);
});

test("memory that is off, for all or for this chat, is switched on here", () => {
  const off = overview({ settings: { enabled: false } });
  named(off.root, "button", "Switch memory on").click();
  assert.deepEqual(off.called("set"), [[{ enabled: true }]]);
  const chat = overview({ status: { chat: { chat: "c1", pool: "", title: "t", off: true } } });
  named(chat.root, "button", "Switch it on for this chat").click();
  assert.deepEqual(chat.called("switchChat"), [[true]]);
});

test("a model that may not read yet is asked about, not started", async () => {
  const { root, called } = overview({ settings: { model: { use: "current", agreed: false } }, status: { stats: { ...well.stats, model_due: 5 } } });
  assert.equal(root.querySelector("#tidelore-health-title").textContent, "One thing is yours to decide");
  assert.equal(root.textContent.match(/: 5/g)?.length, 1, "the figure is said once");
  named(root, "button", "Decide on it").click();
  await until(() => called("host.ask").length);
  assert.deepEqual(called("extract"), []);
});

test("without settings in the page no finding points to them", () => {
  const { app } = openPanel({ status: { ...well, embedder: "" } });
  assert.deepEqual(findings(app, null).map(({ key, fix }) => [key, fix]), [["words", null]]);
});

test("what waits is listed, and a change by hand leads to its memory", async () => {
  const { root } = overview({ status: { stats: { ...well.stats, rules_due: 3, waiting: [{ node: "f2", change: HOSTILE }] } } });
  const section = root.querySelector("[aria-labelledby=tidelore-waiting-title]");
  assert.ok(section.textContent.includes(HOSTILE));
  assert.equal(section.querySelector("img"), null);
  named(section, "button", "Look").click();
  await until(() => root.querySelector("h3")?.textContent === "Ann lives in Porto.");
});

test("the last extraction is told, and what works now, with a way to all jobs", () => {
  const done = jobView({ id: 1, state: "done", result: { windows: 4, empty: 1, dropped: 2 } });
  const { root } = overview({ jobs: [jobView({ id: 2, state: "running", done: 3, total: 12 }), done] });
  assert.match(root.textContent, /exchanges stored: 4, empty: 1, changes left out: 2/);
  assert.equal(root.querySelectorAll("[aria-labelledby=tidelore-going-title] progress").length, 1);
  named(root, "button", "All jobs").click();
  assert.equal(root.querySelector("#tidelore-tabpanel-actions").hidden, false);
  assert.equal(root.querySelector("#tidelore-panel-range").closest("[role=tabpanel]").id, "tidelore-tabpanel-actions");
});

test("who has not set anything up yet is offered to, once", async () => {
  const { app, root } = overview();
  await until(() => exists(root, "button", "Later"));
  named(root, "button", "Later").click();
  assert.ok(!exists(root, "button", "Later"));
  assert.equal(await app.kept.get("wizard"), "seen");
});
