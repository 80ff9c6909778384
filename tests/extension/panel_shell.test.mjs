import assert from "node:assert/strict";
import { test } from "node:test";
import { COMMANDS } from "../../extension/commands.js";
import { COLOURS } from "../../extension/panel/look.js";
import { fitting, middleOf } from "../../extension/panel/labels.js";
import { BAR, TABS, panelOf } from "../../extension/panel/open.js";
import { openPanel } from "./panel_kit.mjs";
import { LANGUAGES, TEXTS, fill, named, read, until } from "./ui_kit.mjs";

const shown = (/** @type {any} */ root) => [...root.querySelectorAll("[role=tabpanel]")].filter((each) => !each.hidden).map((each) => each.id);

test("the panel is closed at first, opens on the overview, and gives the focus back when it closes", () => {
  const { document, panel, root } = openPanel();
  const before = document.createElement("button");
  document.body.append(before);
  before.focus();
  assert.equal(root.hidden, true);
  panel.open();
  assert.deepEqual(shown(root), ["tidelore-tabpanel-overview"]);
  assert.equal(document.activeElement.id, "tidelore-tab-overview");
  panel.close();
  assert.equal(root.hidden, true);
  assert.equal(document.activeElement, before);
});

test("tabs go by arrows, home and end, and only the chosen one is in the order of tabbing", () => {
  const { document, panel, root, press } = openPanel();
  panel.open();
  press(document.activeElement, "ArrowRight");
  assert.deepEqual([document.activeElement.id, shown(root)], ["tidelore-tab-memories", ["tidelore-tabpanel-memories"]]);
  press(document.activeElement, "End");
  assert.equal(document.activeElement.id, `tidelore-tab-${BAR.at(-1)}`);
  press(document.activeElement, "ArrowRight");
  assert.equal(document.activeElement.id, "tidelore-tab-overview");
  press(document.activeElement, "ArrowLeft");
  assert.equal(document.activeElement.id, `tidelore-tab-${BAR.at(-1)}`);
  press(document.activeElement, "Home");
  assert.deepEqual([...root.querySelectorAll("[role=tab]")].map((each) => each.getAttribute("tabindex")), BAR.map((name) => (name === "overview" ? "0" : "-1")));
  for (const tab of root.querySelectorAll("[role=tab]")) assert.ok(root.querySelector(`#${tab.getAttribute("aria-controls")}[role=tabpanel]`));
});

test("Escape closes it, and no key that is pressed in it reaches the page", () => {
  const { document, panel, root, press } = openPanel();
  /** @type {string[]} */
  const heard = [];
  document.addEventListener("keydown", (/** @type {any} */ event) => heard.push(event.key));
  panel.open();
  press(document.activeElement, "ArrowRight");
  press(document.activeElement, "Enter", { isComposing: true });
  press(document.activeElement, "Escape", { isComposing: true });
  assert.equal(root.hidden, false);
  press(document.activeElement, "Escape");
  assert.equal(root.hidden, true);
  assert.deepEqual(heard, []);
});

test("where it fills the page it is modal and keeps the focus; over a large page it is neither", () => {
  const large = openPanel();
  large.panel.open();
  assert.equal(large.root.hasAttribute("aria-modal"), false);
  const small = openPanel({ width: 390 });
  small.panel.open();
  assert.equal(small.root.getAttribute("aria-modal"), "true");
});

test("it is moved and resized by keys, stays within reach, and opens where it was left", async () => {
  const { app, root, panel, press, window } = openPanel();
  panel.open();
  const x = () => Number.parseInt(root.style.getPropertyValue("--tidelore-x"));
  const width = () => Number.parseInt(root.style.getPropertyValue("--tidelore-width"));
  const [left, wide] = [x(), width()];
  press(root.querySelector(".tidelore-move"), "ArrowLeft");
  press(root.querySelector(".tidelore-grip button"), "ArrowRight");
  assert.deepEqual([x(), width()], [left - 24, wide + 24]);
  for (let times = 0; times < 100; times++) press(root.querySelector(".tidelore-move"), "ArrowLeft");
  assert.equal(x(), 60 - width());
  assert.deepEqual((await app.kept.get("place")).x, x());
  window.happyDOM.setViewport({ width: 500, height: 400 });
  assert.ok(width() <= 500 && x() >= 60 - width() && x() <= 440);
});

test("a place that was stored is taken up, and one that is broken is not", async () => {
  const one = openPanel();
  await one.app.kept.set("place", { x: 10, y: 20, width: 500, height: 400 });
  const again = openPanel();
  Object.assign(again.app.kept, one.app.kept);
  again.panel.remove();
  assert.equal(panelOf(again.app), undefined);
  const { mountPanel } = await import("../../extension/panel/mount.js");
  mountPanel(again.app);
  const root = /** @type {any} */ (again.document.querySelector(".tidelore-panel"));
  await until(() => root.style.getPropertyValue("--tidelore-x") === "10px");
  await one.app.kept.set("place", { x: "far", width: null });
  panelOf(again.app)?.remove();
  mountPanel(again.app);
  await new Promise((resolve) => setImmediate(resolve));
  const anew = /** @type {any} */ (again.document.querySelector(".tidelore-panel"));
  assert.match(anew.style.getPropertyValue("--tidelore-width"), /^\d+px$/);
});

