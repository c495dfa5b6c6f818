/* The games of a final one after another: it presses the buttons of the replay, as a person would. */
"use strict";

const LOOK = 500, LOOKS_AT_END = 12;
let begins = true, looks = 0;

function goOn() {
  const play = get("play"), slider = get("slider");
  if (get("replay").hidden || play.textContent === "Pause") return;
  const ended = Number(slider.value) === Number(slider.max);
  if (begins && !ended) {
    begins = false;
    get("eyes").querySelector('[value="all"]').click();
    play.click();
  } else if (ended && ++looks >= LOOKS_AT_END) {
    begins = true;
    looks = 0;
    get("next-game").click();
  }
}

setInterval(goOn, LOOK);
