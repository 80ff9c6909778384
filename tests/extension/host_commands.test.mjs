// A command among others, in SillyTavern's own way: each answer becomes the pipe of its script, and the class of the form says that somebody typed it.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { addCommand } from "../../extension/host_commands.js";
import { openPage } from "./ui_kit.mjs";

class Scope {
  #pipe;
  constructor(parent) {
    this.parent = parent;
  }
  get pipe() {
    return this.#pipe ?? this.parent?.pipe;
  }
  set pipe(value) {
    this.#pipe = value;
  }
}

const commands = new Map();
const shown = [];
let form;

beforeEach(() => {
  const window = openPage();
  globalThis.MutationObserver = window.MutationObserver;
  form = window.document.createElement("form");
  form.id = "form_sheld";
  window.document.body.append(form);
  commands.clear();
  shown.length = 0;
  const fromProps = (props) => props;
  const context = () => ({
    SlashCommandParser: { addCommandObject: (command) => commands.set(command.name, command) },
    SlashCommand: { fromProps },
    SlashCommandArgument: { fromProps },
    SlashCommandNamedArgument: { fromProps },
    ARGUMENT_TYPE: { STRING: "string" },
  });
  for (const name of ["one", "two"]) {
    addCommand(context, { name, help: "", value: "", run: async (_given, value) => ({ answer: `${name} ${value}`.trim(), show: () => void shown.push(name) }) });
  }
  commands.set("echo", { callback: async (_given, value) => value });
});

/** A script as SillyTavern runs it. @param {string[]} names @param {{typed?: boolean, parent?: Scope}} [how] */
async function script(names, { typed = true, parent } = {}) {
  const scope = new Scope(parent);
  if (typed) form.classList.add("isExecutingCommandsFromChatInput");
  for (const name of names) scope.pipe = await commands.get(name).callback({ _scope: scope, _hasUnnamedArgument: false }, scope.pipe ?? "");
  form.classList.remove("isExecutingCommandsFromChatInput");
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve));
  return scope.pipe;
}

test("what was typed alone is shown", async () => {
  assert.equal(await script(["one"]), "one");
  assert.deepEqual(shown, ["one"]);
});

test("what another command takes up is not shown, and goes through the pipe unchanged", async () => {
  assert.equal(await script(["one", "echo"]), "one");
  assert.deepEqual(shown, []);
  assert.equal(await script(["one", "two", "echo"]), "two one");
  assert.deepEqual(shown, []);
});

test("the last of several is shown", async () => {
  assert.equal(await script(["echo", "one", "two"]), "two one");
  assert.deepEqual(shown, ["two"]);
});

test("a script that nobody typed, and a closure within one, only answer", async () => {
  assert.equal(await script(["one"], { typed: false }), "one");
  assert.equal(await script(["one"], { parent: new Scope() }), "one");
  assert.deepEqual(shown, []);
});

test("an older SillyTavern that passes no scope gets its answer", async () => {
  form.classList.add("isExecutingCommandsFromChatInput");
  assert.equal(await commands.get("one").callback({}, ""), "one");
  form.remove();
  assert.equal(await commands.get("one").callback({ _scope: new Scope() }, ""), "one");
});
