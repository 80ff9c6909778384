import assert from "node:assert/strict";
import { test } from "node:test";
import { mountUi } from "../../extension/ui/mount.js";
import { statusText } from "../../extension/ui/words.js";
import { HOSTILE, quietStatus } from "./fake_app.mjs";
import { exists, field, fill, named, pageWithApp, read, submit, until } from "./ui_kit.mjs";

/** @param {any} [options] */
function drawer(options) {
  const page = pageWithApp(options);
  const remove = mountUi(page.app);
  return { ...page, remove, root: page.document.querySelector(".tidelore-settings") };
}

/** @param {any} root @param {string} label */
const fact = (root, label) => [...root.querySelectorAll("dt")].find((each) => each.textContent === label)?.nextElementSibling.textContent;

test("the drawer has the form that SillyTavern folds, closed at first", () => {
  const { root, called } = drawer();
  assert.deepEqual(called("host.mount").map(([where]) => where).sort(), ["input", "menu", "page", "settings"]);
  assert.ok(root.querySelector(".inline-drawer > .inline-drawer-toggle.inline-drawer-header > .inline-drawer-icon.fa-circle-chevron-down.down"));
  assert.ok(root.querySelector(".inline-drawer > .inline-drawer-content"));
});

test("what SillyTavern changes at the drawer outlives a drawing", () => {
  const { root, change } = drawer();
  const icon = root.querySelector(".inline-drawer-icon");
  icon.classList.replace("down", "up");
  root.querySelector(".inline-drawer-content").style.display = "block";
  change();
  assert.ok(icon.classList.contains("up"));
  assert.equal(root.querySelector(".inline-drawer-content").style.display, "block");
});

test("every control has a label, and every hint that it names is there", () => {
  for (const use of ["current", "profile", "endpoint", "sidecar"]) {
    const { root, document } = drawer({ settings: { model: { use }, embedder: { use: "endpoint" }, sidecar: { use: true } } });
    const controls = [...root.querySelectorAll("input, select, textarea")];
    assert.ok(controls.length > 15);
    for (const control of controls) {
      assert.equal(root.querySelectorAll(`label[for="${control.id}"]`).length, 1, control.id);
      assert.equal(document.querySelectorAll(`[id="${control.id}"]`).length, 1, control.id);
      for (const id of (control.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean)) assert.ok(document.getElementById(id), id);
    }
    for (const button of root.querySelectorAll("button")) assert.ok((button.getAttribute("aria-label") ?? button.textContent).trim());
    for (const section of root.querySelectorAll("[aria-labelledby]")) assert.ok(document.getElementById(section.getAttribute("aria-labelledby")));
  }
});

test("memory is switched on and off, for everything and for this chat", async () => {
  const { root, called, state } = drawer();
  fill(field(root, "Remember this chat"), false);
  await until(() => state.status.chat.off);
  assert.equal(fact(root, "This chat"), "Memory is off for this chat");
  fill(field(root, "Memory on"), false);
  await until(() => !state.settings.enabled);
  assert.deepEqual(called("switchChat"), [[false]]);
  assert.equal(field(root, "Remember this chat").disabled, true);
});

test("a setting is saved with its neighbours, and goes back to its default", async () => {
  const { root, app, called, state } = drawer();
  assert.ok(!exists(root, "button", "Back to the default: Depth"));
  fill(root.querySelector("#tidelore-recalled-depth"), "7");
  await until(() => state.settings.recalled.depth === 7);
  assert.deepEqual(called("set"), [[{ recalled: { ...app.defaults().recalled, depth: 7 } }]]);
  named(root, "button", "Back to the default: Depth").click();
  await until(() => state.settings.recalled.depth === app.defaults().recalled.depth);
  assert.ok(!exists(root, "button", "Back to the default: Depth"));
});

test("a number that does not fit is not saved, stays in its field, and is explained there", async () => {
  const { root, called, state } = drawer();
  const budget = field(root, "Most tokens of memory in a prompt");
  for (const wrong of ["3", "", "1.5", "99999999"]) {
    fill(budget, wrong);
    assert.equal(budget.value, wrong);
    assert.equal(budget.getAttribute("aria-invalid"), "true");
    assert.match(root.querySelector("#tidelore-budget-fault").textContent, /50 to 20000/);
  }
  assert.deepEqual(called("set"), []);
  fill(budget, "1200");
  await until(() => state.settings.budget === 1200);
  assert.equal(budget.hasAttribute("aria-invalid"), false);
  assert.equal(root.querySelector("#tidelore-budget-fault"), null);
});

