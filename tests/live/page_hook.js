// Runs in the page before any of its own scripts: wraps SillyTavern's event emitter, so that every event is logged and a test can
// wait for one, or for a page that is at rest. Nothing of the extension under test is touched.
(() => {
  if (window.tideloreLive || location.protocol === "about:") return;
  const live = (window.tideloreLive = { events: [], next: 0, running: 0, last: 0, ready: null });

  const MOST = 400;
  function brief(value, depth = 0) {
    if (typeof value === "string") return value.length > MOST ? `${value.slice(0, MOST)}…` : value;
    if (value === null || ["boolean", "number"].includes(typeof value)) return value;
    if (typeof value !== "object") return `<${typeof value}>`;
    if (value instanceof Node || value instanceof AbortSignal || value instanceof window.jQuery) return `<${value.constructor.name}>`;
    if (depth > 3) return "<…>";
    if (Array.isArray(value)) return value.length > 12 ? `<${value.length} values>` : value.map((each) => brief(each, depth + 1));
    const entries = Object.entries(value).slice(0, 40);
    return Object.fromEntries(entries.map(([key, each]) => [key, brief(each, depth + 1)]));
  }

  function wrap(source, types, method) {
    const real = source[method];
    source[method] = function (event, ...details) {
      const entry = { number: live.next++, event, details: details.map((each) => brief(each)), at: performance.now(), took: null };
      if (event !== types.STREAM_TOKEN_RECEIVED) live.events.push(entry);
      live.last = entry.at;
      live.running++;
      const end = () => {
        live.running--;
        live.last = performance.now();
        entry.took = live.last - entry.at;
        if (event === types.APP_READY) live.ready ??= live.last;
      };
      let result;
      try {
        result = real.call(this, event, ...details);
      } finally {
        if (typeof result?.then === "function") result.then(end, end);
        else end();
      }
      return result;
    };
  }

  // Notices vanish by themselves.
  live.notices = [];
  new MutationObserver((changes) => {
    for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
      if (node instanceof HTMLElement && node.matches("#toast-container .toast")) live.notices.push(node.innerText.trim());
    }
  }).observe(document, { childList: true, subtree: true });

  const looking = setInterval(() => {
    const context = (() => {
      try {
        return window.SillyTavern?.getContext();
      } catch {
        return null; // its modules are not all evaluated yet
      }
    })();
    if (!context?.eventSource) return;
    clearInterval(looking);
    for (const method of ["emit", "emitAndWait"]) wrap(context.eventSource, context.eventTypes, method);
  }, 1);

  const shown = (selector) => {
    const element = document.querySelector(selector);
    return element !== null && getComputedStyle(element).display !== "none";
  };
  live.busy = () => shown("#mes_stop") || document.body?.dataset.generating === "true" || live.running > 0;
  live.atRest = (quiet) => !live.busy() && performance.now() - live.last > quiet;
  // Of generation_started the third detail says whether it is a dry run, which never reaches a model.
  live.saw = (since, names, real) =>
    live.events.some(({ number, event, details }) => number >= since && names.includes(event) && (!real || details[2] !== true));
})();
