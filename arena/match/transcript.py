"""A whole conversation with live bots, line by line: what authors read, what the tests replay."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from arena.bots.manifest import Bot
from arena.bots.sandbox import Sandbox
from arena.match.table import play_fixture
from arena.perudo.rules import Rules
from arena.records import Fixture, LimitsInfo


def transcript(
    bots: Sequence[Bot], rules: Rules, sandbox: Sandbox, seed: str = "transcript"
) -> list[str]:
    """Play one game among staged bots; returns ">>seat line" and "<<seat line" in their order.

    `seed` is the key of the dice. Answers to the same moment come in the order of the seats,
    whoever was quicker.
    """
    said: list[tuple[str, int, str]] = []

    def log(seat: int, way: str, line: bytes) -> None:
        said.append((way, seat, line.decode("utf-8", "backslashreplace").rstrip()))

    fixture = Fixture("transcript", 0, rules.name, tuple(bot.name for bot in bots), seed, 1)
    play_fixture(fixture, rules, bots, sandbox, LimitsInfo(), log)
    return [f"{way}{seat} {text}" for way, seat, text in _by_seat(said)]


def _by_seat(said: list[tuple[str, int, str]]) -> Iterator[tuple[str, int, str]]:
    for way, run in groupby(said, key=itemgetter(0)):
        lines = list(run)
        yield from sorted(lines, key=itemgetter(1)) if way == "<<" else lines
