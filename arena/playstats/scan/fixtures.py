"""What the games of some fixtures say of their seats."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from arena.game.records import PlayedFixture
from arena.game.rules.books import Rules
from arena.playstats.fault_entry import FaultEntry
from arena.playstats.highlights import Highlight
from arena.playstats.luck import has_luck
from arena.playstats.mistakes import Mistake
from arena.playstats.scan.counts import calibrations, styles
from arena.playstats.scan.games import Games, read
from arena.playstats.scan.lucky import luck_of
from arena.playstats.scan.moments import best_moments
from arena.playstats.scan.weighed import Weighing
from arena.playstats.scan.worst_moves import worst_moves
from arena.playstats.style import Calibration, Style


class SeatCounts(NamedTuple):
    """What is counted of one seat in a fixture."""

    style: Style
    calibration: Calibration
    mistakes: tuple[Mistake, ...]
    highlights: tuple[Highlight, ...]


class FixtureCounts(NamedTuple):
    """What is counted in one fixture."""

    seats: Sequence[SeatCounts]
    faults: tuple[FaultEntry, ...]
    luck: tuple[int, ...]


def scan(fixtures: Sequence[PlayedFixture], rules: Rules) -> Iterator[FixtureCounts]:
    """Yield the counts of each of some fixtures of a division, played by `rules`.

    Raises ForbiddenEventError if the rules forbid an event of a game.
    """
    games = read(fixtures, rules)
    seats, faults = _seats(games), _faults(games)
    luck = luck_of(games).tolist() if has_luck(rules, games.seats) else []
    for at, one in enumerate(fixtures):
        mine, games_of = slice(at * games.seats, (at + 1) * games.seats), len(one.games)
        yield FixtureCounts(seats[mine], tuple(faults[at]), tuple(luck[:games_of]))
        del luck[:games_of]


def _seats(games: Games) -> list[SeatCounts]:
    weighing = Weighing(games)
    bids, calls = weighing.bids(), (weighing.dudos(), weighing.calzas())
    counted = calibrations(games, bids)
    columns = (
        styles(games, bids, counted, *calls),
        counted,
        worst_moves(games, weighing, bids, *calls),
        best_moments(games, bids, *calls),
    )
    return [SeatCounts(*seat) for seat in zip(*columns, strict=True)]


def _faults(games: Games) -> list[list[FaultEntry]]:
    """Return the faults of each fixture, by game, then by step."""
    found: list[list[FaultEntry]] = [[] for _ in games.fixtures]
    for at, one in enumerate(games.recorded):
        for step, event in enumerate(one.faults, one.step + 1 + len(one.bids)):
            game = games.rounds.game[at]
            fixture = games.fixtures[int(games.fixture[game])].fixture
            seats = fixture.seats
            fault = FaultEntry(
                cause=event.cause,
                bot=seats[event.seat],
                variant=fixture.variant,
                players=len(seats),
                fixture=fixture.id,
                index=fixture.index,
                game=int(games.number[game]),
                round=one.number,
                step=step,
                seat=event.seat,
                dice=sum(one.standing.dice),
                opponents=seats[: event.seat] + seats[event.seat + 1 :],
                detail=event.detail,
            )
            found[int(games.fixture[game])].append(fault)
    return found
