// Pages that follow the ladder, and files that are dropped on the form. All else works without.
"use strict";

// Where something changed, the page is asked for again: it is written in one place, the server.
async function refresh() {
  const response = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!response.ok) return;
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  localTimes(fresh);
  const spread = fresh.querySelector("[data-spread]")?.dataset.spread;
  for (const place of document.querySelectorAll("[data-spread]")) place.dataset.spread = spread ?? 0;
  for (const part of document.querySelectorAll("[data-live-part]")) {
    const found = fresh.querySelector(`[data-live-part="${part.dataset.livePart}"]`);
    // What somebody reads with the keyboard stays until they leave it.
    const read = part.contains(document.activeElement);
    if (found && !read && found.innerHTML !== part.innerHTML) part.replaceChildren(...found.childNodes);
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

// What an event does to a page, by its name; all others have it asked for again.
const HANDLERS = { log: appendLine };

function follow(place) {
  const source = new EventSource(place.dataset.events);
  let waiting = null;
  const refreshSoon = () => {
    // Where many look at a page, not all of them ask at once.
    const delay = 250 + (place.dataset.spread ?? 0) * Math.random();
    waiting ??= setTimeout(() => { waiting = null; refresh(); }, delay);
  };
  for (const name of place.dataset.names.split(" ")) {
    source.addEventListener(name, HANDLERS[name] ?? refreshSoon);
  }
  // Ages go on although nothing changes.
  setInterval(refresh, 30000);
}

function base64(buffer) {
  return btoa(String.fromCharCode(...new Uint8Array(buffer)));
}

async function send(form, file) {
  const status = form.querySelector("[data-upload-status]");
  const bot = form.elements.bot.value;
  if (!form.elements.bot.reportValidity()) return;
  status.textContent = `sending ${file.name} …`;
  const digest = base64(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
  const response = await fetch(`/api/v1/bots/${encodeURIComponent(bot)}/versions`, {
    method: "PUT",
    body: file,
    headers: { "Content-Digest": `sha-256=:${digest}:` },
  });
  const answer = await response.json();
  if (response.ok) location.assign(`/versions/${answer.version}`);
  else status.textContent = [answer.what, answer.hint].filter(Boolean).join(": ");
}

function takeDrops(form) {
  const mark = (over) => (event) => {
    event.preventDefault();
    form.classList.toggle("over", over);
  };
  form.addEventListener("dragover", mark(true));
  form.addEventListener("dragleave", mark(false));
  form.addEventListener("drop", (event) => {
    mark(false)(event);
    if (event.dataTransfer.files.length) send(form, event.dataTransfer.files[0]);
  });
}

document.querySelectorAll("[data-events]").forEach(follow);
document.querySelectorAll("[data-upload]").forEach(takeDrops);
