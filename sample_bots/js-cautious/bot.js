// Thinks in averages and takes no risks: it doubts every bid that is above the average, and raises
// to the bid that stays furthest below it.
//
// A hidden die matches a bid once in three throws, or once in six when pacos are not wild or the bid
// is on pacos. Where the dice of the others are not shown, it takes them to have as many each as
// itself. It remembers nothing: all that it needs is in the request.

"use strict";

const readline = require("node:readline");

// Returns how many dice on the table match a face, on average, for one who sees its own.
function average(turn, face) {
  const wild = face !== 1 && turn.palifico_seat === null;
  const own = turn.dice.filter((die) => die === face || (wild && die === 1)).length;
  return own + hidden(turn) * (wild ? 1 / 3 : 1 / 6);
}

function hidden(turn) {
  if (turn.dice_counts) {
    return turn.dice_counts.reduce((sum, left) => sum + left, 0) - turn.dice.length;
  }
  return turn.dice.length * (turn.alive.length - 1);
}

// Returns the answer to a turn.
function choose(turn) {
  const margin = (quantity, face) => average(turn, face) - quantity;
  if (turn.dudo) {
    const bid = turn.bids[turn.bids.length - 1];
    if (turn.raises.length === 0 || margin(bid.quantity, bid.face) < 0) {
      return { id: turn.id, action: "dudo" };
    }
  }
  const best = turn.raises.reduce((a, b) =>
    margin(b.min, b.face) > margin(a.min, a.face) ? b : a
  );
  return { id: turn.id, action: "bid", quantity: best.min, face: best.face };
}

function say(message) {
  process.stdout.write(JSON.stringify(message) + "\n"); // to a pipe, Node writes at once
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") {
    // Nothing is kept, so games and fixtures can share the process.
    say({ type: "ready", concurrent_games: 64, reusable: true });
  } else if (message.type === "turn") {
    say(choose(message));
  }
});
