// Shows that an extension is loaded and reaches the prompt: it puts the number of messages into every one.
const { eventSource, eventTypes } = SillyTavern.getContext();

eventSource.on(eventTypes.GENERATION_AFTER_COMMANDS, () => {
  const { chat, setExtensionPrompt } = SillyTavern.getContext();
  setExtensionPrompt("tidelore_probe", `[probe: ${chat.length} messages]`, 1, 0, false, 0);
});
