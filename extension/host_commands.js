// Slash commands as SillyTavern has them, and whether a person waits for what one of them answers.

/** @typedef {import("./types.js").CommandSpec} CommandSpec */

// While SillyTavern runs what was typed into the field where one writes.
const TYPED = "isExecutingCommandsFromChatInput";

/** @type {WeakMap<object, {answers: number}>} how many commands of a script have answered */
const counted = new WeakMap();

/** @param {() => any} context @param {CommandSpec} spec */
export function addCommand(context, { name, aliases = [], help, value, named = [], run }) {
  const { SlashCommandParser, SlashCommand, SlashCommandArgument, SlashCommandNamedArgument, ARGUMENT_TYPE } = context();
  if (!SlashCommand) return;
  SlashCommandParser.addCommandObject(
    SlashCommand.fromProps({
      name,
      aliases,
      helpString: escaped(help),
      returns: "text",
      callback: async (/** @type {Record<string, any>} */ given, /** @type {any} */ text) => {
        const nobodyTook = watch(given._scope);
        const { answer, show } = await run(plain(given), String(text ?? ""));
        if (show) void nobodyTook().then((shown) => shown && show());
        return answer;
      },
      namedArgumentList: named.map((each) =>
        SlashCommandNamedArgument.fromProps({ name: each.name, description: each.help, typeList: [ARGUMENT_TYPE.STRING], isRequired: each.required ?? false }),
      ),
      unnamedArgumentList: value === undefined ? [] : [SlashCommandArgument.fromProps({ description: value, typeList: [ARGUMENT_TYPE.STRING] })],
    }),
  );
}

/**
 * SillyTavern throws away the answer of the last command of what a person typed. It tells no command that it is the last one, but puts each answer into
 * the pipe of the script: when the script is over and no other answer came after ours, ours is the one that nobody sees.
 * @param {any} scope of the script that the command stands in
 * @returns {() => Promise<boolean>} to be asked once the command has an answer: waits for the end of the script
 */
function watch(scope) {
  const form = document.getElementById("form_sheld");
  // What stands in a closure answers to what runs the closure.
  if (!scope || scope.parent || !form?.classList.contains(TYPED)) return async () => false;
  const count = counted.get(scope) ?? countAnswers(scope);
  return () => {
    const before = count.answers;
    return new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        if (form.classList.contains(TYPED)) return;
        observer.disconnect();
        resolve(count.answers === before + 1);
      });
      observer.observe(form, { attributes: true, attributeFilter: ["class"] });
    });
  };
}

/** @param {any} scope */
function countAnswers(scope) {
  const count = { answers: 0 };
  let pipe = scope.pipe;
  Object.defineProperty(scope, "pipe", {
    configurable: true,
    get: () => pipe,
    set(value) {
      count.answers++;
      pipe = value;
    },
  });
  counted.set(scope, count);
  return count;
}

/** @param {string} text */
const escaped = (text) => text.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign] ?? sign);

/** @param {Record<string, any>} given @returns {Record<string, string>} */
const plain = (given) =>
  Object.fromEntries(Object.entries(given).filter(([name, value]) => !name.startsWith("_") && value != null).map(([name, value]) => [name, String(value)]));
