/* The replay: it shows what the shards say, and computes nothing but positions. */
"use strict";

const GAMES_PER_SHARD = 32;
const SPEEDS = [["slow", 3000], ["calm", 1800], ["normal", 1000], ["quick", 500], ["fast", 200]];
const NORMAL = 3;
const STAYS = 4000;
const CALLED = "called", ALL = "all";
const PLACES = ["", "1st", "2nd", "3rd", "4th", "5th", "6th"];

const site = document.title.slice(document.title.indexOf(" – "));
const links = [...document.querySelectorAll(".highlights a")];
const highlights = links.map((link) => link.getAttribute("href"));
/* In another page: it plays by itself, over and over; without an address one highlight after another. */
const embedded = new URLSearchParams(location.search).has("embed");
const SEEN = `seen ${location.pathname}`;
const seen = new Set(embedded ? [] : remembered());
const tours = embedded && !location.hash && highlights.length > 0;
let firsts = null;
const state = { shard: null, game: null, at: 0, see: CALLED, speed: NORMAL, timer: 0, hidden: null, begins: 0, highlight: -1, shows: false };

/* Where things stand */

const nameOf = (seat) => state.shard.seats[seat];
const markOf = (seat) => state.shard.marks[seat];
const steps = () => state.game.steps;
const step = () => steps()[state.at];
const last = () => steps().length - 1;
const roundOf = (one) => state.game.rounds[one.round] || null;
const revealed = () => step().kind === "call" || step().kind === "end";
const seesAll = () => state.see === ALL || revealed();
const sees = (seat) => seesAll() || String(seat) === state.see;
const goneAt = (seat) => steps().findIndex((one) => one.kind === "fault" && one.seat === seat);

/** The address of a step, with whose dice are seen and how fast it plays, if that was chosen. */
function place(at) {
  const see = state.see === CALLED ? "" : `&see=${state.see}`;
  const speed = state.speed === NORMAL ? "" : `&speed=${state.speed}`;
  return `#${state.shard.fixture}.${state.game.game}.${at}${see}${speed}`;
}

function story() {
  const round = roundOf(step());
  const first = round ? round.first : 0;
  return steps().slice(first, state.at + 1).map((one, at) => ({ ...one, at: first + at }));
}

const bidOnTable = () => story().findLast((one) => one.kind === "bid") || null;

function matches(face, bid, round) {
  return bid && seesAll() && (face === bid.face || (face === 1 && round.wild));
}

/* The table: its pieces are those of reports/table.html, to be filled */

const piece = (name) => get(`a-${name}`).content.firstElementChild.cloneNode(true);

function setDie(made, face, matched = false) {
  made.classList.toggle("match", matched);
  made.setAttribute("aria-label", face);
  made.firstElementChild.setAttribute("href", `#die-${face}`);
  return made;
}

const die = (face, matched) => setDie(piece("die"), face, matched);

function cup(count, lifted) {
  const made = piece("cup");
  made.setAttribute("aria-label", `${count} hidden`);
  made.lastElementChild.textContent = count;
  if (lifted) {
    made.classList.add("lifted");
    made.setAttribute("aria-hidden", "true");
  }
  return made;
}

function setBid(made, { quantity, face }) {
  made.firstElementChild.textContent = quantity;
  setDie(made.querySelector("svg"), face);
  return made;
}

function setName(made, seat) {
  made.title = nameOf(seat);
  made.querySelector("i").className = markOf(seat);
  made.querySelector("a").href = state.shard.bots[seat];
  if (embedded) made.querySelector("a").target = "_blank";
  made.querySelector("bdi").textContent = nameOf(seat);
  return made;
}

function handOf(seat, round) {
  const hand = round ? round.dice[seat] : [];
  if (!hand.length) return [];
  if (!sees(seat)) return [cup(hand.length, false)];
  const bid = bidOnTable(), dice = hand.map((face) => die(face, Boolean(matches(face, bid, round))));
  const lifts = state.hidden && state.hidden.has(seat) && revealed();
  return lifts ? [...dice, cup(hand.length, true)] : dice;
}

