import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { COMMANDS } from "../../extension/commands.js";
import { MACROS } from "../../extension/macros.js";
import { CHANGES } from "../../extension/panel/changes.js";
import { CARD_KINDS, CARD_REASONS, CHOICES_OF_CARD } from "../../extension/panel/decide.js";
import { FORMATS } from "../../extension/panel/files.js";
import { LEFT_PLACES } from "../../extension/panel/moving_in.js";
import { RECEIPTS } from "../../extension/panel/receipts.js";
import { SIGNALS } from "../../extension/panel/injection.js";
import { COLOURS } from "../../extension/panel/look.js";
import { WHY_NOT } from "../../extension/panel/node_story.js";
import { TABS } from "../../extension/panel/open.js";
import { EDGE_TYPES, KINDS as NODE_KINDS, LANGUAGES as OFFERED, REASONS, SCOPES, STATES, SUBS } from "../../extension/panel/parts.js";
import { SORTS } from "../../extension/panel/places.js";
import { CHOICES, RANGES } from "../../extension/settings.js";
import { FILES, loadText } from "../../extension/text.js";
import { KINDS } from "../../extension/ui/notices.js";
import { LANGUAGES, TEXTS, read } from "./ui_kit.mjs";

const English = TEXTS["en"] ?? {};
const Chinese = TEXTS["zh-cn"] ?? {};

const SOURCES = readdirSync(new URL("../../extension/", import.meta.url), { recursive: true })
  .map((name) => String(name).replaceAll("\\", "/"))
  .filter((name) => name.endsWith(".js") && !name.startsWith("vendor/"))
  .map((name) => /** @type {const} */ ([name, read(`extension/${name}`)]));

/** The members of a union of texts in types.js. @param {string} name of the property @param {string} type that has it */
function union(type, name) {
  const body = read("extension/types.js").split(`@typedef {object} ${type}`)[1]?.split("@typedef")[0] ?? "";
  const members = new RegExp(`@property \\{([^@]*?)\\} ${name}\\b`).exec(body)?.[1] ?? "";
  const found = [...members.matchAll(/"(\w+)"/g)].map(([, each = ""]) => each);
  assert.ok(found.length > 1, `${type}.${name}`);
  return found;
}

