"""All lines between the arena and live bots: for authors to read, for tests to replay."""

import json
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from arena.bots.bot import StagedBot
from arena.bots.models.gateway import Gateway
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.run_once import Capped, end_of, left_out
from arena.bots.sessions.multiplexer import MAX_ANSWER, Multiplexer
from arena.game.records import Faulted, Fixture, LimitsInfo, PlayedFixture
from arena.game.rules.books import Rules
from arena.game.rules.round import max_rounds
from arena.league.table.play_fixture import play_fixture


class Line(NamedTuple):
    """A line to a seat (`>>`) or from it (`<<`)."""

    direction: str
    seat: int
    text: str

    def __str__(self) -> str:
        return f"{self.direction}{self.seat} {self.text}"


Wanted = Callable[[Line], bool]
"""Gets all lines in their order; returns whether one is kept."""


def told_game(
    bots: Sequence[StagedBot], rules: Rules, sandbox: Sandbox, seed: str = "transcript"
) -> tuple[list[str], list[str]]:
    """Play one game; returns its transcript, and every fault with its seat's standard error.

    The transcript has ">>seat line" and "<<seat line" in their order; answers to the same moment
    come in the order of the seats, whichever came first. `seed` is the key of the dice.
    """
    seats = tuple(bot.name for bot in bots)
    rounds = max_rounds(rules, len(seats))
    fixture = Fixture("transcript", 0, rules.name, seats, seed, 1, max_rounds=rounds)
    limits = LimitsInfo().complete(1)
    played, lines, sizes = conversation(fixture, rules, bots, sandbox, limits, lambda _: True)
    faults: list[str] = []
    for event in played.games[0].events:
        if isinstance(event, Faulted):
            said = end_of(played.stderr[event.seat], sizes[event.seat], "standard error")
            text = f"{event.cause}: {event.detail}\n{said}"
            faults += [f"!!{event.seat} {line}" for line in text.splitlines()]
    return [str(line) for line in lines], faults


def conversation(
    fixture: Fixture,
    rules: Rules,
    bots: Sequence[StagedBot],
    sandbox: Sandbox,
    limits: LimitsInfo,
    wanted: Wanted,
    gateway: Gateway | None = None,
) -> tuple[PlayedFixture, list[Line], Sequence[int]]:
    """Play a fixture; returns it with lines to and from its bots, and the sizes of their stderr.

    Long lines of bots are cut, and so is every line of a bot that has said much.
    """
    heard = _Heard(wanted, len(bots))
    programs = [bot.program for bot in bots]
    with Multiplexer(programs, sandbox, limits, heard.log, gateway=gateway) as multiplexer:
        played = play_fixture(fixture, rules, multiplexer)
    ordered: list[Line] = []
    for _, group in groupby(heard.lines, key=lambda line: line.direction):
        ordered += sorted(group, key=lambda line: line.seat if line.direction == "<<" else 0)
    return played, ordered, multiplexer.stderr_sizes


class _Heard:
    """The lines that are wanted of a conversation."""

    def __init__(self, wanted: Wanted, seats: int) -> None:
        self.lines: list[Line] = []
        self._wanted = wanted
        self._shown = [Capped(MAX_ANSWER) for _ in range(seats)]

    def log(self, seat: int, direction: str, line: bytes) -> None:
        """Keep a line, if it is wanted."""
        if direction == "!!":
            return
        whole = Line(direction, seat, _text(line))
        if not self._wanted(whole):
            return
        if direction == "<<":
            shown = self._shown[seat]
            text = _text(shown.take(line))
            if size := shown.end_step():
                whole = whole._replace(text=f"{text} {left_out(size)}")
        self.lines.append(whole)


def _text(line: bytes) -> str:
    return line.decode("utf-8", "backslashreplace").rstrip()


class OfGame:
    """Tells which lines belong to one game, with every start of a bot up to its end.

    A line from a seat that is no answer to a request belongs to the game that the seat was asked
    about last.
    """

    def __init__(self, game: int) -> None:
        self._game = game
        self._last_game: dict[int, int] = {}
        self._game_of_request: dict[tuple[int, str], int] = {}
        self._starting: set[int] = set()

    def __call__(self, line: Line) -> bool:
        """Return whether the next line of the conversation belongs to it."""
        message = _object(line.text)
        request = line.seat, str(message.get("id"))
        to_bot = line.direction == ">>"
        if to_bot and message.get("type") == "hello":
            self._starting.add(line.seat)
        number = message.get("game") if to_bot else self._game_of_request.get(request)
        if isinstance(number, int):
            self._last_game[line.seat] = self._game_of_request[request] = number
            self._starting.discard(line.seat)
        current = self._last_game.get(line.seat, 0)
        return current == self._game or (line.seat in self._starting and current < self._game)


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
