"""A whole conversation with live bots, line by line: what authors read, what the tests replay."""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from arena.match.table import play_fixture
from arena.perudo.rules import Rules
from arena.records import Fixture, LimitsInfo, PlayedFixture
from arena.sandboxes.base import Sandbox
from arena.submissions.manifest import Bot


class Line(NamedTuple):
    """Something said: to a seat (`>>`) or by it (`<<`)."""

    way: str
    seat: int
    text: str

    def __str__(self) -> str:
        return f"{self.way}{self.seat} {self.text}"


def transcript(
    bots: Sequence[Bot], rules: Rules, sandbox: Sandbox, seed: str = "transcript"
) -> list[str]:
    """Play one game among staged bots; returns ">>seat line" and "<<seat line" in their order.

    `seed` is the key of the dice. Answers to the same moment come in the order of the seats,
    whoever was quicker.
    """
    fixture = Fixture("transcript", 0, rules.name, tuple(bot.name for bot in bots), seed, 1)
    _, said = conversation(fixture, rules, bots, sandbox, LimitsInfo())
    return [str(line) for line in said]


def conversation(
    fixture: Fixture, rules: Rules, bots: Sequence[Bot], sandbox: Sandbox, limits: LimitsInfo
) -> tuple[PlayedFixture, list[Line]]:
    """Play a fixture among staged bots; returns what came of it, and all that was said."""
    said: list[Line] = []

    def log(seat: int, way: str, line: bytes) -> None:
        said.append(Line(way, seat, line.decode("utf-8", "backslashreplace").rstrip()))

    played = play_fixture(fixture, rules, bots, sandbox, limits, log)
    return played, list(_by_seat(said))


def of_game(said: Sequence[Line], game: int) -> list[Line]:
    """Return what was said of one game, and every start of a bot up to its end.

    A line that is no answer to a request, whatever it holds, belongs to the game that its seat was
    asked about last.
    """
    found = []
    now: dict[int, int] = {}
    asked: dict[tuple[int, str], int] = {}
    starting: set[int] = set()
    for line in said:
        message = _object(line.text)
        if line.way == ">>" and message.get("type") == "hello":
            starting.add(line.seat)
        number = message.get("game") if line.way == ">>" else asked.get(_key(line, message))
        if isinstance(number, int):
            now[line.seat] = asked[_key(line, message)] = number
            starting.discard(line.seat)
        at = now.get(line.seat, 0)
        if at == game or (line.seat in starting and at < game):
            found.append(line)
    return found


def _key(line: Line, message: dict[str, Any]) -> tuple[int, str]:
    return line.seat, str(message.get("id"))


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _by_seat(said: Sequence[Line]) -> Iterator[Line]:
    for way, run in groupby(said, key=lambda line: line.way):
        lines = list(run)
        yield from sorted(lines, key=lambda line: line.seat) if way == "<<" else lines
