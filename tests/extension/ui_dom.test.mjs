import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { h, patch } from "../../extension/ui/dom.js";
import { HOSTILE } from "./fake_app.mjs";
import { openPage } from "./ui_kit.mjs";

/** @type {any} */
let root;
beforeEach(() => {
  root = openPage().document.body;
});

test("what did not change stays the same element", () => {
  patch(root, [h("p", { key: "a" }, "one"), h("p", { key: "b" }, "two")]);
  const [first, second] = root.children;
  patch(root, [h("p", { key: "new" }, "zero"), h("p", { key: "a" }, "one"), h("p", { key: "b" }, "changed")]);
  assert.equal(root.textContent, "zeroonechanged");
  assert.equal(root.children[1], first);
  assert.equal(root.children[2], second);
});

test("a field that is typed in keeps its text, its caret and the focus", () => {
  const draw = (/** @type {string} */ value, /** @type {string} */ above) => patch(root, [above && h("p", { key: above }, above), h("input", { key: "field", type: "text", value })]);
  draw("saved", "");
  const input = root.querySelector("input");
  input.focus();
  input.value = "saved and mo";
  input.setSelectionRange(3, 5);
  draw("saved", "a line above");
  assert.equal(root.ownerDocument.activeElement, input);
  assert.equal(input.value, "saved and mo");
  assert.deepEqual([input.selectionStart, input.selectionEnd], [3, 5]);
  input.blur();
  draw("other", "");
  assert.equal(root.querySelector("input").value, "other");
});

test("the focus stays where elements change their places", () => {
  const draw = (/** @type {string[]} */ keys) => patch(root, keys.map((key) => h("button", { key, type: "button" }, key)));
  draw(["a", "b", "c"]);
  const last = root.children[2];
  last.focus();
  draw(["c", "a", "b"]);
  assert.equal(root.children[0], last);
  assert.equal(root.ownerDocument.activeElement, last);
});

test("what is folded out stays folded out", () => {
  const draw = (/** @type {string} */ text) => patch(root, h("details", null, h("summary", null, "more"), text));
  draw("one");
  root.querySelector("details").open = true;
  draw("two");
  assert.equal(root.querySelector("details").open, true);
  assert.match(root.textContent, /two/);
});

test("a listener is the one of the last drawing, once, and none when it is gone", () => {
  /** @type {string[]} */
  const heard = [];
  const draw = (/** @type {any} */ on) => patch(root, h("button", { type: "button", on }, "press"));
  draw({ click: () => heard.push("first") });
  draw({ click: () => heard.push("second") });
  root.firstChild.click();
  draw({});
  root.firstChild.click();
  patch(root, h("button", { type: "button" }, "press"));
  root.firstChild.click();
  assert.deepEqual(heard, ["second"]);
});

test("attributes come and go", () => {
  patch(root, h("p", { title: "t", hidden: true, "aria-busy": "true" }));
  patch(root, h("p", { title: null, "aria-busy": false }));
  assert.equal(root.innerHTML, "<p></p>");
});

test("a select shows a value whose option came in the same drawing", () => {
  const draw = (/** @type {string} */ value, /** @type {string[]} */ options) => patch(root, h("select", { value }, options.map((each) => h("option", { key: each, value: each }, each))));
  draw("a", ["a"]);
  draw("b", ["a", "b"]);
  assert.equal(root.firstChild.value, "b");
});

test("progress goes from a measure to unknown and back", () => {
  const draw = (/** @type {any} */ value) => patch(root, h("progress", { max: 4, value }));
  draw(3);
  assert.equal(root.firstChild.getAttribute("value"), "3");
  draw(undefined);
  assert.equal(root.firstChild.hasAttribute("value"), false);
  draw(0);
  assert.equal(root.firstChild.getAttribute("value"), "0");
});

test("markup in a text or an attribute is text", () => {
  patch(root, h("p", { title: HOSTILE }, HOSTILE));
  assert.equal(root.textContent, HOSTILE);
  assert.equal(root.querySelectorAll("*").length, 1);
  assert.equal(root.firstChild.getAttribute("title"), HOSTILE);
});

test("an element of another kind takes the place of one with the same key", () => {
  patch(root, h("textarea", { key: "k", value: "secret" }));
  patch(root, h("input", { key: "k", type: "password" }));
  assert.equal(root.firstChild.localName, "input");
  assert.equal(root.children.length, 1);
  assert.equal(root.firstChild.value, "");
});
