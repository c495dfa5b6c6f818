"""Python's search for objects that refer to each other in cycles, held off where it finds none.

The collector is one for the whole process: only the main thread holds it off, and only one block at
a time. Blocks of other threads and blocks within such a block change nothing.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread

_MADE = 20_000
"""Objects made between searches for cycles: about what a few pages take."""


@contextmanager
def without_gc() -> Iterator[None]:
    """Turn off the collector of cycles: among many small records it searches long, finding none."""
    if not _may_hold_off():
        yield
        return
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
    if not _may_hold_off():
        yield
        return
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_MADE, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def _may_hold_off() -> bool:
    """Tell whether this is the main thread, and no block around this one holds it off."""
    return current_thread() is main_thread() and gc.isenabled() and not gc.get_freeze_count()
