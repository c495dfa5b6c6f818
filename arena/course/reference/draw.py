"""Draws the parameters of a reference, and writes the bot."""

import json
import random
import shutil
from pathlib import Path

from arena.bots.manifest import MANIFEST
from arena.io import shipped

PARAMETERS = {
    "rounds_held": (3.0, 9.0),
    "bluffs": (0.0, 0.25),
    "rounds_doubted": (6.0, 24.0),
    "rounds_after": (10.0, 50.0),
    "after": (0.56, 0.68),
    "knows": (0.0, 0.3),
}
"""The range of each parameter; bots at both ends of all were measured to beat `memory`.

`rounds_...` are how many rounds a guess outweighs: `bluffs` is the guessed share of bids on a face
that need not be held, `after` that of rounds that go well after an undoubted bid, and `knows` how
much less a bid holds if it is doubted."""
_DIGITS = 3


def program() -> Path:
    """Return the folder of the bot without its parameters, which comes with the arena."""
    return shipped.module("course/reference/bot")


def draw_reference(folder: Path, chance: random.Random) -> None:
    """Write a reference into a new folder, with parameters of its own."""
    folder.mkdir()
    for name in ("bot.py", MANIFEST):
        shutil.copyfile(program() / name, folder / name)  # without its permissions
    drawn = {name: round(chance.uniform(*ends), _DIGITS) for name, ends in PARAMETERS.items()}
    text = json.dumps(drawn, indent=1) + "\n"
    (folder / "parameters.json").write_text(text, encoding="utf-8")
