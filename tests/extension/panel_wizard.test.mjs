import assert from "node:assert/strict";
import { test } from "node:test";
import { HOSTILE } from "./fake_app.mjs";
import { openPanel } from "./panel_kit.mjs";
import { exists, fill, named, submit, until } from "./ui_kit.mjs";

/** The first run, opened from the overview. @param {any} [options] */
async function wizard(options = {}) {
  const page = openPanel(options);
  page.panel.open();
  await until(() => exists(page.root, "button", "Set up in three steps"));
  named(page.root, "button", "Set up in three steps").click();
  const dialog = page.root.querySelector(".tidelore-wizard");
  const next = () => named(dialog, "button", "Next").click();
  return { ...page, dialog, next };
}

test("in SillyTavern each connection is chosen and tested for real, and what needs more leads to the settings", async () => {
  const { dialog, called, next, settings } = await wizard({ settings: { model: { use: "current", agreed: false } } });
  named(dialog, "button", "Test it").click();
  await until(() => dialog.textContent.includes("It works: gpt-harbour (812 ms)"));
  named(dialog, "button", "See what it costs, then agree").click();
  await until(() => called("host.ask").length);
  fill(dialog.querySelector("select"), "endpoint");
  assert.deepEqual(called("set").at(-1), [{ model: { use: "endpoint" } }]);
  next();
  fill(dialog.querySelector("select"), "none");
  assert.deepEqual(called("set").at(-1), [{ embedder: { use: "none" } }]);
  assert.ok(!exists(dialog, "button", "Test it"));
  named(dialog, "button", "Back").click();
  await until(() => exists(dialog, "button", "Open the settings"));
  named(dialog, "button", "Open the settings").click();
  assert.equal(settings.opened, 1);
  assert.equal(dialog.open, false);
});

test("a connection that does not work says why", async () => {
  const { dialog } = await wizard({ answers: { test: () => Promise.reject(new Error(`Nobody answers at ${HOSTILE}.`)) } });
  named(dialog, "button", "Test it").click();
  await until(() => dialog.querySelector(".tidelore-bad"));
  assert.ok(dialog.textContent.includes(HOSTILE));
  assert.equal(dialog.querySelector("img"), null);
});

test("beside the sidecar its own models are tested, and the way to others is told", async () => {
  const { dialog, called, next } = await wizard({ container: true, status: { model: "", embedder: HOSTILE } });
  assert.match(dialog.textContent, /No memory model is set up/);
  assert.match(dialog.textContent, /\[model\]/);
  assert.ok(!exists(dialog, "button", "Test it"));
  next();
  assert.ok(dialog.textContent.includes(`In use: ${HOSTILE}`));
  named(dialog, "button", "Test it").click();
  await until(() => called("test").length);
  assert.deepEqual(called("test"), [["embedder"]]);
});

test("it ends with a recall, of the newest message where nothing is written, and is not offered again", async () => {
  const found = { cards: [{ node: "f2", text: HOSTILE }], tokens: 12, degraded: [] };
  const { app, dialog, called, next, root } = await wizard({ answers: { simulate: async () => found } });
  next();
  next();
  submit(dialog.querySelector("form"));
  await until(() => dialog.textContent.includes("It works. Memories: 1, tokens: 12."));
  assert.deepEqual(called("simulate"), [["message 19"]]);
  assert.ok(dialog.textContent.includes(HOSTILE));
  assert.equal(dialog.querySelector("img"), null);
  named(dialog, "button", "Done").click();
  assert.equal(dialog.open, false);
  assert.equal(await app.kept.get("wizard"), "seen");
  assert.ok(!exists(root, "button", "Set up in three steps"));
});

test("it listens only while it is open", async () => {
  const { dialog, listeners } = await wizard();
  const during = listeners();
  named(dialog, "button", "Close").click();
  await until(() => listeners() === during - 1);
});
