// Texts for people, from the locale files.

/**
 * @typedef {object} Text
 * @property {string} language of the file in use
 * @property {(key: string, values?: Record<string, string | number>) => string} t the text of a key with {names} filled in; a missing one is in English, else the key itself
 * @property {(error: any) => string} error one line on what went wrong and what to do
 */

/** The languages that have a file, as SillyTavern names them, and whose texts stand in where one has none of its own yet. @type {Record<string, string>} */
export const FILES = { en: "", "zh-cn": "en", "zh-tw": "zh-cn", "ja-jp": "en", "ko-kr": "en", "ru-ru": "en" };

/**
 * @param {string} locale as SillyTavern or a browser has it: "en", "zh-cn", "zh-tw", "ja", "en-us", ...
 * @param {(path: string) => Promise<any>} [load] a locale file by its name
 * @returns {Promise<Text>}
 */
export async function loadText(locale, load = fetched) {
  let language = fileOf(locale.toLowerCase());
  const english = await load("en");
  /** @type {Record<string, string>} */
  let texts = {};
  for (let name = language; name; name = FILES[name] ?? "") {
    const own = name === "en" ? english : await load(name);
    // Dates and numbers are written as the words around them are.
    if (name === language && Object.keys(own).length === 0) language = FILES[name] ?? "en";
    texts = { ...own, ...texts };
  }
  return createText(language, texts, english);
}

/** @param {string} locale */
function fileOf(locale) {
  if (locale in FILES) return locale;
  if (/^zh-(hant|hk|mo)/.test(locale)) return "zh-tw";
  const [tongue = ""] = locale.split("-");
  return Object.keys(FILES).find((name) => name.split("-")[0] === tongue) ?? "en";
}

/**
 * @param {string} language @param {Record<string, string>} texts @param {Record<string, string>} [english]
 * @returns {Text}
 */
export function createText(language, texts, english = texts) {
  /** @type {Text["t"]} */
  const t = (key, values = {}) =>
    (texts[key] ?? english[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
  /** @type {[string, RegExp][] | undefined} */
  let sentences;
  /** What an endpoint or model did, in this language: errors are made in English, far from any locale file. @param {string} sentence */
  function said(sentence) {
    sentences ??= Object.entries(english).flatMap(([key, words]) => (key.startsWith("said.") ? [[key, asPattern(words)]] : []));
    for (const [key, pattern] of sentences) {
      const found = pattern.exec(sentence);
      if (found) return t(key, found.groups);
    }
    return sentence;
  }
  return {
    language,
    t,
    error(error) {
      const code = String(error?.code ?? "");
      const known = `error.${code}` in texts || `error.${code}` in english;
      const sentence = String(error?.message ?? error);
      if (known) return t(`error.${code}`, { detail: said(sentence) });
      return [sentence, error?.hint].filter(Boolean).join(" ");
    },
  };
}

/** A text whose {names} stand for anything. @param {string} words */
const asPattern = (words) => new RegExp(`^${words.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{(\w+)\}/g, "(?<$1>.*?)")}$`, "s");

/** @param {string} name */
async function fetched(name) {
  const response = await fetch(new URL(`./locales/${name}.json`, import.meta.url));
  if (!response.ok) throw new Error(`the locale file ${name} answered ${response.status}`);
  return response.json();
}
