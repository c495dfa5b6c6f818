"""The sample bots as functions of arrays: what each would answer in many positions at a time.

They answer as the programs in `sample_bots/` do (tests compare them); those that make something up
do it by other lots. `memory` learns over all games of a run what it learns over a fixture there.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from arena.lab.env.perudo_policy import CALZA, DUDO, FACES, FIRST_BID, PASS
from arena.lab.equilibrium.strategy_tables import equilibrium_tables
from arena.lab.training.games import Games, Shown, bid_actions
from arena.lab.training.view import MOST, Dice, Flags, Floats, Numbers, Positions, at_least, enough

Rival = Callable[[Positions, Games, Numbers], Numbers]
"""Returns an action of the environment for each position: one of the rows of games."""


class Witness:
    """A player that learns from what it sees; `play` tells it."""

    def note(self, at: Positions, games: Games, rows: Numbers, actions: Numbers) -> None:
        """Hear of the actions in some games, before they are taken."""

    def learn(self, games: Games, shown: Shown, over: Flags) -> None:
        """Hear of rounds that ended, and which games they ended."""

    def forget(self, games: Games, rows: Numbers) -> None:
        """Hear of games that are broken off."""


def play(
    games: Games,
    at: Positions,
    actions: Numbers,
    players: Iterable[object],
    rows: Numbers | None = None,
) -> tuple[Shown, Flags]:
    """Act in each game, as `Games.step` does, and tell the players that learn from it."""
    witnesses = [player for player in players if isinstance(player, Witness)]
    for witness in witnesses:
        witness.note(at, games, games.rows if rows is None else rows, actions)
    shown, over = games.step(actions, rows)
    for witness in witnesses:
        witness.learn(games, shown, over)
    return shown, over


def honest(at: Positions, *_: object) -> Numbers:
    """Bid what it holds."""
    own = Dice(at).own
    backing = np.where(at.least > 0, own - at.least, -99)
    face = backing.argmax(1)
    n = np.arange(len(at.hand))
    quantity = np.clip(own[n, face], at.least[n, face], at.most[n, face])
    proven = own[n, at.face] >= at.quantity
    doubts = (at.quantity > 0) & (backing[n, face] < 0) & ~proven
    return _answers(at, doubts, quantity, face)


def odds(at: Positions, *_: object) -> Numbers:
    """Doubt when that is likelier to succeed than the best raise is to survive."""
    dice = Dice(at)
    face, chance = _best(np.where(at.least > 0, dice.holds(at.least[:, :, None], 0)[:, :, 0], -1))
    false = 1 - _last(dice, at, 0)
    doubts = false > chance + (1 - chance) * 0.4
    answers = _answers(at, doubts, at.least[np.arange(len(at.hand)), face], face)
    exact = _last(dice, at, 1) - _last(dice, at, 1, 1)
    return _with_calza(at, answers, exact)


def js_cautious(at: Positions, *_: object) -> Numbers:
    """Doubt what is above the average."""
    dice = Dice(at)
    average = _average(dice, at)
    n = np.arange(len(at.hand))
    doubts = average[n, at.face] < at.quantity
    face = np.where(at.least > 0, average - at.least, -99).argmax(1)
    return _answers(at, doubts, at.least[n, face], face)


def bluffer(at: Positions, games: Games, rows: Numbers) -> Numbers:
    """Play by averages, with a nerve and perhaps a story that it makes up for the round."""
    dice, n = Dice(at), np.arange(len(rows))
    lots = games.lots[rows, games.env.seat[rows]]
    average = _average(dice, at)
    doubts = at.quantity - average[n, at.face] > 0.2 + 0.8 * lots[:, 0]
    told = (1 + (lots[:, 2] * 5).astype(np.int64))[:, None] == np.arange(FACES)
    story = 2 * (told & (lots[:, 1] < 0.25)[:, None])
    face = np.where(at.least > 0, average + story - at.least, -99).argmax(1)
    return _answers(at, doubts, at.least[n, face], face)


def c_counter(at: Positions, *_: object) -> Numbers:
    """Push the bid as high as is safe."""
    dice, n = Dice(at), np.arange(len(at.hand))
    safe = dice.own + _safe()[dice.sides, dice.hidden[:, None]]
    pushed = np.clip(safe, at.least, at.most)
    chances = dice.holds(pushed[:, :, None], 0)[:, :, 0]
    face = np.zeros(len(at.hand), np.int64)
    best = np.full(len(at.hand), -1.0)
    high = n * 0
    for other in range(FACES):
        both = (chances[:, other] >= 0.6) & (best >= 0.6)
        better = np.where(both, pushed[:, other] > high, chances[:, other] > best)
        better &= at.least[:, other] > 0
        face[better] = other
        best[better], high[better] = chances[better, other], pushed[better, other]
    return _answers(at, _last(dice, at, 0) < 0.35, pushed[n, face], face)


def sh_minimal(at: Positions, *_: object) -> Numbers:
    """Bid the lowest raise on a face that it holds."""
    table = at.dice[:, 0] * (at.dice > 0).sum(1)
    sides = np.where((at.palifico >= 0) | ((at.face == 0) & (at.quantity > 0)), 1, 2)
    legal = at.least > 0
    held = legal & (at.hand > 0)
    face = np.where(held.any(1), held.argmax(1), FACES - 1 - legal[:, ::-1].argmax(1))
    doubts = (at.quantity - 1) * 6 > table * sides
    return _answers(at, doubts, at.least[np.arange(len(at.hand)), face], face)


def anything(at: Positions, games: Games, rows: Numbers) -> Numbers:
    """Choose among all legal actions at random."""
    room = np.where(at.least > 0, at.most - at.least + 1, 0)
    ends = room.cumsum(1)
    total = ends[:, -1] + (at.quantity > 0)
    pick = (games.random.random(len(rows)) * total).astype(np.int64)
    face = np.minimum((ends <= pick[:, None]).sum(1), FACES - 1)
    n = np.arange(len(rows))
    quantity = at.least[n, face] + pick - (ends - room)[n, face]
    return _answers(at, pick >= ends[:, -1], quantity, face)


class Memory(Witness):
    """`memory`: counts how many dice of each player matched its last bid; `learn` hears of them."""

    def __init__(self, players: int) -> None:
        """Know nothing yet of that many players."""
        self.habits = np.zeros((players, MOST + 1, 3, 12))
        for sides in (1, 2):
            for dice in range(1, 11):
                plain = [
                    4
                    * comb(dice - 1, k)
                    * sides**k
                    * (6 - sides) ** (dice - 1 - k)
                    / 6 ** (dice - 1)
                    for k in range(dice)
                ]
                self.habits[:, dice, sides, 1 : dice + 1] = plain

    def learn(self, games: Games, shown: Shown, _over: Flags) -> None:
        """Note what rounds showed of seats."""
        players = games.players[shown.games]
        game, seat = np.nonzero(shown.faces >= 0)
        face, hand = shown.faces[game, seat], shown.hands[game, seat].astype(np.int64)
        wild = shown.wild[game] & (face > 0)
        found = hand[np.arange(len(game)), face] + hand[:, 0] * wild
        key = players[game, seat], hand.sum(1), 1 + wild
        np.add.at(self.habits, (*key, found), 1)
        # What was seen long ago was of other play.
        self.habits[key] *= np.minimum(1, 300 / self.habits[key].sum(1))[:, None]

    def __call__(self, at: Positions, games: Games, rows: Numbers) -> Numbers:
        """Make the raise that is likeliest to hold, by habits; or doubt."""
        dice, n = Dice(at), np.arange(len(rows))
        spread, plain = self._spread(at, dice, games, rows)

        def holds(quantities: Numbers) -> Floats:
            needed = (quantities - dice.own)[:, :, None] - np.arange(spread.shape[2])
            chances = enough(dice.sides[:, :, None], plain[:, :, None], needed)
            result: Floats = (spread * chances).sum(2)
            return result

        face, chance = _best(np.where(at.least > 0, holds(at.least), -1))
        last = np.broadcast_to(at.quantity[:, None], at.least.shape)
        on_table = holds(last)[n, at.face]
        answers = _answers(at, 1 - on_table > chance, at.least[n, face], face)
        return _with_calza(at, answers, on_table - holds(last + 1)[n, at.face])

    def _spread(
        self, at: Positions, dice: Dice, games: Games, rows: Numbers
    ) -> tuple[npt.NDArray[np.float64], Numbers]:
        """Return by face how the backers' dice spread, and how many dice are of nobody's bid."""
        seats = games.seats(rows)
        last = games.last[rows[:, None], seats]
        kinds = np.pad(games.players, ((0, 0), (0, 1)))[rows[:, None], seats]
        most = int(at.dice.max())
        spread = np.zeros((len(rows), FACES, MOST // 2 + 1))
        spread[:, :, 0] = 1
        plain = np.broadcast_to(dice.hidden[:, None], (len(rows), FACES)).copy()
        for seat in range(1, at.dice.shape[1]):
            backs = np.flatnonzero((last[:, seat] >= 0) & (at.dice[:, seat] > 0))
            face, held = last[backs, seat], at.dice[backs, seat]
            habit = self.habits[kinds[backs, seat], held, dice.sides[backs, face]]
            habit = habit / habit.sum(1, keepdims=True)
            old = spread[backs, face]
            new = old * habit[:, :1]
            for k in range(1, most + 1):
                new[:, k:] += old[:, :-k] * habit[:, k : k + 1]
            spread[backs, face] = new
            plain[backs, face] -= held
        return spread, plain


def equilibrium(at: Positions, games: Games, rows: Numbers) -> Numbers:
    """Draw an action of `equilibrium`: for two by its own tables, otherwise as `odds` does."""
    answers = odds(at, games, rows)
    if games.env.table.players > 2:
        return answers
    tables = equilibrium_tables(games.env.setting.rules)
    for n in np.flatnonzero(~at.offer):
        mix = tables.find(_turn(at, games, rows, int(n)), int(at.dice[n, 1])) or []
        codes = np.array([action for action, _ in mix], np.int64)
        weights = np.array([weight for _, weight in mix], np.float64)
        weights *= _legal(at, int(n), codes)
        if weights.sum() > 0:
            ends = weights.cumsum()
            drawn = int((ends <= games.random.random() * ends[-1]).sum())
            answers[n] = FIRST_BID + codes[drawn] - 1 if codes[drawn] else DUDO
    return answers


def _turn(at: Positions, games: Games, rows: Numbers, n: int) -> dict[str, Any]:
    bids = games.bids[rows[n], : games.length[rows[n]]]
    return {
        "bids": [{"quantity": int(bid) // 6 + 1, "face": int(bid) % 6 + 1} for bid in bids],
        "dice": np.repeat(np.arange(1, 7), at.hand[n]).tolist(),
        "palifico_seat": None if at.palifico[n] < 0 else 0,
    }


def _legal(at: Positions, n: int, codes: Numbers) -> Flags:
    quantity, face = np.divmod(codes - 1, FACES)
    bids = (at.least[n, face] > 0) & (quantity + 1 >= at.least[n, face])
    bids &= quantity + 1 <= at.most[n, face]
    legal: Flags = np.where(codes == 0, at.quantity[n] > 0, bids)
    return legal


def sample_bots(players: int) -> dict[str, Rival]:
    """Return the sample bots by name, for runs with that many players."""
    return {
        "odds": odds,
        "memory": Memory(players),
        "c-counter": c_counter,
        "equilibrium": equilibrium,
        "bluffer": bluffer,
        "js-cautious": js_cautious,
        "honest": honest,
        "sh-minimal": sh_minimal,
        "random": anything,
    }


def _answers(at: Positions, doubts: Flags, quantity: Numbers, face: Numbers) -> Numbers:
    """Return dudo where it may and wants to or must, otherwise the bid; calza is passed."""
    doubts = (at.quantity > 0) & (doubts | ~(at.least > 0).any(1))
    answers = np.where(doubts, DUDO, bid_actions(quantity, face))
    return np.where(at.offer, PASS, answers)


def _with_calza(at: Positions, answers: Numbers, exact: Floats) -> Numbers:
    calls = at.offer & (exact > 0.5) & (at.dice[:, 0] < at.start)
    return np.where(calls, CALZA, answers)


def _best(worth: Floats) -> tuple[Numbers, Floats]:
    face = worth.argmax(1)
    return face, worth[np.arange(len(face)), face]


def _last(dice: Dice, at: Positions, backers: int, more: int = 0) -> Floats:
    """Return the chance that the bid on the table holds, or one of more dice."""
    return dice.holds_one(at.quantity + more, at.face, backers)


def _average(dice: Dice, at: Positions) -> Floats:
    """Return the average counts if the others have as many dice each as oneself."""
    hidden = at.dice[:, 0] * ((at.dice > 0).sum(1) - 1)
    average: Floats = dice.own + hidden[:, None] * np.where(dice.sides == 2, 1 / 3, 1 / 6)
    return average


@lru_cache(1)
def _safe() -> Numbers:
    """Return by sides and hidden dice the most of them that match with a chance of 0.6."""
    chances = at_least().reshape(3, MOST + 1, MOST + 2)
    safe: Numbers = (chances >= 0.6).sum(2) - 1
    return safe
