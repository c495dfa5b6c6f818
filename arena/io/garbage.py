"""Python's search for objects that refer to each other in cycles, held off where it finds none."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_MADE = 20_000
"""Objects made between searches for cycles: about what a few pages take."""


@contextmanager
def without_gc() -> Iterator[None]:
    """Turn off the collector of cycles: among many small records it searches long, finding none."""
    gc.disable()
    try:
        yield
    finally:
        # What is left counts as old now, and is not searched at once.
        gc.freeze()
        gc.unfreeze()
        gc.enable()


@contextmanager
def gc_of_new() -> Iterator[None]:
    """Let the collector of cycles search only among what is made from now on, and seldom."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_MADE, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
