"""Decisions per second of `arena run` against a bare loop: `python -m benchmarks.throughput`.

The floor sends the same bytes to the same bots in the same sandbox, one request at a time, with no
rules, no limits and no records. One floor shares a core with its bots, as a pinned worker of the
arena does; a second runs where the system puts it, as a worker does with `pin: false`. The arena
plays one game at a time, and as many at a time as `--together` says, in fixtures of at least twice
as many; the floors play one of them. They take turns, with one worker; the ratio is what counts.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from arena.bots.bot import Bot, StagedBot
from arena.bots.manifest import load_bot
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.registry import SANDBOXES
from arena.bots.workshop import open_workshop
from arena.game.records import Conditions, Fixture, LimitsInfo, PlayedFixture
from arena.game.rules.books import Rules
from arena.io import shipped
from arena.league.store.store import Store
from tests.support.live import play_bots

LIMITS = LimitsInfo(start=60, answer=60, game=3600, concurrent_games=1)


class Step(NamedTuple):
    """One request as it was written to a seat, the news before it included."""

    seat: int
    lines: bytes


class Measured(NamedTuple):
    """What was measured in one run."""

    decisions: int
    seconds: float
    own: float = 0.0
    """Seconds of CPU time of the process that plays, its bots' not among them."""

    @property
    def rate(self) -> float:
        """Decisions per second."""
        return self.decisions / self.seconds


class Way(NamedTuple):
    """A way in which the arena plays."""

    together: int
    """Games at a time."""
    pin: bool


Arms = tuple[Measured, ...]
"""What the arena did each way, the floor on one core, the floor on any core."""


def main() -> None:
    """Measure every table size and sandbox that was asked for."""
    options = _options()
    print(f"bot {options.bot}, {options.rounds} rounds, median of each")
    print(
        "sandbox     players  games at a time  pin    decisions/s"
        "  / floor, one core   / floor, any core"
    )
    for name in options.sandbox:
        for players in options.players:
            _print(options, name, players, measure(options, name, players))


def _print(options: argparse.Namespace, name: str, players: int, rounds: list[Arms]) -> None:
    """Print a line for each way to play, with the median of its ratios round by round."""
    *arms, one_core, any_core = zip(*rounds, strict=True)
    for way, arm in zip(_ways(options), arms, strict=True):
        pin = str(way.pin).lower()
        print(f"{name:10}  {players:7}  {way.together:15}  {pin:5}  {_rate(arm):11,.0f}", end="")
        for floor_arm in (one_core, any_core):
            ratio = median(a.rate / b.rate for a, b in zip(arm, floor_arm, strict=True))
            print(f"  {ratio:5.2f} ({_rate(floor_arm):7,.0f}/s)", end="")
        print(flush=True)


def _ways(options: argparse.Namespace) -> list[Way]:
    return [Way(1, pin=True), Way(options.together, pin=True), Way(options.together, pin=False)]


