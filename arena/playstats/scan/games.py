"""The games of some fixtures of one division, all events of which are legal."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NoReturn

import numpy as np

from arena.game.records import PlayedFixture
from arena.game.rules.books import FACES, Rules
from arena.game.walk import ForbiddenEventError, RecordedRound, recorded_rounds, walk
from arena.playstats.scan.rounds import DUDO, Bids, Rounds, as_bids, as_rounds, ints
from arena.playstats.scan.tables import legal_bids, number_of
from arena.ratings.maths.arrays import Ints


@dataclass(frozen=True)
class Games:
    """Games, their rounds and their bids."""

    fixtures: Sequence[PlayedFixture]
    rules: Rules
    fixture: Ints
    """Of each game, the index of its fixture among these."""
    number: Ints
    """Of each game, its number in the fixture."""
    winner: Ints
    """Of each game, the seat that won."""
    recorded: Sequence[RecordedRound]
    rounds: Rounds
    bids: Bids

    @property
    def seats(self) -> int:
        """How many sit at each table."""
        return len(self.fixtures[0].fixture.seats)

    @property
    def groups(self) -> int:
        """How many seats there are at all tables."""
        return len(self.fixtures) * self.seats

    def group(self, at: Ints, seat: Ints) -> Ints:
        """Return the number of some seats in some rounds among all seats, table by table."""
        return self.fixture[self.rounds.game[at]] * self.seats + seat

    def step_of(self, bids: Bids) -> Ints:
        """Return the places of some bids among the events of their games."""
        return self.rounds.step[bids.round] + 1 + bids.place

    def last_bids(self, at: Ints) -> Bids:
        """Return the last bids of some rounds that have bids."""
        return self.bids.only(self.rounds.bids.cumsum()[at] - 1)


def read(fixtures: Sequence[PlayedFixture], rules: Rules) -> Games:
    """Return the games of some fixtures of a division; raises ForbiddenEventError by the rules."""
    try:
        games = _games(fixtures, rules)
        sound = _bids_are_legal(games) and _dudos_are_right(games)
    except (ForbiddenEventError, OverflowError):  # a number may be too large for an array
        sound = False
    if not sound:
        _refuse(fixtures, rules)
    return games


def _games(fixtures: Sequence[PlayedFixture], rules: Rules) -> Games:
    games = [(at, one.fixture, record) for at, one in enumerate(fixtures) for record in one.games]
    if any(len(record.places) != len(fixture.seats) for _, fixture, record in games):
        msg = "a game has places for more or fewer seats than its table"
        raise ValueError(msg)
    recorded = [
        [*recorded_rounds(record, rules, fixture.max_rounds)] for _, fixture, record in games
    ]
    every = [*chain.from_iterable(recorded)]
    return Games(
        fixtures=fixtures,
        rules=rules,
        fixture=ints([at for at, _, _ in games]),
        number=ints([record.game for _, _, record in games]),
        winner=ints([record.places.index(1) for _, _, record in games]),
        recorded=every,
        rounds=as_rounds(every, [len(of) for of in recorded], len(fixtures[0].fixture.seats)),
        bids=as_bids([one.bids for one in every]),
    )


def _bids_are_legal(games: Games) -> bool:
    rounds, bids, cap = games.rounds, games.bids, games.seats * games.rules.starting_dice
    known = (bids.quantity > 0) & (bids.quantity <= cap) & (bids.face > 0) & (bids.face <= FACES)
    if not (known.all() and (bids.seat == rounds.acting(bids.round, bids.place)).all()):
        return False
    number = number_of(bids.quantity, bids.face)
    last = np.where(bids.place > 0, np.roll(number, 1), 0)
    legal = legal_bids(games.rules, games.seats).legal
    return bool(legal[rounds.bidders(bids.round, bids.seat), last, number].all())


def _dudos_are_right(games: Games) -> bool:
    """Tell whether the right seats called dudo, and those lost a die that `dudo` names."""
    rounds = games.rounds
    at = np.flatnonzero(rounds.call == DUDO)
    turns = rounds.bids[at]
    if not turns.all() or (rounds.caller[at] != rounds.acting(at, turns)).any():
        return False
    bids = games.last_bids(at)
    count = rounds.matching(at, bids.face)
    loser = np.where(count >= bids.quantity, rounds.caller[at], bids.seat)
    return bool((count == rounds.count[at]).all() and (loser == rounds.loser[at]).all())


def _refuse(fixtures: Sequence[PlayedFixture], rules: Rules) -> NoReturn:
    """Raise the ForbiddenEventError of the first event that the rules forbid."""
    for one in fixtures:
        try:
            for record in one.games:
                for _ in walk(record, rules, one.fixture.max_rounds):
                    pass
        except ForbiddenEventError as error:
            where = f"fixture {one.fixture.index}, {error.where}"
            raise ForbiddenEventError(error.what, where, error.hint) from None
    where = f"fixtures from {fixtures[0].fixture.index}"
    raise ForbiddenEventError("a number is too large to count with", where, "run `arena verify`")
