"""Which versions play, and when one must rest."""

import pytest

from arena.ladder.book.tables import PLAYING, State, Version
from arena.ladder.config import Keep
from arena.ladder.season.field import faults_too_often, settle, verdict
from arena.ladder.season.season import TwinResult, predecessors
from arena.ratings.two_versions import Paired
from tests.ladder.desk import PASSED, Desk


@pytest.mark.parametrize(
    ("games", "faulted", "rests"),
    [(50, 49, False), (50, 50, True), (499, 50, True), (500, 50, False), (10_000, 1001, True)],
)
def test_a_version_rests_after_50_faults_in_more_than_a_tenth_of_its_games(
    games: int, faulted: int, rests: bool
) -> None:
    assert faults_too_often(games, faulted) == rests


def twin_result(above: float) -> TwinResult:
    return TwinResult(400, Paired(0.5, 0.5, 0.0, 0.0, 0.0, above))


def two_versions(desk: Desk) -> tuple[Version, Version]:
    names = desk.submit("ann", "bot"), desk.submit("ann", "bot", b"2")
    desk.run(PASSED, PASSED)
    old, new = map(desk.book.version, names)
    return new, old


def test_a_version_plays_beside_the_one_before_and_no_third(desk: Desk) -> None:
    new, old = two_versions(desk)
    assert (old.state, new.state) == (State.PROVISIONAL, State.PROVISIONAL)
    assert old.why == "it meets bot@2 on the same dice"
    desk.submit("ann", "bot", b"3")
    desk.run(PASSED)
    found = desk.book.versions(PLAYING)
    assert [one.name for one in found] == ["bot@2", "bot@3"]
    assert desk.book.version("bot@1").why == "bot@3 plays in its place"


@pytest.mark.parametrize(
    ("keep", "above", "rests"),
    [
        (Keep.LATEST, 0.9, "bot@1"),
        (Keep.LATEST, 0.1, "bot@1"),
        (Keep.BETTER, 0.9, "bot@1"),
        (Keep.BETTER, 0.5, "bot@1"),
        (Keep.BETTER, 0.49, "bot@2"),
        (Keep.BETTER, None, "bot@1"),
    ],
)
def test_one_of_two_versions_that_have_met_rests(
    desk: Desk, keep: Keep, above: float | None, rests: str
) -> None:
    result = None if above is None else twin_result(above)
    assert settle(desk.book, *two_versions(desk), result, keep).name == rests
    [playing] = desk.book.versions(PLAYING)
    assert desk.state(rests) is State.RESTING
    assert playing.name in desk.book.version(rests).why
    told = [one.text for one in desk.book.events("bot@2") if "twin games" in one.text]
    assert len(told) == (above is not None)


@pytest.mark.parametrize(
    ("above", "text"),
    [
        (0.971, "better than bot@1 with 97.1 % (400 twin games)"),
        (0.12, "worse than bot@1 with 88.0 % (400 twin games)"),
        (0.5, "as good as bot@1 (400 twin games)"),
        (1.0, "better than bot@1 with over 99.9 % (400 twin games)"),
    ],
)
def test_an_author_is_told_how_sure_it_is(above: float, text: str) -> None:
    assert verdict(twin_result(above), "bot@1") == text


def test_the_version_before_is_the_next_older_one_that_plays() -> None:
    field = ["bot@10", "other@1", "bot@9", "bot-2@1"]
    assert predecessors(field) == {"bot@10": "bot@9"}
