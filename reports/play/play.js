// The table follows the game without reloading, and takes keys. All else works without.
"use strict";

const RETRY = 1000;
const FAILURES = 3;
const GONE = 410;
const get = (id) => document.getElementById(id);
const game = () => get("game");
const polling = new AbortController();
let typed = "";

/** Show the game of a page that the server wrote; an open list of higher bids stays open. */
function show(text) {
  const fresh = new DOMParser().parseFromString(text, "text/html").getElementById("game");
  if (!fresh || Number(fresh.dataset.number) < Number(game().dataset.number)) return;
  const hadFocus = game().contains(document.activeElement);
  const opened = [...document.querySelectorAll("details.keys")].map((one) => one.open);
  typed = "";
  game().replaceWith(fresh);
  fresh.querySelectorAll("details.keys").forEach((one, at) => { one.open = opened[at]; });
  get("heard").textContent = get("now")?.textContent ?? "";
  if (hadFocus) get("moves")?.focus({ preventScroll: true });
}

async function follow() {
  for (let failures = 0; failures < FAILURES && !("closed" in game().dataset);) {
    try {
      const response = await fetch(`./?after=${game().dataset.number}`, { signal: polling.signal });
      if (response.status === GONE) return location.reload();
      if (!response.ok) throw new Error(response.statusText);
      if (response.status === 200) show(await response.text());
      failures = 0;
    } catch {
      if (polling.signal.aborted) return;
      failures += 1;
      await new Promise((resolve) => { setTimeout(resolve, RETRY); });
    }
  }
  if (!("closed" in game().dataset)) close();
}

/** The server has ended: say so, and take no more moves. */
function close() {
  game().classList.add("closed");
  for (const button of document.querySelectorAll("button")) button.disabled = true;
  get("now").textContent = get("heard").textContent = "The table is closed: its server does not answer.";
  game().dataset.closed = "";
}

async function send(form, button) {
  const body = new URLSearchParams(new FormData(form, button));
  for (const one of document.querySelectorAll("button")) one.disabled = true;
  try {
    const response = await fetch("./", { method: "POST", body });
    show(await response.text());
  } catch {
    close();
  }
}

/* To leave is to go to another page: the server ends with this one. */
document.addEventListener("submit", (event) => {
  if (event.submitter.value === "leave") return polling.abort();
  event.preventDefault();
  return send(event.target, event.submitter);
});

/* Keys */

const buttonOf = (move) => document.querySelector(`button[value="${move}"]:enabled`);
const KEYS = { d: "dudo", c: "calza", p: "pass", o: "odds" };

/** What was typed as a bid: the last digit is the face. */
const bidTyped = () => buttonOf(`bid ${Number(typed.slice(0, -1))} ${typed.slice(-1)}`);

function showTyped() {
  for (const one of document.querySelectorAll("button.typed")) one.classList.remove("typed");
  get("typed").hidden = !typed;
  const bid = typed.length > 1 ? bidTyped() : null;
  if (bid?.closest("details")) bid.closest("details").open = true;
  bid?.classList.add("typed");
  if (typed.length < 2) get("typed").textContent = `${typed} …`;
  else get("typed").textContent = bid ? `${bid.getAttribute("aria-label")}: Enter` : `${typed.slice(0, -1)} × ${typed.slice(-1)} is not legal`;
}

function type(digits) {
  if (game().dataset.kind !== "turn") return;
  typed = digits;
  showTyped();
}

function enter() {
  if (typed) return bidTyped();
  return document.activeElement.closest("button, summary, a") ? null : buttonOf("next");
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || "closed" in game().dataset) return;
  if (/^[0-9]$/.test(event.key)) type((typed + event.key).slice(-4));
  else if (event.key === "Backspace") type(typed.slice(0, -1));
  else if (event.key === "Escape") type("");
  else {
    const button = event.key === "Enter" ? enter() : buttonOf(KEYS[event.key.toLowerCase()]);
    if (!button && !(event.key === "Enter" && typed)) return;
    event.preventDefault();
    button?.click();
  }
});

follow();