test("a setting that the app refuses stays in its field with the reason", async () => {
  const answers = { set: () => Promise.reject(Object.assign(new Error("The disk is full."), { hint: "Make room." })) };
  const { root } = drawer({ answers });
  const budget = field(root, "Most tokens of memory in a prompt");
  fill(budget, "1200");
  await until(() => root.querySelector("#tidelore-budget-fault"));
  assert.equal(root.querySelector("#tidelore-budget-fault").textContent, "The disk is full. Make room.");
  assert.equal(budget.value, "1200");
});

test("an address that is none is refused", () => {
  const { root, called } = drawer({ settings: { model: { use: "endpoint" } } });
  for (const wrong of ["localhost:8080", "javascript:alert(1)", "ftp://host/"]) {
    fill(root.querySelector("#tidelore-model-url"), wrong);
    assert.match(root.querySelector("#tidelore-model-url-fault").textContent, /http/);
  }
  assert.deepEqual(called("set"), []);
});

test("public addresses are a list of lines, and none is the usual ones", async () => {
  const { root, state } = drawer();
  const list = field(root, "Where to load the runtime from");
  fill(list, "https://mirror.example/py/\n\n https://other.example/x/ ");
  await until(() => state.settings.cdns.length === 2);
  assert.deepEqual(state.settings.cdns, [
    { name: "mirror.example", url: "https://mirror.example/py/" },
    { name: "other.example", url: "https://other.example/x/" },
  ]);
  fill(list, "not an address");
  assert.equal(state.settings.cdns.length, 2);
  assert.equal(list.value, "not an address");
  fill(list, "");
  await until(() => state.settings.cdns.length === 0);
});

test("the status says where the engine came from, what is stored, what is due and how the last recall went", () => {
  const late = { source: "unpkg", file: "pyodide.asm.wasm", outcome: "late", detail: "" };
  const { root } = drawer({ settings: { model: { use: "current" } }, status: { sources: [late, ...quietStatus().sources] } });
  assert.equal(fact(root, "Engine"), "ready, loaded from the extension's own folder, jsDelivr");
  assert.equal(fact(root, "Store"), "in this browser");
  assert.equal(fact(root, "This chat"), "memories: 14 · exchanges due for the model: 2");
  assert.equal(fact(root, "Last recall"), "put into the prompt · memories: 6, tokens: 312 · 42 ms");
});

test("what is wrong is said once, with what to do", () => {
  const problem = { code: "x", message: "The runtime could not be loaded.", hint: "Connect the sidecar." };
  const { root } = drawer({ status: { engine: "failed", problem, store: "", otherTab: true } });
  assert.equal(fact(root, "Engine"), "has failed");
  const callouts = [...root.querySelectorAll(".tidelore-callout")].map((each) => each.textContent);
  assert.equal(callouts.length, 2);
  assert.equal(callouts[0], "The runtime could not be loaded. Connect the sidecar.");
  assert.equal(root.textContent.split("The runtime could not be loaded.").length, 2);
});

const IDLE = ["Memory model", "Embedder"];

test("without an engine nothing is said to be at work, and the open chat is not said to be none", () => {
  const words = { failed: "not read: the engine is not running", starting: "not read yet", off: "Memory is off." };
  for (const [engine, chat] of Object.entries(words)) {
    const { root, app } = drawer({ settings: { enabled: engine !== "off", model: { use: "current" } }, status: { engine, chat: null, stats: null, store: "" } });
    assert.equal(fact(root, "This chat"), chat, engine);
    assert.equal(root.querySelector("#tidelore-this-chat").closest("div").querySelector("small").textContent, chat, engine);
    for (const label of IDLE) assert.equal(fact(root, label), "not in use now", engine);
    assert.doesNotMatch(root.textContent, /No chat is open|Rules go on/, engine);
    assert.doesNotMatch(statusText(app), /No chat is open|rules alone/, engine);
  }
  const { root } = drawer({ settings: { model: { use: "current" } }, status: { chat: null, stats: null } });
  assert.equal(fact(root, "This chat"), "No chat is open");
  assert.equal(fact(root, "Memory model"), "none, rules alone");
  assert.match(root.textContent, /Rules go on remembering/);
});

