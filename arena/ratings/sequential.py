"""When to stop: evidence, block by block, that neighbours on a leaderboard differ.

The differences of two bots' mean places, one per block, count as normal with unknown variance. The
evidence against "their mean is 0" is a Bayes factor (effects normal, right Haar prior of the
standard deviation): without a difference it is a martingale with mean 1, so the probability that it
ever reaches 1/alpha is at most alpha, however often one looks and whenever one stops.

Within a block some bots meet stronger opponents than others. Places are adjusted for that first, by
the results of the opponents over all blocks.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from math import log
from statistics import fmean
from typing import NamedTuple

from arena.ratings.maths.connected import parts

FIRST_LOOK = 8
"""Blocks before the first decision: means of fewer games, in whole places, are not normal."""
_LOOKS = 50
"""After so many blocks there is a look only after every 2 % more."""
_EFFECT_VARIANCE = 1.0
"""The prior variance of effects, in squared standard deviations of a block's difference."""


class TableMeans(NamedTuple):
    """A table's bots, and the mean place of each over its games."""

    bots: tuple[str, ...]
    places: tuple[float, ...]


Block = Sequence[TableMeans]
"""The tables of a block."""
Means = Mapping[str, float]
"""The mean place in a block of each bot that played in it."""


def first_look(bots: int) -> int:
    """Return the number of blocks before the first decision: all bots have met by then."""
    return max(FIRST_LOOK, bots - 1)


def is_look(blocks: int, bots: int) -> bool:
    """Return whether a decision is due after so many blocks: in long leagues not after each."""
    look = first_look(bots)
    while look < blocks:
        look += max(1, look // _LOOKS)
    return look == blocks


def log_bayes_factor(differences: Sequence[float]) -> float:
    """Return the logarithm of the evidence that the mean of a block's difference is not 0.

    0 is no evidence; from log(1/alpha) the mean differs from 0 at confidence 1 - alpha.
    """
    squares = sum(difference * difference for difference in differences)
    return log_evidence(len(differences), sum(differences), squares)


def log_evidence(count: int, total: float, squares: float) -> float:
    """Return `log_bayes_factor` of so many differences, from sums over them."""
    if not squares:
        return 0.0
    variance = 1 + count * _EFFECT_VARIANCE
    explained = total**2 * _EFFECT_VARIANCE / variance
    return (count * log(squares / (squares - explained)) - log(variance)) / 2


def adjusted_means(blocks: Sequence[Block]) -> list[Means]:
    """Return the mean places in each block, as they would be against average opponents.

    To first order a bot's place is the sum, over its opponents, of how much better they are.
    """
    weakness = _weaknesses(blocks)
    means: list[Means] = []
    for block in blocks:
        places: dict[str, list[float]] = defaultdict(list)
        for table in block:
            total = sum(weakness[bot] for bot in table.bots)
            for bot, place in zip(*table, strict=True):
                average = -weakness[bot] / (len(weakness) - 1) * (len(table.bots) - 1)
                places[bot].append(place + total - weakness[bot] - average)
        means.append({bot: fmean(reached) for bot, reached in places.items()})
    return means


def _weaknesses(blocks: Sequence[Block]) -> dict[str, float]:
    """Return how much each bot adds to its own place, and takes off an opponent's."""
    above: dict[str, list[float]] = defaultdict(list)
    for block in blocks:
        for table in block:
            players = len(table.bots)
            for bot, place in zip(*table, strict=True):
                above[bot].append((place - (players + 1) / 2) / (players - 1))
    # A bot is not its own opponent, so it does not meet the average of the whole field.
    others = 1 - 1 / max(1, len(above))
    rough = {bot: others * fmean(values) for bot, values in above.items()}
    centre = fmean(rough.values()) if rough else 0.0
    return {bot: value - centre for bot, value in rough.items()}


def ranking(blocks: Sequence[Means]) -> list[str]:
    """Return the bots that played, best mean over blocks first."""
    places: dict[str, list[float]] = defaultdict(list)
    for block in blocks:
        for bot, place in block.items():
            places[bot].append(place)
    return sorted(places, key=lambda bot: (fmean(places[bot]), bot))


def tied(
    blocks: Sequence[Block], bots: int, confidence: float, resting: Collection[str] = ()
) -> Iterator[tuple[str, str]]:
    """Yield the neighbours on the leaderboard that are not separated, best first.

    `bots` is the size of the field without those that rest, which are nobody's neighbours; nor is a
    bot that has not played yet. Bots of parts that no table links are never separated.
    """
    means = adjusted_means(blocks)
    field = parts(table.bots for block in blocks for table in block)
    part_of = {bot: number for number, part in enumerate(field) for bot in part}
    for ahead, behind in pairwise(bot for bot in ranking(means) if bot not in resting):
        common = [block for block in means if ahead in block and behind in block]
        differences = [block[behind] - block[ahead] for block in common]
        linked = part_of[ahead] == part_of[behind]
        enough = len(differences) >= first_look(bots) and sum(differences) > 0
        if not linked or not enough or log_bayes_factor(differences) < -log(1 - confidence):
            yield ahead, behind


def separated(
    blocks: Sequence[Block], bots: int, confidence: float, resting: Collection[str] = ()
) -> bool:
    """Return whether the whole field has played and every pair of neighbours is separated."""
    if not is_look(len(blocks), bots):
        return False
    played = {bot for block in blocks for table in block for bot in table.bots}
    if len(played.difference(resting)) < bots:
        return False
    return next(tied(blocks, bots, confidence, resting), None) is None
