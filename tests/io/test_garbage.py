"""The collector of cycles, held off by one thread while others go on."""

import gc
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from itertools import permutations
from typing import NamedTuple

import pytest

from arena.io.garbage import gc_of_new, without_gc


class Collector(NamedTuple):
    enabled: bool
    threshold: tuple[int, int, int]
    frozen: int


def collector() -> Collector:
    return Collector(gc.isenabled(), gc.get_threshold(), gc.get_freeze_count())


def in_threads(blocks: list[AbstractContextManager[None]], ends: tuple[int, ...]) -> Collector:
    """Enter each block in a thread of its own, leave them in some order; the collector between."""
    with ExitStack() as stack:
        threads = [stack.enter_context(ThreadPoolExecutor(1)) for _ in blocks]
        for thread, block in zip(threads, blocks, strict=True):
            thread.submit(block.__enter__).result()
        between = collector()
        for number in ends:
            threads[number].submit(blocks[number].__exit__, None, None, None).result()
    return between


@pytest.mark.parametrize("ends", [*permutations(range(3))])
def test_threads_leave_the_collector_alone(ends: tuple[int, ...]) -> None:
    before = collector()
    assert in_threads([gc_of_new(), without_gc(), gc_of_new()], ends) == before
    assert collector() == before


def test_threads_end_nothing_that_the_main_thread_began() -> None:
    before = collector()
    with without_gc():
        in_threads([without_gc(), gc_of_new()], (0, 1))
        assert not gc.isenabled()
    with gc_of_new():
        held_off = collector()
        in_threads([without_gc(), gc_of_new()], (0, 1))
        assert collector() == held_off
    assert collector() == before


def test_blocks_within_blocks_end_with_the_outer_one() -> None:
    before = collector()
    with without_gc():
        with without_gc(), gc_of_new():
            pass
        assert not gc.isenabled()
    assert collector() == before
    with gc_of_new():
        frozen = gc.get_freeze_count()
        with gc_of_new(), without_gc():
            pass
        assert gc.get_freeze_count() >= frozen > before.frozen
    assert collector() == before
