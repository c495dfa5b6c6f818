"""The two rounds that rule books tell bid by bid, played by live bots that follow a script.

`examples/BOOK.txt` holds the conversation, up to the first question of the round after the story;
`make protocol` writes it again. The seeds were found by trying one number after another.
"""

from pathlib import Path
from typing import NamedTuple

from arena.bots.manifest import load_bot
from arena.bots.sandboxes.registry import make_sandbox
from arena.bots.workshop import open_workshop
from arena.game.rules.books import VARIANTS
from arena.league.table.transcript import told_game

HERE = Path(__file__).parent
EXAMPLES = HERE / "examples"
SCRIPTED = HERE / "scripted"


class Story(NamedTuple):
    """A round of a game that a rule book tells."""

    seed: str
    players: int
    number: int
    """Which round of the game it is, counted from 0."""


STORIES = {
    # Player 1, seat 0, rolls the highest die; seven of the thirty dice show aces.
    "pressman": Story("demonstration 37", 6, 0),
    # Players A to E are seats 0 to 4. The book says that A opens with four dice and that 21 are on
    # the table; how many of them each other player has it does not print. Five players begin with
    # 25, so the script sheds four first: C, D and E lose one each, and last A, who then opens.
    "italian": Story("illustrated 6384018", 5, 4),
}


def tell(book: str) -> str:
    """Play a story with its live bots; returns the text of its file."""
    story, sandbox = STORIES[book], make_sandbox("process")
    with open_workshop(sandbox) as workshop:
        bot = workshop.stage(load_bot(SCRIPTED))
        lines, _ = told_game([bot] * story.players, VARIANTS[book], sandbox, story.seed)
    after = f'"round":{story.number + 1},'
    end = next(i for i, line in enumerate(lines) if '"type":"turn"' in line and after in line)
    return "\n".join(lines[: end + 1]) + "\n"


def write() -> None:
    """Write the text of every story."""
    for book in STORIES:
        (EXAMPLES / f"{book}.txt").write_text(tell(book), encoding="utf-8")


if __name__ == "__main__":
    write()
