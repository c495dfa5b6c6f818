"""The games of some fixtures of one division as arrays; all their events are legal."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from arena.game.records import BidMade, PlayedFixture
from arena.game.rules.books import FACES, PACO, Rules
from arena.game.rules.dice import Hand
from arena.game.rules.round import may_gain, may_raise_face
from arena.game.walk import ForbiddenEventError, RecordedRound, recorded_rounds, walk
from arena.playstats.scan.tables import PALIFICO, PLAIN, Flags, legal_bids, number_of
from arena.ratings.maths.arrays import Ints, as_ints

NO_CALL, DUDO, CALZA = range(3)
NOBODY = -1
_COLUMNS = 12
"""Numbers of a round, beside its dice and bids."""


def ints(values: Iterable[int]) -> Ints:
    """Return whole numbers as an array."""
    return np.fromiter(values, np.intp)


@dataclass(frozen=True)
class Rounds:
    """An array per property, with an entry per round."""

    game: Ints
    """The index of its game among all that are scanned."""
    step: Ints
    """The place of its start among the events of its game."""
    number: Ints
    opener: Ints
    palifico: Flags
    """Whether it is a palifico round."""
    wild: Flags
    """Whether pacos are wild."""
    bids: Ints
    """How many bids it has."""
    call: Ints
    """One of the constants above; the next five are of calls alone."""
    caller: Ints
    count: Ints
    """The dice that match the bid, by the record."""
    loser: Ints
    """The seat that loses a die; may be `NOBODY`."""
    gains: Flags
    """Whether a right calza gives the caller a die."""
    free: Flags
    """[round, seat]: who may raise the face in a palifico round; nobody in a normal round."""
    dice: Ints
    """[round, seat]: how many each has."""
    hands: NDArray[np.int8]
    """[round, seat, face]: how many show a face from 1 on."""

    @cached_property
    def total(self) -> Ints:
        """How many dice are on the table."""
        return as_ints(self.dice.sum(1))

    @cached_property
    def alive(self) -> Ints:
        """How many seats have dice."""
        return as_ints((self.dice > 0).sum(1))

    @cached_property
    def _order(self) -> Ints:
        """[round, turn]: the seats from the opener to the left, those without dice last."""
        seats = self.dice.shape[1]
        around = (self.opener[:, None] + np.arange(seats)) % seats
        out = np.take_along_axis(self.dice, around, 1) == 0
        return np.take_along_axis(around, out.argsort(1, kind="stable"), 1)

    @cached_property
    def _table(self) -> Ints:
        """[round, face]: how many dice show a face."""
        return as_ints(self.hands.sum(1))

    def acting(self, at: Ints, turn: Ints) -> Ints:
        """Return the seats on turn in some rounds, after so many bids."""
        return as_ints(self._order[at, turn % self.alive[at]])

    def faces(self, at: Ints, face: Ints) -> Ints:
        """Return how many faces count for some bids: 2 if pacos do, too."""
        return as_ints(1 + (self.wild[at] & (face != PACO)))

    def matching(self, at: Ints, face: Ints) -> Ints:
        """Return how many dice count for some bids."""
        pacos = self._table[at, PACO] * (self.faces(at, face) - 1)
        return as_ints(self._table[at, face] + pacos)

    def own(self, at: Ints, seat: Ints, face: Ints) -> Ints:
        """Return how many of some seats' own dice count for bids."""
        pacos = self.hands[at, seat, PACO] * (self.faces(at, face) - 1)
        return as_ints(self.hands[at, seat, face] + pacos)

    def unseen(self, at: Ints, seat: Ints) -> Ints:
        """Return how many dice some seats do not see."""
        return as_ints(self.total[at] - self.dice[at, seat])

    def bidders(self, at: Ints, seat: Ints) -> Ints:
        """Return what some seats may bid as."""
        return np.where(self.palifico[at], PALIFICO + self.free[at, seat], PLAIN)


def as_rounds(recorded: Sequence[RecordedRound], per_game: Sequence[int], seats: int) -> Rounds:
    """Return rounds as arrays, given how many each game has."""
    rows = ints(chain.from_iterable(map(_row, recorded))).reshape(-1, _COLUMNS)
    step, number, opener, palifico, wild, bids, call, caller, count, loser, gains, free = rows.T
    dice, hands = _dice([one.hands for one in recorded], seats)
    return Rounds(
        game=np.repeat(np.arange(len(per_game)), per_game),
        step=step,
        number=number,
        opener=opener,
        palifico=palifico == 1,
        wild=wild == 1,
        bids=bids,
        call=call,
        caller=caller,
        count=count,
        loser=loser,
        gains=gains == 1,
        free=free[:, None] >> np.arange(seats) & 1 == 1,
        dice=dice,
        hands=hands,
    )


def _row(one: RecordedRound) -> tuple[int, ...]:
    standing, call = one.standing, one.call
    palifico = standing.palifico_seat is not None
    wild = standing.wild is not None
    start = one.step, one.number, standing.opener, palifico, wild, len(one.bids)
    free = 0  # a bit for each seat
    if palifico:
        free = sum(may_raise_face(standing, seat) << seat for seat in range(len(standing.dice)))
    if call is None:
        return *start, NO_CALL, 0, 0, NOBODY, False, free
    loser = NOBODY if call.loser is None else call.loser
    if call.call == "dudo":
        return *start, DUDO, call.seat, call.count, loser, False, free
    gains = may_gain(standing, call.seat)
    return *start, CALZA, call.seat, call.count, loser, gains, free


def _dice(hands: Sequence[tuple[Hand, ...]], seats: int) -> tuple[Ints, NDArray[np.int8]]:
    """Return how many dice each seat has in each round, and how many of each face."""
    per_seat = ints(map(len, chain.from_iterable(hands)))
    faces = ints(chain.from_iterable(chain.from_iterable(hands)))
    cells = np.repeat(np.arange(len(per_seat)) * (FACES + 1), per_seat) + faces
    counts = np.bincount(cells, minlength=len(per_seat) * (FACES + 1))
    return per_seat.reshape(-1, seats), counts.astype(np.int8).reshape(-1, seats, FACES + 1)


@dataclass(frozen=True)
class Bids:
    """An array per property, with an entry per bid."""

    round: Ints
    place: Ints
    """Its place among the bids of its round, from 0."""
    seat: Ints
    quantity: Ints
    face: Ints

    def only(self, chosen: Ints | Flags) -> "Bids":
        """Return some of the bids."""
        return Bids(*[getattr(self, name)[chosen] for name in _BID])


_BID = ("round", "place", "seat", "quantity", "face")


def as_bids(per_round: Sequence[Sequence[BidMade]]) -> Bids:
    """Return the bids of rounds as arrays."""
    counts, bids = ints(map(len, per_round)), [*chain.from_iterable(per_round)]
    at = np.repeat(np.arange(len(counts)), counts)
    place = np.arange(len(bids)) - (counts.cumsum() - counts)[at]
    return Bids(at, place, *(ints(map(attrgetter(name), bids)) for name in _BID[2:]))


@dataclass(frozen=True)
class Games:
    """Games, their rounds and their bids."""

    fixtures: Sequence[PlayedFixture]
    rules: Rules
    fixture: Ints
    """The index of the fixture of each game."""
    number: Ints
    """The number of each game in its fixture."""
    winner: Ints
    """The seat that won each game."""
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
    rounds = games.rounds
    bids = games.bids
    cap = games.seats * games.rules.starting_dice
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
