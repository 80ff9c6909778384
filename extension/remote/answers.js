// What language models answer, over HTTP: the text of a plain or a streamed answer, and what an error means.
import { Fault } from "./faults.js";

const LONGEST = 4_000_000;
const RAW_KEPT = 20_000;
const SAID = 300;
const STREAM = /^(data|event|id|retry)?:/;
const PASSING = new Set([408, 425, 429]);

// Reasons of HTTP by name: SillyTavern's server passes them on without the number.
const REASONS =
  /^(bad request|unauthorized|payment required|forbidden|not found|method not allowed|gone|(payload|request entity) too large|unprocessable \w+)\.?$/i;
const PASSING_WORDS = new RegExp(
  [
    "rate.?limit|too many requests|overloaded|temporar|try again|time.?out|timed out|unavailable|capacity|busy|loading",
    "internal server error|bad gateway|connection refused|ECONN|ENOTFOUND|EAI_AGAIN|EHOST|hang up|socket|network|failed to fetch|fetch failed",
    "not ok|unknown error", // SillyTavern's own, where it knows no more
  ].join("|"),
  "i",
);

/** Gathers an answer as it comes; an endpoint may stream though it was asked not to, and the other way round. */
export class Answer {
  raw = "";
  #rest = "";
  #text = "";
  #reasoned = false;
  #refused = false;
  #streamed = /** @type {boolean | undefined} */ (undefined);
  /** The stream has said that it is over; some servers keep the line open. */
  over = false;
  /** @type {Fault | undefined} an error that came in the stream, or in place of an answer */
  error;

  get length() {
    return this.#text.length;
  }

