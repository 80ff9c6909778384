// SillyTavern's page as the extension sees it, without the page: the same methods as extension/host.js, over plain values.

export class FakeHost {
  place_ = { kind: "character", owner: "Mira.png", file: "Mira - one", title: "Mira - one", integrity: "i1" };
  chat = [];
  mark_ = null;
  fileNames = ["Mira - one"];
  people_ = [
    { id: "persona:me.png", name: "Rowan" },
    { id: "Mira.png", name: "Mira" },
  ];
  prompts = {};
  listeners = new Map();
  stored_ = {};
  notices = [];
  saves = 0;
  tokensOf = (text) => Math.ceil(text.length / 4);
  card = "";
  onFiles = () => {};

  // ---- what tests do ----

  say(...texts) {
    for (const text of texts) {
      const isUser = this.chat.length % 2 === 0;
      this.chat.push({ role: isUser ? "user" : "assistant", text, name: isUser ? "Rowan" : "Mira", hidden: false, date: "", unsettled: false, extra: {} });
    }
    return this;
  }

  async emit(name, ...args) {
    for (const listener of this.listeners.get(name) ?? []) await listener(...args);
  }

  // ---- what extension/host.js has ----

  on(name, listener) {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
  }
  handle = async () => "default-user";
  locale = () => "en";
  intercept(before) {
    this.before = before;
  }
  place = () => (this.place_ ? { ...this.place_ } : null);
  messages = () => this.chat.map(({ extra, ...message }, index) => ({ index, ...message }));
  mark = () => this.mark_;
  setMark = (mark) => void (this.mark_ = mark);
  saveMark = async () => void this.saves++;
  people = () => this.people_.map((each) => ({ ...each }));
  extra = (index, name) => this.chat[index]?.extra[name] ?? null;
  setExtra = (index, name, value) => {
    if (value === null) delete this.chat[index].extra[name];
    else this.chat[index].extra[name] = structuredClone(value);
  };
  saveChat = async () => void this.saves++;
  has = (index) => index >= 0 && index < this.chat.length;
  show = () => true;
  files = async () => {
    await this.onFiles();
    return this.fileNames;
  };
  setPrompt = (block, text, placement) => void (this.prompts[block] = { text, placement });
  countTokens = async (text) => this.tokensOf(text);
  cardText = () => this.card;
  stored = () => this.stored_;
  saveSettings = () => void this.saves++;
  dropSettings = () => void (this.stored_ = {});
  notify = (kind, text) => void this.notices.push({ kind, text });
  ask = async () => true;
  isTyping = () => false;
  mount() {}
  addCommand() {}
  addMacro() {}
  isOnline = () => true;
  currentModel = () => "story-model";
  profiles = () => [];
}

/** A promise and the means to end it. */
export function gate() {
  let open;
  const promise = new Promise((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

/** Timers that run when a test says so. */
export function fakeTimers() {
  let next = 1;
  const waiting = new Map();
  return {
    setTimeout: (run) => {
      waiting.set(next, run);
      return next++;
    },
    clearTimeout: (id) => void waiting.delete(id),
    async fire() {
      const runs = [...waiting.values()];
      waiting.clear();
      for (const run of runs) await run();
      await new Promise((resolve) => setImmediate(resolve));
    },
    get count() {
      return waiting.size;
    },
  };
}
