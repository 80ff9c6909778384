// The engine has ended by itself: when it is started again, and when no more. At once the first time, then after longer and longer; a while of health
// begins the count anew, so that one bad hour does not end memory for the life of a page.

const DELAYS_MS = [0, 2_000, 10_000, 60_000];
const HEALTHY_MS = 10 * 60_000;

/**
 * @param {object} options
 * @param {() => Promise<boolean>} options.start whether it runs
 * @param {() => void} options.onGivenUp
 * @param {() => number} [options.now] milliseconds
 * @param {(run: () => void, ms: number) => any} [options.setTimeout]
 * @param {(timer: any) => void} [options.clearTimeout]
 */
export function createRecovery({
  start,
  onGivenUp,
  now = Date.now,
  setTimeout = globalThis.setTimeout.bind(globalThis),
  clearTimeout = globalThis.clearTimeout.bind(globalThis),
}) {
  let failures = 0;
  let since = 0;
  let round = 0;
  /** @type {any} */
  let timer;

  /** It has ended by itself, or did not start again. */
  function failed() {
    if (since && now() - since >= HEALTHY_MS) failures = 0;
    since = 0;
    const delay = DELAYS_MS[failures++];
    if (delay === undefined) return onGivenUp();
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const mine = round;
      if (!(await start()) && mine === round) failed();
    }, delay);
  }

  return {
    failed,

    /** It runs from now on. */
    runs: () => void (since = now()),

    /** Whatever was planned is not wanted any more, and the count begins anew. */
    stop() {
      clearTimeout(timer);
      round++;
      failures = 0;
      since = 0;
    },
  };
}
