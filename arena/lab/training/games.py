"""Games of one setting with a policy in every seat.

They tell what the ends of their rounds are worth, and what the rounds told about who sits there.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arena.game.rules.books import Rules
from arena.lab.env.perudo_policy import DUDO, FACES, FIRST_BID
from arena.lab.env.vector import VectorEnv
from arena.lab.training.policy import softmax
from arena.lab.training.view import (
    KINDS,
    SEATS,
    SWITCHES,
    TELLS,
    Flags,
    Floats,
    Numbers,
    Positions,
    likelier,
    tells,
)

LONGEST = 256
"""The most bids of a round that are kept; there are fewer than six for each die."""
WIDTH = 4 * SEATS + 1 + len(SWITCHES)
"""The numbers that `Games.standings` tells of a seat between two rounds."""
Worth = Callable[[Floats], Floats]
"""Estimates, from rows of `Games.standings`, the share of living rivals that a seat beats."""


class Shown(NamedTuple):
    """Rounds that ended, as all seats saw them: a row each, with a column for each seat."""

    games: Numbers
    hands: npt.NDArray[np.int8]
    faces: Numbers
    """The face of the seat's last bid, from 0; -1 for none."""
    wild: Flags
    places: Numbers
    """The finishing places that are settled now; 0 for those who play on, or were out before."""
    living: Flags
    """The seats that were in that round."""


