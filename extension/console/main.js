// The page of the panel in a browser: the way in, then the panel on whichever chat was chosen.
import { mountPanel } from "../panel/mount.js";
import { sign } from "../panel/parts.js";
import { openPageStore } from "../page_store.js";
import { loadText } from "../text.js";
import { create, h, patch } from "../ui/dom.js";
import { button } from "../ui/fields.js";
import { createConsole } from "./app.js";
import { chooser } from "./chats.js";
import { createDoor } from "./way_in.js";

const LANGUAGE = "tidelore-language";

/**
 * @param {HTMLElement} home
 * @param {import("../text.js").Text} text
 * @param {import("../page_store.js").PageStore["values"]} values
 */
function createShell(home, text, values) {
  const { t } = text;
  const door = createDoor();
  /** @type {{panel: import("../panel/open.js").Panel, console: import("./app.js").Console} | null} */
  let running = null;
  /** @type {AbortController | null} */
  let knocking = null;

  async function begin() {
    /** @type {any} */
    let fault = null;
    const { key, chat } = await door.enter().catch((error) => ((fault = error), { key: "", chat: "" }));
    if (key) await enter(key, chat);
    else login(fault);
  }

  /** @param {string} key @param {string} [chat] */
  async function enter(key, chat = "") {
    door.keep(key);
    home.replaceChildren();
    const { host } = location;
    const opened = await createConsole({ text, key, url: `ws://${host}/ws`, values, document, onRefused: refused, chat });
    const { app } = opened;
    const panel = mountPanel(app, {
      container: home,
      chooser: () => chooser(app, opened.chats(), opened.chosen(), opened.choose),
      language: { value: text.language, choose: chooseLanguage },
    });
    running = { panel, console: opened };
  }

  /** @param {import("../remote/faults.js").Fault | null} why */
  function refused(why) {
    // While the sidecar lets no new key in, nobody knows whether this one is good.
    const locked = why?.code === "too_many_failures";
    if (!locked) door.forget();
    running?.console.stop();
    running?.panel.remove();
    running = null;
    login(locked ? why : null);
  }

  /** @param {any} fault why what was tried did not open */
  function login(fault) {
    const view = create(h("div", { class: "tidelore-panel tidelore-login" }));
    home.replaceChildren(view);
    /** @type {string} */
    let code = "";
    let problem = fault ? text.error(fault) : "";
    const locked = fault?.code === "too_many_failures";

    const redraw = () =>
      patch(view, [
        h("div", { key: "in" }, [
          h("h1", null, [sign("tide"), "Tidelore"]),
          problem && h("p", { key: "fault", class: "tidelore-bad", role: "alert" }, problem),
          code
            ? [h("p", { key: "how" }, t("console.type_code")), h("p", { key: "code", class: "tidelore-code" }, code), h("p", { key: "or", class: "tidelore-note" }, [t("console.or_command"), " ", h("code", null, `tidelore pair ${code.replaceAll(" ", "")}`)]), h("p", { key: "wait", class: "tidelore-note", role: "status" }, t("console.waiting"))]
            : [
                !locked && h("p", { key: "what" }, t("console.closed")),
                locked && h("div", { key: "again", class: "tidelore-actions" }, button(t("console.again"), () => void begin(), { class: "tidelore-main" })),
                h("div", { key: "go", class: "tidelore-actions" }, button(t("console.ask_code"), () => void knock(), { class: locked ? "" : "tidelore-main" })),
                h("p", { key: "link", class: "tidelore-note" }, [t("console.by_link"), " ", h("code", null, "tidelore console")]),
              ],
        ].flat()),
      ]);

    async function knock() {
      knocking?.abort();
      knocking = new AbortController();
      problem = "";
      try {
        const asked = await door.knock(knocking.signal);
        code = asked.code.replace(/(\d{3})(?=\d)/g, "$1 ");
        redraw();
        await enter(await asked.key());
      } catch (error) {
        code = "";
        problem = text.error(error);
        redraw();
      }
    }
    redraw();
  }

  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && running?.console.again());
  addEventListener("online", () => running?.console.again());
  return begin();
}

/** @param {string} language */
function chooseLanguage(language) {
  localStorage.setItem(LANGUAGE, language);
  location.reload();
}

const wanted = new URLSearchParams(location.search).get("language") ?? localStorage.getItem(LANGUAGE) ?? navigator.language;
const [text, page] = await Promise.all([loadText(wanted.toLowerCase()), openPageStore("console")]);
document.documentElement.lang = text.language === "zh-cn" ? "zh-CN" : text.language;
await createShell(/** @type {HTMLElement} */ (document.getElementById("console")), text, page.values);
