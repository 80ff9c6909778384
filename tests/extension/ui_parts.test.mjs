import assert from "node:assert/strict";
import { test } from "node:test";
import { askConsent } from "../../extension/ui/consent.js";
import { parseRange } from "../../extension/ui/jobs.js";
import { askLeaving } from "../../extension/ui/leaving.js";
import { mountUi } from "../../extension/ui/mount.js";
import { KINDS, notice } from "../../extension/ui/notices.js";
import { HOSTILE, jobView } from "./fake_app.mjs";
import { TEXTS, exists, field, fill, named, pageWithApp, submit, until } from "./ui_kit.mjs";

/** @param {any} [options] */
function drawer(options) {
  const page = pageWithApp(options);
  mountUi(page.app);
  return { ...page, root: page.document.querySelector(".tidelore-settings") };
}

// ---- jobs ----

test("a job shows what it does, how far it is, and can be stopped", () => {
  const { root, called } = drawer({ jobs: [jobView({ id: 5 })] });
  const item = root.querySelector(".tidelore-job");
  assert.match(item.textContent, /^Extraction by model: Mira - harbour ?running, 3 of 12/);
  assert.equal(item.querySelector("progress").getAttribute("value"), "3");
  named(root, "button", "Stop: Extraction by model: Mira - harbour").click();
  assert.deepEqual(called("stop"), [[5]]);
});

test("a failed job shows the model's own words and can be run again, a finished one cannot", () => {
  const failures = [{ first: 4, last: 6, error: "no JSON", raw: HOSTILE }];
  const { root, called, document } = drawer({
    jobs: [jobView({ id: 9, state: "failed", error: "The answer is empty.", hint: "Try again.", failures }), jobView({ id: 8, state: "done", title: "Other" })],
  });
  const details = named(root, "summary", "Floors 4 to 6: no JSON").parentElement;
  assert.equal(details.open, false);
  assert.equal(details.querySelector("pre").textContent, HOSTILE);
  assert.equal(document.querySelector("img"), null);
  assert.match(root.textContent, /The answer is empty\. Try again\./);
  named(root, "button", "Try again: Extraction by model: Mira - harbour").click();
  assert.deepEqual(called("again"), [[9]]);
  assert.ok(!exists(root, "button", "Try again: Extraction by model: Other"));
  assert.ok(!exists(root, "button", "Stop: Extraction by model: Other"));
});

test("a change of state is said aloud, progress is not", () => {
  const { root, state, change } = drawer({ jobs: [jobView()] });
  const said = root.querySelector("[aria-live=polite]");
  assert.equal(said.textContent, "Extraction by model: Mira - harbour: running");
  state.jobs = [jobView({ done: 4 })];
  change();
  assert.equal(said.textContent, "Extraction by model: Mira - harbour: running");
  state.jobs = [jobView({ state: "done", done: 12 })];
  change();
  assert.equal(said.textContent, "Extraction by model: Mira - harbour: done");
});

test("the memory model is paused and goes on", () => {
  const { root, called, change } = drawer({ settings: { model: { use: "current" } } });
  named(root, "button", "Pause the memory model").click();
  change();
  named(root, "button", "Let the memory model go on").click();
  assert.deepEqual([called("pause").length, called("resume").length], [1, 1]);
});

test("a range of floors is extracted again, one that does not exist is refused", () => {
  const { root, called } = drawer();
  const range = field(root, "Extract a range again");
  fill(range, "3-40");
  submit(range.closest("form"));
  assert.match(root.querySelector("#tidelore-range-hint").textContent, /The last is 20\./);
  fill(range, "3–20");
  submit(range.closest("form"));
  assert.deepEqual(called("extractRange"), [[3, 20]]);
  assert.equal(range.hasAttribute("aria-invalid"), false);
});

test("floors are read as people write them", () => {
  assert.deepEqual(parseRange("0", 1), [0, 0]);
  assert.deepEqual(parseRange(" 3 - 7 ", 8), [3, 7]);
  assert.deepEqual(parseRange("3—7", 8), [3, 7]);
  for (const wrong of ["", "a", "-1", "7-3", "3-8", "1.5", "1-2-3", "3,4"]) assert.equal(parseRange(wrong, 8), null, wrong);
});

test("an action that fails is told to the person", async () => {
  const fails = () => Promise.reject(Object.assign(new Error("The engine is off."), { hint: "Restart it." }));
  const { root, called } = drawer({ answers: { restart: fails } });
  named(root, "button", "Restart the engine").click();
  await until(() => called("host.notify").length);
  assert.deepEqual(called("host.notify"), [["error", "The engine is off. Restart it."]]);
});

test("without an open chat there is nothing to extract", () => {
  const { root } = drawer({ status: { chat: null, stats: null } });
  assert.ok(!exists(root, "button", "Extract what is due"));
  assert.equal(root.querySelector("#tidelore-range"), null);
});

// ---- sidecar and orphans ----

test("pairing shows the code until it is confirmed, and why it failed", async () => {
  const { root, state, change } = drawer({ settings: { sidecar: { use: true } } });
  named(root, "button", "Pair").click();
  await until(() => root.querySelector("output"));
  assert.equal(root.querySelector("output").textContent, "482 913");
  state.status = { ...state.status, sidecar: "connected" };
  change();
  assert.equal(root.querySelector("output"), null);
  assert.ok(exists(root, "button", "Pair again"));

  const failing = drawer({ settings: { sidecar: { use: true } }, answers: { pair: () => Promise.reject(new Error("Nobody answers there.")) } });
  named(failing.root, "button", "Pair").click();
  await until(() => failing.root.textContent.includes("Nobody answers there."));
});

