// Times in the reader's own zone, with UTC beside. Without scripts they are in UTC.
"use strict";

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const IN_UTC = new Date().getTimezoneOffset() === 0;
const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" };
const DAY = { year: "numeric", month: "2-digit", day: "2-digit" };

function localTime(time) {
  const at = new Date(time.dateTime || time.textContent);
  if (IN_UTC || time.title || Number.isNaN(at.getTime())) return;
  const clock = at.toLocaleTimeString("en-GB", CLOCK);
  const utc = at.toISOString();
  time.dateTime = utc;
  time.title = `${utc.slice(0, 10)} ${utc.slice(11, 19)} UTC`;
  if ("clock" in time.dataset) {
    time.textContent = clock;
    return;
  }
  const beside = document.createElement("small");
  beside.textContent = ` (${utc.slice(11, 16)} UTC)`;
  time.textContent = `${at.toLocaleDateString("sv-SE", DAY)} ${clock}`;
  time.append(beside);
}

// What a page shows anew has its times changed before it is compared with what is there.
function localTimes(within) {
  within.querySelectorAll("time").forEach(localTime);
}

localTimes(document);
for (const place of document.querySelectorAll("[data-zone]")) {
  if (!IN_UTC) place.textContent = `in your zone, ${ZONE}`;
}
