"""Leagues of frozen policies in arrays: no processes, the same scores as a real league's."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from arena.io import shipped
from arena.lab.env.perudo_policy import DUDO, FACES, FIRST_BID
from arena.lab.training.games import Games, Guesses, Shown, some
from arena.lab.training.policy import Policy, draw
from arena.lab.training.responses import EQUILIBRIUM, RULES, SURE, Responses, Round
from arena.lab.training.rivals import Rival, Witness, play, sample_bots
from arena.lab.training.selfplay import as_actions
from arena.lab.training.view import KINDS, Flags, Floats, Numbers, Positions, View, view

Watch = Callable[[Games, Positions, Numbers], None]
"""Hears of the action that each game of a table comes to, and what its seat sees."""


class Score(NamedTuple):
    """How a policy did: the mean share of its rivals that it finished ahead of."""

    share: float
    error: float
    """Half of the 95 % interval."""
    games: int


class Frozen(Witness):
    """A policy that plays at tables, and guesses who else does."""

    def __init__(self, policy: Policy, responses: Responses | None = None) -> None:
        """Know nothing yet of any table; `responses` are played against `equilibrium`."""
        self._policy = policy
        self._responses = responses
        self._guesses: WeakKeyDictionary[Games, Guesses] = WeakKeyDictionary()

    def __call__(self, at: Positions, games: Games, rows: Numbers) -> Numbers:
        """Draw answers by the policy."""
        seen = self.sees(at, games, rows)
        chances = self._policy.chances(seen.numbers, seen.legal)
        actions = as_actions(seen, draw(chances, games.random.random(len(rows))))
        if self._responses and games.env.table.players == 2:
            likely = np.flatnonzero(seen.numbers[:, EQUILIBRIUM - KINDS] > SURE)
            for n, found in respond(self._responses, some(at, likely), games, rows[likely]):
                actions[likely[n]] = found
        return actions

    def sees(self, at: Positions, games: Games, rows: Numbers) -> View:
        """Return its view of positions of some games."""
        return view(self._of(games).add_to(at, games, rows))

    def note(self, at: Positions, games: Games, rows: Numbers, actions: Numbers) -> None:
        """Hear of the actions in some games, before they are taken."""
        self._of(games).note(at, games, rows, actions, self._policy.kinds)

    def learn(self, games: Games, shown: Shown, over: Flags) -> None:
        """Hear of rounds that ended."""
        self._of(games).learn(shown, over)

    def forget(self, games: Games, rows: Numbers) -> None:
        """Hear of games that are broken off."""
        self._of(games).forget(rows)

    def _of(self, games: Games) -> Guesses:
        if games not in self._guesses:
            self._guesses[games] = Guesses(games)
        return self._guesses[games]


def respond(
    responses: Responses, at: Positions, games: Games, rows: Numbers
) -> Iterator[tuple[int, int]]:
    """Yield the positions for which there is a response, and it as an action."""
    rules = games.env.setting.rules
    if rules.calza:
        return
    digits = "".join(str(int(getattr(rules, switch))) for switch in RULES)
    for n, game in enumerate(rows.tolist()):
        hand = np.repeat(np.arange(1, FACES + 1), at.hand[n]).tolist()
        bids = (games.bids[game, : games.length[game]] + 1).tolist()
        ranges = at.least[n].tolist(), at.most[n].tolist()
        found = responses.find(
            Round(digits, hand, int(at.dice[n, 1]), bids, bool(at.palifico[n] >= 0), *ranges)
        )
        if found is not None:
            yield n, FIRST_BID + found - 1 if found else DUDO


class Finished(NamedTuple):
    """Games that ended: a row each, a column for each seat."""

    players: Numbers
    """The players that sat there, by their index among all players."""
    places: Numbers
    """1 is the winner's."""

    def beaten(self) -> npt.NDArray[np.float64]:
        """Return by seat the share of rivals that it finished ahead of."""
        share: npt.NDArray[np.float64] = 1 - (self.places - 1) / (self.places.shape[1] - 1)
        return share


