"""Decisions a second of `arena run` against a bare loop: `python tests/bench/throughput.py`.

The floor sends the same bytes to the same bots in the same sandbox, with no rules, no limits and no
records. Like a worker of the arena it shares one core with its bots; a second floor runs where the
system puts it. All take turns, with one worker and one game at a time; what counts is the ratio.
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

from arena import shipped
from arena.bots.choose import SANDBOXES
from arena.bots.manifest import Bot, load_bot
from arena.bots.sandbox import Sandbox
from arena.bots.stage import stage, staging
from arena.match.table import play_fixture
from arena.records import Fixture, LeagueInfo, LimitsInfo, PlayedFixture
from arena.store.store import Store

LIMITS = LimitsInfo(start=60, answer=60, game=3600)


class Step(NamedTuple):
    """One request as it was written to a seat, the news before it included."""

    seat: int
    lines: bytes


class Measured(NamedTuple):
    """What one arm did."""

    decisions: int
    seconds: float

    @property
    def rate(self) -> float:
        """Decisions a second."""
        return self.decisions / self.seconds


def main() -> None:
    """Measure every table size and sandbox that was asked for."""
    options = _options()
    rates: dict[tuple[str, int], list[float]] = {}
    print(f"bot {options.bot}, {options.games} games, {options.rounds} rounds, median of each")
    for name in options.sandbox:
        for players in options.players:
            rounds = measure(options, name, players)
            ours, *floors = zip(*rounds, strict=True)
            rates[name, players] = [one.rate for one in ours]
            print(f"{name:10}  {players} players  arena run {_rate(ours):7,.0f}/s", end="")
            for label, arm in zip(("one core", "any core"), floors, strict=True):
                ratio = median(a.rate / b.rate for a, b in zip(ours, arm, strict=True))
                print(f"  floor, {label} {_rate(arm):7,.0f}/s: {ratio:.2f}", end="")
            print(flush=True)
    for players in options.players:
        arms = [rates[name, players] for name in options.sandbox]
        if len(arms) == 2:
            ratio = median(b / a for a, b in zip(*arms, strict=True))
            print(f"{players} players: {options.sandbox[1]} / {options.sandbox[0]} = {ratio:.2f}")


def measure(options: argparse.Namespace, name: str, players: int) -> list[tuple[Measured, ...]]:
    """Take turns over the same fixtures: arena run, floor on one core, floor on any core."""
    cores = os.sched_getaffinity(0)
    with tempfile.TemporaryDirectory() as temporary, staging() as runs:
        folder = Path(temporary)
        sandbox = SANDBOXES[name]()
        bot = load_bot(shipped.folder("sample_bots") / options.bot)
        games = max(1, options.games // (players * (players - 1)))
        league = _league(folder, bot, players, games)
        info, played = _arena(league, folder / "first.sqlite", name)
        staged = stage(bot, runs, sandbox)
        tables = [record(info, one.fixture, staged, sandbox) for one in played]
        rounds = []
        for number in range(options.rounds):
            _, played = _arena(league, folder / f"{number}.sqlite", name)
            arms = [[(one.decisions, one.seconds) for one in played]]
            for where in ({min(cores)}, cores):
                os.sched_setaffinity(0, where)
                arms.append([floor(steps, [staged] * players, sandbox) for steps in tables])
            rounds.append(tuple(_total(arm) for arm in arms))
    return rounds


def _rate(arm: Sequence[Measured]) -> float:
    return median(one.rate for one in arm)


def _total(parts: Sequence[tuple[int, float]]) -> Measured:
    decisions, seconds = zip(*parts, strict=True)
    return Measured(sum(decisions), sum(seconds))


def _league(folder: Path, bot: Bot, players: int, games: int) -> Path:
    """Write a league of one fixture's worth of equal bots under different names."""
    for seat in range(players):
        copy = folder / f"bot{seat}"
        copy.mkdir()
        for path in bot.folder.iterdir():
            text = path.read_text(encoding="utf-8")
            if path.name == "bot.yaml":
                text = text.replace(f"name: {bot.name}", f"name: {bot.name}-{seat}")
            (copy / path.name).write_text(text, encoding="utf-8")
    league = folder / "league.yaml"
    league.write_text(
        f"bots: ['bot*']\nvariants: [bga]\nplayers: {players}\ngames: {games}\nseed: bench\n"
        f"limits: {{start: {LIMITS.start}, answer: {LIMITS.answer}, game: {LIMITS.game}}}\n",
        encoding="utf-8",
    )
    return league


def _arena(league: Path, store: Path, sandbox: str) -> tuple[LeagueInfo, list[PlayedFixture]]:
    """Run the command; its fixtures were timed from the first request to the last answer."""
    command = [sys.executable, "-m", "arena", "run", str(league), "--workers", "1", "--trust-bots"]
    options = ["--sandbox", sandbox, "--store", str(store), "--site", str(store.with_suffix(""))]
    subprocess.run([*command, *options], check=True, capture_output=True)
    with Store(store) as kept:
        if kept.league is None:
            raise SystemExit("nothing was stored")
        return kept.league, list(kept.played())


def record(info: LeagueInfo, fixture: Fixture, bot: Bot, sandbox: Sandbox) -> list[Step]:
    """Play a stored fixture again and keep what was written to whom."""
    steps: list[Step] = []
    news: dict[int, bytes] = {}

    def log(seat: int, way: str, line: bytes) -> None:
        if way == ">>":
            news[seat] = news.get(seat, b"") + line
        elif seat in news:
            steps.append(Step(seat, news.pop(seat)))

    bots = [bot] * len(fixture.seats)
    play_fixture(fixture, info.variants[fixture.variant], bots, sandbox, LIMITS, log)
    return steps


def floor(steps: Sequence[Step], bots: Sequence[Bot], sandbox: Sandbox) -> Measured:
    """Write the same bytes, read a line for each; nothing is decoded, checked or kept."""
    started = [sandbox.start(bot.program) for bot in bots]
    pipes = [(one.stdin, one.stdout) for one in started]
    for pair in pipes:
        for fd in pair:
            os.set_blocking(fd, True)
    greetings, rest = steps[: len(bots)], steps[len(bots) :]
    _send(greetings, pipes)
    began = time.perf_counter()
    _send(rest, pipes)
    seconds = time.perf_counter() - began
    for one in started:
        one.kill()
        one.close()
    return Measured(len(rest), seconds)


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
    parser.add_argument("--games", type=int, default=180, help="of all fixtures together")
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    main()
