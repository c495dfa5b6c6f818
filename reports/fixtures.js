/* The search in all fixtures. Without this script the newest are listed, and all page by page.

   Each stretch of the schedule is loaded by itself. The newest are searched first, and no more of
   them than it takes to fill the page. What is asked for stands in the address. */
"use strict";

const STEP = 100;
const list = get("fixtures");
const newest = [...list.children];
const newestSaid = get("found").textContent;
const shards = new Map();
const fields = {};
const state = { bot: "", with: "", variant: "", players: "", table: "", faults: "", upsets: "" };
let index = null;
let wanted = STEP;
let turn = 0;

function shard(number) {
  if (!shards.has(number)) shards.set(number, load(`${number}`, `fixtures/${number}.js`));
  return shards.get(number);
}

function readEntry(given, from) {
  const [fixture, table, seats, games, wins, places, faults, upsets, luck, replays, first] = given;
  const bots = seats.map((seat) => from.bots[seat]);
  return { fixture, table: from.tables[table], bots, games, wins, places, faults, upsets, luck, replays, first };
}

/* Searching */

function fits(one) {
  const [variant, players] = index.tables[one.table] || ["", 0];
  return (!state.bot || one.bots.includes(state.bot))
    && (!state.with || one.bots.includes(state.with))
    && (!state.table || one.table === state.table)
    && (!state.variant || variant === state.variant)
    && (!state.players || players === Number(state.players))
    && (!state.faults || one.faults > 0)
    && (!state.upsets || one.upsets > 0);
}

async function* matching() {
  for (const number of [...index.shards].reverse()) {
    const from = await shard(number);
    for (const given of [...from.entries].reverse()) {
      const one = readEntry(given, from);
      if (fits(one)) yield one;
    }
  }
}

async function search() {
  const mine = ++turn, found = [];
  let more = false;
  for await (const one of matching()) {
    if (mine !== turn) return;
    more = found.length === wanted;
    if (more) break;
    found.push(one);
  }
  if (mine !== turn) return;
  list.replaceChildren(...found.map(card));
  get("found").textContent = more ? `The newest ${found.length} that match, latest first.`
    : `${found.length} of ${index.fixtures} match, latest first.`;
  fields.more.hidden = !more;
}

/* Showing */

/* As `arena/publish/text.py` rounds: halves away from zero, whatever the last bits are. */
function fixed(value, digits) {
  return (value + 1e-9).toFixed(digits);
}

function signed(value) {
  const shown = fixed(Math.abs(value), 1);
  return Number(shown) ? (value > 0 ? "+" : "\u2212") + shown : shown;
}

function counted(number, what) {
  return `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
}

function botLine(one, seat, first) {
  const stem = one.bots[seat];
  const link = element("a", { class: "bot", href: `bots/${stem}.html` }, element("bdi", {}, index.bots[stem] || stem));
  const luck = one.luck === null ? "" : `, luck ${signed(seat ? -one.luck : one.luck)}`;
  const told = `${counted(one.wins[seat], "win")}, mean place ${fixed(one.places[seat], 2)}${luck}`;
  return element("li", first ? { class: "won" } : {}, element("i", { class: index.marks[stem] || "" }), link, " ", element("small", {}, told));
}

function card(one) {
  const [variant, players] = index.tables[one.table] || ["", one.bots.length];
  const ranked = one.bots.map((_, seat) => seat).sort((a, b) => one.places[a] - one.places[b] || a - b);
  const about = element("small", {}, counted(one.games, "game"));
  if (one.faults) about.append(", ", element("span", { class: "fault" }, `${one.faults.toLocaleString("en")} faulted`));
  if (one.upsets) about.append(`, ${counted(one.upsets, "upset")}`);
  const last = element("p", {}, about);
  const watch = `Watch${one.replays > 1 ? ` ${counted(one.replays, "game")}` : ""}`;
  if (one.replays) last.append(" ", element("a", { href: `replay.html#${one.fixture}.${one.first}.0` }, watch));
  return element("li", {},
    element("p", {}, element("strong", {}, element("bdi", {}, variant), `, ${players}\u00a0players`), " ",
      element("small", {}, `fixture ${one.fixture + 1}, rerun ${one.fixture}`)),
    element("ol", {}, ...ranked.map((seat, place) => botLine(one, seat, place === 0))), last);
}

/* What is asked for, and the address */

function asked() {
  return Object.entries(state).filter(([, value]) => value);
}

function show() {
  const any = asked().length > 0;
  for (const [key, field] of Object.entries(fields.of)) {
    if (field.type === "checkbox") field.checked = Boolean(state[key]);
    else field.value = state[key];
  }
  fields.all.hidden = !any;
  if (any) {
    search().catch((error) => { get("found").textContent = `This cannot be searched: ${error.message}.`; });
    return;
  }
  turn += 1;
  fields.more.hidden = true;
  list.replaceChildren(...newest);
  get("found").textContent = newestSaid;
}

function choose(changes) {
  Object.assign(state, changes);
  wanted = STEP;
  const chosen = asked();
  history.replaceState(null, "", chosen.length ? `#${new URLSearchParams(chosen)}` : location.pathname + location.search);
  show();
}

/* A link names a table; it is shown as what can be chosen: a variant and a number of players. */
function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (location.hash && !Object.keys(state).some((key) => given.has(key))) return;
  for (const key of Object.keys(state)) state[key] = given.get(key) || "";
  const table = index.tables[state.table];
  if (table) Object.assign(state, { table: "", variant: table[0], players: String(table[1]) });
  wanted = STEP;
  show();
}

function select(key, label, options) {
  const made = options.map(([value, text]) => element("option", { value }, text));
  const field = element("select", {}, element("option", { value: "" }, "any"), ...made);
  field.addEventListener("change", () => choose({ [key]: field.value }));
  fields.of[key] = field;
  return element("label", {}, `${label} `, field);
}

function check(key, label) {
  const field = element("input", { type: "checkbox" });
  field.addEventListener("change", () => choose({ [key]: field.checked ? "1" : "" }));
  fields.of[key] = field;
  return element("label", {}, field, ` ${label}`);
}

function button(label, act) {
  const made = element("button", { type: "button" }, label);
  made.addEventListener("click", act);
  return made;
}

function addFields() {
  const bots = Object.entries(index.bots);
  const tables = Object.values(index.tables);
  const same = (values) => [...new Set(values)].map((value) => [String(value), String(value)]);
  fields.of = {};
  fields.all = button("Show the newest", () => choose(Object.fromEntries(Object.keys(state).map((key) => [key, ""]))));
  fields.more = button("Show more", () => { wanted += STEP; show(); });
  get("search").append(select("bot", "Bot", bots), select("with", "With", bots),
    select("variant", "Variant", same(tables.map(([variant]) => variant))),
    select("players", "Players", same(tables.map(([, players]) => players))),
    check("faults", "with faults"), check("upsets", "with upsets"), fields.all);
  get("search").classList.add("filters");
  get("more").append(fields.more);
}

load("index", "fixtures/index.js").then((given) => {
  index = given;
  addFields();
  readAddress();
  addEventListener("hashchange", readAddress);
}).catch((error) => { get("found").textContent = `${newestSaid} They cannot be searched: ${error.message}.`; });