function wordOf(seat, round) {
  const fault = goneAt(seat);
  if (fault >= 0 && fault <= state.at) return "faulted";
  if (step().kind === "end" || !round || !round.dice[seat].length) return PLACES[state.game.places[seat]];
  const bid = story().findLast((one) => one.kind === "bid" && one.seat === seat);
  return bid ? setBid(piece("bid"), bid) : "";
}

function seatClass(seat, round) {
  const fault = goneAt(seat);
  if (fault === state.at) return "seat faulted";
  const out = !round || !round.dice[seat].length || (fault >= 0 && fault < state.at);
  return `seat${out ? " gone" : ""}${step().seat === seat ? " acts" : ""}`;
}

function seatBox(seat, round) {
  const made = piece("seat");
  made.className = `${seatClass(seat, round)} at-${seat}`;
  setName(made.querySelector(".who"), seat);
  made.querySelector(".hand").replaceChildren(...handOf(seat, round));
  made.querySelector(".word").replaceChildren(wordOf(seat, round));
  return made;
}

function middle() {
  const bid = bidOnTable(), made = piece("middle"), [shown, verdict] = made.children;
  if (step().kind === "end") {
    const leads = [["Next game", state.next], ["Next highlight", nextHighlight()]].filter(([, href]) => href);
    made.replaceChildren(
      element("div", { class: "winner fresh" }, element("bdi", {}, nameOf(step().seat)), " wins"),
      element("div", { class: "leads" }, ...leads.map(([text, href]) => element("a", { href, class: "onward main" }, text))));
  } else if (!bid) {
    shown.remove();
    verdict.textContent = step().kind === "round" ? "no bid yet" : "";
  } else {
    setBid(shown, bid).classList.toggle("fresh", step().kind === "bid");
    verdict.classList.toggle("false", seesAll() && !bid.right);
    verdict.textContent = seesAll() ? `${bid.count} there: ${bid.right ? "true" : "false"}` : "";
  }
  return made;
}

function showTable() {
  const round = roundOf(step()), seats = state.shard.seats.map((_, seat) => seat);
  get("table").replaceChildren(...seats.map((seat) => seatBox(seat, round)), middle());
  state.hidden = new Set(seats.filter((seat) => !sees(seat)));
}

/* The words */

function toldOf(one) {
  return [one.said, sees(one.seat) && one.knew, seesAll() && one.truth].filter(Boolean).join(" ");
}

function didOf(one) {
  if (one.kind !== "bid") {
    return element("td", one.kind === "fault" ? { class: "fault" } : {}, element("a", { href: place(one.at) }, one.word || "opens"));
  }
  return element("td", {}, element("a", { href: place(one.at) }, setBid(piece("bid"), one)));
}

function oddsOf(one) {
  if (!one.odds || !sees(one.seat)) return element("td", { class: "none" }, one.odds ? "hidden" : "");
  const bar = element("svg", { class: "odds", "aria-hidden": "true" },
    element("rect", { class: "odds-rest", width: "100%", height: "100%" }),
    element("rect", { class: "odds-part", width: `${one.chance || 0}%`, height: "100%" }));
  return element("td", {}, bar, one.odds, ...(one.bluff ? [element("span", { class: "bluff" }, "bluff")] : []));
}

function truthOf(one) {
  const [yes, no] = one.kind === "bid" ? ["true", "false"] : ["right", "wrong"];
  if (one.kind !== "bid" && one.kind !== "call") return element("td");
  if (!seesAll()) return element("td", { class: "none" }, "hidden");
  return element("td", { class: String(one.right) }, `${one.right ? yes : no}: ${one.count}`);
}

function rowOf(one) {
  const name = element("th", { scope: "row", class: "name" }, setName(piece("name"), one.seat));
  return element("tr", one.at === state.at ? { class: "now" } : {}, name, didOf(one), oddsOf(one), truthOf(one));
}

function showStory() {
  const round = roundOf(step());
  get("now").textContent = toldOf(step());
  get("round-title").textContent = round ? `Round ${round.number + 1}` : "Before the dice";
  get("round-about").textContent = round ? aboutRound(round) : "";
  get("history").replaceChildren(...story().filter((one) => one.kind !== "end").map(rowOf));
}