test("an orphan is purged by a second press only, and whoever leaves the button did not mean it", async () => {
  let left = [
    { chat: "o1", title: "Lost", owner: "Mira.png", messages: 80 },
    { chat: "o2", title: HOSTILE, owner: "g1", messages: 3 },
  ];
  const answers = { orphans: async () => left, purge: async (/** @type {string} */ chat) => ((left = left.filter((each) => each.chat !== chat)), [{ place: "store", state: "done", count: 7, replicas: [] }, { place: "mirror", state: "waiting", count: 0, replicas: [] }]) };
  const { root, called, document } = drawer({ answers });
  named(root, "button", "Look for them").click();
  await until(() => exists(root, "button", "Purge the memories of Lost"));
  const button = named(root, "button", "Purge the memories of Lost");
  button.focus();
  button.click();
  assert.equal(button.textContent, "Purge for good");
  button.blur();
  assert.equal(button.textContent, "Purge");
  button.click();
  assert.deepEqual(called("purge"), []);
  button.click();
  await until(() => !exists(root, "button", "Purge the memories of Lost") && root.textContent.includes("Store: records removed: 7"));
  assert.match(root.textContent, /waits.*File mirror: it goes with the next round/);
  assert.deepEqual(called("purge"), [["o1"]]);
  assert.ok(root.textContent.includes(HOSTILE));
  assert.equal(document.querySelector("img"), null);
});

// ---- questions ----

/** What a dialog says, and its answer. @param {any} page */
const asked = ({ called }) => {
  const [content, buttons] = called("host.ask").at(-1);
  return { text: content.textContent, content, buttons };
};

test("the first question names the model, the windows, the tokens, and what leaves the machine", async () => {
  const page = pageWithApp({ settings: { model: { use: "current" } }, answers: { estimate: async () => ({ windows: 148, tokens: 412000, model: HOSTILE }) } });
  assert.equal(await askConsent(page.app), true);
  const { text, content, buttons } = asked(page);
  for (const part of [HOSTILE, "148", "about 412,000", "long chat", "What leaves: the text of these messages goes through SillyTavern", "Without a model everything works too"]) assert.ok(text.includes(part), part);
  assert.equal(content.querySelector("img"), null);
  assert.deepEqual(buttons, { ok: "Agree", cancel: "Not now", cautious: true });
  assert.deepEqual(page.called("agree"), [[true]]);
});

test("where the words go depends on the model that is chosen", async () => {
  for (const [model, expected] of /** @type {const} */ ([
    [{ use: "endpoint", url: "http://192.168.0.9:8080/v1" }, "goes to http://192.168.0.9:8080/v1"],
    [{ use: "sidecar" }, "goes to the sidecar at http://127.0.0.1:8414"],
  ])) {
    const page = pageWithApp({ settings: { model } });
    await askConsent(page.app);
    assert.ok(asked(page).text.includes(expected));
    assert.ok(!asked(page).text.includes("long chat"));
  }
});

test("not now is passed on, and the model reads nothing", async () => {
  const page = pageWithApp();
  page.state.agreeTo = false;
  assert.equal(await askConsent(page.app), false);
  assert.deepEqual(page.called("agree"), [[false]]);
});

test("the question is asked once, however often it comes up, and can be asked again later", async () => {
  const page = pageWithApp();
  await Promise.all([askConsent(page.app), askConsent(page.app)]);
  assert.equal(page.called("host.ask").length, 1);
  await askConsent(page.app);
  assert.equal(page.called("host.ask").length, 2);
});

test("an estimate that fails asks nothing and agrees to nothing", async () => {
  const page = pageWithApp({ answers: { estimate: () => Promise.reject(new Error("off")) } });
  await assert.rejects(askConsent(page.app), /off/);
  assert.deepEqual([page.called("host.ask"), page.called("agree")], [[], []]);
});

test("on leaving nothing goes that the person did not give up, and the answer is there at once", () => {
  const leaving = (/** @type {(text: string) => boolean} */ confirm) => askLeaving(pageWithApp({ answers: { "host.confirm": confirm } }).app);
  assert.deepEqual(leaving(() => false), { memories: true, settings: true });
  assert.deepEqual(leaving((text) => text.includes("memories stored")), { memories: false, settings: true });
  assert.deepEqual(leaving((text) => text.includes("settings")), { memories: true, settings: false });
});

// ---- notices ----

test("each cause is told once in the life of a page", () => {
  const page = pageWithApp();
  for (const cause of Object.keys(KINDS)) {
    notice(page.app, cause, { detail: "It was blocked." });
    notice(page.app, cause, { detail: "It was blocked again." });
  }
  const told = page.called("host.notify");
  assert.equal(told.length, Object.keys(KINDS).length);
  assert.deepEqual(told[1], ["warning", "This browser refuses to store: memories last until this page closes. It was blocked."]);
  for (const [, text] of told) assert.doesNotMatch(text, /[{}]|notice\./);
  notice(pageWithApp().app, "quota");
});

test("a notice is short: one or two sentences, in both languages", () => {
  for (const [language, most] of [["en", 140], ["zh-cn", 60]]) {
    for (const cause of Object.keys(KINDS)) {
      const text = TEXTS[language][`notice.${cause}`].replace("{detail}", "");
      assert.ok(text.length <= most, `${cause} ${text.length}`);
    }
  }
});

test("a notice without a detail has no loose end", () => {
  const page = pageWithApp();
  notice(page.app, "store_closed");
  assert.equal(page.called("host.notify")[0][1], "The browser closed the store of memories. Reload the page to go on remembering.");
});
