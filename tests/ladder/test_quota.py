"""The quota: a window that rolls with the clock, whose end is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ladder.book.quota import DAY, HOUR, Allowance, Quotas, allowance

NOW = 1_000_000.0
TWO = Quotas(uploads=2, refused=3)


@pytest.mark.parametrize(
    ("accepted", "refused", "expected"),
    [
        ((), (), Allowance(2, 2, None, None)),
        ((NOW - 1,), (), Allowance(1, 2, NOW - 1 + DAY, None)),
        ((NOW - 5, NOW - 1), (), Allowance(0, 2, NOW - 5 + DAY, NOW - 5 + DAY)),
        ((NOW - DAY, NOW - 1), (), Allowance(1, 2, NOW - 1 + DAY, None)),
        ((), (NOW - 3, NOW - 2, NOW - 1), Allowance(2, 2, None, NOW - 3 + HOUR)),
        ((), (NOW - HOUR, NOW - 2, NOW - 1), Allowance(2, 2, None, None)),
        ((NOW - 9, NOW - 8), (NOW,) * 3, Allowance(0, 2, NOW - 9 + DAY, NOW - 9 + DAY)),
        # The clock was set back: what was submitted later counts as now.
        ((NOW + 9 * DAY, NOW - 1), (), Allowance(0, 2, NOW - 1 + DAY, NOW - 1 + DAY)),
    ],
)
def test_window(accepted: tuple[float], refused: tuple[float], expected: Allowance) -> None:
    assert allowance(NOW, accepted, refused, TWO) == expected


TIMES = st.lists(st.floats(NOW - 2 * DAY, NOW + DAY), max_size=12)


@given(TIMES, TIMES, st.integers(1, 6), st.integers(1, 6))
def test_one_may_submit_when_the_window_ends_and_not_before(
    accepted: list[float], refused: list[float], uploads: int, most_refused: int
) -> None:
    quotas = Quotas(uploads, most_refused)
    now = allowance(NOW, accepted, refused, quotas)
    assert 0 <= now.left <= uploads
    if now.blocked_until is None:
        assert now.left > 0
        return
    past = [min(time, NOW) for time in accepted], [min(time, NOW) for time in refused]
    assert NOW < now.blocked_until <= NOW + DAY
    assert allowance(now.blocked_until, *past, quotas).blocked_until is None
    assert allowance(now.blocked_until - 1e-3, *past, quotas).blocked_until is not None
