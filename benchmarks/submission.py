"""Seconds from an upload to its first game: `python -m benchmarks.submission [--other CHECKOUT]`.

The kit for Rust is submitted to a ladder that sleeps. Turns are taken: with the cache of builds,
and where none can be kept, so that the check, its trial games and the season each build the bot.
With `--other`, the ladder of another checkout takes turns, too.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.cli.command import HANG, run
from tests.ladder import club as clubs

HERE = Path(__file__).parents[1]
CACHED, BUILT, OTHER = "cached", "built each time", "other checkout"
_VETERANS = ("one", "other")
_GLANCE = 0.2
"""Seconds between two looks at what was played."""


def main() -> None:
    """Print the seconds of each way, and the ratios of rounds of turns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sandbox", default="process")
    parser.add_argument("--kit", default="rust")
    parser.add_argument("--other", type=Path, help="the folder of another checkout")
    parser.add_argument("--once", choices=(CACHED, BUILT), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.once:
        print(seconds_to_game(options.kit, options.sandbox, cached=options.once == CACHED))
        return
    checkouts = {CACHED: HERE, BUILT: HERE}
    if options.other:
        checkouts[OTHER] = options.other.resolve()
    seconds: dict[str, list[float]] = {way: [] for way in checkouts}
    for _ in range(options.rounds):
        for way, checkout in checkouts.items():
            seconds[way].append(_in_checkout(checkout, way, options))
    for way, measured in seconds.items():
        ratios = [one / base for one, base in zip(measured, seconds[CACHED], strict=True)]
        shown = " ".join(f"{one:.1f}" for one in measured)
        print(f"{way:16} {median(measured):6.1f} s, {median(ratios):.2f} times ({shown})")


def _in_checkout(checkout: Path, way: str, options: argparse.Namespace) -> float:
    """Measure once with the arena, and the tests, of a checkout."""
    once = CACHED if way == OTHER else way
    command = [sys.executable, __file__, "--once", once, "--sandbox", options.sandbox]
    ran = subprocess.run(
        [*command, "--kit", options.kit],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return float(ran.stdout.splitlines()[-1])


def seconds_to_game(kit: str, sandbox: str, *, cached: bool) -> float:
    """Submit a kit's bot to a ladder in which two small bots have played all their rounds."""
    with TemporaryDirectory() as name:
        home = Path(name)
        club = clubs.make(home, sandbox=sandbox, trust_bots=sandbox == "process")
        if not cached:
            (club / "built").write_text("no folder")
        for veteran in _VETERANS:
            assert clubs.submitted(club, veteran).code == 0
        assert run("new", "newcomer", "--lang", kit, cwd=home).code == 0
        with clubs.running(club) as ladder:
            ladder.until(lambda: clubs.is_asleep(club, *(f"{name}@1" for name in _VETERANS)))
            before = clubs.played(clubs.store_of(club))
            assert run("submit", "newcomer", "--to", club, "--no-wait", cwd=home).code == 0
            began = time.monotonic()
            while clubs.played(clubs.store_of(club)) == before:
                assert time.monotonic() - began < HANG, clubs.log(club)
                ladder.wait(_GLANCE)
            passed = time.monotonic() - began
            ladder.stop()
        return passed


if __name__ == "__main__":
    main()
