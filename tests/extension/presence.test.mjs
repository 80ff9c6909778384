import assert from "node:assert/strict";
import { test } from "node:test";

import { createPresence } from "../../extension/presence.js";

/** Channels of one browser: what one posts, all others of its name get, in order. */
function browser() {
  const open = new Set();
  const queue = [];
  class Channel {
    onmessage = null;
    constructor(name) {
      this.name = name;
      open.add(this);
    }
    postMessage(data) {
      for (const other of open) if (other !== this && other.name === this.name) queue.push(() => other.onmessage?.({ data: structuredClone(data) }));
    }
  }
  const drain = () => {
    for (let run = queue.shift(); run; run = queue.shift()) run();
  };
  return { Channel, drain };
}

function windows(count) {
  const { Channel, drain } = browser();
  const heard = Array(count).fill(0);
  const all = heard.map((_, at) => createPresence({ name: "one", onOther: () => void heard[at]++, Channel }));
  return { all, heard, drain };
}

test("two windows with one chat both hear of it, in whichever order they come", () => {
  const { all, heard, drain } = windows(3);
  all[0].show("a");
  all[2].show("b");
  drain();
  assert.deepEqual(heard, [0, 0, 0]);
  all[1].show("a");
  drain();
  assert.deepEqual(heard, [1, 1, 0]);
});

test("showing the same chat again asks nobody, and coming back to it asks anew", () => {
  const { all, heard, drain } = windows(2);
  all[0].show("a");
  drain();
  all[1].show("a");
  drain();
  assert.deepEqual(heard, [1, 1]);
  all[1].show("a");
  drain();
  assert.deepEqual(heard, [1, 1]);
  all[1].show("");
  all[1].show("a");
  drain();
  assert.deepEqual(heard, [2, 2]);
});

test("a browser without channels hears of nobody", () => {
  createPresence({ name: "one", onOther: assert.fail, Channel: /** @type {any} */ (null) }).show("a");
});
