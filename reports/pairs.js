/* A number that is tapped or clicked says of which games it is; without this script pointing does. */
"use strict";

document.querySelector(".matrix").addEventListener("click", ({ target }) => {
  const cell = target.closest("td[title]");
  if (!cell) return;
  const names = [cell.parentNode.querySelector("th"), cell.closest("table").tHead.rows[0].cells[cell.cellIndex]];
  get("pair").textContent = `${names.map((name) => name.textContent.trim()).join(" ahead of ")}: ${cell.textContent} %, ${cell.title}`;
});
