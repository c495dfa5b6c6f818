/* The replay: it shows what the shards say, and computes nothing but positions.

   Every text comes from bots in the end: it is only ever set as text, never as markup. */
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const GAMES_PER_SHARD = 32;
const SPEEDS = [["slow", 3000], ["calm", 1800], ["normal", 1000], ["quick", 500], ["fast", 200]];
const ALL = "all", ACTING = "acting";
const PIPS = {
  1: [[0, 0]],
  2: [[-1, -1], [1, 1]],
  3: [[-1, -1], [0, 0], [1, 1]],
  4: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]],
  6: [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]],
};
const PLACES = ["", "1st", "2nd", "3rd", "4th", "5th", "6th"];

const get = (id) => document.getElementById(id);
const narrow = matchMedia("(max-width: 40rem)");
const waiting = new Map();
const state = { shard: null, game: null, at: 0, eyes: ALL, speed: 2, timer: 0 };

/* Elements */

function dress(made, options, children) {
  for (const [key, value] of Object.entries(options)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const element = (kind, options = {}, ...children) => dress(document.createElement(kind), options, children);
const draw = (kind, options = {}, ...children) => dress(document.createElementNS(SVG, kind), options, children);
const nameOf = (seat) => state.shard.seats[seat];
const steps = () => state.game.steps;
const step = () => steps()[state.at];
const last = () => steps().length - 1;
const place = (at) => `#${state.shard.fixture}.${state.game.game}.${at}`;

/* Shards */

function load(shard) {
  return new Promise((resolve, reject) => {
    waiting.set(shard, resolve);
    const script = element("script", { src: `replays/${shard}.js` });
    script.addEventListener("error", () => reject(new Error("there is no replay of this game")));
    document.head.append(script);
  });
}

window.perudoShard = async (shard, text) => {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const resolve = waiting.get(shard);
  if (resolve) resolve(await new Response(stream).json());
};

/* Where things stand */

const roundOf = (one) => state.game.rounds[one.round] || null;

function story() {
  const round = roundOf(step());
  const first = round ? round.first : 0;
  return steps().slice(first, state.at + 1).map((one, at) => ({ ...one, at: first + at }));
}

const bidOnTable = () => story().findLast((one) => one.kind === "bid") || null;
const revealed = () => step().kind === "call" || step().kind === "end";

function sees(seat) {
  if (state.eyes === ALL || revealed()) return true;
  return seat === (state.eyes === ACTING ? step().seat : Number(state.eyes));
}

const seesAll = () => state.eyes === ALL || revealed();

function matches(face, bid, round) {
  if (!bid || !seesAll()) return false;
  return face === bid.face || (face === 1 && round.palifico === null);
}

const goneAt = (seat) => steps().findIndex((one) => one.kind === "fault" && one.seat === seat);

/* The table */

const WIDE = { width: 640, height: 400, x: 235, y: 135, box: 150 };
const NARROW = { width: 344, height: 450, x: 115, y: 178, box: 114 };

function spot(seat, shape) {
  const angle = Math.PI * (0.5 + (2 * seat) / state.shard.seats.length);
  return [shape.width / 2 + shape.x * Math.cos(angle), shape.height / 2 + shape.y * Math.sin(angle)];
}

function drawDie(face, x, y, size, matched) {
  const pips = PIPS[face].map(([dx, dy]) =>
    draw("circle", { class: "dot", cx: x + dx * size * 0.25, cy: y + dy * size * 0.25, r: size * 0.1 }));
  const body = { class: "face", x: x - size / 2, y: y - size / 2, width: size, height: size, rx: size / 5 };
  return draw("g", { class: matched ? "match" : "die-shown" }, draw("rect", body), ...pips);
}

function drawDice(hand, x, y, bid, round) {
  const row = Math.min(5, hand.length), top = hand.length > 5 ? y - 10 : y;
  return hand.map((face, at) => {
    const across = x + ((at % 5) - (row - 1) / 2) * 20;
    return drawDie(face, across, top + Math.floor(at / 5) * 20, 17, matches(face, bid, round));
  });
}

function drawCup(count, x, y) {
  const cup = draw("path", { class: "cup", d: `M${x - 18} ${y - 13}h36l8 28h-52z` });
  const rim = draw("line", { class: "rim", x1: x - 28, x2: x + 28, y1: y + 15, y2: y + 15 });
  return [cup, rim, draw("text", { x, y: y + 6 }, String(count))];
}

function drawLabel(text, x, y, width) {
  const long = text.length * 8 > width;
  const label = draw("text", long ? { class: "long", x: 0, y: 15 } : { x: width / 2, y: 15 }, text);
  const box = { x: x - width / 2, y: y - 15, width, height: 20 };
  return draw("svg", box, draw("title", {}, text), label);
}

function wordOf(seat, round) {
  const fault = goneAt(seat);
  if (fault >= 0 && fault <= state.at) return "faulted";
  if (step().kind === "end" || !round || !round.dice[seat].length) return PLACES[state.game.places[seat]];
  const bid = story().findLast((one) => one.kind === "bid" && one.seat === seat);
  return bid ? `${bid.quantity} × ${bid.face}` : "";
}

function seatClass(seat, round) {
  const fault = goneAt(seat);
  if (fault === state.at) return "seat faulted";
  const out = !round || !round.dice[seat].length || (fault >= 0 && fault < state.at);
  return `seat${out ? " gone" : ""}${step().seat === seat ? " acts" : ""}`;
}

function drawSeat(seat, round, shape) {
  const [x, y] = spot(seat, shape);
  const hand = round ? round.dice[seat] : [];
  const box = { class: "seat-box", x: x - shape.box / 2, y: y - 42, width: shape.box, height: 84, rx: 8 };
  const dice = sees(seat) ? drawDice(hand, x, y + 2, bidOnTable(), round) : drawCup(hand.length, x, y);
  const word = draw("text", { class: "word quiet", x, y: y + 36 }, wordOf(seat, round));
  return draw("g", { class: seatClass(seat, round) },
    draw("rect", box), drawLabel(nameOf(seat), x, y - 24, shape.box - 10), ...(hand.length ? dice : []), word);
}

function drawBid(bid, shape) {
  const x = shape.width / 2, y = shape.height / 2;
  if (!bid) return [draw("text", { class: "quiet", x, y }, step().kind === "end" ? "" : "no bid yet")];
  const verdict = bid.right ? "verdict" : "verdict false";
  const truth = seesAll() ? [draw("text", { class: verdict, x, y: y + 38 }, `${bid.count} there: ${bid.right ? "true" : "false"}`)] : [];
  return [
    draw("text", { class: "big", x: x - 20, y: y + 8 }, `${bid.quantity} ×`),
    drawDie(bid.face, x + 30, y - 2, 32, false),
    ...truth,
  ];
}

function showTable() {
  const shape = narrow.matches ? NARROW : WIDE;
  const round = roundOf(step());
  const felt = { class: "felt", cx: shape.width / 2, cy: shape.height / 2, rx: shape.x, ry: shape.y };
  const seats = state.shard.seats.map((_, seat) => drawSeat(seat, round, shape));
  const bid = draw("g", { class: step().kind === "bid" ? "fresh" : "still" }, ...drawBid(bidOnTable(), shape));
  get("table").setAttribute("viewBox", `0 0 ${shape.width} ${shape.height}`);
  get("table").replaceChildren(draw("ellipse", felt), bid, ...seats);
}

/* The words */

function toldOf(one) {
  return [one.said, sees(one.seat) && one.knew, seesAll() && one.truth].filter(Boolean).join(" ");
}

function didOf(one) {
  if (one.kind !== "bid") {
    const did = element("a", { href: place(one.at) }, one.word || "opens");
    return element("td", { class: one.kind === "fault" ? "did fault" : "did" }, did);
  }
  const die = draw("svg", { width: 17, height: 17, "aria-hidden": "true" }, drawDie(one.face, 8.5, 8.5, 16, false));
  const link = element("a", { href: place(one.at) }, `${one.quantity} ×`, element("span", { class: "unseen" }, ` ${one.face}`), die);
  return element("td", { class: "did" }, link);
}

function truthOf(one) {
  const [yes, no] = one.kind === "bid" ? ["true", "false"] : ["right", "wrong"];
  if (one.kind !== "bid" && one.kind !== "call") return element("td");
  if (!seesAll()) return element("td", { class: "none" }, "hidden");
  return element("td", { class: String(one.right) }, `${one.right ? yes : no}: ${one.count}`);
}

function rowOf(one) {
  const bot = element("a", { href: state.shard.bots[one.seat], class: "bot" }, element("bdi", {}, nameOf(one.seat)));
  const knew = one.odds && sees(one.seat) ? one.odds : "";
  return element("tr", one.at === state.at ? { class: "now" } : {},
    element("th", { scope: "row", class: "name" }, bot),
    didOf(one), element("td", { class: "num" }, knew), truthOf(one));
}

function showStory() {
  const round = roundOf(step());
  get("now").textContent = toldOf(step());
  get("round-title").textContent = round ? `Round ${round.number}` : "Before the dice";
  get("round-about").textContent = round ? aboutRound(round) : "";
  get("history").replaceChildren(...story().filter((one) => one.kind !== "end").map(rowOf));
}

function aboutRound(round) {
  const dice = round.dice.reduce((sum, hand) => sum + hand.length, 0);
  const wild = round.palifico === null ? "pacos are wild" : `palifico of ${nameOf(round.palifico)}: nothing is wild`;
  return `${dice} dice, ${wild}`;
}

function fillRounds() {
  const faulty = new Set(steps().filter((one) => one.kind === "fault").map((one) => one.round));
  get("rounds").replaceChildren(...state.game.rounds.map((round, at) =>
    element("a", { href: place(round.first), class: faulty.has(at) ? "faulty" : "round" }, String(round.number))));
}

function showRounds() {
  [...get("rounds").children].forEach((link, at) => {
    if (at === step().round) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  });
}

/* The controls */

const nextFault = () => steps().findIndex((one, at) => at > state.at && one.kind === "fault");

const nextRound = () => state.game.rounds.find((round) => round.first > state.at)?.first ?? last();
const lastRound = () => state.game.rounds.findLast((round) => round.first < state.at)?.first ?? 0;

function showControls() {
  const playing = state.timer !== 0;
  get("play").textContent = playing ? "Pause" : "Play";
  for (const id of ["back", "back-round"]) get(id).disabled = state.at === 0;
  for (const id of ["on", "on-round"]) get(id).disabled = state.at === last();
  get("on-fault").disabled = nextFault() < 0;
  get("slider").max = last();
  get("slider").value = state.at;
  get("slider").setAttribute("aria-valuetext", `step ${state.at} of ${last()}`);
  get("link").href = place(state.at);
  get("number").textContent = `${state.at} of ${last()}`;
  get("speed").value = state.speed;
  get("eyes").value = state.eyes;
}

function show() {
  showTable();
  showStory();
  showRounds();
  showControls();
}

function go(at) {
  state.at = Math.max(0, Math.min(last(), at));
  if (state.at === last()) pause();
  history.replaceState(null, "", place(state.at));
  show();
}

function pause() {
  clearTimeout(state.timer);
  state.timer = 0;
}

function tick() {
  state.timer = setTimeout(() => {
    tick();
    go(state.at + 1);
  }, SPEEDS[state.speed][1]);
}

function togglePlay() {
  if (state.timer) {
    pause();
    show();
    return;
  }
  tick();
  go(state.at === last() ? 0 : state.at);
}

function setSpeed(speed) {
  state.speed = speed;
  if (state.timer) {
    pause();
    tick();
  }
  showControls();
}

function setEyes(eyes) {
  state.eyes = eyes;
  show();
}

const KEYS = {
  " ": togglePlay,
  ArrowLeft: () => go(state.at - 1),
  ArrowRight: () => go(state.at + 1),
  Home: () => go(0),
  End: () => go(last()),
  "[": () => go(lastRound()),
  "]": () => go(nextRound()),
  f: () => nextFault() >= 0 && go(nextFault()),
  d: () => setEyes(state.eyes === ALL ? ACTING : ALL),
};

function keyOf(event) {
  if (event.key >= "1" && event.key <= "5" && event.key.length === 1) return () => setSpeed(Number(event.key) - 1);
  return KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
}

function pressed(event) {
  const at = event.target.closest("select, summary, a, button, input");
  const taken = at && (at.matches("select") || (event.key === " " && !at.matches("input")));
  const action = keyOf(event);
  const meant = event.getModifierState("AltGraph") || !(event.ctrlKey || event.altKey || event.metaKey);
  if (get("replay").hidden || taken || !action || !meant) return;
  event.preventDefault();
  action();
}

/* The page */

function fill(id, choices) {
  get(id).replaceChildren(...choices.map(([value, text]) => element("option", { value }, text)));
}

function begin(shard, game, at) {
  if (shard !== state.shard || shard.games[game] !== state.game) sitDown(shard, game);
  get("trouble").hidden = true;
  get("replay").hidden = false;
  go(at);
}

function sitDown(shard, game) {
  Object.assign(state, { shard, game: shard.games[game], eyes: ALL });
  get("about").replaceChildren(...aboutGame());
  fill("games", Object.keys(shard.games).map((one) => [one, one]));
  fill("eyes", [[ALL, "all shown"], [ACTING, "as the seat that acts"], ...shard.seats.map((seat, at) => [at, `as ${seat}`])]);
  get("games").value = game;
  fillRounds();
}

function aboutGame() {
  const { shard, game } = state;
  const table = element("a", { href: `index.html#${shard.table}` }, `${shard.variant}, ${shard.seats.length} players`);
  const bots = shard.seats.flatMap((seat, at) =>
    [at ? ", " : "", element("a", { class: "bot", href: shard.bots[at] }, element("bdi", {}, seat))]);
  return [table, `, fixture ${shard.fixture}, game ${game.game}: `, ...bots];
}

function complain(message) {
  pause();
  get("trouble").textContent = `This cannot be shown: ${message}.`;
  get("trouble").hidden = false;
  get("replay").hidden = true;
}

async function openGame(fragment) {
  const found = /^#?(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?$/.exec(fragment);
  if (!found) throw new Error("the address names no game");
  const [fixture, game, at] = [found[1], found[2], found[3] || 0].map(Number);
  if (state.shard && state.shard.fixture === fixture && state.shard.games[game]) return begin(state.shard, game, at);
  const shard = await load(`${fixture}-${Math.floor(game / GAMES_PER_SHARD)}`);
  if (!shard.games[game]) throw new Error("there is no replay of this game");
  return begin(shard, game, at);
}

function follow() {
  if (state.game && location.hash === place(state.at)) return;
  pause();
  openGame(location.hash || get("replay").dataset.first).catch((error) => complain(error.message));
}

function listen() {
  const clicks = {
    play: togglePlay, back: KEYS.ArrowLeft, on: KEYS.ArrowRight,
    "back-round": KEYS["["], "on-round": KEYS["]"], "on-fault": KEYS.f,
  };
  for (const [id, action] of Object.entries(clicks)) get(id).addEventListener("click", action);
  get("slider").addEventListener("input", (event) => go(Number(event.target.value)));
  get("speed").addEventListener("change", (event) => setSpeed(Number(event.target.value)));
  get("eyes").addEventListener("change", (event) => setEyes(event.target.value));
  get("games").addEventListener("change", (event) => begin(state.shard, event.target.value, 0));
  document.addEventListener("keydown", pressed);
  window.addEventListener("hashchange", follow);
  narrow.addEventListener("change", () => state.game && show());
}

fill("speed", SPEEDS.map(([word], at) => [at, `${at + 1} ${word}`]));
listen();
follow();
