"""Who can still be first: a race whose bound holds whenever one looks.

A bot is out once the evidence that another one is ahead of it reaches (bots - 1) / alpha: a Bayes
factor, as for `until: separated`, and so a martingale with mean 1 if the two are equal. The bot
that is truly first meets bots - 1 others, so it is ever out with a probability of alpha at most.
The difference of two bots' scores is taken in whole passes of those that still play, all of which
have met equally often. The games of a fixture may depend on each other, so fixtures are not
divided: at tables of two a unit is a fixture of each of the two bots, in the same seat against the
same opponent; at larger ones it is their fixtures of a block. That means differ from unit to unit
only weakens the evidence. Those that are out play no more: to be first means ahead of those that
are left, which can be somebody else where wins are not transitive.
"""

from collections.abc import Sequence
from itertools import permutations
from math import log

import numpy as np

from arena.ratings.maths.arrays import Floats
from arena.ratings.sequential import log_evidence

FIRST_MEETINGS = 16
"""Games in all units together before a pair is judged: sums of fewer are not normal."""


def by_opponent(shares: Floats) -> Floats:
    """Return by how much each bot scored more than each other, [unit, one, other].

    `shares` are the shares of games won, [seat, bot, opponent], one fixture in each seat. All units
    of two bots add up to the difference of their scores. A unit that they lack, as neither meets
    itself, is not a number.
    """
    bots = np.arange(shares.shape[1])
    units = []
    for seat in (0, 1):
        ahead = by_block(shares[seat].T)
        ahead[bots, bots, :] = ahead[bots, :, bots] = np.nan
        units += [ahead, (shares[seat] - shares[1 - seat].T)[None]]
    return np.concatenate(units)


def by_block(scores: Floats) -> Floats:
    """Return the same from the scores of each bot in each block, [block, bot]."""
    return scores[:, :, None] - scores[:, None, :]


class Race:
    """The bots that can still be first, pass after pass."""

    def __init__(self, bots: Sequence[str], confidence: float) -> None:
        self.left = tuple(bots)
        """The bots that can still be first."""
        self._numbers = {bot: number for number, bot in enumerate(bots)}
        self._bound = log(max(1, len(bots) - 1) / (1.0 - confidence))
        self._units = np.zeros((len(bots), len(bots)), int)
        self._games = np.zeros((len(bots), len(bots)), int)
        self._sums, self._squares = (np.zeros((len(bots), len(bots))) for _ in range(2))

    def add(self, bots: Sequence[str], ahead: Floats, games: int) -> None:
        """Take a pass of these bots into account, in which all that are left played.

        `ahead` is as `by_opponent` or `by_block` returns it, from fixtures of so many games.
        """
        played = [bots.index(bot) for bot in self.left]
        differences = ahead[:, played][:, :, played]
        numbers = [self._numbers[bot] for bot in self.left]
        pairs = np.ix_(numbers, numbers)
        units = (~np.isnan(differences)).sum(0)
        self._units[pairs] += units
        self._games[pairs] += units * games
        self._sums[pairs] += np.nansum(differences, 0)
        self._squares[pairs] += np.nansum(differences**2, 0)

    def judge(self) -> None:
        """Take out the bots that can no longer be first."""
        out = {behind for ahead, behind in permutations(self.left, 2) if self._beats(ahead, behind)}
        if len(out) < len(self.left):
            self.left = tuple([bot for bot in self.left if bot not in out])

    def _beats(self, ahead: str, behind: str) -> bool:
        pair = self._numbers[ahead], self._numbers[behind]
        count, total = int(self._units[pair]), float(self._sums[pair])
        if total <= 0 or self._games[pair] < FIRST_MEETINGS:
            return False
        return log_evidence(count, total, float(self._squares[pair])) >= self._bound

    def order(self) -> list[str]:
        """Return all bots, those that can be first before those that cannot, best first."""
        ahead = (self._sums > 0).sum(1)
        return sorted(
            self._numbers,
            key=lambda bot: (bot not in self.left, -int(ahead[self._numbers[bot]]), bot),
        )
