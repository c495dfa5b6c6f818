"use strict";

// Your bot's tests: node test.js

const assert = require("node:assert");
const { test } = require("node:test");
const { choose } = require("./bot.js");
const { legal, positions } = require("./perudo.js");

const views = positions("positions.jsonl");

test("every move is legal", () => {
  for (const view of views) {
    const move = choose(view);
    assert.ok(legal(view, move), `${JSON.stringify(move)} in ${JSON.stringify(view.turn)}`);
  }
  console.log("passed: every move is legal");
});

test("a bid of more dice than there are is doubted", () => {
  for (const view of views) {
    const dice = view.left.reduce((sum, n) => sum + n, 0);
    if (view.last && view.last.quantity > dice) assert.equal(choose(view)?.action, "dudo");
  }
  console.log("passed: a bid of more dice than there are is doubted");
});

test("nothing is printed but answers", (context) => {
  const write = context.mock.method(process.stdout, "write", () => true);
  for (const view of views) choose(view);
  const printed = write.mock.calls.map((call) => call.arguments[0]).join("");
  context.mock.restoreAll();
  assert.equal(printed, "", "use console.error(), or print nothing");
  console.log("passed: nothing is printed but answers");
});
