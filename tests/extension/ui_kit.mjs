// A page without a browser, and what people do in it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Window } from "happy-dom";
import { createFakeApp } from "./fake_app.mjs";

const ROOT = new URL("../../", import.meta.url);
export const LANGUAGES = ["en", "zh-cn"];

/** @param {string} path of a file of the repository */
export const read = (path) => readFileSync(new URL(path, ROOT), "utf-8");
/** @type {Record<string, Record<string, string>>} */
export const TEXTS = Object.fromEntries(LANGUAGES.map((language) => [language, JSON.parse(read(`extension/locales/${language}.json`))]));

/** A new page, in place of the one before; `document` is global as in a browser. */
export function openPage() {
  const window = new Window({ url: "http://127.0.0.1/" });
  Object.assign(globalThis, { document: window.document });
  return window;
}

/** @param {any} [options] as createFakeApp, in English unless said otherwise */
export function pageWithApp({ language = "en", ...options } = {}) {
  const window = openPage();
  return { window, document: window.document, ...createFakeApp({ texts: TEXTS[language] ?? {}, language, ...options }) };
}

/** The one element of a kind whose text or name is this. @param {any} root @param {string} selector @param {string} name */
export function named(root, selector, name) {
  const found = [...root.querySelectorAll(selector)].filter((each) => (each.getAttribute("aria-label") ?? each.textContent).trim() === name);
  assert.equal(found.length, 1, `${selector} "${name}": ${found.length}`);
  return found[0];
}

/** Whether there is one. @param {any} root @param {string} selector @param {string} name */
export const exists = (root, selector, name) => [...root.querySelectorAll(selector)].some((each) => (each.getAttribute("aria-label") ?? each.textContent).trim() === name);

/** The control that a label belongs to. @param {any} root @param {string} label */
export function field(root, label) {
  const control = root.querySelector(`#${named(root, "label", label).getAttribute("for")}`);
  assert.ok(control, label);
  return control;
}

/** What a browser does when somebody fills a control and goes on. @param {any} control @param {string | boolean} value */
export function fill(control, value) {
  const { Event } = control.ownerDocument.defaultView;
  control.focus();
  if (typeof value === "boolean") control.checked = value;
  else control.value = value;
  control.dispatchEvent(new Event("input", { bubbles: true }));
  control.dispatchEvent(new Event("change", { bubbles: true }));
  control.blur();
}

/** @param {any} form */
export function submit(form) {
  const { Event } = form.ownerDocument.defaultView;
  form.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
}

/** Waits until it holds: for promises that are on their way, not for time. @param {() => unknown} condition */
export async function until(condition) {
  for (let turn = 0; turn < 1000 && !condition(); turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(condition(), String(condition));
}
