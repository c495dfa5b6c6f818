"""Bots that no game links, not even by way of others, are not compared."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.game.records import Division, FixtureResult, RatingsInfo
from arena.ratings.league_ratings import rate_results
from arena.ratings.maths.connected import parts, reached
from arena.ratings.sequential import TableMeans, separated, tied
from tests.support.ratings import rated_board
from tests.support.results import result


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        ([], []),
        ([("a", "b"), ("b", "c")], [("a", "b", "c")]),
        ([("d", "c"), ("b", "a")], [("a", "b"), ("c", "d")]),
        (
            [("e", "f"), ("a", "b", "c"), ("f", "g"), ("h", "e")],
            [("e", "f", "g", "h"), ("a", "b", "c")],
        ),
        ([("a", "b"), ("c", "d"), ("e", "f"), ("f", "a"), ("c", "b")], [tuple("abcdef")]),
    ],
)
def test_parts_are_linked_by_tables(
    tables: list[tuple[str, ...]], expected: list[tuple[str, ...]]
) -> None:
    assert parts(tables) == expected


@given(st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=20))
def test_reached_are_those_of_any_number_of_links(links: set[tuple[int, int]]) -> None:
    ahead = [[other for bot, other in links if bot == one] for one in range(9)]
    behind = [[bot for bot, other in links if other == one] for one in range(9)]
    one_more = np.eye(9) + [[(bot, other) in links for other in range(9)] for bot in range(9)]
    expected = (np.linalg.matrix_power(one_more, 8) > 0).sum(1)
    assert reached(ahead, behind) == expected.tolist()


def one_sided(*tables: tuple[str, str], blocks: int = 20) -> list[FixtureResult]:
    """Return games that the first bot of each table always wins."""
    return [
        result(bots, [(1, 2)] * 20, block=block, index=len(tables) * block + at)
        for block in range(blocks)
        for at, bots in enumerate(tables)
    ]


def test_ranks_count_only_bots_of_the_same_part() -> None:
    board = rated_board("bga", 2, one_sided(("a", "b"), ("c", "d")))
    assert board.parts == [("a", "b"), ("c", "d")]
    ranges = {row.bot: (row.best, row.worst) for row in board.rows}
    assert ranges == {"a": (1, 3), "b": (2, 4), "c": (1, 3), "d": (2, 4)}
    assert board.better["a", "c"] == board.better["a", "d"] == board.better["d", "a"] == 0.5
    assert board.better["a", "b"] > 0.999


def test_overall_ranks_count_only_bots_that_games_link_at_all_tables() -> None:
    linked = one_sided(("a", "b"), ("b", "c"), ("c", "d"))
    in_parts = one_sided(("a", "b"), ("c", "d"))
    tables = {Division("bga", 2): linked, Division("classic", 2): in_parts}
    found = rate_results(tables, RatingsInfo(overall=True)).overall
    assert found
    ranges = {row.bot: (row.best, row.worst) for row in found.rows}
    assert ranges == {"a": (1, 3), "b": (2, 4), "c": (1, 3), "d": (2, 4)}


def test_one_game_between_parts_links_them() -> None:
    linked = [*one_sided(("a", "b"), ("c", "d")), result(("b", "c"), [(1, 2)], block=20, index=40)]
    board = rated_board("bga", 2, linked)
    assert len(board.parts) == 1
    assert board.better["a", "d"] != 0.5


def test_until_does_not_separate_bots_that_no_game_links() -> None:
    table_means = [TableMeans(("a", "b"), (1.2, 1.8)), TableMeans(("c", "d"), (1.4, 1.6))]
    blocks = [table_means] * 60
    assert list(tied([table_means[:1]] * 60, 2, 0.95)) == []
    part_of = {"a": 0, "b": 0, "c": 1, "d": 1}
    neighbours = list(tied(blocks, 4, 0.95))
    assert neighbours
    assert all(part_of[one] != part_of[other] for one, other in neighbours)
    assert not separated(blocks, 4, 0.95)
