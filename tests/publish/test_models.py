"""Page models: scales, tints, conditions, where the data folders are."""

from pathlib import Path

import pytest

from arena.game.records import Cause, Faulted
from arena.game.rules.books import VARIANTS
from arena.io import shipped
from arena.io.errors import ArenaError
from arena.playstats.fixture_summary import STDERR_SHOWN
from arena.playstats.league_summary import STDERR_PIECES
from arena.publish.charts import axis_of, round_axis
from arena.publish.data.results import by_opponent
from arena.publish.pages.leaderboard import tint
from arena.ratings.leaderboard_rows import Duel, Leaderboard
from arena.ratings.maths.intervals import wilson
from tests.support import factory
from tests.support.summaries import league_of, summarize_fixture

BGA = VARIANTS["bga"]


@pytest.mark.parametrize(
    "intervals",
    [
        [(0.5, 0.5)],
        [(0.0, 1.0)],
        [(0.49, 0.5), (0.5, 0.501)],
        [(0.1 * n, 0.1 * n + 0.05) for n in range(9)],
    ],
)
def test_axis_covers_every_interval_of_few_bots(intervals: list[tuple[float, float]]) -> None:
    axis = axis_of(intervals)
    assert 2 <= len(axis.ticks) <= 8
    for value in [*axis.ticks, *(end for ends in intervals for end in ends)]:
        assert 0 < axis.at(value) < 100


def test_the_lowest_tenth_does_not_squeeze_the_others() -> None:
    near = [(0.4 + 0.01 * n, 0.45 + 0.01 * n) for n in range(18)]
    far = [(0.01, 0.02), (0.0, 0.01)]
    assert axis_of([*near, *far]) == axis_of(near)
    assert axis_of([*near, *far, far[0]]) != axis_of(near)
    axis = axis_of([*near, *far])
    assert axis.at(0.01) == 0.0
    assert axis.width(0.01, 0.02) == 0.0


def test_a_bar_is_as_long_as_its_interval() -> None:
    axis = axis_of([(0.0, 4.0)])
    ends = [axis.at(value) for value in (0.0, 4.0)]
    assert axis.width(0.0, 4.0) == pytest.approx(ends[1] - ends[0], abs=0.11)


def test_small_axes_have_the_decimals_they_need() -> None:
    assert round_axis([-0.2, 0.2]).digits == 1
    assert round_axis([-10, 10]).digits == 0


@pytest.mark.parametrize(
    ("ahead", "games", "colour"),
    [
        (1, 1, "even"),
        (55, 100, "even"),
        (550, 1000, "ahead-1"),
        (450, 1000, "behind-1"),
        (65, 100, "ahead-2"),
        (100, 100, "ahead-4"),
        (0, 100, "behind-4"),
    ],
)
def test_tint_is_even_if_the_interval_holds_one_half(ahead: int, games: int, colour: str) -> None:
    board = Leaderboard(
        "bga", 2, [], {("a", "b"): Duel(ahead, games)}, {}, {}, 1, "games", [], None
    )
    [found] = by_opponent(board, "a", ["b"])
    assert tint(found) == colour
    assert by_opponent(board, "b", ["a"]) == []


def test_wilson_agrees_with_a_published_value() -> None:
    # 81 of 263: the worked example in Newcombe (1998), 0.2553 to 0.3662.
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)


def test_league_summary_counts_every_game_once() -> None:
    _, _, played = factory.sample()
    summary = league_of(summarize_fixture(one, BGA) for one in played)
    total = summary.total()
    assert (total.fixtures, total.games, total.decisions) == (5, 20, 510)
    assert {key: kind.games for key, kind in summary.played.items()} == {
        ("bga", 2): 12,
        ("house rules", 3): 8,
    }


def test_a_bot_that_always_crashes_keeps_a_bounded_tail() -> None:
    crash = {0: Faulted(0, Cause.CRASH, "exit status 1")}
    noise = ("x" * 70 + "\n") * 900
    played = [factory.fixture(n, ("a", "b"), faults=crash, stderr=(noise, "")) for n in range(50)]
    summary = league_of(summarize_fixture(one, BGA) for one in played)
    assert summary.faults.bots["a"].count == 50
    assert len(summary.stderr["a"]) == STDERR_PIECES
    assert all(len(text) <= STDERR_SHOWN + 2 for text in summary.stderr["a"].values())


def test_the_data_folders_are_found_in_a_checkout() -> None:
    assert (shipped.folder("reports") / "base.html").is_file()
    with pytest.raises(ArenaError, match="'nonsense' is missing"):
        shipped.folder("nonsense")


def test_the_data_folders_are_found_in_a_wheel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = tmp_path / "arena" / "_shipped" / "reports"
    inside.mkdir(parents=True)
    (tmp_path / "reports").mkdir()
    monkeypatch.setattr(shipped, "_PACKAGE", tmp_path / "arena")
    assert shipped.folder("reports") == inside
