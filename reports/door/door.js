// Pages that follow the ladder. All else works without.
"use strict";

let asked = 0;
let shown = 0;

// Where something changed, the page is asked for again: it is written in one place, the server.
async function refresh() {
  asked += 1;
  const number = asked;
  // Without a network the page stays as it is.
  const page = await fetch(location.href, { headers: { Accept: "text/html" } })
    .then((response) => (response.ok ? response.text() : null)).catch(() => null);
  // An answer that others have overtaken is older than what is shown.
  if (page === null || number < shown) return;
  shown = number;
  const fresh = new DOMParser().parseFromString(page, "text/html");
  localTimes(fresh);
  const spread = fresh.querySelector("[data-spread]")?.dataset.spread;
  for (const place of document.querySelectorAll("[data-spread]")) place.dataset.spread = spread ?? 0;
  for (const part of document.querySelectorAll("[data-live-part]")) {
    const found = fresh.querySelector(`[data-live-part="${part.dataset.livePart}"]`);
    // What somebody reads with the keyboard stays until they leave it.
    const read = part.contains(document.activeElement);
    // A game that is shown follows its own events.
    const shows = part.querySelector("[data-live-game]") && found?.querySelector("[data-live-game]");
    if (found && !read && !shows && found.innerHTML !== part.innerHTML) part.replaceChildren(...found.childNodes);
  }
}

function appendLine(event) {
  const list = document.querySelector("[data-log]");
  const line = JSON.parse(event.data);
  if (!list || list.querySelector(`[data-n="${line.n}"]`)) return;
  const item = document.createElement("li");
  item.dataset.n = line.n;
  const time = document.createElement("time");
  time.textContent = line.at;
  localTime(time);
  item.append(time, ` ${line.text}`);
  list.append(item);
}

/** Show the next step of a game; the server wrote the table. */
function showStep(event) {
  const place = document.querySelector("[data-live-game]");
  if (!place || document.querySelector('[data-live-pause][aria-pressed="true"]')) return;
  const fresh = new DOMParser().parseFromString(JSON.parse(event.data).html, "text/html");
  localTimes(fresh);
  place.replaceChildren(...fresh.body.childNodes);
  offerPause();
}

/** Offer to pause only where a game is shown. */
function offerPause() {
  for (const button of document.querySelectorAll("[data-live-pause]")) {
    button.hidden = !document.querySelector("[data-live-game] .table");
  }
}

// What an event does to a page, by its name; all others have it asked for again.
const HANDLERS = { log: appendLine, game: showStep };

const COME_AGAIN = 5000;

function follow(place) {
  let waiting = null;
  const refreshSoon = () => {
    // Where many look at a page, not all of them ask at once.
    const delay = 250 + (place.dataset.spread ?? 0) * Math.random();
    waiting ??= setTimeout(() => { waiting = null; refresh(); }, delay);
  };
  const listen = () => {
    const source = new EventSource(place.dataset.events);
    for (const name of place.dataset.names.split(" ")) {
      source.addEventListener(name, HANDLERS[name] ?? refreshSoon);
    }
    // A browser connects again by itself after a broken connection, but not after an HTTP error,
    // such as that of a proxy while the door starts again.
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) setTimeout(listen, COME_AGAIN);
    });
  };
  listen();
  // Ages go on although nothing changes.
  setInterval(refresh, 30000);
}

document.querySelectorAll("[data-events]").forEach(follow);
document.addEventListener("click", ({ target }) => {
  if ("livePause" in target.dataset) target.ariaPressed = target.ariaPressed !== "true";
});
// The space bar pauses, as in replays, unless what has the focus takes it.
document.addEventListener("keydown", (event) => {
  const button = document.querySelector("[data-live-pause]:not([hidden])");
  if (event.key !== " " || event.target !== document.body || !button) return;
  event.preventDefault();
  button.click();
});
offerPause();
