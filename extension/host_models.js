// The ways to a language model that SillyTavern has. Errors carry a `code` of the engine: model_unreachable, model_refused, model_answer;
// or cancelled.
import { Fault, stopped } from "./remote/faults.js";
import { fromError, fromStatus } from "./remote/answers.js";
import { isStream } from "./remote/endpoint.js";

/**
 * @typedef {import("./types.js").Completion} Completion
 * @typedef {import("./types.js").Endpoint} Endpoint
 */

const ROUTE = "/api/backends/chat-completions/generate";
// As SillyTavern's own requests do; these models know no max_tokens.
const NEW_NAMES = /(^|\/)(o[1-9]|gpt-[5-9])/;

/** @param {() => any} context @param {typeof fetch} [fetch] */
export function completions(context, fetch = (...given) => globalThis.fetch(...given)) {
  /** @param {any} profile */
  const supported = (profile) => {
    try {
      return Boolean(context().ConnectionManagerRequestService.isProfileSupported(profile));
    } catch {
      return false; // of an API that this SillyTavern does not know
    }
  };
  const saved = () => {
    const { ConnectionManagerRequestService: service, extensionSettings } = context();
    if (!service || extensionSettings.disabledExtensions?.includes("connection-manager")) return [];
    return extensionSettings.connectionManager?.profiles ?? [];
  };
  const isOnline = () => context().onlineStatus !== "no_connection";

  return {
    /** Whether SillyTavern has a connection at all. */
    isOnline,

    /** What the connection in use is called. @returns {string} */
    currentModel() {
      const { mainApi, onlineStatus, getChatCompletionModel, chatCompletionSettings } = context();
      if (mainApi === "openai") return String(getChatCompletionModel?.() || chatCompletionSettings?.chat_completion_source || "");
      return String(isOnline() && onlineStatus ? onlineStatus : mainApi);
    },

    /** @returns {{id: string, name: string, model: string}[]} connection profiles that can be asked */
    profiles: () => saved().filter(supported).map((/** @type {any} */ each) => ({ id: each.id, name: each.name ?? "", model: each.model ?? "" })),

    /**
     * Ask the model of the current connection. It shares SillyTavern's stop button. Nothing else stops it: an answer that nobody waits for any
     * more is dropped when it comes, since stopping it would stop a reply as well.
     * @param {Completion} request
     * @returns {Promise<string>}
     */
    async askCurrent({ messages, tokens, signal }) {
      const { generateRaw, generateRawData, extractMessageFromData, mainApi: api } = context();
      if (!isOnline()) throw new Fault("model_unreachable", "SillyTavern is not connected to a model.", "Connect it, or choose another memory model.");
      if (!generateRaw) throw new Fault("model_refused", "This SillyTavern cannot be asked by extensions.", "Choose another memory model.");
      const request = { prompt: messages.map(({ role, content }) => ({ role, content: inert(content) })), api, responseLength: tokens, trimNames: false };
      if (!generateRawData || !extractMessageFromData) return text(await guarded(() => generateRaw(request), signal));
      // The other one runs the person's regex scripts over the answer and cuts at names: good for replies, fatal for JSON.
      const data = await guarded(() => generateRawData(request), signal);
      return text(extracted(extractMessageFromData, data, api), data);
    },

    /**
     * Ask the model of a connection profile, beside whatever SillyTavern does.
     * @param {string} id
     * @param {Completion} request
     * @returns {Promise<string>}
     */
    async askProfile(id, request) {
      const service = context().ConnectionManagerRequestService;
      const profile = saved().find((/** @type {any} */ each) => each.id === id);
      if (!service || !profile) {
        throw new Fault("model_refused", "The connection profile of the memory model is not there.", "Choose another one in the settings.");
      }
      const { messages, tokens, stream, signal } = request;
      /** @param {boolean} streamed */
      const ask = async (streamed) => {
        const options = { stream: streamed, signal, extractData: true, includePreset: false, includeInstruct: true };
        const other = NEW_NAMES.test(profile.model ?? "") ? { max_tokens: undefined, max_completion_tokens: tokens } : {};
        const copies = messages.map(({ role, content }) => ({ role, content }));
        const answer = await guarded(() => service.sendRequest(id, copies, tokens, options, other), signal);
        return typeof answer === "function" ? drain(answer, request) : { text: answer?.content, reasoned: Boolean(answer?.reasoning) };
      };
      let first;
      try {
        first = await ask(stream);
      } catch (error) {
        // Some services stream whatever they are asked.
        if (stream || signal.aborted || !isStream(error)) throw error;
        first = await ask(true);
      }
      // In a stream SillyTavern passes over errors and plain answers alike; asked plainly it says what was wrong.
      if (stream && !first.reasoned && !String(first.text ?? "").trim()) first = await ask(false);
      if (first.reasoned && !String(first.text ?? "").trim()) {
        throw new Fault("model_answer", "The model only reasoned and gave no answer.", "Allow longer answers, or switch its reasoning off.");
      }
      return text(first.text);
    },

    /**
     * Sends a request of the OpenAI form through SillyTavern's server. The key goes along in this one request and is kept nowhere.
     * @param {Endpoint} endpoint whose address /chat/completions follows
     * @param {Record<string, any>} body
     * @param {AbortSignal} signal
     * @returns {Promise<Response | null>} null where there is no such route
     */
    async postCompletion({ url, key }, { response_format: form, ...body }, signal) {
      const sent = {
        ...body,
        chat_completion_source: "custom",
        custom_url: url,
        // Without a header of our own the server would add the key that the person saved for another service.
        custom_include_headers: `Authorization: ${JSON.stringify(key ? `Bearer ${key}` : "")}`,
        custom_include_body: form ? JSON.stringify({ response_format: form }) : "",
        custom_exclude_body: "",
      };
      const response = await guarded(
        () => fetch(ROUTE, { method: "POST", headers: context().getRequestHeaders(), body: JSON.stringify(sent), cache: "no-cache", signal }),
        signal,
      );
      if (![403, 404, 405].includes(response.status)) return response;
      // These may be of SillyTavern's server, or what the service answered to a stream.
      const told = await guarded(() => response.text(), signal);
      if (response.status === 403 && /csrf/i.test(told)) {
        throw new Fault("model_unreachable", "SillyTavern's server does not know this page any more.", "Reload the page.");
      }
      if (response.status !== 403 && (told === "" || /^\s*</.test(told))) return null;
      return new Response(told, { status: response.status, statusText: response.statusText, headers: response.headers });
    },
  };
}

