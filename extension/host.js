// All contact with SillyTavern. Whatever else the extension does, it does through this object, so that tests can put another in its place.
// Features are tested for, versions are not: what an older SillyTavern lacks is left out.
import { addCommand } from "./host_commands.js";
import { loading } from "./host_loaded.js";
import { messagesOf } from "./host_messages.js";
import { userFiles } from "./host_files.js";
import { completions } from "./host_models.js";

/**
 * @typedef {import("./types.js").ChatPlace} ChatPlace
 * @typedef {import("./types.js").HostMessage} HostMessage
 * @typedef {import("./types.js").Person} Person
 * @typedef {import("./types.js").Placement} Placement
 * @typedef {import("./types.js").CommandSpec} CommandSpec
 * @typedef {ReturnType<typeof createHost>} Host
 */

const KEY = "tidelore";
const POSITIONS = { before_main: 2, after_main: 0, in_chat: 1 };
const ROLES = { system: 0, user: 1, assistant: 2 };
const HOMES = { settings: "#extensions_settings2", menu: "#extensionsMenu", input: "#leftSendForm", page: "body" };
const PROMPTS = { core: "tidelore_core", recalled: "tidelore_recalled" };

/** @type {() => any} */
const context = () => /** @type {any} */ (globalThis).SillyTavern.getContext();

