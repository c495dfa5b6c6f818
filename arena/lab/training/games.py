"""Games of one setting with a policy in every seat, and what the ends of their rounds are worth."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arena.game.rules.books import Rules
from arena.lab.env.perudo_policy import FACES, FIRST_BID
from arena.lab.env.vector import VectorEnv
from arena.lab.training.view import KINDS, SEATS, SWITCHES, Flags, Floats, Numbers, Positions

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
        """By seat and face its last quantity; the last row is of no seat."""
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
        least, most = (numbers[rows] for numbers in env.ranges())
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

    def step(self, actions: Numbers) -> tuple[Shown, Flags]:
        """Act in each game; returns the rounds that this ended, and which games it ended."""
        env, before = self.env, self.env.round.copy()
        hands, dice, places = env.hands.copy(), env.dice.copy(), env.places.copy()
        wild, seat = env.palifico < 0, env.seat.copy()
        self._note(actions, seat)
        rewards, over = env.step(actions)
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

    def _note(self, actions: Numbers, seat: Numbers) -> None:
        games = np.flatnonzero(actions >= FIRST_BID)
        bids, seats = actions[games] - FIRST_BID, seat[games]
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
