"""The looks at a comparison: when they are, and what they decide."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from arena.author.compare.names import NEW, OLD
from arena.ratings.maths.arrays import Floats
from arena.ratings.maths.intervals import TAIL
from arena.ratings.stopping.group_sequential import planned_looks, tails
from arena.ratings.stopping.paired import Paired, paired
from arena.ratings.stopping.probability_ratio import RatioOutcome, RatioTest, ratio_looks

EQUIVALENT = RatioOutcome.EQUIVALENT.value
"""The decision that neither version is better by the points of the test."""


class Until(Struct, frozen=True):
    """When a comparison stops before its blocks are over."""

    confidence: float
    test: Literal["ratio", "planned"] = "ratio"
    """A sequential probability ratio test, or planned looks with intervals that hold at once."""
    points: float = 5.0
    """The difference in rivals beaten that the ratio test looks for, in percentage points."""


class Look(Struct, frozen=True):
    """The share of rivals beaten after so many blocks, over all divisions."""

    blocks: int
    rivals_beaten: Paired
    """Under planned looks all intervals hold at once; else each is as at one look."""
    decision: str | None
    """OLD or NEW for the better one, EQUIVALENT, or None."""


class OneLook:
    """A look at the end, at 95 %."""

    def __init__(self, blocks: int) -> None:
        self.blocks: Sequence[int] = (blocks,)

    def look(self, number: int, old: Floats, new: Floats) -> Look:
        """Judge the shares of rivals beaten, [block, opponent], at this look."""
        return _by_interval(self.blocks[number], paired(old, new, TAIL))


class PlannedLooks:
    """A few looks, whose intervals hold at once."""

    def __init__(self, blocks: int, opponents: int, confidence: float) -> None:
        self.blocks: Sequence[int] = planned_looks(blocks, opponents)
        self._tails = tails(self.blocks, confidence)

    def look(self, number: int, old: Floats, new: Floats) -> Look:
        """Judge the shares of rivals beaten, [block, opponent], at this look."""
        return _by_interval(self.blocks[number], paired(old, new, self._tails[number]))


class RatioLooks:
    """A look after each block, judged by a sequential probability ratio test."""

    def __init__(self, blocks: int, opponents: int, games: int, until: Until) -> None:
        self.blocks: Sequence[int] = ratio_looks(blocks, opponents)
        self._test = RatioTest(until.confidence, until.points / 100)
        self._games = games

    def look(self, number: int, old: Floats, new: Floats) -> Look:
        """Judge the shares of rivals beaten, [block, opponent], at this look."""
        outcome = self._test.outcome(new - old, 1 / self._games)
        return Look(self.blocks[number], paired(old, new), outcome.value if outcome else None)


Looks = OneLook | PlannedLooks | RatioLooks


def looks_of(blocks: int, opponents: int, games: int, until: Until | None) -> Looks:
    """Return the looks at a comparison of so many blocks, at most; `games` are those at a table."""
    if until is None:
        return OneLook(blocks)
    if until.test == "planned":
        return PlannedLooks(blocks, opponents, until.confidence)
    return RatioLooks(blocks, opponents, games, until)


def _by_interval(blocks: int, share: Paired) -> Look:
    undecided = share.low <= 0 <= share.high
    return Look(blocks, share, None if undecided else sign(share))


def sign(share: Paired) -> str:
    """Return the version that beats more of its rivals."""
    return NEW if share.difference > 0 else OLD
