"""The bids and calls of some games, weighed as their seats knew them; chances are in millionths."""

from dataclasses import dataclass

import numpy as np

from arena.playstats.scan.games import CALZA, DUDO, Bids, Games
from arena.playstats.scan.tables import Flags, legal_bids, number_of, odds
from arena.playstats.style import MILLION
from arena.ratings.maths.arrays import Ints


@dataclass(frozen=True)
class WeighedBids:
    """All bids, each with what the bid before it has to do with it."""

    bids: Bids
    chance: Ints
    """How likely it was to be true."""
    bin: Ints
    """The part of all probabilities that this belongs to."""
    true: Flags
    raised: Flags
    """Whether another bid of the same round follows."""

    def raises(self) -> Ints:
        """Return which bids were made on top of another, which is the one before."""
        return np.flatnonzero(self.bids.place)


@dataclass(frozen=True)
class WeighedCalls:
    """Calls of one kind."""

    round: Ints
    seat: Ints
    bid: Bids
    """The bids that were called."""
    chance: Ints
    """How likely they were to be right."""
    instead: Ints
    """How likely the alternative was to be right."""
    edge: Ints
    """By how many millionths of a die they were better than the alternative; MILLION without one:
    then they were no mistakes."""
    raised: Bids
    """The most likely legal raises, instead of dudos; their quantity is 0 if there is none."""
    right: Flags


class Weighing:
    """Looks the chances of bids up."""

    def __init__(self, games: Games) -> None:
        self._games, self._rounds = games, games.rounds
        self._odds = odds(games.seats * games.rules.starting_dice)

    def bids(self) -> WeighedBids:
        """Return all bids."""
        bids, rounds = self._games.bids, self._rounds
        at = self._index(bids.round, bids.seat, bids.quantity, bids.face)
        return WeighedBids(
            bids=bids,
            chance=self._odds.millionths[at],
            bin=self._odds.bins[at],
            true=rounds.matching(bids.round, bids.face) >= bids.quantity,
            raised=bids.place + 1 < rounds.bids[bids.round],
        )

    def chance(self, at: Ints, seat: Ints, quantity: Ints, face: Ints) -> Ints:
        """Return how likely bids are to be true, to those who know some seats' dice alone."""
        return self._odds.millionths[self._index(at, seat, quantity, face)]

    def _index(self, at: Ints, seat: Ints, quantity: Ints, face: Ints) -> Ints:
        rounds = self._rounds
        needed = quantity - rounds.own(at, seat, face)
        return self._odds.place(needed, rounds.unseen(at, seat), rounds.faces(at, face))

    def dudos(self) -> WeighedCalls:
        """Return all dudos, each against the most likely legal raise."""
        rounds = self._rounds
        at = np.flatnonzero(rounds.call == DUDO)
        seat, bid = rounds.caller[at], self._games.last_bids(at)
        wrong = self.chance(at, seat, bid.quantity, bid.face)
        raised, likely = self._likeliest_raises(at, seat, bid)
        false, legal = MILLION - wrong, raised.quantity > 0
        return WeighedCalls(
            round=at,
            seat=seat,
            bid=bid,
            chance=false,
            instead=likely,
            edge=np.where(legal, false - likely, MILLION),
            raised=raised,
            right=rounds.loser[at] != seat,
        )

    def _likeliest_raises(self, at: Ints, seat: Ints, bid: Bids) -> tuple[Bids, Ints]:
        """Return the most likely bids that seats may make instead of a call, and how likely.

        Of each face the lowest: no higher one is likelier. Their quantity is 0 if there is none.
        """
        legal = legal_bids(self._games.rules, self._games.seats)
        where = self._rounds.bidders(at, seat), number_of(bid.quantity, bid.face)
        quantity, face = legal.quantities[where], legal.faces[where]
        likely = self.chance(at[:, None], seat[:, None], quantity, face)
        best = np.where(quantity > 0, likely, -1).argmax(1)
        every = np.arange(len(at))
        raised = Bids(at, bid.place + 1, seat, quantity[every, best], face[every, best])
        return raised, likely[every, best]

    def calzas(self) -> WeighedCalls:
        """Return all calzas, each against a pass."""
        rounds = self._rounds
        at = np.flatnonzero(rounds.call == CALZA)
        seat, bid = rounds.caller[at], self._games.last_bids(at)
        more = self.chance(at, seat, bid.quantity + 1, bid.face)
        exact = self.chance(at, seat, bid.quantity, bid.face) - more
        gain, nothing = np.where(rounds.gains[at], exact, 0), np.zeros(len(at), np.intp)
        return WeighedCalls(
            round=at,
            seat=seat,
            bid=bid,
            chance=exact,
            instead=np.full(len(at), MILLION),
            edge=gain - (MILLION - exact),
            raised=Bids(at, nothing, nothing, nothing, nothing),
            right=rounds.loser[at] != seat,
        )
