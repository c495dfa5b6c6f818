"""The statistics of one fixture: small, cacheable, independent of other fixtures."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from arena.game.records import (
    LUCK_UNIT,
    Fixture,
    FixtureResult,
    GameResult,
    PlayedFixture,
    fixture_result,
)
from arena.game.rules.books import FACES, Rules
from arena.game.rules.round import Standing
from arena.playstats.baseline import PATIENCE, every_hand
from arena.playstats.faults import FaultEntry
from arena.playstats.highlights import Highlight, best_moments
from arena.playstats.luck import MOST_DICE, has_luck, stake
from arena.playstats.mistakes import Mistake, worst_moves
from arena.playstats.scan.games import Games, ints, read
from arena.playstats.scan.weighed import WeighedBids, WeighedCalls, Weighing
from arena.playstats.style import BINS, THOUSAND, Calibration, Style
from arena.ratings.maths.arrays import Floats, Ints, as_floats

STDERR_SHOWN = 4000
"""Characters of standard error that are kept of a seat that faulted."""


class SeatSummary(Struct, frozen=True):
    """The statistics of one seat in a fixture."""

    style: Style
    calibration: Calibration
    mistakes: tuple[Mistake, ...]
    """Its worst moves."""
    highlights: tuple[Highlight, ...]
    """Its best highlights, kind by kind."""
    stderr: str = ""
    """The end of its standard error if it faulted and wrote any."""


class FixtureSummary(Struct, frozen=True):
    """The statistics of one fixture."""

    result: FixtureResult
    seats: tuple[SeatSummary, ...]
    faults: tuple[FaultEntry, ...] = ()
    """By game, then by step."""
    luck: tuple[int, ...] = ()
    """How lucky the dice of each game were for seat 0, in thousandths of a win; empty if that is
    not measured."""

    @property
    def fixture(self) -> Fixture:
        """The fixture that was played."""
        return self.result.fixture

    @property
    def games(self) -> Sequence[GameResult]:
        """The results of all its games."""
        return self.result.games

    @property
    def rated(self) -> FixtureResult:
        """The result as it is rated: with luck, unless other fixtures share the dice."""
        return self.result if self.fixture.dice else replace(self.result, luck=self.luck)


def summarize_fixture(played: PlayedFixture, rules: Rules) -> FixtureSummary:
    """Scan the games of a fixture, played by `rules`; equal games have equal summaries.

    Raises ForbiddenEventError if the rules forbid an event of a game.
    """
    [summary] = summarize_fixtures([played], rules)
    return summary


def summarize_fixtures(played: Sequence[PlayedFixture], rules: Rules) -> Iterator[FixtureSummary]:
    """Yield the summaries of fixtures of one division; many at a time take less time.

    Raises ForbiddenEventError if the rules forbid an event of a game.
    """
    games = read(played, rules)
    weighing = Weighing(games)
    bids = weighing.bids()
    dudos = weighing.dudos()
    calzas = weighing.calzas()
    counted = calibrations(games, bids)
    # Each list has an entry for each seat, table by table.
    seats = zip(
        styles(games, bids, counted, dudos, calzas),
        counted,
        worst_moves(games, weighing, bids, dudos, calzas),
        best_moments(games, bids, dudos, calzas),
        strict=True,
    )
    luck = iter(luck_of(games).tolist() if has_luck(rules, games.seats) else ())
    for one, faults in zip(played, _faults(games), strict=True):
        faulty = {fault.seat for fault in faults}
        yield FixtureSummary(
            result=fixture_result(one, one.stored_at),
            seats=tuple(
                SeatSummary(*of_seat, _stderr(one, seat) if seat in faulty else "")
                for seat, of_seat in enumerate(islice(seats, games.seats))
            ),
            faults=tuple(faults),
            luck=tuple(islice(luck, len(one.games))),
        )


def summarize_result(result: FixtureResult, luck: Sequence[int]) -> FixtureSummary:
    """Return the summary of a fixture whose logs were pruned: no more than who won is known."""
    unknown = SeatSummary(Style(), Calibration(), (), ())
    return FixtureSummary(result, (unknown,) * len(result.fixture.seats), luck=tuple(luck))


def _stderr(played: PlayedFixture, seat: int) -> str:
    text = played.stderr[seat] if seat < len(played.stderr) else ""
    return tail(text, STDERR_SHOWN) if text.strip() else ""


def tail(text: str, limit: int) -> str:
    """Return the last `limit` characters, in whole lines if possible."""
    if len(text) <= limit:
        return text
    end = text[-limit:]
    return "…\n" + (end.partition("\n")[2] or end)


def calibrations(games: Games, weighed: WeighedBids) -> list[Calibration]:
    """Return those of all seats, table by table."""
    bids = weighed.bids
    cell = games.group(bids.round, bids.seat) * BINS + weighed.bin
    shape = games.groups, BINS
    columns = [
        _counted(cell, shape),
        _counted(cell[weighed.true], shape),
        _summed(cell, weighed.chance, shape),
    ]
    return [Calibration(*seat) for seat in zip(*columns, strict=True)]


def styles(
    games: Games,
    weighed: WeighedBids,
    counted: list[Calibration],
    dudos: WeighedCalls,
    calzas: WeighedCalls,
) -> list[Style]:
    """Return those of all seats, whose calibrations are given, table by table."""
    opening, boldness = _openings(games, weighed)
    groups, dudo, calza = games.groups, _groups(games, dudos), _groups(games, calzas)
    columns = [
        _counted(opening, groups),
        _summed(opening, boldness, groups),
        _summed(opening, boldness * boldness, groups),
        [sum(calibration.bids) for calibration in counted],
        # A bluff is a bid in the lower half of the bins.
        [sum(calibration.bids[: BINS // 2]) for calibration in counted],
        _counted(dudo, groups),
        _counted(dudo[dudos.right], groups),
        _counted(calza, groups),
        _counted(calza[calzas.right], groups),
    ]
    return [Style(*seat) for seat in zip(*columns, strict=True)]


def _openings(games: Games, weighed: WeighedBids) -> tuple[Ints, Ints]:
    """Return the seats that opened rounds, and how bold that was, in thousandths.

    That is the quantity against that to be expected of all dice.
    """
    rounds, bids = games.rounds, weighed.bids.only(weighed.bids.place == 0)
    expected = rounds.faces(bids.round, bids.face) * rounds.total[bids.round]
    boldness = np.rint(THOUSAND * FACES * bids.quantity / expected).astype(np.intp)
    return games.group(bids.round, bids.seat), boldness


def _groups(games: Games, calls: WeighedCalls) -> Ints:
    return games.group(calls.round, calls.seat)


def _counted(cells: Ints, shape: int | tuple[int, int]) -> list[Any]:
    return np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape).tolist()


def _summed(cells: Ints, values: Ints, shape: int | tuple[int, int]) -> list[Any]:
    """Return sums, which floats hold exactly: they are below 2^53."""
    sums = np.bincount(cells, values, minlength=int(np.prod(shape)))
    return sums.astype(np.intp).reshape(shape).tolist()


_RADIX = (MOST_DICE + 1) ** np.arange(FACES)
"""What a die of each face adds to the number of a hand."""


def luck_of(games: Games) -> Ints:
    """Return the luck of each game for seat 0, as `game_luck` does."""
    standings = [one.standing for one in games.recorded]
    numbers = {standing: number for number, standing in enumerate(dict.fromkeys(standings))}
    which = ints([numbers[standing] for standing in standings])
    by, luck = which.argsort(kind="stable"), np.empty(len(which))
    ends = np.bincount(which, minlength=len(numbers)).cumsum()
    for standing, at in zip(numbers, np.split(by, ends), strict=False):
        luck[at] = _luck_of_rounds(standing, games.rounds.hands[at])
    wins = np.bincount(games.rounds.game, luck, minlength=len(games.number))
    return np.rint(wins * LUCK_UNIT).astype(np.intp)


def _luck_of_rounds(standing: Standing, hands: NDArray[np.int8]) -> Floats:
    """Return the luck of the dice of some rounds that begin alike, as `round_luck` does."""
    opener = standing.opener
    deals, die = stake(standing)
    row, column = (
        _hand_numbers(standing.dice[seat])[hands[:, seat, 1:] @ _RADIX]
        for seat in (opener, 1 - opener)
    )
    losses = deals.losses[row * len(deals.columns) + column]
    lost = losses / len(PATIENCE) ** 2 - deals.mean
    return as_floats(-lost * die if opener == 0 else lost * die)


@lru_cache(MOST_DICE)
def _hand_numbers(dice: int) -> Ints:
    """Return the place of each hand of so many dice among all of them, by its number."""
    hands = np.array(every_hand(dice))
    counts = np.array([(hands == face).sum(1) for face in range(1, FACES + 1)]).T
    places = np.zeros((MOST_DICE + 1) ** FACES, np.intp)
    places[counts @ _RADIX] = np.arange(len(hands))
    return places


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