test("what was known of a chat is not put into its place while the engine is gone", () => {
  const { root } = drawer({ status: { engine: "starting", stats: null } });
  assert.equal(fact(root, "This chat"), "not read yet");
});

test("the mirror is shown with what came of the last round and how large it is", () => {
  const replicas = { mirror: "done", sidecar: "done", problem: "", news: 0, sent: 0, size: 1_810_000 };
  const { root, state, change } = drawer({ status: { replicas } });
  assert.equal(fact(root, "Mirror"), "up to date · 1.8 MB · the sidecar too");
  state.status = { ...state.status, replicas: { ...replicas, sidecar: "off", size: 640 } };
  change();
  assert.equal(fact(root, "Mirror"), "up to date · 0.6 kB");
});

test("a chat whose memories are in another browser says so for as long as it is open", () => {
  const { root, app, state, change } = drawer({ status: { evicted: true } });
  assert.match(root.querySelector(".tidelore-callout").textContent, /another browser.*storage was cleared.*written by hand/);
  assert.match(statusText(app), /storage was cleared/);
  state.status = { ...state.status, evicted: false };
  change();
  assert.equal(root.querySelector(".tidelore-callout"), null);
});

test("every place that was tried for the engine's files is shown with its outcome", () => {
  const { root } = drawer();
  const items = [...named(root, "summary", "Where its files were looked for (3)").parentElement.querySelectorAll("li")].map((each) => each.textContent);
  assert.deepEqual(items, [
    "taken tidelore_engine-0.1.0-py3-none-any.whl from the extension's own folder",
    "not there pyodide.asm.wasm from the extension's own folder404",
    "taken pyodide.asm.wasm from jsDelivr",
  ]);
});

test("the choice of a model shows the fields that it needs and no others", () => {
  const shown = (/** @type {string} */ use) => {
    const { root } = drawer({ settings: { model: { use, agreed: true } } });
    return ["profile", "url", "name", "key"].filter((name) => root.querySelector(`#tidelore-model-${name}`));
  };
  assert.deepEqual(shown("none"), []);
  assert.deepEqual(shown("current"), []);
  assert.deepEqual(shown("profile"), ["profile"]);
  assert.deepEqual(shown("endpoint"), ["url", "name", "key"]);
  assert.deepEqual(shown("sidecar"), []);
});

test("a chosen profile that is gone is said to be gone, not replaced by another", () => {
  const { root, called } = drawer({ settings: { model: { use: "profile", profile: "old" } } });
  const select = root.querySelector("#tidelore-model-profile");
  assert.equal(select.value, "old");
  assert.equal(select.selectedOptions[0].textContent, "This profile is gone");
  assert.deepEqual(called("set"), []);
});

test("a test of the connection says what came of it, and asks once at a time", async () => {
  let finish = (/** @type {any} */ _) => {};
  const { root, called } = drawer({ settings: { model: { use: "current" }, embedder: { use: "none" } }, answers: { test: () => new Promise((resolve) => (finish = resolve)) } });
  const button = named(root, "button", "Test it");
  button.click();
  assert.equal(button.textContent, "Testing …");
  button.click();
  assert.deepEqual(called("test"), [["model"]]);
  finish({ ok: false, detail: "The endpoint refused the key.", ms: 3 });
  await until(() => button.textContent === "Test it");
  assert.equal(root.querySelector(".tidelore-tested").textContent, "It does not work: The endpoint refused the key.");
});

test("the model is agreed to by way of the question, and can be told to read no more", async () => {
  const { root, called, state } = drawer({ settings: { model: { use: "current" } } });
  const ask = named(root, "button", "See what it costs, then agree");
  ask.click();
  assert.equal(ask.getAttribute("aria-disabled"), "true");
  ask.click();
  await until(() => state.settings.model.agreed);
  assert.equal(called("host.ask").length, 1);
  named(root, "button", "Let the model read no more").click();
  await until(() => !state.settings.model.agreed);
  assert.deepEqual(called("agree"), [[true], [false]]);
});

