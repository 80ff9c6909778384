// Texts for people, from the locale files.

/**
 * @typedef {object} Text
 * @property {string} language of the file in use
 * @property {(key: string, values?: Record<string, string | number>) => string} t the text of a key with {names} filled in; a missing one is in English, else the key itself
 * @property {(error: any) => string} error one line on what went wrong and what to do
 */

const FILES = ["en", "zh-cn"];

/**
 * @param {string} locale as SillyTavern has it: "en", "zh-cn", "zh-tw", ...
 * @param {(path: string) => Promise<any>} [load] a locale file by its name
 * @returns {Promise<Text>}
 */
export async function loadText(locale, load = fetched) {
  const language = FILES.find((name) => name === locale) ?? (locale.startsWith("zh") ? "zh-cn" : "en");
  const english = await load("en");
  return createText(language, language === "en" ? english : await load(language), english);
}

/**
 * @param {string} language @param {Record<string, string>} texts @param {Record<string, string>} [english]
 * @returns {Text}
 */
export function createText(language, texts, english = texts) {
  /** @type {Text["t"]} */
  const t = (key, values = {}) =>
    (texts[key] ?? english[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
  return {
    language,
    t,
    error(error) {
      const code = String(error?.code ?? "");
      const known = `error.${code}` in texts || `error.${code}` in english;
      const sentence = String(error?.message ?? error);
      if (known) return t(`error.${code}`, { detail: sentence });
      return [sentence, error?.hint].filter(Boolean).join(" ");
    },
  };
}

/** @param {string} name */
async function fetched(name) {
  const response = await fetch(new URL(`./locales/${name}.json`, import.meta.url));
  if (!response.ok) throw new Error(`the locale file ${name} answered ${response.status}`);
  return response.json();
}