export function createHost() {
  /** @type {any} */
  const toastr = /** @type {any} */ (globalThis).toastr;
  const models = completions(context);
  const loaded = loading(context);
  let handle = "";

  /** @param {string} path @param {object} body */
  const post = async (path, body) => {
    const response = await fetch(path, { method: "POST", headers: context().getRequestHeaders(), body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    return response.json();
  };

  return {
    ...models,

    /** The person's files on SillyTavern's server. */
    userFiles: userFiles(context),

    /** The handle of the person's account; browser-side stores are kept apart by it. */
    async handle() {
      if (!handle) {
        const response = await fetch("/api/users/me", { headers: context().getRequestHeaders() });
        if (!response.ok) throw new Error(`/api/users/me answered ${response.status}`);
        handle = String((await response.json()).handle);
      }
      return handle;
    },

    /** The language of the page, as in "en" or "zh-cn". */
    locale: () => String(context().getCurrentLocale?.() ?? localStorage.getItem("language") ?? navigator.language).toLowerCase(),

    // ---- events ----

    /**
     * Listen to an event of SillyTavern; one that this version lacks is never heard.
     * @param {string} name as in `eventTypes`
     * @param {(...args: any[]) => void | Promise<void>} listener
     */
    on(name, listener) {
      const { eventSource, eventTypes } = context();
      if (eventTypes[name] === undefined) return;
      eventSource.on(eventTypes[name], (/** @type {any[]} */ ...details) => {
        loaded.heard(name);
        return listener(...details);
      });
    },

    /**
     * What SillyTavern awaits before each generation.
     * @param {(contextTokens: number, type: string) => Promise<void>} before
     */
    intercept(before) {
      /** @type {any} */ (globalThis).tideloreIntercept = (/** @type {any[]} */ _chat, /** @type {number} */ size, /** @type {any} */ _abort, /** @type {string | undefined} */ type) =>
        before(size, type ?? "normal");
    },

    // ---- the open chat ----

    /** @returns {ChatPlace | null} null when no chat is open, and while one is being loaded */
    place() {
      if (!loaded.done()) return null;
      const { groupId, groups, characters, characterId, chatMetadata, getCurrentChatId } = context();
      const file = getCurrentChatId();
      if (!file) return null;
      const integrity = String(chatMetadata?.integrity ?? "");
      if (groupId) {
        const group = groups.find((/** @type {any} */ each) => each.id === groupId);
        return { kind: "group", owner: String(groupId), file: String(file), title: `${group?.name ?? groupId} · ${file}`, integrity };
      }
      const card = characters[characterId];
      if (!card) return null;
      return { kind: "character", owner: String(card.avatar), file: String(file), title: String(file), integrity };
    },

    /** @returns {HostMessage[]} */
    messages: () => messagesOf(context()),

    /** Whether there is a message at this place. @param {number} index */
    has: (index) => context().chat[index] !== undefined,

    /** What others keep with the open chat; it is only read. @returns {Record<string, any> | null} */
    metadata: () => context().chatMetadata ?? null,

    /** @returns {any} our mark in the chat's metadata */
    mark: () => context().chatMetadata?.[KEY] ?? null,

    /** @param {import("./types.js").ChatMark} mark */
    setMark(mark) {
      context().chatMetadata[KEY] = mark;
      context().saveMetadataDebounced?.();
    },

    /** Saves it now: SillyTavern drops what is only planned when another chat is opened. */
    saveMark: async () => void (await context().saveMetadata?.()),

    /** @returns {Person[]} the persona first, then who may speak in the open chat */
    people() {
      const { name1, characters, characterId, groupId, groups, powerUserSettings } = context();
      const personas = Object.entries(powerUserSettings?.personas ?? {});
      const persona = personas.find(([, name]) => name === name1);
      /** @type {Person[]} */
      const out = persona ? [{ id: `persona:${persona[0]}`, name: String(name1) }] : [];
      const members = groupId ? (groups.find((/** @type {any} */ each) => each.id === groupId)?.members ?? []) : [characters[characterId]?.avatar];
      for (const card of characters) if (members.includes(card.avatar)) out.push({ id: String(card.avatar), name: String(card.name) });
      return out;
    },

    /**
     * A field of ours on a message. The message object is SillyTavern's own, so what is set is saved with the chat.
     * @param {number} index @param {string} name
     */
    extra: (index, name) => context().chat[index]?.extra?.[name] ?? null,

    /** @param {number} index @param {string} name @param {any} value null takes it away */
    setExtra(index, name, value) {
      const message = context().chat[index];
      if (!message) return;
      message.extra ??= {};
      if (value === null) delete message.extra[name];
      else message.extra[name] = value;
      // SillyTavern swaps `extra` for that of the swipe when one is shown.
      const swipe = message.swipe_info?.[message.swipe_id ?? 0];
      if (swipe) swipe.extra = { ...swipe.extra, [name]: value ?? undefined };
    },

    /** Saves the open chat, as after a change of a field by hand. */
    saveChat: () => context().saveChat(),

    /** Scrolls to a message that is drawn. @param {number} index @returns {boolean} whether it is */
    show(index) {
      const element = document.querySelector(`#chat .mes[mesid="${index}"]`);
      element?.scrollIntoView({ behavior: "smooth", block: "center" });
      return Boolean(element);
    },

    /**
     * The names of the chat files of a character or group, or null when SillyTavern does not know the owner any more.
     * @param {Pick<ChatPlace, "kind" | "owner">} place
     * @returns {Promise<string[] | null>}
     */
    async files({ kind, owner }) {
      const { characters, groups } = context();
      if (kind === "group") {
        const group = groups.find((/** @type {any} */ each) => String(each.id) === owner);
        return group ? [...(group.chats ?? [])].map(String) : null;
      }
      if (!characters.some((/** @type {any} */ each) => each.avatar === owner)) return null;
      const found = await post("/api/characters/chats", { avatar_url: owner, simple: true });
      if (!Array.isArray(found)) throw new Error("the list of chats could not be read");
      return found.map((each) => String(each.file_name).replace(/\.jsonl$/, ""));
    },

    // ---- the prompt ----

    /**
     * Puts one of our two blocks into the next prompt, or takes it out with "".
     * @param {keyof typeof PROMPTS} block
     * @param {string} text
     * @param {Placement} [placement]
     */
    setPrompt(block, text, placement) {
      const where = placement ?? { position: "in_chat", depth: 0, role: "system" };
      context().setExtensionPrompt(PROMPTS[block], inert(text), POSITIONS[where.position], where.depth, false, ROLES[where.role]);
    },

    /** As SillyTavern counts for the model in use. @param {string} text @returns {Promise<number>} */
    async countTokens(text) {
      if (!text) return 0;
      try {
        return Number(await context().getTokenCountAsync(text));
      } catch (/** @type {any} */ failure) {
        // What jQuery rejects with is no error.
        throw failure instanceof Error ? failure : new Error(`SillyTavern counts no tokens: ${failure?.status ?? ""} ${failure?.statusText ?? failure}`);
      }
    },

    /** What of the prompt is neither chat nor ours, roughly: card, persona, examples. */
    cardText() {
      const fields = context().getCharacterCardFields?.() ?? {};
      return ["system", "mesExamples", "description", "personality", "persona", "scenario", "jailbreak"]
        .map((name) => (typeof fields[name] === "string" ? fields[name] : ""))
        .join("\n");
    },

    // ---- settings ----

    /** @returns {Record<string, any>} our settings as they are stored; may be changed in place, then saved */
    stored: () => (context().extensionSettings[KEY] ??= {}),
    saveSettings: () => context().saveSettingsDebounced(),
    dropSettings() {
      delete context().extensionSettings[KEY];
      context().saveSettingsDebounced();
    },

    // ---- what people see ----

    /** @param {"info" | "success" | "warning" | "error"} kind @param {string} text */
    notify: (kind, text) => void toastr?.[kind]?.(text, "Tidelore", { escapeHtml: true }),

    /**
     * A dialog. Answers whether it was agreed to.
     * @param {HTMLElement} content
     * @param {{ok: string, cancel?: string, wide?: boolean, cautious?: boolean}} buttons `cautious`: a key that was meant for something else declines
     * @returns {Promise<boolean>}
     */
    async ask(content, { ok, cancel, wide = false, cautious = false }) {
      const { callGenericPopup, POPUP_TYPE, POPUP_RESULT } = context();
      const type = cancel === undefined ? POPUP_TYPE.TEXT : POPUP_TYPE.CONFIRM;
      const answer = await callGenericPopup(content, type, "", {
        okButton: ok,
        cancelButton: cancel,
        wide,
        allowVerticalScrolling: true,
        ...(cautious ? { defaultResult: POPUP_RESULT.NEGATIVE } : {}),
      });
      return answer === POPUP_RESULT.AFFIRMATIVE;
    },

    /** A question that stops everything until it is answered. @param {string} text @returns {boolean} */
    confirm: (text) => globalThis.confirm(text),

    /** Whether the person is writing a message now: no dialog may take the keys away. */
    isTyping() {
      const input = document.getElementById("send_textarea");
      return input instanceof HTMLTextAreaElement && document.activeElement === input && input.value !== "";
    },

    /** Where our elements go: among settings, in the menu of extensions, beside the input, over the page. @param {keyof typeof HOMES} where @param {HTMLElement} element */
    mount: (where, element) => void document.querySelector(HOMES[where])?.append(element),

    /**
     * The user's messages that are drawn, each with the element that holds its name and text.
     * @returns {{index: number, element: HTMLElement}[]}
     */
    userMessages: () =>
      [...document.querySelectorAll('#chat .mes[is_user="true"]')].flatMap((message) => {
        const element = /** @type {HTMLElement | null} */ (message.querySelector(".mes_block"));
        return element ? [{ index: Number(message.getAttribute("mesid")), element }] : [];
      }),

    /**
     * Calls once soon after messages were drawn, moved, numbered anew or taken away; the text of a reply that comes in does not count.
     * @param {() => void} listener
     * @param {string} own what lies in these is the listener's own work
     * @returns {() => void} ends it
     */
    onDrawn(listener, own) {
      const chat = document.getElementById("chat");
      if (!chat) return () => {};
      let due = false;
      let ended = false;
      const observer = new MutationObserver((records) => {
        if (due || !records.some(({ target }) => !(/** @type {Element} */ (target).closest?.(`.mes_text, ${own}`)))) return;
        due = true;
        requestAnimationFrame(() => {
          due = false;
          if (!ended) listener();
        });
      });
      observer.observe(chat, { childList: true, subtree: true, attributes: true, attributeFilter: ["mesid", "is_user"] });
      return () => {
        ended = true;
        observer.disconnect();
      };
    },

    /** Opens what one of our elements is folded away in, and scrolls to it. @param {HTMLElement} element */
    reveal(element) {
      const panel = element.closest(".drawer-content");
      if (panel && !panel.classList.contains("openDrawer")) /** @type {HTMLElement | null} */ (panel.parentElement?.querySelector(".drawer-toggle"))?.click();
      const fold = /** @type {HTMLElement | null} */ (element.querySelector(".inline-drawer-toggle"));
      if (fold?.querySelector(".inline-drawer-icon.down")) fold.click();
      element.scrollIntoView({ block: "start" });
    },

    /** @param {CommandSpec} spec */
    addCommand: (spec) => addCommand(context, spec),

    /** A macro, as in {{tidelore}}. @param {string} name @param {string} description @param {() => string} handler */
    addMacro(name, description, handler) {
      const { macros, registerMacro } = context();
      const safe = () => inert(handler());
      if (macros?.register) macros.register(name, { description, handler: safe });
      else registerMacro?.(name, safe);
    },
  };
}

/** Stored text is data: none of it may be taken for a macro. @param {string} text */
export const inert = (text) => text.replace(/\{(?=\{)/g, "{ ");