test("the colours are chosen in the panel, have rules in the style sheet, and are kept", async () => {
  const { app, panel, root } = openPanel();
  panel.open();
  const css = read("extension/panel/style/colours.css");
  for (const name of COLOURS) if (name !== "host") assert.ok(css.includes(`[data-colours="${name}"]`), name);
  fill(root.querySelector("#tidelore-colours"), "amber");
  assert.equal(root.getAttribute("data-colours"), "amber");
  assert.equal(await app.kept.get("colours"), "amber");
});

test("in an element of a page of its own it is open, has no window, and is not closed", () => {
  const { panel, root, press, called } = openPanel({ container: true });
  assert.equal(root.hidden, false);
  assert.equal(root.querySelector(".tidelore-grip, .tidelore-move"), null);
  press(root.querySelector("[role=tab]"), "Escape");
  panel.close();
  assert.equal(root.hidden, false);
  assert.deepEqual(called("host.mount"), []);
});

test("it follows the app only while it is open, and takes all of itself away", () => {
  const { document, panel, listeners } = openPanel();
  const closed = listeners();
  panel.open();
  assert.equal(listeners(), closed + 1);
  panel.toggle();
  assert.equal(listeners(), closed);
  panel.remove();
  assert.equal(listeners(), 0);
  assert.equal(document.querySelector(".tidelore-panel"), null);
});

test("the command opens the part that is named and refuses another", async () => {
  const { app, root } = openPanel();
  const command = COMMANDS.find(({ name }) => name === "tidelore-panel");
  assert.equal(await command?.run(app, "injection", {}), "");
  assert.deepEqual(shown(root), ["tidelore-tabpanel-injection"]);
  assert.throws(() => command?.run(app, "nowhere", {}), /overview, memories/);
});

test("both languages fill the panel", async () => {
  for (const language of LANGUAGES) {
    const { panel, root } = openPanel({ language });
    for (const tab of TABS) {
      panel.open({ tab });
      named(root, BAR.includes(tab) ? "[role=tab]" : "[role=tabpanel]", TEXTS[language]?.[`panel.tab.${tab}`] ?? "");
      assert.doesNotMatch(root.textContent, /\{\w+\}|panel\.|memories\.|injection\./);
    }
  }
});

test("with the settings open no tab is the chosen one, and none keeps the focus", async () => {
  const { document, panel, root } = openPanel();
  panel.open({ tab: "actions" });
  assert.equal(document.activeElement.id, "tidelore-tab-actions");
  panel.open({ tab: "settings" });
  assert.equal(root.querySelector(".tidelore-tabs [aria-selected=true]"), null);
  assert.equal(document.activeElement, root.querySelector(".tidelore-panel-head [aria-pressed=true]"));
});

test("what was only said goes with the tab that it was said on; a way back stays", async () => {
  const { panel, root } = openPanel();
  panel.open({ node: "f2" });
  await until(() => [...root.querySelectorAll("button")].some((each) => each.textContent === "Pin"));
  named(root, "button", "Pin").click();
  await until(() => root.querySelector(".tidelore-says"));
  panel.open({ tab: "graph" });
  named(root, "button", "Undo").click();
  await until(() => root.querySelector(".tidelore-says")?.textContent.includes("Undone."));
  panel.open({ tab: "overview" });
  assert.equal(root.querySelector(".tidelore-says"), null);
});

test("names in a graph never cover each other, and the more important one is written", () => {
  const at = (/** @type {number} */ x, /** @type {number} */ y, /** @type {any} */ more) => ({ x, y, size: 4, label: "Ann", rank: 0, ...more });
  const width = (/** @type {string} */ text) => text.length * 7;
  const found = fitting([at(0, 0, { label: "a fact" }), at(10, 5, { label: "Mira", rank: 1 }), at(300, 5, { label: "far away" }), at(10, 40, { label: "below" })], width);
  assert.deepEqual(found.map(({ label }) => label), ["Mira", "far away", "below"]);
  const node = at(0, 0, { label: "Ann", rank: 1, size: 12 });
  assert.deepEqual(fitting([node, at(4, -14, { label: "a fact that would lie on her" })], width), [node]);
  const crowd = Array.from({ length: 400 }, (_, each) => at((each * 37) % 500, (each * 91) % 300, { label: `name ${each}`, rank: each % 2 }));
  const written = fitting(crowd, width);
  for (const one of written) for (const other of written) assert.ok(one === other || Math.abs(one.x - other.x) >= (width(one.label) + width(other.label)) / 2 || Math.abs(one.y - other.y) >= 15);
  assert.ok(written.length > 20 && written.length < 400, String(written.length));
});

test("a name at the edge of the picture is moved inside, unless its node is outside or the picture too small for it", () => {
  assert.equal(middleOf(5, 60, 300), 33);
  assert.equal(middleOf(295, 60, 300), 267);
  assert.equal(middleOf(150, 60, 300), 150);
  assert.equal(middleOf(-5, 60, 300), -5);
  assert.equal(middleOf(20, 60, 40), 20);
});
