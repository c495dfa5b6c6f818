"""What it costs to let a game be watched: `python -m benchmarks.watched [--rounds 40]`.

The same fixture of one game is played by live bots as usual, and with its events written down as
they happen, in turns. A ladder does the second with one fixture in several thousand.
"""

import argparse
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median, quantiles

from arena.bots.manifest import load_bot
from arena.bots.sandboxes.registry import SANDBOXES
from arena.bots.sessions.multiplexer import Multiplexer
from arena.game.records import Fixture, LimitsInfo
from arena.game.rules.books import VARIANTS
from arena.io import shipped
from arena.league.table.play_fixture import WatchedGame, play_fixture
from tests.support.live import in_place

_BOTS = ("honest", "odds")


def main() -> None:
    """Print the median ratio of the times, pair by pair."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--games", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        ratios = []
        for number in range(options.rounds):
            arms = [None, WatchedGame(Path(name) / "game")]
            order = arms if number % 2 else arms[::-1]
            took = {arm: _seconds(number, options.games, arm) for arm in order}
            ratios.append(took[arms[1]] / took[None])
    low, *_, high = quantiles(ratios, n=20)
    print(f"{options.rounds} pairs of fixtures of {options.games} games, one of them watched")
    print(
        f"CPU time watched / not watched: median {median(ratios):.3f}, 90 % {low:.2f} to {high:.2f}"
    )


def _seconds(number: int, games: int, watched: WatchedGame | None) -> float:
    """Return the CPU time of a worker in a fixture, with the starts of its bots."""
    fixture = Fixture(f"{number}", number, "bga", _BOTS, f"seed {number}", games)
    bots = [in_place(load_bot(shipped.folder("sample_bots") / name)) for name in _BOTS]
    with ExitStack() as stack:
        sandbox = SANDBOXES["process"]()
        programs = [bot.program for bot in bots]
        table = stack.enter_context(Multiplexer(programs, sandbox, LimitsInfo()))
        began = time.process_time()
        play_fixture(fixture, VARIANTS["bga"], table, watched=watched)
        return time.process_time() - began


if __name__ == "__main__":
    main()
