"""Play a recorded fixture again with live bots: the records must be the same."""

from collections.abc import Sequence
from itertools import zip_longest

import msgspec
from msgspec import Struct

from arena.bots.bot import StagedBot
from arena.bots.models.gateway import Gateway
from arena.bots.sandboxes.base import Sandbox
from arena.game.records import Event, GameRecord, LimitsInfo, PlayedFixture
from arena.game.rules.books import Rules
from arena.league.table.transcript import OfGame, conversation


class Difference(Struct, frozen=True):
    """The first difference of a game; events are in their stored form, "" if missing."""

    game: int
    step: int
    """The first event that differs, from 0."""
    stored: str
    now: str


class Rerun(Struct, frozen=True):
    """The result of playing a fixture again."""

    fixture: int
    """The fixture's index in the schedule, from 0."""
    seats: tuple[str, ...]
    games: int
    """Games that were compared."""
    differences: list[Difference]
    transcript: list[str]
    """The conversation of the one game asked for, with the starts of its bots."""


def rerun(
    stored: PlayedFixture,
    rules: Rules,
    bots: Sequence[StagedBot],
    sandbox: Sandbox,
    limits: LimitsInfo,
    game: int | None = None,
    gateway: Gateway | None = None,
) -> Rerun:
    """Play all games of a fixture again on the same dice; `bots` are in the order of its seats.

    With `game`, which must be among those stored, only that game is compared, and its conversation
    is returned.
    """
    wanted = (lambda _: False) if game is None else OfGame(game)
    played, lines, _ = conversation(stored.fixture, rules, bots, sandbox, limits, wanted, gateway)
    records = {record.game: record for record in played.games}
    compared = [record for record in stored.games if game in (None, record.game)]
    differences = [first_difference(record, records[record.game]) for record in compared]
    return Rerun(
        fixture=stored.fixture.index,
        seats=stored.fixture.seats,
        games=len(compared),
        differences=[difference for difference in differences if difference],
        transcript=[str(line) for line in lines],
    )


def first_difference(stored: GameRecord, now: GameRecord) -> Difference | None:
    """Return the first difference of two records of a game, None if they are the same."""
    for step, (old, new) in enumerate(zip_longest(stored.events, now.events)):
        if old != new:
            return Difference(stored.game, step, _json(old), _json(new))
    return None


def _json(event: Event | None) -> str:
    return "" if event is None else msgspec.json.encode(event).decode()
