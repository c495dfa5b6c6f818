"""Bad input: it is refused with one line that says what is wrong, where, and what mends it."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from arena.io.errors import ArenaError


@contextmanager
def refused(what: str, where: object = "", hint: str = "") -> Iterator[None]:
    """Check that an ArenaError of one line is raised, with these words.

    `where` is the whole place, unless it is empty.
    """
    with pytest.raises(ArenaError) as caught:
        yield
    error = caught.value
    assert what in error.what
    assert not where or error.where == str(where)
    assert hint in error.hint
    assert "\n" not in str(error)
