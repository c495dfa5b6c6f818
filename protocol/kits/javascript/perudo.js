"use strict";

// Talks to the arena, so that bot.js only has to choose. There is no need to change this file.

const fs = require("node:fs");
const path = require("node:path");
const readline = require("node:readline");

// All that you know when it is your turn.
class View {
  constructor(turn, hello, left) {
    this.dice = turn.dice; // your own, 1 to 6; 1 is a paco, which is wild
    this.bids = turn.bids; // of this round, oldest first: {seat, quantity, face}
    this.last = turn.bids.at(-1) ?? null; // the bid to raise or to doubt; null if you open the round
    this.raises = turn.raises; // every legal bid: {face, min, max}; empty if you can only doubt
    this.palifico = turn.palifico_seat !== null; // whether pacos are not wild in this round
    this.seat = turn.seat;
    this.left = turn.dice_counts ?? left; // how many dice each seat has left
    this.hidden = this.left.reduce((sum, n) => sum + n, 0) - turn.dice.length; // dice you do not see
    this.game = turn.game;
    this.round = turn.round;
    this.rules = hello.rules;
    // From 0 to 1, drawn from the turn and not from the order of questions: your games can be
    // repeated.
    this.random = generator([hello.seed, turn.game, turn.round, turn.bids.length]);
    this.turn = turn; // the request as the arena sent it
  }

  // Returns whether pacos count for a bid on this face.
  wild(face) {
    return face !== 1 && !this.palifico;
  }

  // Returns how many of your dice count for a bid on this face.
  own(face) {
    return this.dice.filter((die) => die === face || (die === 1 && this.wild(face))).length;
  }

  // Returns the chance that a bid holds, if nothing is known of the dice you do not see.
  chance(quantity, face) {
    return atLeast(quantity - this.own(face), this.hidden, this.wild(face) ? 1 / 3 : 1 / 6);
  }
}

function atLeast(needed, dice, chance) {
  if (needed <= 0) return 1;
  let sum = 0;
  let term = (1 - chance) ** dice; // the chance that no die matches, then one, two, ...
  for (let k = 0; k <= dice; k++) {
    if (k >= needed) sum += term;
    term *= ((dice - k) / (k + 1)) * (chance / (1 - chance));
  }
  return sum;
}

function generator(numbers) {
  let state = numbers.reduce((hash, n) => mix(hash + n), 0);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    return (mix(state) >>> 0) / 2 ** 32;
  };
}

function mix(n) {
  n = Math.imul(n ^ (n >>> 16), 0x85ebca6b);
  n = Math.imul(n ^ (n >>> 13), 0xc2b2ae35);
  return n ^ (n >>> 16);
}

// Returns the move that bids `quantity` dice of `face`.
function bid(quantity, face) {
  return { action: "bid", quantity, face };
}

// Returns the move that doubts the last bid.
function dudo() {
  return { action: "dudo" };
}

// Answers the arena until it says goodbye.
function play(choose) {
  const read = reader((ready) => say(ready));
  readline.createInterface({ input: process.stdin }).on("line", (line) => {
    const view = read(line);
    if (view) say({ id: view.turn.id, ...checked(choose(view)) });
  });
}

function checked(move) {
  if (move?.action) return move;
  const must = "it must return bid(quantity, face) or dudo()";
  console.error(`${path.basename(require.main.filename)}: choose() returned ${JSON.stringify(move)}; ${must}`);
  process.exit(1);
}

// Returns the turns of a recorded conversation, such as positions.jsonl.
function positions(path) {
  const lines = fs.readFileSync(path, "utf-8").trimEnd().split("\n");
  const damaged = lines.findIndex((line) => !isMessage(line));
  if (damaged >= 0) {
    console.error(`${path}, line ${damaged + 1} is damaged`);
    process.exit(1);
  }
  return lines.map(reader(() => {})).filter((view) => view);
}

function isMessage(line) {
  try {
    return "type" in JSON.parse(line);
  } catch {
    return false;
  }
}

// Returns whether the rules allow a move.
function legal(view, move) {
  if (move?.action === "dudo") return view.last !== null;
  const { quantity, face } = move ?? {};
  return view.raises.some((one) => one.face === face && one.min <= quantity && quantity <= one.max);
}

// Returns a function that takes a line in, and returns a View if it is a turn.
function reader(ready) {
  let hello;
  let games; // the dice left of each seat, by game: so many games can share the pipe
  const left = (game) => {
    if (!games.has(game)) games.set(game, Array(hello.seats).fill(hello.rules.starting_dice));
    return games.get(game);
  };
  return (line) => {
    const message = JSON.parse(line);
    switch (message.type) {
      case "hello":
        hello = message;
        games = new Map();
        ready({ type: "ready", concurrent_games: 64, reusable: true });
        break;
      case "turn":
        return new View(message, hello, [...left(message.game)]);
      case "round_end":
        if (message.loser !== null) left(message.game)[message.loser]--;
        if (message.gainer !== null) left(message.game)[message.gainer]++;
        break;
      case "fault":
        left(message.game)[message.seat] = 0;
        break;
      case "game_end":
        games.delete(message.game);
    }
    return null;
  };
}

function say(message) {
  process.stdout.write(JSON.stringify(message) + "\n"); // to a pipe, Node writes at once
}

module.exports = { View, bid, dudo, legal, play, positions };