test("a key goes to the app and is nowhere on the page afterwards", async () => {
  const { root, called, change } = drawer({ settings: { model: { use: "endpoint" }, embedder: { use: "none" } } });
  const input = root.querySelector("#tidelore-model-key");
  assert.equal(input.type, "password");
  fill(input, " sk-secret-1 ");
  submit(input.closest("form"));
  assert.equal(input.value, "");
  await until(() => exists(root, "button", "Remove"));
  change();
  assert.deepEqual(called("setKey"), [["model", "sk-secret-1"]]);
  assert.equal(called("set").length, 0);
  assert.ok(!root.outerHTML.includes("sk-secret-1"));
  assert.ok([...root.querySelectorAll("input")].every((each) => !each.value.includes("sk-secret-1")));
  named(root, "button", "Remove").click();
  await until(() => !exists(root, "button", "Remove"));
  assert.deepEqual(called("setKey").at(-1), ["model", ""]);
});

test("a change of the app does not disturb who is typing", () => {
  const { root, document, state, change } = drawer();
  const budget = field(root, "Most tokens of memory in a prompt");
  const advanced = named(root, "summary", "Advanced").parentElement;
  advanced.open = true;
  budget.focus();
  budget.value = "12";
  state.status = { ...state.status, engine: "starting", otherTab: true };
  state.jobs = [];
  change();
  assert.equal(fact(root, "Engine"), "starting …");
  assert.equal(document.activeElement, budget);
  assert.equal(budget.value, "12");
  assert.equal(advanced.open, true);
});

test("markup in any text is shown as text", () => {
  const status = {
    ...quietStatus(),
    chat: { chat: "c1", pool: "0", title: HOSTILE, off: false },
    model: HOSTILE,
    embedder: HOSTILE,
    problem: { code: "", message: HOSTILE, hint: HOSTILE },
    sources: [{ source: HOSTILE, file: HOSTILE, outcome: "taken", detail: HOSTILE }],
    lastRecall: { outcome: "failed", ms: 1, tokens: 0, cards: 0, error: HOSTILE, at: "" },
  };
  const plain = drawer({ settings: { model: { use: "profile" } } });
  const answers = { "host.profiles": () => [{ id: "p", name: HOSTILE, model: HOSTILE }], "host.currentModel": () => HOSTILE };
  const { root } = drawer({ status, answers, settings: { model: { use: "profile", profile: "p" } } });
  assert.equal(root.querySelectorAll("img, script, b b").length, 0);
  assert.equal(root.querySelectorAll("b").length, plain.root.querySelectorAll("b").length);
  assert.ok(root.textContent.split("<img src=x").length > 9);
});

test("the entry in the menu opens the panel, which leads to the settings", () => {
  const { document, called, root } = drawer();
  const entry = document.querySelector(".tidelore-menu .list-group-item");
  assert.ok(entry.querySelector(".extensionsMenuExtensionButton"));
  const panel = document.querySelector(".tidelore-panel");
  assert.equal(panel.hidden, true);
  entry.click();
  assert.equal(panel.hidden, false);
  named(panel, "button", "Settings").click();
  named(panel.querySelector("#tidelore-tabpanel-settings"), "button", "Open the settings").click();
  assert.equal(called("host.reveal").length, 1);
  assert.equal(called("host.reveal")[0]?.[0], root);
});

test("what was put into the page is taken out again, and draws no more", () => {
  const { document, remove, listeners } = drawer();
  remove();
  assert.equal(document.querySelector(".tidelore-settings, .tidelore-menu, .tidelore-panel, #tidelore_button"), null);
  assert.equal(listeners(), 0);
});

test("the styles use one prefix and no fixed lengths but for fingers, lines, what is not seen, and SillyTavern's own limit for small pages", () => {
  const theirs = new Set(["inline-drawer", "inline-drawer-content", "checkbox_label", "text_pole", "menu_button", "list-group-item", "popup", "popup-controls"]);
  const panel = [...read("extension/panel/panel.css").matchAll(/url\("([^"]*)"\)/g)].map(([, name]) => `extension/panel/${name}`);
  assert.equal(panel.length, 9);
  for (const path of ["extension/style.css", ...panel]) {
    const css = read(path).replace(/\/\*.*?\*\/|@import [^;]*;|url\("[^"]*"\)/gs, "");
    for (const [, name = ""] of css.matchAll(/\.([a-zA-Z][\w-]*)/g)) assert.ok(name.startsWith("tidelore-") || theirs.has(name), name);
    for (const [, rule = ""] of css.matchAll(/(?:^|[{}])\s*([^{}@]+)\{/g)) assert.match(rule, /tidelore-/);
    for (const [length] of css.matchAll(/\d+px/g)) assert.ok(["0px", "1px", "2px", "3px", "44px", "1000px"].includes(length), length);
  }
});
