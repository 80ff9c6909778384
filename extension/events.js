// SillyTavern's events. They only say that something changed; what, the engine finds by itself.

const CHANGES = [
  "CHAT_CHANGED",
  "CHAT_LOADED",
  "CHAT_CREATED",
  "GROUP_CHAT_CREATED",
  "CHAT_RENAMED",
  "CHAT_DELETED",
  "GROUP_CHAT_DELETED",
  "MESSAGE_SENT",
  "MESSAGE_RECEIVED",
  "CHARACTER_MESSAGE_RENDERED",
  "MESSAGE_EDITED",
  "MESSAGE_UPDATED",
  "MESSAGE_DELETED",
  "MESSAGE_SWIPED",
  "MESSAGE_SWIPE_DELETED",
  "MORE_MESSAGES_LOADED",
  "IMPERSONATE_READY",
  "GROUP_WRAPPER_FINISHED",
  "TOOL_CALLS_RENDERED",
  "CHARACTER_EDITED",
  "CHARACTER_RENAMED_IN_PAST_CHAT",
  "PERSONA_CHANGED",
  "PERSONA_RENAMED",
  "GROUP_UPDATED",
];
// Those whose first detail is the index of a message.
const POINTS = ["MESSAGE_SENT", "MESSAGE_RECEIVED", "CHARACTER_MESSAGE_RENDERED", "MESSAGE_EDITED", "MESSAGE_UPDATED", "MESSAGE_SWIPED"];
// What the memory model is called, or whether it is there, may have changed.
const CONNECTIONS = [
  "MAIN_API_CHANGED",
  "CHATCOMPLETION_SOURCE_CHANGED",
  "CHATCOMPLETION_MODEL_CHANGED",
  "ONLINE_STATUS_CHANGED",
  "CONNECTION_PROFILE_CREATED",
  "CONNECTION_PROFILE_UPDATED",
  "CONNECTION_PROFILE_DELETED",
];
const ENDS = ["GENERATION_ENDED", "GENERATION_STOPPED"];

/**
 * @param {object} parts
 * @param {Pick<import("./host.js").Host, "on" | "has" | "intercept">} parts.host
 * @param {import("./identity.js").Places} parts.places
 * @param {{soon: (reason: string) => void}} parts.sync
 * @param {Pick<ReturnType<import("./injection.js").createInjection>, "before" | "takeOut" | "clear" | "delivered" | "observe">} parts.injection
 * @param {(value: boolean) => void} parts.replying a reply is being generated, or not any more
 * @param {() => boolean} parts.isOn
 * @param {() => Promise<void>} parts.connectionChanged
 * @param {(error: any) => void} parts.onError
 */
export function listen({ host, places, sync, injection, replying, isOn, connectionChanged, onError }) {
  let busy = false;
  /** @param {boolean} value */
  const reply = (value) => {
    busy = value;
    replying(value);
  };

  for (const name of CHANGES) host.on(name, () => void (isOn() && sync.soon(name)));
  for (const name of POINTS) {
    host.on(name, (index) => {
      if (!host.has(Number(index))) console.warn(`Tidelore: ${name} names message ${index}, which is not there.`);
    });
  }
  for (const name of CONNECTIONS) host.on(name, () => void connectionChanged().catch(onError));
  for (const name of ENDS) {
    host.on(name, () => {
      reply(false);
      injection.takeOut();
      sync.soon(name);
    });
  }
  host.on("GENERATION_STARTED", (_type, _options, dry) => {
    // Hiding and moving messages is told by no event; a generation that gets no memory is an occasion too. Dry runs only count tokens.
    if (dry !== true && isOn()) sync.soon("GENERATION_STARTED");
  });
  host.on("CHAT_CHANGED", () => {
    reply(false);
    injection.clear();
  });
  host.on("MESSAGE_RECEIVED", (_index, type) => {
    if (type !== "first_message" && type !== "command") void injection.delivered();
  });
  host.on("CHAT_COMPLETION_PROMPT_READY", (data) => {
    if (!data?.dryRun && busy) void injection.observe(data.chat).catch(onError);
  });
  host.on("CHARACTER_RENAMED", (before, after) => void moved(String(before), String(after)).catch(onError));
  host.intercept(async (size, type) => {
    if (!isOn()) return injection.clear();
    reply(type !== "quiet");
    await injection.before(size, type);
  });

  /** A card's file got another name, and with it the person another id. @param {string} before @param {string} after */
  async function moved(before, after) {
    for (const row of await places.all()) {
      const owner = row.owner === before ? after : row.owner;
      const people = row.people.map((each) => (each.id === before ? { ...each, id: after } : each));
      if (owner !== row.owner || people.some(({ id }) => id === after)) await places.put({ ...row, owner, people });
    }
    sync.soon("CHARACTER_RENAMED");
  }
}
