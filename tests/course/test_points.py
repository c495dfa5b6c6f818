"""Shares with their intervals, points, and when there are enough games."""

import pytest

from arena.course.baselines import FIRST, more_blocks, target
from arena.course.points import Part, against, certain, in_field, share_of, total_of


def test_points_grow_from_one_half_to_the_share_of_the_reference() -> None:
    found = [against(share_of([won] * 10, 100), 0.8, 60).points for won in (20, 50, 65, 80, 95)]
    assert found == pytest.approx([0, 0, 30, 60, 60])


def test_interval_narrows_with_more_blocks() -> None:
    few, many = share_of([60] * 4, 100), share_of([60] * 64, 100)
    assert few.low < many.low < 0.6 < many.high < few.high


def test_interval_is_wider_where_blocks_vary_more() -> None:
    steady, varied = share_of([60] * 10, 100), share_of([40, 80] * 5, 100)
    assert varied.high - varied.low > 1.5 * (steady.high - steady.low)


@pytest.mark.parametrize("won", [0, 100])
def test_a_share_of_all_or_nothing_is_not_certain(won: int) -> None:
    found = share_of([won] * 4, 100)
    assert found.high - found.low > 0.005
    assert found.low <= found.share <= found.high


def test_one_block_has_an_interval() -> None:
    found = share_of([40], 80)
    assert 0.3 < found.low < 0.5 < found.high < 0.7


def _part(points: float, half_width: float) -> Part:
    """Return a part of 30 points, given what it was worth if the scale had no ends."""
    ends = points, points - half_width, points + half_width
    on_points, low, high = (min(30.0, max(0.0, end)) for end in ends)
    return Part(on_points, low, high, 30, share_of([40], 80), half_width, half_width)


def test_total_is_as_exact_as_its_parts_together() -> None:
    part = _part(20, 3)
    total = total_of({"a": part, "b": part, "c": certain(10, 10)})
    assert total.points == 50
    assert total.half_width == pytest.approx(18**0.5)


def test_total_may_end_at_the_end_of_a_scale() -> None:
    total = total_of({"a": _part(31, 3), "legal": certain(5, 10)})
    assert total == (35, 32, 35)


def test_part_at_an_end_of_its_scale_is_no_more_exact_than_others() -> None:
    shares = [share_of([won] * 10, 100) for won in (49, 51)]
    low, high = (against(share, 0.8, 60) for share in shares)
    assert (low.points, low.low) == (0, 0)
    assert low.below == pytest.approx(high.below, rel=0.01)


@pytest.mark.parametrize("won", [20, 95])
def test_part_far_beyond_an_end_of_its_scale_is_certain(won: int) -> None:
    part = against(share_of([won] * 10, 100), 0.8, 60)
    assert (part.below, part.above) == (0, 0)


def test_field_counts_every_table_alike() -> None:
    found = in_field([(10, 10), (0, 10), (5, 10)], 20)
    assert found.points == 10
    assert found.low < 10 < found.high


def test_play_ends_when_the_points_are_precise_enough() -> None:
    blocks, parts = {"a": 8, "b": 8}, {"a": _part(20, 1), "b": certain(0, 30)}
    assert more_blocks(blocks, parts, 1.0, 100) == blocks
    assert more_blocks(blocks, parts, 0.5, 100) == {"a": 13, "b": 8}


def test_play_ends_when_the_budget_is_spent() -> None:
    blocks, parts = {"a": 8}, {"a": _part(20, 10)}
    assert more_blocks(blocks, parts, 1.0, 9) == {"a": 9}
    assert more_blocks(blocks, parts, 1.0, 8) == blocks


def test_field_and_baselines_share_the_precision() -> None:
    assert target(2, 0) == 2
    assert target(2, 10) == pytest.approx(1.8)
    assert FIRST > 1


def test_a_baseline_may_say_which_shares_bring_none_and_all() -> None:
    found = [
        against(share_of([won] * 10, 100), 0.6, 70, 0.4).points for won in (30, 40, 45, 60, 80)
    ]
    assert found == pytest.approx([0, 0, 17.5, 70, 70])
