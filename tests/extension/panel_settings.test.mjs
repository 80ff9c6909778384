import assert from "node:assert/strict";
import { test } from "node:test";
import { HOSTILE } from "./fake_app.mjs";
import { openPanel } from "./panel_kit.mjs";
import { TEXTS, exists, fill, named, until } from "./ui_kit.mjs";

const setting = (/** @type {any} */ more) => ({ name: "cards.alike", type: "number", value: 0.75, default: 0.75, least: 0.5, most: 1, choices: [], group: "cards", level: "advanced", changed: false, ...more });
const PRESET = setting({ name: "recall.preset", type: "choice", value: "story", default: "story", least: null, most: null, choices: ["story", "plain"], group: "recall", level: "basic" });
const MANY = [PRESET, setting({}), ...["a", "b", "c", "d"].map((name) => setting({ name, group: "x" }))];

/** @param {any[]} known @param {any} [options] */
async function settings(known, options = {}) {
  let now = known;
  const page = openPanel({
    container: true,
    ...options,
    methods: {
      "settings.describe": () => ({ settings: now }),
      "settings.set": (/** @type {any} */ { values }) => {
        now = now.map((each) => (each.name in values ? { ...each, value: values[each.name], changed: true } : each));
        return { settings: now };
      },
      "settings.reset": (/** @type {any} */ { names }) => {
        now = now.map((each) => (names.includes(each.name) ? { ...each, value: each.default, changed: false } : each));
        return { settings: now };
      },
      ...options.methods,
    },
  });
  page.panel.open({ tab: "settings" });
  const part = page.root.querySelector("#tidelore-tabpanel-settings");
  await until(() => part.querySelector(".tidelore-settings-bar"));
  const asked = (/** @type {string} */ name) => page.called("call").filter(([method]) => method === name).map(([, params]) => params);
  return { ...page, part, asked };
}

const labels = (/** @type {any} */ part) => [...part.querySelectorAll(".tidelore-field > label")].map((each) => each.textContent);

test("a few are shown at first, all of them behind the switch, and a search goes through all", async () => {
  const { part, pass } = await settings(MANY);
  assert.deepEqual(labels(part), ["Way of recalling"]);
  part.querySelector("input[type=checkbox]").click();
  assert.equal(labels(part).length, 6);
  part.querySelector("input[type=checkbox]").click();
  const search = part.querySelector("input[type=search]");
  search.value = "DUPLICATE nothing";
  search.dispatchEvent(new (search.ownerDocument.defaultView.Event)("input", { bubbles: true }));
  pass();
  assert.match(part.textContent, /No setting matches/);
  search.value = "alike";
  search.dispatchEvent(new (search.ownerDocument.defaultView.Event)("input", { bubbles: true }));
  pass();
  assert.deepEqual(labels(part), ["Alike from which share of words"]);
});

test("a change is sent alone, and goes back to the default alone or with all", async () => {
  const { part, asked } = await settings([PRESET, setting({})]);
  fill(part.querySelector("select"), "plain");
  await until(() => exists(part, "button", "Back to the default: Way of recalling"));
  assert.deepEqual(asked("settings.set"), [{ values: { "recall.preset": "plain" } }]);
  named(part, "button", "Back to the default: Way of recalling").click();
  await until(() => !exists(part, "button", "Back to the default: Way of recalling"));
  assert.deepEqual(asked("settings.reset"), [{ names: ["recall.preset"] }]);
});

test("a number outside its range is not sent, and is said to be wrong beside it", async () => {
  const { part, asked } = await settings([setting({})]);
  fill(part.querySelector("input[type=number]"), "7");
  assert.match(part.querySelector("[role=alert]").textContent, /from 0.5 to 1/);
  assert.deepEqual(asked("settings.set"), []);
});

test("in SillyTavern's page the most important comes first and is changed there, and nothing is shown twice", async () => {
  const { part, called } = await settings([PRESET, setting({})], { container: false });
  assert.deepEqual(labels(part), ["Who extracts memories", TEXTS["en"]?.["field.embedder.use"], "Most tokens of memory in a prompt", "Alike from which share of words"]);
  fill(part.querySelector("#tidelore-panel-budget"), "700");
  fill(part.querySelector("#tidelore-panel-model-use"), "current");
  part.querySelector("#tidelore-panel-enabled").click();
  await until(() => called("set").length === 3);
  assert.deepEqual(called("set").map(([change]) => [Object.keys(change)[0], change.budget ?? change.model?.use ?? change.enabled]), [["budget", 700], ["model", "current"], ["enabled", false]]);
  fill(part.querySelector("#tidelore-panel-budget"), "7");
  assert.match(part.querySelector("[role=alert]").textContent, /from 50 to 20000/);
  assert.equal(called("set").length, 3);
  assert.ok(exists(part, "button", "Open the settings") && exists(part, "button", "Set up in three steps"));
});

test("a prompt is edited, refused with a reason, and a better default is told", async () => {
  const prompt = { prompt: "extract.en", language: "en", text: `Read ${HOSTILE} {messages}`, default: "Read {messages}", changed: true, improved: true, placeholders: ["messages"], needed: ["messages"] };
  const { part, asked } = await settings([PRESET], {
    methods: {
      "prompt.list": () => ({ prompts: [{ prompt: "extract.en", language: "en", changed: true, improved: true }] }),
      "prompt.get": () => prompt,
      "prompt.set": () => Promise.reject(Object.assign(new Error("{messages} must stay."), { code: "bad_input" })),
      "prompt.reset": () => prompt,
    },
  });
  await until(() => part.textContent.includes("the default is better now"));
  named(part, "button", "Edit: Extraction (en)").click();
  await until(() => part.querySelector("textarea"));
  assert.ok(part.querySelector("textarea").value.includes(HOSTILE));
  assert.match(part.textContent, /The default has become another one/);
  fill(part.querySelector("textarea"), "Read");
  named(part, "button", "Save").click();
  await until(() => part.querySelector(".tidelore-result [role=alert]"));
  assert.match(part.querySelector(".tidelore-result [role=alert]").textContent, /must stay/);
  assert.equal(part.querySelector("textarea").value, "Read");
  assert.deepEqual(asked("prompt.set"), [{ prompt: "extract.en", text: "Read" }]);
  assert.equal(part.querySelector("img"), null);
});

test("names and texts of settings that have no text here are shown as they are", async () => {
  const { part } = await settings([setting({ name: HOSTILE, group: HOSTILE, type: "text", value: HOSTILE, default: HOSTILE, level: "basic" })]);
  assert.ok(part.textContent.split(HOSTILE).length > 3);
  assert.equal(part.querySelector("img"), null);
});