/**
 * The whole of a stream of SillyTavern's.
 * @param {() => AsyncGenerator<any>} answer
 * @param {Completion} request
 * @returns {Promise<{text: string, reasoned: boolean}>}
 */
async function drain(answer, { signal, onPiece }) {
  const stream = answer();
  let text = "";
  let reasoned = false;
  for (;;) {
    const { done, value } = await guarded(() => stream.next(), signal);
    if (done) return { text, reasoned };
    text = String(value?.text ?? text);
    reasoned ||= Boolean(value?.state?.reasoning);
    onPiece?.(text.length); // reasoning is a sign of life too
  }
}

/** @param {(data: any, api: string) => any} extract @param {any} data @param {string} api */
function extracted(extract, data, api) {
  try {
    return extract(data, api);
  } catch {
    return undefined; // nothing where SillyTavern looks for the text
  }
}

/** @param {unknown} answer @param {unknown} [whole] */
function text(answer, whole = answer) {
  if (typeof answer === "string" && answer.trim()) return answer;
  const raw = typeof whole === "string" ? whole : (JSON.stringify(whole) ?? "");
  throw new Fault("model_answer", "The model gave an empty answer.", "Try again, or choose another memory model.", { raw });
}

/** SillyTavern fills in macros in what it is given, which is a story here. @param {string} content */
const inert = (content) => content.replace(/\{(?=\{)/g, "{ ");

/**
 * @template T
 * @param {() => Promise<T>} ask
 * @param {AbortSignal} signal ends the wait, also where SillyTavern cannot be stopped
 * @returns {Promise<T>}
 */
function guarded(ask, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason instanceof Fault ? signal.reason : stopped());
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    Promise.resolve()
      .then(ask)
      .then(resolve, (error) => reject(failed(error)))
      .finally(() => signal.removeEventListener("abort", stop));
  });
}

/** What SillyTavern's functions throw: words, seldom a number. @param {any} error @returns {Fault} */
function failed(error) {
  if (error instanceof Fault) return error;
  const cause = error?.cause ?? error;
  const words = String(cause?.message ?? cause?.error?.message ?? cause ?? "");
  if (cause?.name === "AbortError" || /cancelled by (stop event|extension)/i.test(words)) return stopped();
  if (/no message generated/i.test(words)) return new Fault("model_answer", "The model gave an empty answer.", "Try again, or choose another memory model.");
  if (isStream(cause)) return new Fault("model_answer", `The answer could not be read: ${words}.`, "Try again, or choose another memory model.");
  return cause?.error ? fromError(cause.error) : fromStatus(0, words, 0);
}
