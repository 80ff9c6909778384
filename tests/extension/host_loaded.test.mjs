import assert from "node:assert/strict";
import { test } from "node:test";

import { loading } from "../../extension/host_loaded.js";

function setUp(context = { chat: [], chatMetadata: {} }) {
  const loaded = loading(() => context);
  return {
    context,
    loaded,
    opened(messages, integrity = "i1") {
      context.chat = Array.from({ length: messages }, () => ({}));
      context.chatMetadata = integrity ? { integrity } : {};
      loaded.heard("CHAT_CHANGED");
    },
  };
}

test("a chat that SillyTavern names and has not read yet is not loaded", () => {
  const { context, loaded, opened } = setUp();
  assert.equal(loaded.done(), false);
  opened(3);
  assert.equal(loaded.done(), true);
  Object.assign(context, { chat: [], chatMetadata: {} });
  assert.equal(loaded.done(), false);
  loaded.heard("MESSAGE_SENT");
  assert.equal(loaded.done(), false);
});

test("a group's messages, which come before its metadata, are not loaded until both are there", () => {
  const { context, loaded } = setUp();
  context.chat = [{}, {}];
  assert.equal(loaded.done(), false);
  context.chatMetadata = { integrity: "g1" };
  assert.equal(loaded.done(), true);
});

test("a chat that is read again is not taken for an empty one meanwhile", () => {
  const { context, loaded, opened } = setUp();
  opened(3);
  context.chat = [];
  assert.equal(loaded.done(), false);
});

test("a chat is empty when an event says so, and only until messages have come", () => {
  const { context, loaded, opened } = setUp();
  opened(1);
  context.chat = [];
  loaded.heard("MESSAGE_DELETED");
  assert.equal(loaded.done(), true);
  context.chat = [{}];
  assert.equal(loaded.done(), true);
  context.chat = [];
  assert.equal(loaded.done(), false);
});

test("a version that marks no chat is not asked for marks", () => {
  const { context, loaded, opened } = setUp();
  opened(2, "");
  assert.equal(loaded.done(), true);
  context.chat = [];
  assert.equal(loaded.done(), false);
});

test("a chat that could not be read, beside others that could, is not loaded", () => {
  const { loaded, opened } = setUp();
  opened(2);
  opened(1, "");
  assert.equal(loaded.done(), false);
});