  /** @param {string} piece of the body @returns {void} */
  add(piece) {
    this.raw += piece;
    if (this.raw.length > LONGEST) throw new Fault("model_answer", "The answer of the model has no end.", "Set a limit on the length of its answers.");
    if (this.#streamed === undefined) {
      const begun = this.raw.replace(/^\ufeff/, "").trimStart();
      // "data" may yet become "data:".
      if (begun.length < 6 && !STREAM.test(begun) && !/^[{[<]/.test(begun)) return;
      this.#streamed = STREAM.test(begun);
      piece = begun;
    }
    if (!this.#streamed) return;
    const lines = (this.#rest + piece).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#event(line, false);
  }

  /** The text, when all is there. @returns {string} */
  end() {
    if (this.#streamed) this.#event(this.#rest, true);
    else this.#plain();
    if (this.error) throw this.error;
    if (this.#text.trim()) return this.#text;
    const raw = this.raw.slice(0, RAW_KEPT);
    if (this.#refused) throw new Fault("model_answer", "The model refused to answer.", "Choose another memory model.", { raw });
    if (this.#reasoned) {
      throw new Fault("model_answer", "The model only reasoned and gave no answer.", "Allow longer answers, or switch its reasoning off.", { raw });
    }
    throw new Fault("model_answer", "The model gave an empty answer.", "Try again, or choose another memory model.", { raw });
  }

  #plain() {
    const body = this.raw.replace(/^\ufeff/, "").trim();
    if (body.startsWith("<")) throw new Fault("model_refused", "The address answered with a web page.", "Check the address: most end in /v1.");
    const value = parsed(body);
    if (!value) {
      throw new Fault("model_answer", "The answer of the endpoint is not JSON.", "Try again, or check the address.", { raw: this.raw.slice(0, RAW_KEPT) });
    }
    this.#take(value);
  }

  /** @param {string} line @param {boolean} last one that was cut off costs only itself */
  #event(line, last) {
    const data = /^data:(.*)$/s.exec(line.trim())?.[1]?.trim();
    if (!data || this.over) return;
    if (data === "[DONE]") {
      this.over = true;
      return;
    }
    const value = parsed(data);
    if (value) this.#take(value);
    else if (!last) {
      const raw = this.raw.slice(0, RAW_KEPT);
      throw new Fault("model_answer", "The event stream of the endpoint is not JSON.", "Try again, or check the address.", { raw });
    }
  }

  /** @param {any} value an answer or an event */
  #take(value) {
    if (value.error) {
      this.error ??= fromError(value.error);
      return;
    }
    for (const choice of Array.isArray(value.choices) ? value.choices : []) {
      if ((choice?.index ?? 0) !== 0) continue;
      const part = choice.message ?? choice.delta ?? {};
      this.#text += textOf(part.content) || (typeof choice.text === "string" ? choice.text : "");
      this.#reasoned ||= Boolean(part.reasoning_content || part.reasoning);
      this.#refused ||= Boolean(part.refusal);
    }
  }
}

/**
 * The text of a response.
 * @param {Response} response
 * @param {(characters: number) => void} [onPiece] whenever something came, reasoning too
 * @returns {Promise<string>}
 */
export async function readAnswer(response, onPiece = () => {}) {
  const answer = new Answer();
  const reader = response.body?.pipeThrough(/** @type {any} */ (new TextDecoderStream())).getReader();
  while (reader && !answer.over) {
    const { done, value } = await reader.read();
    if (done) break;
    answer.add(value);
    onPiece(answer.length);
  }
  if (answer.over) reader?.cancel().catch(() => {}); // the answer is whole, whatever becomes of the line
  if (!response.ok) throw fromStatus(statusOf(response), said(answer.raw), retryAfter(response.headers));
  return answer.end();
}

/** SillyTavern turns 401 into 400 on the way, but keeps its name. @param {Response} response */
export const statusOf = (response) => (response.status === 400 && /unauthorized/i.test(response.statusText) ? 401 : response.status);

/** @param {any} content a text, or a list of parts, of which those of reasoning are no text */
function textOf(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter((part) => ["text", "output_text"].includes(part?.type ?? "text") && typeof part?.text === "string")
    .map((part) => part.text)
    .join("");
}

/** @param {string} text @returns {any} an object, or undefined */
export function parsed(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What the body of an error says. @param {string} body */
export function said(body) {
  const value = parsed(body);
  if (!value) return body.trimStart().startsWith("<") ? "" : body;
  return message(value.error ?? value.detail ?? value);
}

/** @param {any} error */
function message(error) {
  const text = typeof error === "object" && error !== null ? error.message : error;
  if (typeof text === "string") return text;
  return error === true ? "" : JSON.stringify(error);
}

/** An error that came with status 200: SillyTavern's server reports most of them so, many without a number. @param {any} error */
export function fromError(error) {
  const number = Number(error?.status ?? error?.code);
  return fromStatus(number >= 400 && number <= 599 ? number : 0, message(error), 0);
}

/**
 * @param {number} status 0 when only the words are known
 * @param {string} words
 * @param {number} wait seconds
 */
export function fromStatus(status, words, wait) {
  const short = words.replace(/\s+/g, " ").trim().slice(0, SAID);
  const number = status ? ` (${status})` : "";
  const told = short ? `: ${short.replace(/\.$/, "")}.` : ".";
  const known = Number(/\bstatus (?:code )?([45]\d\d)\b/.exec(words)?.[1]) || status;
  const passing = PASSING.has(known) || known >= 500 || (!known && !REASONS.test(short) && (short === "" || PASSING_WORDS.test(short)));
  if (passing) return new Fault("model_unreachable", `The model cannot answer now${number}${told}`, "Try again later.", { wait, status: known });
  return new Fault("model_refused", `The model refused the request${number}${told}`, hint(known, short), { status: known });
}

/** @param {number} status @param {string} words */
function hint(status, words) {
  if ([401, 403].includes(status) || /unauthorized|forbidden|api key/i.test(words)) return "Check the key.";
  if (status === 402 || /payment|quota/i.test(words)) return "Check the account that the key belongs to.";
  if ([404, 405].includes(status) || /not found/i.test(words)) return "Check the address (most end in /v1) and the name of the model.";
  if (status === 413 || /too large|context length/i.test(words)) return "Extract fewer exchanges at once, or choose a model with a larger context.";
  return "Check the name of the model, and that the service takes such requests.";
}

/**
 * Seconds that a service asks to wait, 0 when it does not say. A date counts against the service's own clock.
 * @param {Headers} headers
 */
export function retryAfter(headers) {
  const value = (headers.get("Retry-After") ?? "").trim();
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  const when = Date.parse(value);
  if (Number.isNaN(when)) return 0;
  const date = Date.parse(headers.get("Date") ?? "");
  return Math.max(0, (when - (Number.isNaN(date) ? Date.now() : date)) / 1000);
}
