"""When to stop: evidence, block by block, that neighbours on a leaderboard differ.

The differences of two bots' mean places, one a block, are taken for normal with any spread. The
evidence against "their mean is 0" is a Bayes factor (effects normal, spread by the right Haar
measure): where there is no difference it is a martingale with mean 1, so the chance that it ever
reaches 1/alpha is at most alpha, however often one looks and whenever one stops.

Within a block some bots meet stronger opponents than others. Places are set right for that first,
by what the opponents reached over all blocks.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import log
from statistics import fmean
from typing import NamedTuple

FIRST_LOOK = 8
"""Blocks before the first decision: means of so few games, in whole places, are not normal."""
_LOOKS = 50
"""So many blocks are looked at one by one; after that, whenever there are 2 % more."""
_EFFECT = 1.0
"""The variance of effects expected, in squared standard deviations of a block's difference."""


class Seated(NamedTuple):
    """A table: who sat there, and the mean place that each reached over its games."""

    bots: tuple[str, ...]
    places: tuple[float, ...]


Block = Sequence[Seated]
"""The tables of a block."""
Means = Mapping[str, float]
"""The mean place in a block of each bot that played in it."""


def first_look(bots: int) -> int:
    """Return how many blocks come before the first decision: all have met all by then."""
    return max(FIRST_LOOK, bots - 1)


def is_look(blocks: int, bots: int) -> bool:
    """Tell whether a decision is due after so many blocks: for long leagues not after each."""
    look = first_look(bots)
    while look < blocks:
        look += max(1, look // _LOOKS)
    return look == blocks


def log_evidence(differences: Sequence[float]) -> float:
    """Return the logarithm of the evidence that differences, one a block, have a mean but 0.

    0 is none at all; from log(1/alpha) on the mean differs from 0 at confidence 1 - alpha.
    """
    count = len(differences)
    squares = sum(one * one for one in differences)
    if not squares:
        return 0.0
    spread = 1 + count * _EFFECT
    explained = sum(differences) ** 2 * _EFFECT / spread
    return (count * log(squares / (squares - explained)) - log(spread)) / 2


def adjusted(blocks: Sequence[Block]) -> list[Means]:
    """Return the mean places in each block, as they would be against all the others alike.

    To first order a bot's place is the sum, over its opponents, of by how much they are better.
    """
    handicap = _handicaps(blocks)
    found: list[Means] = []
    for block in blocks:
        places: dict[str, list[float]] = defaultdict(list)
        for table in block:
            met = sum(handicap[bot] for bot in table.bots)
            for bot, place in zip(*table, strict=True):
                usual = -handicap[bot] / (len(handicap) - 1) * (len(table.bots) - 1)
                places[bot].append(place + met - handicap[bot] - usual)
        found.append({bot: fmean(reached) for bot, reached in places.items()})
    return found


def _handicaps(blocks: Sequence[Block]) -> dict[str, float]:
    """Return by how much each bot worsens a place of its own, and betters an opponent's."""
    above: dict[str, list[float]] = defaultdict(list)
    for block in blocks:
        for table in block:
            players = len(table.bots)
            for bot, place in zip(*table, strict=True):
                above[bot].append((place - (players + 1) / 2) / (players - 1))
    # A bot is no opponent of its own: what it meets is so much weaker, or stronger.
    others = 1 - 1 / max(1, len(above))
    rough = {bot: others * fmean(values) for bot, values in above.items()}
    centre = fmean(rough.values()) if rough else 0.0
    return {bot: value - centre for bot, value in rough.items()}


def standing(blocks: Sequence[Means]) -> list[str]:
    """Return the bots that played, the best mean over blocks first."""
    places: dict[str, list[float]] = defaultdict(list)
    for block in blocks:
        for bot, place in block.items():
            places[bot].append(place)
    return sorted(places, key=lambda bot: (fmean(places[bot]), bot))


def tied(blocks: Sequence[Block], bots: int, confidence: float) -> Iterator[tuple[str, str]]:
    """Yield the neighbours on the leaderboard that are not separated, best first.

    `bots` is how many are in the field; who has not played yet has no neighbours.
    """
    means = adjusted(blocks)
    for ahead, behind in pairwise(standing(means)):
        common = [block for block in means if ahead in block and behind in block]
        differences = [block[behind] - block[ahead] for block in common]
        enough = len(differences) >= first_look(bots) and sum(differences) > 0
        if not enough or log_evidence(differences) < -log(1 - confidence):
            yield ahead, behind


def separated(blocks: Sequence[Block], bots: int, confidence: float) -> bool:
    """Tell whether all of the field have played and every pair of neighbours is separated."""
    if not is_look(len(blocks), bots):
        return False
    played = {bot for block in blocks for table in block for bot in table.bots}
    return len(played) == bots and next(tied(blocks, bots, confidence), None) is None
