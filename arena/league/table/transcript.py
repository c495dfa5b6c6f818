"""All lines between the arena and live bots: for authors to read, for tests to replay."""

import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

from arena.bots.bot import StagedBot
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sessions.multiplexer import Multiplexer
from arena.game.records import Faulted, Fixture, LimitsInfo, PlayedFixture
from arena.game.rules.books import Rules
from arena.game.rules.round_limit import max_rounds
from arena.league.table.play_fixture import play_fixture


class Line(NamedTuple):
    """A line to a seat (`>>`) or from it (`<<`)."""

    direction: str
    seat: int
    text: str

    def __str__(self) -> str:
        return f"{self.direction}{self.seat} {self.text}"


def transcript(
    bots: Sequence[StagedBot], rules: Rules, sandbox: Sandbox, seed: str = "transcript"
) -> list[str]:
    """Play one game; returns ">>seat line" and "<<seat line" in their order.

    `seed` is the key of the dice. Answers to the same moment come in the order of the seats,
    whichever came first.
    """
    return told_game(bots, rules, sandbox, seed)[0]


def told_game(
    bots: Sequence[StagedBot], rules: Rules, sandbox: Sandbox, seed: str = "transcript"
) -> tuple[list[str], list[str]]:
    """Play one game; returns its transcript, and every fault with its seat's standard error."""
    seats = tuple(bot.name for bot in bots)
    rounds = max_rounds(rules, len(seats))
    fixture = Fixture("transcript", 0, rules.name, seats, seed, 1, max_rounds=rounds)
    played, lines = conversation(fixture, rules, bots, sandbox, LimitsInfo().complete(1))
    faults: list[str] = []
    for event in played.games[0].events:
        if isinstance(event, Faulted):
            faults.append(f"!!{event.seat} {event.cause}: {event.detail}")
            faults += [f"!!{event.seat} {line}" for line in played.stderr[event.seat].splitlines()]
    return [str(line) for line in lines], faults


def conversation(
    fixture: Fixture, rules: Rules, bots: Sequence[StagedBot], sandbox: Sandbox, limits: LimitsInfo
) -> tuple[PlayedFixture, list[Line]]:
    """Play a fixture; returns it with every line to and from its bots."""
    lines: list[Line] = []

    def log(seat: int, direction: str, line: bytes) -> None:
        if direction != "!!":
            lines.append(Line(direction, seat, line.decode("utf-8", "backslashreplace").rstrip()))

    with Multiplexer([bot.program for bot in bots], sandbox, limits, log) as multiplexer:
        played = play_fixture(fixture, rules, multiplexer)
    ordered: list[Line] = []
    for _, group in groupby(lines, key=lambda line: line.direction):
        ordered += sorted(group, key=lambda line: line.seat if line.direction == "<<" else 0)
    return played, ordered


def of_game(lines: Sequence[Line], game: int) -> list[Line]:
    """Return the lines of one game, with every start of a bot up to its end.

    A line from a seat that is no answer to a request belongs to the game that the seat was asked
    about last.
    """
    selected = []
    last_game: dict[int, int] = {}
    game_of_request: dict[tuple[int, str], int] = {}
    starting: set[int] = set()
    for line in lines:
        message = _object(line.text)
        request = line.seat, str(message.get("id"))
        to_bot = line.direction == ">>"
        if to_bot and message.get("type") == "hello":
            starting.add(line.seat)
        number = message.get("game") if to_bot else game_of_request.get(request)
        if isinstance(number, int):
            last_game[line.seat] = game_of_request[request] = number
            starting.discard(line.seat)
        current = last_game.get(line.seat, 0)
        if current == game or (line.seat in starting and current < game):
            selected.append(line)
    return selected


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
