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
