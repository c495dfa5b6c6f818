"""Series that are read more than once."""

from collections.abc import Iterator

import pytest

from arena.publish.series import _FEW, Again


@pytest.mark.parametrize(("count", "times"), [(0, 1), (_FEW, 1), (_FEW + 1, 3)])
def test_a_series_is_the_same_again_and_made_once_if_it_is_short(count: int, times: int) -> None:
    made = list[int]()

    def make() -> Iterator[int]:
        made.append(count)
        yield from range(count)

    series = Again(make)
    assert all([*series] == [*range(count)] for _ in range(3))
    assert len(made) == times


def test_a_series_that_was_not_read_to_its_end_is_made_again() -> None:
    series = Again(lambda: iter("abc"))
    assert next(iter(series)) == "a"
    assert [*series] == [*"abc"]