const diceOf = (round) => round.dice.reduce((sum, hand) => sum + hand.length, 0);

function aboutRound(round) {
  const palifico = round.palifico === null ? "" : `palifico of ${nameOf(round.palifico)}: `;
  return `${diceOf(round)} dice, ${palifico}${round.wild ? "pacos are wild" : "nothing is wild"}`;
}

/* The chart of dice left */

function fillRounds() {
  const faulty = new Set(steps().filter((one) => one.kind === "fault").map((one) => one.round));
  get("rounds").replaceChildren(...state.game.rounds.map((round, at) => columnOf(round, faulty.has(at))));
}

function columnOf(round, faulty) {
  const left = round.dice.map((hand, seat) => `${nameOf(seat)} ${hand.length}`).join(", ");
  const label = `Round ${round.number + 1}${faulty ? ", with a fault" : ""}: ${left}`;
  const most = diceOf(state.game.rounds[0]);
  let top = most;
  const parts = round.dice.flatMap((hand, seat) => {
    top -= hand.length;
    const place = { y: `${100 * top / most}%`, width: "100%", height: `${100 * hand.length / most}%` };
    const mark = element("foreignObject", place, element("i", { class: markOf(seat) }));
    return hand.length ? [element("rect", { class: markOf(seat), ...place }), mark] : [];
  });
  return element("a", { class: faulty ? "faulty" : "", "aria-label": label, title: label }, element("svg", { "aria-hidden": "true" }, ...parts));
}

function showRounds() {
  const links = [...get("rounds").children], focused = links.includes(document.activeElement);
  links.forEach((link, at) => {
    link.href = place(state.game.rounds[at].first);
    link.tabIndex = at === (step().round ?? 0) ? 0 : -1;
    if (at === step().round) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
    if (focused && link.tabIndex === 0) link.focus();
  });
}

/* The controls */

const nextFault = () => steps().findIndex((one, at) => at > state.at && one.kind === "fault");
const nextRound = () => state.game.rounds.find((round) => round.first > state.at)?.first ?? last();
const lastRound = () => state.game.rounds.findLast((round) => round.first < state.at)?.first ?? 0;

/** The address of the game after this one, of the same fixture or another; after the last the first. */
async function findNextGame({ fixture, games }, game) {
  const here = Object.keys(games).map(Number), after = here[here.indexOf(game) + 1];
  if (after !== undefined) return `#${fixture}.${after}.0`;
  firsts ||= (await load("games", "games.js")).games;
  const next = firsts.findIndex((one) => one[0] === fixture && one[1] === here[0]) + 1;
  return `#${firsts[next % firsts.length].join(".")}.0`;
}

/** The next highlight that was not seen, from this one on; undefined once all were. */
function nextHighlight() {
  const on = [...highlights.slice(state.highlight + 1), ...highlights.slice(0, state.highlight + 1)];
  return on.find((href) => !seen.has(href));
}

function remembered() {
  try {
    return JSON.parse(sessionStorage.getItem(SEEN)) || [];
  } catch {
    return []; // the browser keeps nothing
  }
}

/** Know which highlight an address leads to, if it does; others at the same step are seen with it. */
function recognize(fragment) {
  const where = fragment.split("&")[0], same = highlights.filter((one) => one.split("&")[0] === where);
  state.shows = same.length > 0;
  if (!state.shows) return;
  state.highlight = highlights.indexOf(same.find((one) => one === fragment) || same[0]);
  same.forEach((one) => seen.add(one));
  if (embedded) return;
  try {
    sessionStorage.setItem(SEEN, JSON.stringify([...seen]));
  } catch { /* the browser keeps nothing */ }
}

function showWhy() {
  get("why").hidden = !state.shows;
  if (!state.shows) return;
  const link = links[state.highlight], kind = link.closest("ul").dataset.kind;
  const words = link.textContent.trim().replace(/\s+/g, " ");
  get("why").textContent = `Highlight ${state.highlight + 1} of ${links.length}, ${kind}: ${words}.`;
}

