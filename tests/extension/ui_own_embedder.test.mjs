import assert from "node:assert/strict";
import { test } from "node:test";
import { create, h } from "../../extension/ui/dom.js";
import { ownEmbedder } from "../../extension/ui/own_embedder.js";
import { LANGUAGES, TEXTS, named, pageWithApp, until } from "./ui_kit.mjs";

/** A model that is as the test says, and notes what it was asked. */
function fakeOwn(view) {
  const asked = [];
  const note = (name) => async () => void asked.push(name);
  return { asked, view: () => ({ state: "absent", done: 0, total: 0, problem: null, ...view }), size: async () => 44_657_456, agree: note("agree"), again: note("again"), remove: note("remove") };
}

function drawn({ view = {}, use = "page", agreed = false, embedder = "", language = "en" } = {}) {
  const own = fakeOwn(view);
  let dialog;
  const page = pageWithApp({ language, settings: { embedder: { use } }, status: { embedder }, answers: { "host.ask": (content) => ((dialog = content), agreed) } });
  page.app.ownEmbedder = own;
  const root = create(h("div", null, ownEmbedder(page.app)));
  page.document.body.append(root);
  return { ...page, root, own, dialog: () => dialog };
}

const t = (language, key) => TEXTS[language][key];

for (const language of LANGUAGES)
  test(`a download is asked for with its size, and "not now" fetches nothing (${language})`, async () => {
    const { root, own, dialog } = drawn({ language });
    named(root, "button", t(language, "own.download")).click();
    await until(dialog);
    assert.match(dialog().textContent, /45\s?MB/);
    for (let turn = 0; turn < 20; turn++) await new Promise((done) => setImmediate(done));
    assert.deepEqual(own.asked, []);

    const second = drawn({ language, agreed: true });
    named(second.root, "button", t(language, "own.download")).click();
    await until(() => second.own.asked.length);
    assert.deepEqual(second.own.asked, ["agree"]);
  });

test("a download shows how far it is, and can be stopped", async () => {
  const { root, own } = drawn({ view: { state: "loading", done: 12_000_000, total: 44_000_000 } });
  assert.match(root.textContent, /12 of 44 MB/);
  assert.equal(root.querySelector("progress").getAttribute("max"), "44000000");
  named(root, "button", t("en", "own.stop")).click();
  await until(() => own.asked.length);
  assert.deepEqual(own.asked, ["remove"]);
});

test("a failure says what happened and has a second try", async () => {
  const { root, own } = drawn({ view: { state: "failed", problem: { code: "embedder_failed", message: "It has ended: out of memory.", hint: "" } } });
  assert.match(root.textContent, /out of memory\. Words and names go on recalling/);
  named(root, "button", t("en", "own.again")).click();
  await until(() => own.asked.length);
  assert.deepEqual(own.asked, ["again"]);
});

test("where another embedder is in use or chosen, no download is offered", () => {
  assert.equal(drawn({ use: "auto", embedder: "near" }).root.textContent, "");
  assert.equal(drawn({ use: "endpoint" }).root.textContent, "");
  assert.equal(drawn({ use: "none" }).root.textContent, "");
  assert.notEqual(drawn({ use: "auto" }).root.textContent, "");
  assert.notEqual(drawn({ use: "auto", embedder: "near", view: { state: "idle" } }).root.textContent, "", "what is here can be removed");
});

test("the command tells how it is, asks before a download, and knows nothing else", async () => {
  const { registerCommands } = await import("../../extension/commands.js");
  const page = drawn({ agreed: true });
  registerCommands(page.app);
  const { run } = page.called("host.addCommand").map(([spec]) => spec).find(({ name }) => name === "tidelore-embedder");
  assert.equal((await run({}, "")).answer, t("en", "own.state.absent"));
  await run({}, "download");
  assert.deepEqual([page.dialog() !== undefined, page.own.asked], [true, ["agree"]]);
  await run({}, "remove");
  assert.deepEqual(page.own.asked, ["agree", "remove"]);
  assert.equal((await run({}, "everything")).answer, "");
  assert.deepEqual(page.called("host.notify").at(-1), ["error", t("en", "command.wrong.own")]);
});
