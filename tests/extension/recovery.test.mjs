import assert from "node:assert/strict";
import { test } from "node:test";

import { createRecovery } from "../../extension/recovery.js";

const MINUTE = 60_000;

function setUp(starts = () => true) {
  const state = { now: 1, delays: [], started: 0, givenUp: 0 };
  let due = null;
  const recovery = createRecovery({
    now: () => state.now,
    setTimeout(run, ms) {
      state.delays.push(ms);
      due = run;
      return run;
    },
    clearTimeout: (timer) => void (due === timer && (due = null)),
    onGivenUp: () => void state.givenUp++,
    async start() {
      state.started++;
      if (!starts(state.started)) return false;
      recovery.runs();
      return true;
    },
  });
  /** What is planned comes to pass. */
  const fire = async () => {
    const run = due;
    due = null;
    await run?.();
  };
  return { state, recovery, fire };
}

test("an engine that ends again and again is started later and later, then no more", async () => {
  const { state, recovery, fire } = setUp();
  for (let round = 0; round < 5; round++) {
    recovery.failed();
    await fire();
    state.now += MINUTE;
  }
  assert.deepEqual([state.delays, state.started, state.givenUp], [[0, 2_000, 10_000, 60_000], 4, 1]);
});

test("a start that fails counts like an end", async () => {
  const { state, recovery, fire } = setUp(() => false);
  recovery.failed();
  for (let round = 0; round < 6; round++) await fire();
  assert.deepEqual([state.delays, state.started, state.givenUp], [[0, 2_000, 10_000, 60_000], 4, 1]);
});

test("a while of health begins the count anew, however often it happened before", async () => {
  const { state, recovery, fire } = setUp();
  for (let round = 0; round < 20; round++) {
    recovery.failed();
    await fire();
    state.now += 10 * MINUTE;
  }
  assert.deepEqual([new Set(state.delays), state.started, state.givenUp], [new Set([0]), 20, 0]);
});

test("switched off meanwhile, nothing is started, and later it counts from the beginning", async () => {
  const { state, recovery, fire } = setUp();
  recovery.failed();
  await fire();
  recovery.failed();
  recovery.stop();
  await fire();
  assert.equal(state.started, 1);
  recovery.failed();
  assert.deepEqual(state.delays, [0, 2_000, 0]);
});