function showControls() {
  get("play").textContent = state.timer ? "Pause" : "Play";
  for (const id of ["back", "back-round"]) get(id).disabled = state.at === 0;
  for (const id of ["on", "on-round"]) get(id).disabled = state.at === last();
  Object.assign(get("slider"), { max: last(), value: state.at });
  get("slider").setAttribute("aria-valuetext", `step ${state.at + 1} of ${last() + 1}`);
  get("number").textContent = `Step ${state.at + 1} of ${last() + 1}`;
  get("speed").value = state.speed;
  const after = nextHighlight();
  get("next-highlight").hidden = !after;
  if (after) get("next-highlight").href = after;
  get("whole").href = `replay.html${place(state.at)}`;
  for (const eye of get("eyes").querySelectorAll("button")) eye.setAttribute("aria-pressed", String(eye.value === state.see));
}

function show() {
  showTable();
  showStory();
  showRounds();
  showControls();
  history.replaceState(null, "", place(state.at));
}

function go(at) {
  state.at = Math.max(0, Math.min(last(), at));
  if (state.at === last()) pause();
  show();
  if (embedded && state.at === last()) state.timer = setTimeout(again, STAYS);
}

/** After the end of a game in another page: the next highlight, or the same again. */
function again() {
  pause();
  if (tours && !nextHighlight()) seen.clear();
  if (tours) return openLink(nextHighlight());
  begin(state.shard, state.game.game, state.begins, state.next);
  return togglePlay();
}

function pause() {
  clearTimeout(state.timer);
  state.timer = 0;
}

function tick() {
  state.timer = setTimeout(() => {
    tick();
    go(state.at + 1);
  }, SPEEDS[state.speed - 1][1]);
}

function togglePlay() {
  if (state.timer) {
    pause();
    return show();
  }
  tick();
  return go(state.at === last() ? 0 : state.at);
}

function setSpeed(speed) {
  state.speed = speed;
  if (state.timer) {
    pause();
    tick();
  }
  show();
}

function setEyes(see) {
  state.see = see;
  show();
}

async function copyLink() {
  let said = "Link copied";
  try {
    await navigator.clipboard.writeText(location.href);
  } catch {
    said = "Copy the address of this page";
  }
  get("copied").textContent = said;
  setTimeout(() => { get("copied").textContent = ""; }, 4000);
}

function openLink(href) {
  location.hash = href;
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
  d: () => setEyes(state.see === ALL ? CALLED : ALL),
  n: () => openLink(state.next),
  m: () => nextHighlight() && openLink(nextHighlight()),
};

function keyOf(event) {
  if (event.key >= "1" && event.key <= "5" && event.key.length === 1) return () => setSpeed(Number(event.key));
  if (event.target.closest("#rounds")) {
    if (event.key === "ArrowLeft") return KEYS["["];
    if (event.key === "ArrowRight") return KEYS["]"];
  }
  return KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
}

function pressed(event) {
  const action = keyOf(event);
  const meant = event.getModifierState("AltGraph") || !(event.ctrlKey || event.altKey || event.metaKey);
  if (get("replay").hidden || event.target.closest("select") || !action || !meant) return;
  event.preventDefault();
  if (event.type === "keydown") action();
}

/* A button is pressed by the space bar when it is let go. */
const released = (event) => { if (event.key === " ") pressed(event); };

/* The page */

function fill(id, choices) {
  get(id).replaceChildren(...choices.map(([value, text]) => element("option", { value }, text)));
}

function begin(shard, game, at, next) {
  if (shard !== state.shard || shard.games[game] !== state.game) sitDown(shard, game, next);
  if (state.see !== ALL && !shard.seats[state.see]) state.see = CALLED;
  get("trouble").hidden = true;
  get("replay").hidden = false;
  go(at);
}

