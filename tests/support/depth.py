"""How deep the tests look: `make test` samples, `make long` tries everything."""

import os
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
FULL = os.environ.get("ARENA_TEST_FULL") == "1"
"""Whether nothing is sampled."""


def depth(quick: T, full: T) -> T:
    """Return one of two sizes."""
    return full if FULL else quick


def only_in_long(test: Callable[..., None]) -> Callable[..., None] | None:
    """Take out a test whose every run is dear, but for `make long`: there is none otherwise."""
    return test if FULL else None