const outcomes = [...(/outcome: ([^,]*),/.exec(read("extension/types.js").split("} | null} lastRecall")[0]?.split("@property").at(-1) ?? "")?.[1] ?? "").matchAll(/"(\w+)"/g)].map(([, each = ""]) => each);
const wrongs = (/** @type {string} */ path) => [...read(path).matchAll(/wrong\(app, "(\w+)"/g)].map(([, each = ""]) => each);

/** @param {string} prefix @param {Iterable<string>} values */
const all = (prefix, values) => [...values].map((each) => `${prefix}${each}`);

// Keys that are put together while running, and what they can become. `error.CODE` belongs to whoever makes errors.
/** @type {Record<string, string[]>} */
const COMPOSED = {
  "field.${path}": all("field.", ["enabled", ...Object.keys(RANGES), ...Object.keys(CHOICES), ...TEXT_FIELDS()]),
  "engine.${engine}": all("engine.", union("Status", "engine")),
  "engine.${status.engine}": all("engine.", union("Status", "engine")),
  "sidecar.${state}": all("sidecar.", union("Status", "sidecar")),
  "sidecar.${status.sidecar}": all("sidecar.", union("Status", "sidecar")),
  "store.${store}": all("store.", ["indexeddb", "memory", "sidecar"]),
  "recall.${last.outcome}": all("recall.", outcomes),
  "recall.late.${stage}": all("recall.late.", ["reading", "counting", "recalling"]),
  "job.kind.${job.kind}": all("job.kind.", union("JobView", "kind")),
  "job.state.${job.state}": all("job.state.", union("JobView", "state")),
  "model.hint.${app.settings.model.use}": all("model.hint.", CHOICES["model.use"] ?? []),
  "embedder.hint.${app.settings.embedder.use}": all("embedder.hint.", CHOICES["embedder.use"] ?? []),
  "model.hint.${use}": all("model.hint.", CHOICES["model.use"] ?? []),
  "model.use.${value}": all("model.use.", CHOICES["model.use"] ?? []),
  "embedder.use.${value}": all("embedder.use.", CHOICES["embedder.use"] ?? []),
  "embedder.hint.${use}": all("embedder.hint.", CHOICES["embedder.use"] ?? []),
  "own.state.${state}": all("own.state.", ["absent", "idle", "loading", "starting", "ready", "failed"]),
  "preset.hint.${app.settings.preset}": all("preset.hint.", CHOICES["preset"] ?? []),
  "${words}.${value}": [...all("preset.", CHOICES["preset"] ?? []), ...all("position.", CHOICES["core.position"] ?? []), ...all("role.", CHOICES["core.role"] ?? [])],
  "block.${block}": ["block.core", "block.recalled"],
  "runtime.outcome.${outcome}": all("runtime.outcome.", ["taken", "refused", "missing", "unreachable", "late"]),
  "notice.${cause}": all("notice.", Object.keys(KINDS)),
  "author.${author}": all("author.", ["rules", "model", "person", "tool", "import", "upkeep"]),
  "role.${role}": ["role.user", "role.assistant"],
  "macro.${name}": all("macro.", Object.keys(MACROS)),
  "command.${name}": all("command.", COMMANDS.map(({ name }) => name)),
  "command.${name}.value": COMMANDS.filter(({ value }) => value).map(({ name }) => `command.${name}.value`),
  "command.${name}.${each}": COMMANDS.flatMap(({ name, named = [] }) => all(`command.${name}.`, named)),
  "command.wrong.${key}": all("command.wrong.", ["commands", "commands_memory", "command_tools"].flatMap((name) => wrongs(`extension/${name}.js`))),
  "command.done.${name}": all("command.done.", ["pin", "archive", "private", "link", "unlink"]),
  "error.${code}": [],
  "said.": Object.keys(English).filter((key) => key.startsWith("said.")),
  "panel.tab.${name}": all("panel.tab.", TABS),
  "kind.${kind}": all("kind.", NODE_KINDS),
  "colours.${name}": all("colours.", COLOURS),
  "health.${worst}": ["health.good", "health.busy", "health.note", "health.bad"],
  "memories.sort.${each}": all("memories.sort.", SORTS),
  "node.${field}": ["node.text", "node.name"],
  "memories.state.${state}": all("memories.state.", STATES),
  "sub.${sub}": all("sub.", SUBS),
  "scope.${kind}": all("scope.", SCOPES),
  "decide.${kind}": all("decide.", CARD_KINDS),
  "decide.${choice}": all("decide.", CHOICES_OF_CARD),
  "decide.${which}": ["decide.old", "decide.new"],
  "decide.done.${choice}": all("decide.done.", CHOICES_OF_CARD),
  "decide.reason.${reason}": all("decide.reason.", CARD_REASONS),
  "change.${name}": all("change.", CHANGES),
  "author.${change.author}": [],
  "author.${more.extraction.by}": [],
  // Not by t itself: what has no text is called by its name.
  "setting.": [...read("sidecar/tidelore/engine/operations/settings.py").matchAll(/Known\("([\w.]+)"/g)].flatMap(([, name]) => [`setting.${name}`, `setting.${name}.hint`]).filter((key) => key !== "setting.recall.preset.hint"),
  "settings.group.": all("settings.group.", [...new Set([...read("sidecar/tidelore/engine/operations/settings.py").matchAll(/Known\(.*"(\w+)", "(?:basic|advanced)"/g)].map(([, group = ""]) => group))]),
  "prompts.name.": ["prompts.name.extract"],
  "files.format.${name}": all("files.format.", FORMATS),
  'node.done.${(on ? back : method).split(".")[1]}': all("node.done.", ["pin", "unpin", "archive", "unarchive", "private", "public"]),
  'story.not.${not.replaceAll(" ", "_")}': all("story.not.", WHY_NOT.map((each) => each.replaceAll(" ", "_"))),
  "wizard.step.${each}": all("wizard.step.", ["model", "embedder", "recall"]),
  "wizard.no_${target}": ["wizard.no_model", "wizard.no_embedder"],
  'mirror.${app.settings.mirror ? mirror : "switched_off"}': all("mirror.", ["off", "going", "done", "failed", "switched_off"]),
  "recall.${lastRecall.outcome}": all("recall.", outcomes),
  "sidecar.${sidecar}": all("sidecar.", union("Status", "sidecar")),
  "preset.${value}": all("preset.", CHOICES["preset"] ?? []),
  "preset.${way.preset}": all("preset.", CHOICES["preset"] ?? []),
  "signal.${name}": all("signal.", SIGNALS),
  'reason.${reason.replaceAll(" ", "_")}': all("reason.", REASONS.map((reason) => reason.replaceAll(" ", "_"))),
  "moving.place.${place}": all("moving.place.", LEFT_PLACES),
  "receipt.${receipt.state}": all("receipt.", union("Receipt", "state")),
  "receipt.${key}": all("receipt.", RECEIPTS),
  "edge.${edge.type}": all("edge.", EDGE_TYPES),
};

/** Fields that are neither a choice nor a number, as the code draws them. */
function TEXT_FIELDS() {
  return SOURCES.flatMap(([, text]) => [...text.matchAll(/fields\.\w+\("([\w.]+)"/g)].map(([, path = ""]) => path));
}

/** The first argument of each call of `t`, as it is written. @param {string} text */
function* firstArguments(text) {
  for (const { index, 0: found } of text.matchAll(/(?<![\w$])t\(/g)) {
    let depth = 0;
    const begin = index + found.length;
    for (let at = begin; at < text.length; at++) {
      const sign = text[at] ?? "";
      if ("([{".includes(sign)) depth++;
      if (depth === 0 && (sign === "," || sign === ")")) {
        yield text.slice(begin, at);
        break;
      }
      if (")]}".includes(sign)) depth--;
    }
  }
}

const written = SOURCES.flatMap(([name, text]) => [...firstArguments(text)].map((argument) => /** @type {const} */ ([name, argument])));
const literals = written.flatMap(([, argument]) => [...argument.matchAll(/"([\w-]+(?:\.[\w-]+)+)"/g)].map(([, key = ""]) => key));
// actions.js makes its errors of keys.
const problems = SOURCES.flatMap(([, text]) => [...text.matchAll(/problem\("(error\.\w+)"\)/g)].map(([, key = ""]) => key));
const templates = written.flatMap(([, argument]) => [...argument.matchAll(/`([^`]*)`/g)].map(([, template = ""]) => template));
const used = new Set([...literals, ...problems, ...Object.values(COMPOSED).flat()]);

test("both languages have the same keys, each with a text", () => {
  assert.deepEqual(Object.keys(Chinese), Object.keys(English));
  for (const language of LANGUAGES) for (const [key, text] of Object.entries(TEXTS[language] ?? {})) assert.ok(typeof text === "string" && text.trim(), key);
});

test("both languages have the same placeholders", () => {
  const names = (/** @type {string} */ text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
  for (const key of Object.keys(English)) assert.deepEqual([...new Set(names(Chinese[key] ?? ""))], [...new Set(names(English[key] ?? ""))], key);
});

test("every key that the code uses exists", () => {
  assert.ok(literals.length > 100);
  assert.deepEqual([...used].filter((key) => !(key in English)), []);
});

test("every key that is put together is known here", () => {
  assert.deepEqual([...new Set(templates)].filter((template) => !(template in COMPOSED)), []);
});

test("every text is used", () => {
  assert.deepEqual(Object.keys(English).filter((key) => !used.has(key) && !key.startsWith("error.")), []);
});

test("what is the same in both languages is a name or a sign", () => {
  const same = Object.keys(English).filter((key) => English[key] === Chinese[key]);
  assert.deepEqual(same, ["list.between", "sidecar.title", "status.sidecar"]);
});

test("Chinese texts use Chinese punctuation", () => {
  for (const [key, text] of Object.entries(Chinese)) assert.doesNotMatch(text, /[\u4e00-\u9fff][,;:!?]|[,;!?][\u4e00-\u9fff]/, key);
});

test("the language of the page chooses the file; where none of it has texts yet, those that stand in do", async () => {
  const load = async (/** @type {string} */ name) => JSON.parse(read(`extension/locales/${name}.json`));
  for (const [locale, expected] of [["en", "en"], ["en-us", "en"], ["zh-cn", "zh-cn"], ["zh-Hans", "zh-cn"], ["zh-tw", "zh-cn"], ["zh-hk", "zh-cn"], ["ja-jp", "en"], ["ko-kr", "en"], ["ru-ru", "en"], ["fr-fr", "en"], ["", "en"]]) {
    const text = await loadText(/** @type {string} */ (locale), load);
    assert.equal(text.language, expected, locale);
    assert.equal(text.t("engine.starting"), TEXTS[/** @type {string} */ (expected)]?.["engine.starting"]);
  }
});

test("a language that is filled in part by part falls back key by key, Traditional Chinese to Simplified and the others to English", async () => {
  const filled = { "zh-tw": { "engine.starting": "啟動中" }, "ja-jp": { "engine.starting": "起動中" }, "ko-kr": { "engine.starting": "시작 중" }, "ru-ru": { "engine.starting": "запускается" } };
  const load = async (/** @type {string} */ name) => /** @type {any} */ (filled)[name] ?? TEXTS[name];
  for (const [locale, base] of [["zh-tw", "zh-cn"], ["ja-jp", "en"], ["ja", "en"], ["ko-kr", "en"], ["ru-ru", "en"]]) {
    const text = await loadText(/** @type {string} */ (locale), load);
    assert.equal(text.language.slice(0, 2), locale?.slice(0, 2));
    assert.equal(text.t("engine.starting"), /** @type {any} */ (filled)[text.language]["engine.starting"]);
    for (const key of Object.keys(English).filter((each) => each !== "engine.starting")) assert.equal(text.t(key), TEXTS[/** @type {string} */ (base)]?.[key], `${locale} ${key}`);
  }
});

test("every language that can be filled has a file with no key that English lacks and the placeholders of English", () => {
  const names = (/** @type {string} */ text) => [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))].sort();
  const files = readdirSync(new URL("../../extension/locales/", import.meta.url)).map((name) => name.replace(".json", ""));
  assert.deepEqual(files.sort(), Object.keys(FILES).sort());
  for (const name of files) {
    const texts = JSON.parse(read(`extension/locales/${name}.json`));
    for (const [key, text] of Object.entries(texts)) {
      assert.ok(key in English, `${name} ${key}`);
      assert.deepEqual(names(String(text)), names(English[key] ?? ""), `${name} ${key}`);
    }
    assert.equal(Object.keys(texts).length > 0, name in OFFERED, `${name} is offered where the panel stands alone`);
  }
});

test("every sub that the engine begins with has its word", () => {
  const known = [...read("sidecar/tidelore/engine/schema.py").matchAll(/\bSub\(\s*(?:\*\(\s*)?"(\w+)"/g)].map(([, name = ""]) => name);
  assert.ok(known.length > 20);
  assert.deepEqual(known.filter((name) => !SUBS.includes(name)), []);
});

test("what a model or an endpoint did is told in the language of the page", async () => {
  const text = await loadText("zh-cn", async (name) => TEXTS[name] ?? {});
  const told = (/** @type {string} */ message) => text.error({ code: "model_refused", message });
  const known = (/** @type {string} */ sentence) => /[\u4e00-\u9fff]/.test(told(sentence).split("详情：")[1] ?? "");
  const sentences = SOURCES.flatMap(([, source]) => [...source.matchAll(/new Fault\(\s*"model_\w+",\s*(?:"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g)].map(([, plain, filled]) => plain ?? filled ?? ""));
  assert.ok(sentences.length > 20);
  const useless = [...read("extension/remote/embeddings.js").matchAll(/useless\(["`]([^"`]+)["`]\)/g)].map(([, what = ""]) => `The embedding model x ${what}.`);
  assert.equal(useless.length, 5);
  // "x" for what is filled in; what is filled in at an end brings the full stop along.
  const made = [...sentences.filter((each) => each !== "The embedding model ${name} ${what}."), ...useless].map((each) => each.replaceAll(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, "x").replace(/x$/, "."));
  assert.deepEqual(made.filter((each) => !known(each)), []);
  assert.match(told("The model refused the request (401): bad key."), /模型拒绝了请求 \(401\): bad key。$/);
  assert.equal(told("Something else."), "模型服务拒绝了请求。请检查密钥、地址和模型名称。详情：Something else.");
  assert.match((await loadText("en", async (name) => TEXTS[name] ?? {})).error({ code: "model_refused", message: "x cannot be reached." }), /^x cannot be reached\./);
});