function sitDown(shard, game, next) {
  Object.assign(state, { shard, game: shard.games[game], next, hidden: null });
  const [first, ...rivals] = shard.seats, names = rivals.flatMap((name) => [", ", element("bdi", {}, name)]).slice(1);
  get("title").replaceChildren(element("bdi", {}, first), " against ", ...names);
  document.title = `${first} against ${rivals.join(", ")}, game ${state.game.game + 1}${site}`;
  get("about").replaceChildren(...aboutGame());
  fill("games", Object.keys(shard.games).map((one) => [one, Number(one) + 1]));
  get("games").value = game;
  fillEyes();
  const most = Math.max(0, ...state.game.rounds.flatMap((round) => round.dice.map((hand) => hand.length)));
  get("table").className = `table p${shard.seats.length} ${most > 5 ? "tall" : ""}`;
  fillRounds();
  get("next-game").href = state.next;
}

function fillEyes() {
  const choices = [[CALLED, "until called"], [ALL, "all dice"], ...state.shard.seats.map((name, seat) => [String(seat), name])];
  const buttons = choices.map(([value, text]) => {
    const made = element("button", { type: "button", value, title: `See ${text}` }, element("bdi", {}, text));
    made.addEventListener("click", () => setEyes(value));
    return made;
  });
  get("eyes").replaceChildren(get("eyes").firstElementChild, ...buttons);
}

function aboutGame() {
  const { shard, game } = state;
  const table = element("a", { href: `tables/${shard.table}.html` }, `${shard.variant}, ${shard.seats.length} players`);
  const rerun = element("code", {}, `arena rerun league.yaml ${shard.fixture} ${game.game}`);
  return [table, ` · fixture ${shard.fixture + 1} · game ${game.game + 1} · `, rerun];
}

function complain(message) {
  pause();
  get("what").textContent = `This cannot be shown: ${message}.`;
  get("trouble").hidden = false;
  get("replay").hidden = true;
}

const loadShard = (name) => load(name, `replays/${name}.js`)
  .catch(() => { throw new Error("there is no replay of this game"); });

async function openGame(fragment) {
  const [where, ...options] = fragment.replace(/^#/, "").split("&");
  const found = /^(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?$/.exec(where);
  if (!found) throw new Error("the address names no game");
  const [fixture, game, at] = [found[1], found[2], found[3] || 0].map(Number);
  const known = state.shard && state.shard.fixture === fixture && state.shard.games[game];
  const shard = known ? state.shard : await loadShard(`${fixture}-${Math.floor(game / GAMES_PER_SHARD)}`);
  if (!shard.games[game]) throw new Error("there is no replay of this game");
  const next = await findNextGame(shard, game);
  choose(new Map(options.map((one) => one.split("="))));
  recognize(fragment);
  showWhy();
  state.begins = tours ? shard.games[game].rounds.findLast((round) => round.first <= at)?.first ?? 0 : at;
  begin(shard, game, state.begins, next);
  if (embedded && !matchMedia("(prefers-reduced-motion: reduce)").matches) togglePlay();
}

/** Take what the address says of dice and speed; a game without a word of dice hides them again. */
function choose(options) {
  state.see = options.get("see") || CALLED;
  if (SPEEDS[Number(options.get("speed")) - 1]) state.speed = Number(options.get("speed"));
}

function follow() {
  if (state.game && location.hash === place(state.at)) return;
  pause();
  openGame(location.hash || (tours ? nextHighlight() || highlights[0] : get("replay").dataset.first)).catch((error) => complain(error.message));
}

function listen() {
  const clicks = {
    play: togglePlay, back: KEYS.ArrowLeft, on: KEYS.ArrowRight,
    "back-round": KEYS["["], "on-round": KEYS["]"], copy: copyLink,
  };
  for (const [id, action] of Object.entries(clicks)) get(id).addEventListener("click", action);
  get("slider").addEventListener("input", (event) => go(Number(event.target.value)));
  get("speed").addEventListener("change", (event) => setSpeed(Number(event.target.value)));
  get("games").addEventListener("change", (event) => openLink(`#${state.shard.fixture}.${event.target.value}.0`));
  document.addEventListener("keydown", pressed);
  document.addEventListener("keyup", released);
  window.addEventListener("hashchange", follow);
  document.documentElement.classList.toggle("embed", embedded);
  get("whole").hidden = !embedded;
}

fill("speed", SPEEDS.map(([word], at) => [at + 1, `${at + 1} ${word}`]));
listen();
follow();
