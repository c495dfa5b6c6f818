"""Who can still be first: a race whose bound holds whenever one looks.

A bot is out once the evidence that another one is ahead of it reaches (bots - 1) / alpha: a Bayes
factor, as for `until: separated`, and so a martingale with mean 1 if the two are equal. The bot
that is truly first meets bots - 1 others, so it is ever out with a probability of alpha at most.
The difference of two bots' scores is taken in whole passes of those that still play, all of which
have met equally often; its unit is the games of a pass with the same number in their fixtures,
which have dice of their own. Those that are out play no more: to be first means ahead of those that
are left, which can be somebody else where wins are not transitive.
"""

from collections.abc import Mapping, Sequence
from itertools import permutations
from math import log

import numpy as np

from arena.ratings.maths.arrays import Floats
from arena.ratings.sequential import log_evidence

FIRST_MEETINGS = 16
"""How often a bot has met a rival, over all units, before it is judged: sums of fewer games are not
normal."""

PassScores = Mapping[str, Sequence[float]]
"""What each bot scored in a pass, by unit; the variances of passes are about equal."""


class Race:
    """The bots that can still be first, pass after pass."""

    def __init__(self, bots: Sequence[str], confidence: float) -> None:
        self.left = tuple(bots)
        """The bots that can still be first."""
        self._numbers = {bot: number for number, bot in enumerate(bots)}
        self._bound = log(max(1, len(bots) - 1) / (1.0 - confidence))
        self._units = np.zeros((len(bots), len(bots)), int)
        self._met = np.zeros((len(bots), len(bots)), int)
        self._sums, self._squares = (np.zeros((len(bots), len(bots))) for _ in range(2))

    def add(self, scores: PassScores) -> None:
        """Take a pass into account, in which all that are left played."""
        numbers = [self._numbers[bot] for bot in self.left]
        units: Floats = np.array([scores[bot] for bot in self.left]).T
        differences = units[:, :, None] - units[:, None, :]
        pairs = np.ix_(numbers, numbers)
        self._units[pairs] += len(units)
        self._met[pairs] += len(units) * (len(scores) - 1)
        self._sums[pairs] += differences.sum(0)
        self._squares[pairs] += (differences**2).sum(0)
        out = {behind for ahead, behind in permutations(self.left, 2) if self._beats(ahead, behind)}
        if len(out) < len(self.left):
            self.left = tuple([bot for bot in self.left if bot not in out])

    def _beats(self, ahead: str, behind: str) -> bool:
        pair = self._numbers[ahead], self._numbers[behind]
        count, total = int(self._units[pair]), float(self._sums[pair])
        if total <= 0 or self._met[pair] < FIRST_MEETINGS:
            return False
        return log_evidence(count, total, float(self._squares[pair])) >= self._bound

    def order(self) -> list[str]:
        """Return all bots, those that can be first before those that cannot, best first."""
        ahead = (self._sums > 0).sum(1)
        return sorted(
            self._numbers,
            key=lambda bot: (bot not in self.left, -int(ahead[self._numbers[bot]]), bot),
        )
