"""Samples of a series of tests: another one in each run, the same one for the same seed."""

import os
from collections.abc import Iterable
from itertools import product
from random import Random
from typing import TypeVar

from tests.support.depth import FULL

T = TypeVar("T")
U = TypeVar("U")
SEED = os.environ.get("ARENA_TEST_SEED", "0")
"""What chooses the samples; tests/conftest.py draws it once for all workers and prints it."""


def sample(items: Iterable[T], quick_count: int, name: str) -> list[T]:
    """Return some of the items, in their order; all of them when nothing is sampled.

    `name` is that of the series, so that two series of the same size are not sampled alike.
    """
    series = list(items)
    if FULL or quick_count >= len(series):
        return series
    chosen = random(name).sample(range(len(series)), quick_count)
    return [series[place] for place in sorted(chosen)]


def paired(items: Iterable[T], others: Iterable[U], name: str) -> list[tuple[T, U]]:
    """Return each item with one of the others, which take turns; all pairs if nothing is sampled.

    `name` is that of the series: it says, with the seed, who goes with whom.
    """
    first, second = list(items), list(others)
    if FULL:
        return list(product(first, second))
    turns = [second[number % len(second)] for number in range(len(first))]
    random(name).shuffle(turns)
    return list(zip(first, turns, strict=True))


def random(name: str) -> Random:
    """Return the source of random choices for a test or a series of this name."""
    return Random(f"{SEED}/{name}")
