// What the pages of an author do with scripts. All of it works without.
"use strict";

async function copy(button) {
  const text = document.getElementById(button.dataset.copy).textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(document.getElementById(button.dataset.copy));
    button.textContent = "Selected: press Ctrl+C";
  }
}

function offerCopies(button) {
  button.hidden = false;
  button.addEventListener("click", () => copy(button));
}

document.querySelectorAll("[data-copy]").forEach(offerCopies);
