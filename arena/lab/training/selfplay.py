"""Collects what a policy decides in games against itself and others, and what came of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from arena.lab.env.perudo_policy import FACES, FIRST_BID
from arena.lab.training.games import Games, Guesses, Shown, bid_actions, some
from arena.lab.training.rivals import Rival, play, sample_bots
from arena.lab.training.view import (
    ACTIONS,
    FIRST_SLOT,
    KINDS,
    NUMBERS,
    SLOTS,
    Flags,
    Floats,
    Numbers,
    Positions,
    View,
    bids,
    view,
)

LEARNER = 0
"""The number of the policy whose decisions are collected."""
HIDDEN = FACES + 3
"""The numbers that tell of all dice on the table."""
LONGEST = 64
"""Decisions of the learner in a round that are kept; later ones are not learned from."""
Act = Callable[[View], tuple[Numbers, Floats]]
"""Returns answers and the logarithms of their chances."""
TOLD = 0.25
"""The share of tells that are kept."""


class Player(Protocol):
    """The policy that learns, and what it knows besides."""

    def act(self, seen: View) -> tuple[Numbers, Floats]:
        """Return answers and the logarithms of their chances."""

    def worth(self, standings: Floats) -> Floats:
        """Return what standings are worth, as `Worth` does."""

    def kinds(self, tells: Floats) -> Floats:
        """Return how likely each kind of player is, as `Kinds` does."""


Halves = NDArray[np.float16]


class Decisions(NamedTuple):
    """Decisions in rounds that ended; a row each. What was seen is kept in half precision."""

    numbers: Halves
    legal: Flags
    hidden: Halves
    """All dice on the table: a critic may know them, a policy may not."""
    answers: Numbers
    logs: Floats
    results: Floats
    """The worth of the round to the seat, from `Games.returns`."""


class Rounds(NamedTuple):
    """How seats of the learner stood before rounds, and what these were worth to them."""

    standings: Floats
    results: Floats


class Tells(NamedTuple):
    """The behaviour of players, as `tells` counts it, and their kinds."""

    numbers: Floats
    kinds: Numbers


Rows = TypeVar("Rows", View, Decisions, Rounds, Tells)


class Seats(NamedTuple):
    """The players that may sit at the tables, by numbers other than LEARNER."""

    rivals: Mapping[int, Rival]
    networks: Mapping[int, Act]
    draw: Callable[[int, int], Numbers]
    """Draws the seats of a number of games with a number of players."""
    kinds: Callable[[Numbers, int], Numbers]
    """Returns the kinds of players, by their numbers, at tables with a number of seats."""


class SelfPlay:
    """Plays games at many tables; decisions of rounds that go on are kept for the next time."""

    def __init__(self, tables: Sequence[Games], seats: Seats, wanted: int) -> None:
        """Seat players at all tables; each `gather` may be for that many decisions."""
        self.tables, self.seats = tables, seats
        # The last step goes beyond what is wanted, and each game's round may go on.
        room = wanted + (LONGEST + 1) * sum(len(table.rows) for table in tables)
        self._kept = _room(room)
        self._count = 0
        self._owner = np.zeros(room, np.int64)
        self._rounds: list[Rounds] = []
        self._tells: list[Tells] = []
        self._guesses = [Guesses(table) for table in tables]
        self._stacks = [np.zeros((len(t.rows), LONGEST), np.int64) for t in tables]
        self._heights = [np.zeros(len(t.rows), np.int64) for t in tables]
        for table in tables:
            table.players[:] = seats.draw(*table.players.shape)
        self._stood = [table.standings(table.rows) for table in tables]

    def gather(
        self, which: Sequence[int], wanted: int, player: Player
    ) -> tuple[Decisions, Rounds, Tells]:
        """Make that many more decisions at some of the tables; return what is settled by now."""
        wanted += self._count
        while self._count < wanted:
            self._step(which, player)
        rounds, tells = join(self._rounds), join(self._tells)
        self._rounds, self._tells = [], []
        return self._settled(), rounds, tells

    def _step(self, which: Sequence[int], player: Player) -> None:
        asked = [ask(self.tables[number], LEARNER, self._guesses[number]) for number in which]
        answers, logs = player.act(join([seen for *_, seen in asked]))
        first = 0
        for number, (at, mine, seen) in zip(which, asked, strict=True):
            table, part = self.tables[number], slice(first, first + len(mine))
            first = part.stop
            hidden = all_dice(table, mine, at)
            unknown = np.full(len(mine), np.nan, np.float32)
            made = (*seen[:2], hidden, answers[part], logs[part], unknown)
            self._keep(number, mine, made)
            actions = others(table, at, self.seats)
            actions[mine] = as_actions(seen, answers[part])
            self._play(number, at, actions, player)

    def _keep(self, number: int, rows: Numbers, made: Sequence[NDArray[Any]]) -> None:
        """Store decisions, and put their places on the stacks of their games."""
        table, height = self.tables[number], self._heights[number]
        room = height[rows] < LONGEST
        rows = rows[room]
        places = np.arange(self._count, self._count + len(rows))
        columns: Iterable[tuple[NDArray[Any], NDArray[Any]]] = zip(self._kept, made, strict=True)
        for kept, new in columns:
            kept[places] = new[room]
        self._owner[places] = table.env.seat[rows]
        self._stacks[number][rows, height[rows]] = places
        height[rows] += 1
        self._count += len(rows)

    def _play(self, number: int, at: Positions, actions: Numbers, player: Player) -> None:
        table, guesses = self.tables[number], self._guesses[number]
        told = guesses.note(at, table, table.rows, actions, player.kinds)
        self._tells.append(self._told(table, *told))
        shown, over = play(table, at, actions, self.seats.rivals.values())
        guesses.learn(shown, over)
        results = table.returns(shown, player.worth)
        self._settle(number, shown, results)
        mine = shown.living & (table.players[shown.games] == LEARNER)
        self._rounds.append(Rounds(self._stood[number][shown.games][mine], results[mine]))
        ended = np.flatnonzero(over)
        table.players[ended] = self.seats.draw(len(ended), table.players.shape[1])
        self._stood[number][shown.games] = table.standings(shown.games)

    def _told(self, table: Games, rows: Numbers, numbers: Floats) -> Tells:
        """Return some of the tells in games, and who they are of."""
        some = table.random.random(len(rows)) < TOLD
        rows = rows[some]
        players = table.players[rows, table.env.seat[rows]]
        return Tells(numbers[some], self.seats.kinds(players, table.players.shape[1]))

    def _settle(self, number: int, shown: Shown, results: Floats) -> None:
        """Write what rounds were worth to their decisions, and clear the stacks."""
        height = self._heights[number][shown.games]
        row, depth = np.nonzero(np.arange(LONGEST) < height[:, None])
        places = self._stacks[number][shown.games[row], depth]
        self._kept.results[places] = results[row, self._owner[places]]
        self._heights[number][shown.games] = 0

    def _settled(self) -> Decisions:
        """Take the settled decisions out, and move the others to the front."""
        open_ = np.isnan(self._kept.results[: self._count])
        settled = Decisions._make(kept[: self._count][~open_] for kept in self._kept)
        moved = np.cumsum(open_) - 1
        left = int(open_.sum())
        for kept in (*self._kept, self._owner):
            kept[:left] = kept[: self._count][open_]
        for stack, height in zip(self._stacks, self._heights, strict=True):
            on = np.arange(LONGEST) < height[:, None]
            stack[on] = moved[stack[on]]
        self._count = left
        return settled


def ask(table: Games, kind: int, guesses: Guesses | None = None) -> tuple[Positions, Numbers, View]:
    """Return all positions of a table, the games in which a policy acts, and its view of them."""
    at = table.positions(table.rows)
    if guesses:
        at = guesses.add_to(at, table, table.rows)
    rows = np.flatnonzero(table.players[table.rows, table.env.seat] == kind)
    return at, rows, view(some(at, rows))


def others(table: Games, at: Positions, seats: Seats) -> Numbers:
    """Return the actions of all but the learner; 0 in its games."""
    actions = np.zeros(len(table.rows), np.int64)
    kinds = table.players[table.rows, table.env.seat]
    for kind in np.unique(kinds):
        rows = np.flatnonzero(kinds == kind)
        if kind in seats.rivals:
            actions[rows] = seats.rivals[int(kind)](some(at, rows), table, rows)
        elif kind in seats.networks:
            seen = view(some(at, rows))
            actions[rows] = as_actions(seen, seats.networks[int(kind)](seen)[0])
    return actions


def as_actions(seen: View, answers: Numbers) -> Numbers:
    """Return answers as actions of the environment."""
    return np.where(answers < FIRST_SLOT, answers, bid_actions(*bids(seen, answers)))


def answers_to(seen: View, actions: Numbers) -> Numbers:
    """Return actions of the environment as answers; -1 for bids that are no answer."""
    quantity, face = np.divmod(actions - FIRST_BID, FACES)
    quantities = seen.quantities.reshape(len(actions), FACES, SLOTS)
    same = quantities[np.arange(len(actions)), face] == quantity[:, None] + 1
    first = FIRST_SLOT + face * SLOTS
    slots = first[:, None] + np.arange(SLOTS)
    same &= np.take_along_axis(seen.legal, slots, 1)
    said = np.where(same.any(1), first + same.argmax(1), -1)
    return np.where(actions < FIRST_SLOT, actions, said)


def join(parts: Sequence[Rows]) -> Rows:
    """Put tuples of arrays one after another."""
    return type(parts[0])(*map(np.concatenate, zip(*parts, strict=True)))


def all_dice(table: Games, rows: Numbers, at: Positions) -> Floats:
    """Return how all dice fall against the average, and whether the bid on the table is true."""
    at = some(at, rows)
    hands = table.env.hands[rows].sum(1, dtype=np.int64)
    wild = (at.palifico < 0)[:, None]
    hands[:, 1:] += hands[:, :1] * wild
    sides = np.ones(FACES) + np.r_[0, np.ones(FACES - 1)] * wild
    above = (hands - at.dice.sum(1, keepdims=True) * sides / 6) / 3
    margin = hands[np.arange(len(rows)), at.face] - at.quantity
    said = at.quantity > 0
    last = np.stack([np.clip(margin / 3, -1, 1), margin >= 0, margin == 0], 1) * said[:, None]
    return np.concatenate([above, last], 1, dtype=np.float32)


def _room(room: int) -> Decisions:
    return Decisions(
        np.zeros((room, NUMBERS), np.float16),
        np.zeros((room, ACTIONS), np.bool_),
        np.zeros((room, HIDDEN), np.float16),
        np.zeros(room, np.int64),
        np.zeros(room, np.float32),
        np.zeros(room, np.float32),
    )


BOTS = (*sample_bots(1),)
"""The kinds of players, in their order, but the last: that is the policy itself."""
ALONE = 0.2
"""The share of games with itself alone."""
EARLIER = 0.1
"""The share of games with one earlier version."""
COPIES = 0.15
"""The share of the other seats that are its own."""
HARDEST = 0.3
"""The share of seats at tables of two that the hardest rival there takes."""


def seating(earlier: Sequence[Act], random: np.random.Generator) -> Seats:
    """Return seats that the policy shares with earlier versions, or with bots drawn for each."""
    first = 1 + len(BOTS)
    past = range(first, first + len(earlier))
    bots = sample_bots(past.stop)

    def draw(games: int, players: int) -> Numbers:
        seats = random.integers(1, first, (games, players))
        if players == 2:  # where it has tables of its own
            seats[random.random((games, players)) < HARDEST] = 1 + BOTS.index("equilibrium")
        kind = random.random(games)
        version = random.integers(past.start, past.stop, (games, 1))
        seats = np.where((kind < ALONE + EARLIER)[:, None], version, seats)
        seats[random.random((games, players)) < COPIES] = LEARNER
        seats[kind < ALONE] = LEARNER
        seats[np.arange(games), random.integers(players, size=games)] = LEARNER
        return seats

    networks = dict(zip(past, earlier, strict=True))
    return Seats(dict(enumerate(bots.values(), 1)), networks, draw, kinds)


def kinds(players: Numbers, seats: int) -> Numbers:
    """Return the kinds of players that such seats have, at tables with a number of seats."""
    found = np.where((players == LEARNER) | (players > len(BOTS)), KINDS, players) - 1
    if seats > 2:  # `equilibrium` plays as `odds` there
        found[found == BOTS.index("equilibrium")] = BOTS.index("odds")
    return found
