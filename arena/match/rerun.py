"""Play a stored fixture again with live bots, and compare: deterministic bots do the same."""

from collections.abc import Sequence
from itertools import zip_longest

import msgspec
from msgspec import Struct

from arena.match.transcript import conversation, of_game
from arena.perudo.rules import Rules
from arena.records import Event, GameRecord, LimitsInfo, PlayedFixture
from arena.sandboxes.base import Sandbox
from arena.submissions.manifest import Bot

_encode = msgspec.json.Encoder().encode


class Difference(Struct, frozen=True):
    """Where a game came out differently; an event is as it is stored, empty where there is none."""

    game: int
    step: int
    """The first event that is not the same, from 0."""
    stored: str
    now: str


class Rerun(Struct, frozen=True):
    """What came of it."""

    fixture: int
    """Its place in the schedule, from 0."""
    seats: tuple[str, ...]
    games: int
    """Games that were compared."""
    differences: list[Difference]
    transcript: list[str]
    """What was said in the one game asked for, and when its bots started."""


def rerun(
    stored: PlayedFixture,
    rules: Rules,
    bots: Sequence[Bot],
    sandbox: Sandbox,
    limits: LimitsInfo,
    game: int | None = None,
) -> Rerun:
    """Play all games of a fixture again, on the same dice; `bots` are staged and in seat order.

    Where a `game` is named only that one is compared, and all that is said in it is returned. It
    must be among those stored.
    """
    now, said = conversation(stored.fixture, rules, bots, sandbox, limits)
    wanted = [one for one in stored.games if game in (None, one.game)]
    fresh = {one.game: one for one in now.games}
    found = (difference(one, fresh[one.game]) for one in wanted)
    return Rerun(
        fixture=stored.fixture.index,
        seats=stored.fixture.seats,
        games=len(wanted),
        differences=[one for one in found if one],
        transcript=[] if game is None else [str(line) for line in of_game(said, game)],
    )


def difference(stored: GameRecord, now: GameRecord) -> Difference | None:
    """Return where two records of a game part; None where they are the same."""
    for step, (old, new) in enumerate(zip_longest(stored.events, now.events)):
        if old != new:
            return Difference(stored.game, step, _shown(old), _shown(new))
    return None


def _shown(event: Event | None) -> str:
    return "" if event is None else _encode(event).decode()
