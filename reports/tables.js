/* A table that can be sorted and filtered. Without this script it is complete, in its own order.

   What is chosen stands in the address, so that it can be linked to. */
"use strict";

const table = document.querySelector("table.sortable");
const body = table.tBodies[0];
const rows = [...body.rows];
const heads = [...table.tHead.rows[0].cells];
const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
const home = heads.find((head) => head.hasAttribute("aria-sort")) || null;
const homeWay = home && home.getAttribute("aria-sort");
const fields = {};
const state = { sort: "", find: "", author: "", tag: "" };

/* What is in the cells */

const column = (key) => heads.findIndex((head) => head.dataset.key === key);
const textAt = (row, at) => row.cells[at].textContent.trim();

function numbers(text) {
  const found = text.replaceAll("\u2212", "-").replaceAll(",", "").match(/^[^\d+-]*([-+]?\d+(?:\.\d+)?)(?:\s\d+)?(?:–(\d+))?/);
  const beyond = { "<": -1e-6, ">": 1e-6 }[text[0]] || 0;
  return found && [Number(found[1]) + beyond, Number(found[2] || 0)];
}

function valueAt(row, at) {
  const text = textAt(row, at);
  return heads[at].classList.contains("num") ? numbers(text) : text || null;
}

function compare(one, other) {
  if (typeof one === "string") return collator.compare(one, other);
  return one[0] - other[0] || one[1] - other[1];
}

const textIn = (row, key) => column(key) < 0 ? "" : textAt(row, column(key));
const tagsOf = (row) => textIn(row, "tags").split(", ").filter(Boolean);

/* Sorting: what has no value comes last either way, and equals stay as they were */

function ordered(at, sign) {
  const keyed = rows.map((row, place) => ({ row, place, value: valueAt(row, at) }));
  keyed.sort((one, other) => {
    if (one.value === null || other.value === null) return (one.value === null) - (other.value === null) || one.place - other.place;
    return sign * compare(one.value, other.value) || one.place - other.place;
  });
  return keyed.map((one) => one.row);
}

function showOrder() {
  const key = state.sort.replace(/^-/, "");
  const at = key ? column(key) : -1;
  body.append(...(at < 0 ? rows : ordered(at, state.sort.startsWith("-") ? -1 : 1)));
  table.classList.toggle("resorted", at >= 0);
  for (const head of heads) head.removeAttribute("aria-sort");
  const head = at < 0 ? home : heads[at];
  const way = at < 0 ? homeWay : state.sort.startsWith("-") ? "descending" : "ascending";
  if (head) head.setAttribute("aria-sort", way);
}

function turn(head) {
  const key = head.dataset.key, first = "low" in head.dataset ? key : `-${key}`;
  const second = first.startsWith("-") ? key : `-${key}`;
  state.sort = state.sort === first ? second : state.sort === second ? "" : first;
  show();
}

function addButton(head) {
  const button = element("button", { type: "button", class: "sort" });
  const bare = [...head.childNodes].filter((node) => !(node instanceof SVGElement));
  button.append(...bare);
  button.addEventListener("click", () => turn(head));
  head.prepend(button);
}

/* Filtering */

// Letters are compared without accents.
const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

function fits(row) {
  const name = textAt(row, column("bot"));
  const rival = textIn(row, "rival");
  return plain(`${name}\n${rival}`).includes(plain(state.find))
    && (!state.author || textIn(row, "author") === state.author)
    && (!state.tag || tagsOf(row).includes(state.tag));
}

function showFiltered() {
  let shown = 0;
  for (const row of rows) {
    row.hidden = !fits(row);
    shown += !row.hidden;
  }
  fields.count.textContent = shown === rows.length ? "" : `${shown} of ${rows.length}`;
  fields.all.hidden = !state.find && !state.author && !state.tag;
  for (const key of ["find", "author", "tag"]) if (fields[key]) fields[key].value = state[key];
}

function choices(key, label, values) {
  const found = [...new Set(values)].sort(collator.compare);
  if (found.length < 2) return [];
  const options = found.map((value) => element("option", { value }, value));
  fields[key] = element("select", {}, element("option", { value: "" }, "any"), ...options);
  fields[key].addEventListener("change", () => choose({ [key]: fields[key].value }));
  return [element("label", {}, `${label} `, fields[key])];
}

function addFilters() {
  fields.find = element("input", { type: "search", autocomplete: "off", spellcheck: "false" });
  fields.find.addEventListener("input", () => choose({ find: fields.find.value }));
  fields.count = element("output", { "aria-live": "polite" });
  fields.all = element("button", { type: "button" }, "Show all");
  fields.all.addEventListener("click", () => choose({ find: "", author: "", tag: "" }));
  const authors = rows.map((row) => textIn(row, "author")).filter(Boolean);
  const tags = rows.flatMap(tagsOf);
  const bar = element("div", { class: "filters", role: "search", "aria-label": "Filter the table" },
    element("label", {}, `Find ${table.dataset.rows || "bot"} `, fields.find), ...choices("author", "Author", authors),
    ...choices("tag", "Tag", tags), fields.all, fields.count);
  table.parentElement.before(bar);
}

/* What is chosen, and the address */

function choose(changes) {
  Object.assign(state, changes);
  show();
}

function show() {
  showOrder();
  showFiltered();
  const chosen = Object.entries(state).filter(([, value]) => value);
  history.replaceState(null, "", chosen.length ? `#${new URLSearchParams(chosen)}` : location.pathname + location.search);
}

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (location.hash && !Object.keys(state).some((key) => given.has(key))) return;
  for (const key of Object.keys(state)) state[key] = given.get(key) || "";
  if (column(state.sort.replace(/^-/, "")) < 0) state.sort = "";
  showOrder();
  showFiltered();
}

for (const head of heads) if (head.dataset.key) addButton(head);
addFilters();
readAddress();
addEventListener("hashchange", readAddress);
