"""The page of a comparison: lines that have the same tokens stand beside each other."""

from hypothesis import given
from hypothesis import strategies as st

from arena.author.alike.by_text import SharedText, SourcePart
from arena.author.alike.page import aligned
from arena.author.alike.pairs import AnyTwo


def part(first: int, lines: list[str]) -> SourcePart:
    return SourcePart("bot.py", first, first + len(lines) - 1, "\n".join(lines))


def test_lines_with_the_same_tokens_stand_beside_each_other() -> None:
    one = part(5, ["a = 1", "", "# why", "b(a,", "  2)"])
    other = part(9, ["x = 7", "y(x, 3)"])
    rows = [*aligned(SharedText(one, other, 9, ((5, 9), (8, 10), (9, 10))))]
    assert [(row.one, row.other, row.same) for row in rows] == [
        (5, 9, True),
        (6, 0, False),
        (7, 0, False),
        (8, 10, True),
        (9, 0, True),
    ]
    assert [row.one_text for row in rows] == one.text.split("\n")


@given(
    st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=8),
    st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=8),
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=8),
)
def test_every_line_is_shown_once_and_in_order(
    left: list[str], right: list[str], steps: list[tuple[int, int]]
) -> None:
    beside = [(3 + min(a, 7), 1 + min(b, 7)) for a, b in sorted(steps)]
    beside = [pair for at, pair in enumerate(beside) if all(pair[1] >= b for _, b in beside[:at])]
    rows = [*aligned(SharedText(part(3, left), part(1, right), 1, tuple(beside)))]
    assert [row.one for row in rows if row.one] == [*range(3, 3 + len(left))]
    assert [row.other for row in rows if row.other] == [*range(1, 1 + len(right))]
    assert [row.one_text for row in rows if row.one] == left
    assert all(row.one or row.other for row in rows)


def test_few_pairs_say_nothing_but_the_line() -> None:
    few, many = AnyTwo(19, 1.0, 1.0, 0.2), AnyTwo(20, 0.1, 0.3, 0.28)
    assert (few.said("median"), few.said("ninety"), few.said("line")) == (None, None, 0.2)
    assert (many.said("median"), many.said("line")) == (0.1, 0.28)
    assert AnyTwo(0, 0.0, 0.0, 0.2).said("line") is None