def league(
    players: Mapping[str, Rival],
    table: Games,
    least: int,
    always: str = "",
    watch: Watch | None = None,
) -> dict[str, Score]:
    """Return how each player did in the games that `finished` plays."""
    return scores(players, finished(players, table, least, always, watch))


def scores(players: Iterable[str], games: Finished) -> dict[str, Score]:
    """Return how each player did in games."""
    beaten = games.beaten()
    found = {}
    for kind, name in enumerate(players):
        shares = beaten[games.players == kind].tolist()
        known: Floats = np.array(shares or [0.5], np.float32)
        error = 1.96 * float(known.std()) / len(known) ** 0.5
        found[name] = Score(float(known.mean()), error, len(shares))
    return found


def lead(games: Finished, player: int, other: int) -> float:
    """Return how far a player is ahead of another, in standard errors of that lead.

    What they have in common, the games in which both play, is taken into account.
    """
    beaten, parts = games.beaten(), []
    for number in (player, other):
        mine = games.players == number
        off = np.where(mine, beaten - beaten[mine].mean(), 0).sum(1) / mine.sum()
        parts.append((beaten[mine].mean(), off))
    (ahead, above), (behind, below) = parts
    return float((ahead - behind) / np.sqrt(np.square(above - below).sum()))


def finished(
    players: Mapping[str, Rival],
    table: Games,
    least: int,
    always: str = "",
    watch: Watch | None = None,
) -> Finished:
    """Play until `least` games ended at a table with seats drawn anew for each, none twice.

    `always` is in each game. Games that run longest count as well: every row of the table ends as
    many games as all others. `watch` hears of the actions before they are made.
    """
    rivals = list(players.values())
    found: list[Finished] = []
    first = [*players].index(always) if always else -1
    table.players[:] = _seats(table, len(table.rows), len(rivals), first)
    quota = np.full(len(table.rows), -(-least // len(table.rows)))
    places = np.zeros_like(table.players)
    while quota.any():
        at = table.positions(table.rows)
        actions = _actions(rivals, table, at)
        if watch:
            watch(table, at, actions)
        shown, over = play(table, at, actions, rivals)
        places[shown.games] += shown.places
        ended = np.flatnonzero(over)
        counting = ended[quota[ended] > 0]
        found.append(Finished(table.players[counting], places[counting]))
        quota[counting] -= 1
        places[ended] = 0
        table.players[ended] = _seats(table, len(ended), len(rivals), first)
    return Finished(*map(np.concatenate, zip(*found, strict=True)))


def shipped_champion() -> Frozen:
    """Return the sample bot `champion`."""
    return bot_of(shipped.folder("sample_bots") / "champion" / "weights.npz")


def bot_of(weights: Path) -> Frozen:
    """Return the bot with these weights, and `responses.npz` if that lies beside them."""
    with np.load(weights) as arrays:
        policy = Policy(arrays)
    path = weights.with_name("responses.npz")
    return Frozen(policy, Responses(dict(np.load(path))) if path.exists() else None)


def duel(
    player: Rival, rival: str, games: int, seed: int, variant: str = "bga", *, calza: bool = False
) -> Score:
    """Return the share of games for two that a player wins against a sample bot."""
    players: dict[str, Rival] = {"player": player, rival: sample_bots(2)[rival]}
    table = Games(min(games, 512), variant, 2, calza=calza, seed=seed)
    return league(players, table, games)["player"]


def _seats(table: Games, games: int, rivals: int, always: int) -> Numbers:
    """Draw different players for the seats of some games."""
    lots = table.random.random((games, rivals))
    if always >= 0:
        lots[:, always] = -1
    drawn = lots.argsort(1)[:, : table.players.shape[1]]
    return table.random.permuted(drawn, axis=1)


def _actions(rivals: Sequence[Rival], table: Games, at: Positions) -> Numbers:
    actions = np.zeros(len(table.rows), np.int64)
    kinds = table.players[table.rows, table.env.seat]
    for kind in np.unique(kinds):
        rows = np.flatnonzero(kinds == kind)
        actions[rows] = rivals[kind](some(at, rows), table, rows)
    return actions
