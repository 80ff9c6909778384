// Why the engine believes something, as text.

/**
 * @param {import("../types.js").App} app
 * @param {{text: string, beliefs: {author: string, messages: {index: number | null, name: string, role: string, text: string, quote: string}[]}[]}} why
 * @returns {string}
 */
export function whyText(app, { text, beliefs }) {
  const { t } = app.text;
  const lines = [text];
  for (const { author, messages } of beliefs) {
    lines.push(t("why.by", { author: t(`author.${author}`) }));
    for (const { index, name, role, text: words, quote } of messages) {
      const floor = index === null ? -1 : app.floor(index);
      const who = name || t(`role.${role}`);
      lines.push(floor < 0 ? t("why.gone", { who, words: quote || words }) : t("why.message", { floor, who, words: quote || words }));
    }
  }
  return lines.join("\n");
}
