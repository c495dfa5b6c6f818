"""Numbers as pages show them."""

import pytest

from arena.publish.text import chance, counted, fixed, percent, signed


@pytest.mark.parametrize(
    ("share", "digits", "shown"),
    [
        (0, 1, "0.0"),
        (0.0004, 1, "<0.1"),
        (0.0006, 1, "0.1"),
        (0.9994, 1, "99.9"),
        (0.9996, 1, ">99.9"),
        (1, 1, "100.0"),
        (0.004, 0, "<1"),
        (0.996, 0, ">99"),
        (1, 0, "100"),
        (0.00004, 2, "<0.01"),
    ],
)
def test_only_none_is_0_percent_and_only_all_is_100(share: float, digits: int, shown: str) -> None:
    assert percent(share, digits) == f"{shown}\u202f%"


def test_equal_numbers_are_rounded_alike_however_they_were_computed() -> None:
    """Scripts round halves up, too."""
    beaten, won = 2 - 1.4125, 0.5875
    assert beaten != won
    assert percent(beaten) == percent(won) == "58.8\u202f%"
    assert (fixed(2.125), signed(-2.125), signed(0.0)) == ("2.13", "\u22122.13", "0.00")


def test_an_estimate_is_never_certain() -> None:
    found = [chance(value) for value in (0.0, 0.25, 1.0)]
    assert found == ["<0.1\u202f%", "25.0\u202f%", ">99.9\u202f%"]


def test_one_is_singular() -> None:
    found = [counted(number, "game") for number in (0, 1, 2000)]
    assert found == ["0 games", "1 game", "2,000 games"]
