"""The conversations in `protocol/`, which `make protocol` rewrites: transcripts, positions."""

from pathlib import Path
from typing import NamedTuple

from arena.bots.manifest import load_bot
from arena.bots.sandboxes.registry import make_sandbox
from arena.bots.workshop import open_workshop
from arena.game.rules.books import VARIANTS, Rules, changed, variant
from arena.league.table.transcript import told_game
from arena.league.terms.house import load_house

ROOT = Path(__file__).parents[2]
TRANSCRIPTS = ROOT / "protocol" / "transcripts"
POSITIONS = ROOT / "protocol" / "kits" / "positions.jsonl"
SAMPLES = ROOT / "sample_bots"
_TO_SEAT_0 = ">>0 "
CARELESS = Path(__file__).parent / "careless"


class Golden(NamedTuple):
    """A game for a transcript: its rules and its bots."""

    rules: Rules
    bots: tuple[Path, ...]


def goldens() -> dict[str, Golden]:
    """Return every golden game by the name of its file."""
    odds, honest, memory = SAMPLES / "odds", SAMPLES / "honest", SAMPLES / "memory"
    games = {"short": Golden(variant("bga", {}, starting_dice=2), (odds, honest))}
    for name in VARIANTS:
        rules = variant(name, {}, calza=True, lost_dice_visible=name != "bga", starting_dice=3)
        games[name] = Golden(rules, (memory, odds, honest))
    for path in sorted((ROOT / "examples" / "houses").glob("*.yaml")):
        if path.stem != "league":
            rules = changed(load_house(path), {}, starting_dice=3)
            games[f"house-{path.stem}"] = Golden(rules, (memory, odds, honest))
    games["fault"] = Golden(variant("classic", {}, calza=True), (odds, CARELESS, honest))
    return games


def play(golden: Golden) -> str:
    """Play a golden game with its live bots; returns the text of its file."""
    with open_workshop(make_sandbox("process")) as workshop:
        bots = [workshop.stage(load_bot(folder)) for folder in golden.bots]
        return "\n".join(told_game(bots, golden.rules, workshop.sandbox)[0]) + "\n"


def positions() -> str:
    """Play games of all rule books; returns what seat 0 was sent: the positions of the kits."""
    rivals = [SAMPLES / name for name in ("random", "memory", "honest")]
    lines = []
    for name in VARIANTS:
        for players in (2, 4):
            golden = Golden(variant(name, {}), (SAMPLES / "odds", *rivals[: players - 1]))
            lines += [
                line[len(_TO_SEAT_0) :]
                for line in play(golden).splitlines(keepends=True)
                if line.startswith(_TO_SEAT_0)
            ]
    return "".join(lines)


def write() -> None:
    """Write every golden transcript, and the positions of the kits."""
    POSITIONS.write_text(positions(), encoding="utf-8")
    TRANSCRIPTS.mkdir(exist_ok=True)
    for name, golden in goldens().items():
        (TRANSCRIPTS / f"{name}.txt").write_text(play(golden), encoding="utf-8")


if __name__ == "__main__":
    write()
