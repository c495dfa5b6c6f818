"""Which versions play, and when one must rest."""

import pytest

from arena.ladder.admission import faults_too_often


@pytest.mark.parametrize(
    ("games", "faulted", "rests"),
    [(50, 49, False), (50, 50, True), (499, 50, True), (500, 50, False), (10_000, 1001, True)],
)
def test_a_version_rests_after_50_faults_in_more_than_a_tenth_of_its_games(
    games: int, faulted: int, rests: bool
) -> None:
    assert faults_too_often(games, faulted) == rests
