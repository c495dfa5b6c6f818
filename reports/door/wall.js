// How long a class still goes on. Without scripts the page says when it ends.
"use strict";

function countDown() {
  for (const place of document.querySelectorAll("[data-ends]")) {
    const left = Math.max(0, Math.ceil(Number(place.dataset.ends) - Date.now() / 1000));
    const parts = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60];
    const shown = parts.slice(parts[0] ? 0 : 1).map((part) => String(part).padStart(2, "0"));
    place.textContent = left ? shown.join(":") : "Time is over";
  }
}

countDown();
setInterval(countDown, 1000);
