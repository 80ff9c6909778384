// Loaded into SillyTavern's process before its own code: ends it when the test process is gone, however that came about.
// Its workers load this as well; theirs is another stdin.
const { isMainThread } = require("node:worker_threads");

if (isMainThread && !process.send) process.stdin.on("end", () => process.exit()).resume();