class Games:
    """Games that are played at a time; `players` names the policy in each seat, by its number."""

    def __init__(
        self,
        games: int,
        variant: str | Rules,
        players: int,
        *,
        calza: bool = False,
        seed: int = 0,
        starting_dice: int | None = None,
    ) -> None:
        """Begin the games; raises ValueError as `VectorEnv` does."""
        self.env = VectorEnv(games, variant, players, starting_dice, calza=calza, seed=seed)
        self.random = np.random.default_rng([seed, 1])
        self.rows = np.arange(games)
        self.players = np.zeros((games, players), np.int64)
        self.bids = np.zeros((games, LONGEST), np.int64)
        """The bids of the round, oldest first, as actions less the calls."""
        self.length = np.zeros(games, np.int64)
        self.said = np.zeros((games, players + 1, FACES), np.int64)
        """The last quantity that each seat bid of each face; the last row belongs to no seat."""
        self.last = np.full((games, players + 1), -1)
        """The face of each seat's last bid."""
        self.lots = self.random.random((games, players, 3))
        """Numbers for what seats make up for a round."""
        self._order, self._rank = _orders(players)
        rules = self.env.setting.rules
        self._switches = np.array([int(getattr(rules, switch)) for switch in SWITCHES])

    def positions(self, rows: Numbers) -> Positions:
        """Return what the seats see that act in some of the games."""
        env, seat = self.env, self.env.seat[rows]
        order = self._order[env.alive[rows], seat]
        rank = self._rank[env.alive[rows], seat]
        at = rows[:, None]
        least, most = env.ranges(rows)
        said, none = env.bid[rows], FACES * env.table.cap
        whose = env.palifico[rows]
        dice = _padded(env.dice)[at, order]
        seen = Positions(
            hand=env.hands[rows, seat].astype(np.int64),
            dice=dice,
            used=_padded(env.palifico_used)[at, order],
            palifico=np.where(whose >= 0, rank[np.arange(len(rows)), whose], -1),
            said=self.said[at, order],
            quantity=(said // FACES + 1) * (said < none),
            face=said % FACES,
            bidder=rank[np.arange(len(rows)), env.bidder[rows]],
            offer=env.offering[rows],
            least=least,
            most=most,
            start=np.full(len(rows), env.table.starting_dice),
            switches=np.broadcast_to(self._switches, (len(rows), len(SWITCHES))),
            guesses=np.repeat((dice > 0)[:, :, None] / np.float32(KINDS), KINDS, 2),
        )
        return Positions._make(map(np.asfortranarray, seen))

    def seats(self, rows: Numbers) -> Numbers:
        """Return the seats as positions count them; one past the last where there is none."""
        return self._order[self.env.alive[rows], self.env.seat[rows]]

    def standings(self, rows: Numbers) -> Floats:
        """Return the standing of every seat of some games before their coming rounds."""
        env, players = self.env, self.env.table.players
        at = rows[:, None, None]
        order = self._order[env.alive[rows]]
        dice = _padded(env.dice)[at, order]
        used = _padded(env.palifico_used)[at, order]
        opens = (order == env.opener[rows][:, None, None]) & (dice > 0)
        count = ((dice > 0).sum(2) - 1)[:, :, None] == np.arange(SEATS)
        locked = np.broadcast_to(env.palifico[rows][:, None, None] >= 0, (len(rows), players, 1))
        shape = (len(rows), players, len(SWITCHES))
        parts = [dice / 5, used, opens, count, locked, np.broadcast_to(self._switches, shape)]
        return np.concatenate(parts, 2, dtype=np.float32)

    def begin(self, rows: Numbers) -> None:
        """Begin new games in place of these."""
        self.env.begin(rows)
        self._clear(rows)

    def step(self, actions: Numbers, rows: Numbers | None = None) -> tuple[Shown, Flags]:
        """Act in each game; returns the rounds that this ended, and which games it ended.

        With `rows` only these games act, and the others wait.
        """
        env, before = self.env, self.env.round.copy()
        hands = env.hands.copy()
        dice = env.dice.copy()
        places = env.places.copy()
        wild = env.palifico < 0
        self._note(actions, self.rows if rows is None else rows)
        rewards, over = env.step(actions, rows)
        ended = np.flatnonzero(over | (env.round != before))
        now = _places(rewards[ended], env.table.players)
        out = (dice[ended] > 0) & ((env.dice[ended] == 0) | over[ended, None])
        living = places[ended] == 0
        shown = Shown(ended, hands[ended], self.last[ended, :-1], wild[ended], now * out, living)
        self._clear(ended)
        return shown, over

    def returns(self, shown: Shown, worth: Worth) -> Floats:
        """Return by seat the share of rivals, of those in the round, that it finishes ahead of.

        For a seat that plays on, that is estimated by `worth` from how the table stands now.
        """
        were = shown.living.sum(1, keepdims=True)
        left = were - (shown.places > 0).sum(1, keepdims=True)
        standings = self.standings(shown.games)
        ahead = worth(standings.reshape(-1, WIDTH)).reshape(shown.places.shape)
        place = np.where(shown.places > 0, shown.places, left - ahead * (left - 1))
        result: Floats = ((were - place) / (were - 1)).astype(np.float32)
        return result

    def _note(self, actions: Numbers, rows: Numbers) -> None:
        bidding = actions >= FIRST_BID
        games, bids = rows[bidding], actions[bidding] - FIRST_BID
        seats = self.env.seat[games]
        self.bids[games, self.length[games]] = bids
        self.length[games] += 1
        self.said[games, seats, bids % FACES] = bids // FACES + 1
        self.last[games, seats] = bids % FACES

    def _clear(self, games: Numbers) -> None:
        self.length[games] = 0
        self.said[games] = 0
        self.last[games] = -1
        self.lots[games] = self.random.random((len(games), *self.lots.shape[1:]))


def some(at: Positions, rows: Numbers) -> Positions:
    """Return some of the positions."""
    return Positions._make(part.T.take(rows, -1).T for part in at)


def bid_actions(quantities: Numbers, faces: Numbers) -> Numbers:
    """Return bids as actions of the environment; faces count from 0."""
    return FIRST_BID + (quantities - 1) * FACES + faces


def _places(rewards: Floats, players: int) -> Numbers:
    """Return the places that rewards stand for."""
    return np.rint(1 + (1 - rewards) * (players - 1) / 2).astype(np.int64)


def _padded(by_seat: npt.NDArray[Any]) -> Numbers:
    """Return a state by seat with one more column, of no seat."""
    padded = np.zeros((len(by_seat), by_seat.shape[1] + 1), np.int64)
    padded[:, :-1] = by_seat
    return padded


def _orders(players: int) -> tuple[Numbers, Numbers]:
    """Return, by the living and a seat, the living in its order, and the number of each seat."""
    order = np.full((1 << players, players, SEATS), players)
    rank = np.zeros((1 << players, players, players), np.int64)
    for bits in range(1 << players):
        for seat in range(players):
            around = [(seat + step) % players for step in range(players)]
            living = [other for other in around if bits >> other & 1]
            order[bits, seat, : len(living)] = living
            rank[bits, seat, living] = np.arange(len(living))
    return order, rank


Kinds = Callable[[Floats], Floats]
"""Returns from rows of `tells` how likely each kind of player is."""


class Guesses:
    """Guesses about the players at a table, by what each of them did in the game."""

    def __init__(self, games: Games) -> None:
        """Know nothing yet."""
        shape = len(games.rows), games.env.table.players + 1, KINDS
        self._known = np.zeros(shape, np.float32)
        """How likely a seat is of each kind, by the rounds before: logarithms."""
        self._chances = np.full(shape, 1 / KINDS, np.float32)
        self._chances[:, -1] = 0
        self._round = np.zeros(shape, np.float32)

    def note(
        self, at: Positions, games: Games, rows: Numbers, actions: Numbers, kinds: Kinds
    ) -> tuple[Numbers, Floats]:
        """Hear of the actions in some games; returns the games with a tell, and the tells."""
        some, numbers = told(at, actions)
        rows = rows[some]
        self._round[rows, games.env.seat[rows]] += likelier(kinds, numbers)
        return rows, numbers

    def forget(self, rows: Numbers) -> None:
        """Hear of games that were broken off."""
        self._known[rows] = self._round[rows] = 0
        self._chances[rows, :-1] = 1 / KINDS

    def learn(self, shown: Shown, over: Flags) -> None:
        """Hear of rounds that ended: their dice were shown."""
        self._known[shown.games] += self._round[shown.games]
        self._round[shown.games] = 0
        self._known[over] = 0
        self._chances[shown.games, :-1] = softmax(self._known[shown.games, :-1])

    def add_to(self, at: Positions, games: Games, rows: Numbers) -> Positions:
        """Return positions of some games with what is known."""
        guesses = self._chances[rows[:, None], games.seats(rows)]
        return at._replace(guesses=np.asfortranarray(guesses))


def told(at: Positions, actions: Numbers) -> tuple[Numbers, Floats]:
    """Return the rows in which a seat bids or doubts, and what that tells."""
    rows = np.flatnonzero((actions == DUDO) | (actions >= FIRST_BID))
    if not len(rows):
        return rows, np.zeros((0, TELLS), np.float32)
    bid = actions[rows] - FIRST_BID
    quantity = np.where(bid >= 0, bid // FACES + 1, 0)
    face = np.where(bid >= 0, bid % FACES, 0)
    return rows, tells(some(at, rows), quantity, face)