def measure(options: argparse.Namespace, name: str, players: int) -> list[Arms]:
    """Take turns over the same fixtures: the arena each way, the floors."""
    cores = os.sched_getaffinity(0)
    sandbox = SANDBOXES[name]()
    with tempfile.TemporaryDirectory() as temporary, open_workshop(sandbox) as workshop:
        folder = Path(temporary)
        bot = load_bot(shipped.folder("sample_bots") / options.bot)
        # With fewer, games would run out before the table was ever full.
        games = max(2 * options.together, options.games // (players * (players - 1)))
        own_dice = options.own_dice
        leagues = [_league(folder, bot, players, games, way, own_dice) for way in _ways(options)]
        staged = workshop.stage(bot)
        steps: list[Step] = []
        rounds = []
        for number in range(options.rounds):
            arms = []
            for league in leagues:
                info, played = _arena(league, folder / f"{number}-{league.stem}.sqlite", name)
                fixture = played[0].fixture
                bots = [staged] * players
                steps = steps or record(info.variants[fixture.variant], fixture, bots, sandbox)
                arms.append(_total(played))
            for where in ({min(cores)}, cores):
                os.sched_setaffinity(0, where)
                arms.append(floor(steps, [staged] * players, sandbox))
            rounds.append(tuple(arms))
    return rounds


def _rate(arm: Sequence[Measured]) -> float:
    return median(one.rate for one in arm)


def _total(played: Sequence[PlayedFixture]) -> Measured:
    return Measured(sum(one.decisions for one in played), sum(one.seconds for one in played))


def _league(folder: Path, bot: Bot, players: int, games: int, way: Way, own_dice: bool) -> Path:
    """Write a league of one fixture's worth of equal bots under different names."""
    for seat in range(players):
        copy = folder / f"bot{seat}"
        copy.mkdir(exist_ok=True)
        for path in bot.folder.iterdir():
            text = path.read_text(encoding="utf-8")
            if path.name == "bot.yaml":
                text = text.replace(f"name: {bot.name}", f"name: {bot.name}-{seat}")
            (copy / path.name).write_text(text, encoding="utf-8")
    league = folder / f"league-{way.together}-{way.pin}.yaml"
    league.write_text(
        f"bots: ['bot*']\nvariants: [bga]\nplayers: {players}\ngames: {games}\nseed: bench\n"
        f"pin: {str(way.pin).lower()}\nshared_dice: {str(not own_dice).lower()}\n"
        f"limits: {{start: {LIMITS.start}, answer: {LIMITS.answer}, game: {LIMITS.game},"
        f" concurrent_games: {way.together}}}\n",
        encoding="utf-8",
    )
    return league


def _arena(league: Path, store: Path, sandbox: str) -> tuple[Conditions, list[PlayedFixture]]:
    """Run the command; fixtures are timed from the first request to the last answer."""
    command = [sys.executable, "-m", "arena", "run", str(league), "--workers", "1", "--trust-bots"]
    options = ["--sandbox", sandbox, "--store", str(store), "--site", str(store.with_suffix(""))]
    subprocess.run([*command, *options], check=True, capture_output=True)
    with Store(store) as opened:
        if opened.league is None:
            raise SystemExit("nothing was stored")
        return opened.league, list(opened.played())


def record(
    rules: Rules, fixture: Fixture, bots: Sequence[StagedBot], sandbox: Sandbox
) -> list[Step]:
    """Play a fixture, one game at a time, and keep what was written to whom."""
    steps: list[Step] = []
    news: dict[int, bytes] = {}

    def log(seat: int, way: str, line: bytes) -> None:
        if way == ">>":
            news[seat] = news.get(seat, b"") + line
        elif seat in news:
            steps.append(Step(seat, news.pop(seat)))

    play_bots(fixture, rules, bots, sandbox, LIMITS, log)
    return steps


def floor(steps: Sequence[Step], bots: Sequence[StagedBot], sandbox: Sandbox) -> Measured:
    """Write the same bytes, read a line for each; nothing is decoded, checked or kept."""
    started = [sandbox.start(bot.program) for bot in bots]
    pipes = [(one.stdin, one.stdout) for one in started]
    for pair in pipes:
        for fd in pair:
            os.set_blocking(fd, True)
    greetings, rest = steps[: len(bots)], steps[len(bots) :]
    _send(greetings, pipes)
    began, own = time.perf_counter(), time.process_time()
    _send(rest, pipes)
    seconds, own = time.perf_counter() - began, time.process_time() - own
    for one in started:
        one.kill()
        one.close()
    return Measured(len(rest), seconds, own)


def _send(steps: Sequence[Step], pipes: Sequence[tuple[int, int]]) -> None:
    read, write = os.read, os.write
    for seat, lines in steps:
        to_bot, from_bot = pipes[seat]
        write(to_bot, lines)
        answer = read(from_bot, 65_536)
        while not answer.endswith(b"\n"):
            answer = read(from_bot, 65_536)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--bot", default="honest", help="a sample bot that plays alike in every seat"
    )
    parser.add_argument("--players", type=int, nargs="+", default=[2, 6])
    parser.add_argument("--sandbox", nargs="+", default=["process", "bubblewrap"])
    parser.add_argument("--together", type=int, default=16, help="games at a time")
    parser.add_argument("--games", type=int, default=180, help="of a league, or more")
    parser.add_argument("--rounds", type=int, default=5)
    own = "do not share dice, so that bots play on in the same processes"
    parser.add_argument("--own-dice", action="store_true", help=own)
    return parser.parse_args()


if __name__ == "__main__":
    main()
