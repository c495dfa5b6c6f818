"""A game that is followed while it is played."""

from pathlib import Path
from random import Random

import pytest

from arena.game.records import LimitsInfo, Placed
from arena.game.rules.books import VARIANTS
from arena.league.table.play_fixture import WatchedGame, play_fixture, read_watched
from tests.league.table.fakes import SEED, ReproducibleSeats, Temper
from tests.support import records


@pytest.mark.parametrize("faults", [0.0, 0.05])
@pytest.mark.parametrize("script", range(5))
def test_the_events_of_the_first_game_are_written_as_they_are_recorded(
    tmp_path: Path, script: int, faults: float
) -> None:
    names = ("one", "two", "three")
    fixture = records.fixture(names, 3, variant="bga", seed=f"{SEED}{script}")
    temper = Temper(fault_rate=faults, careless=2)
    with ReproducibleSeats(temper, Random(script), LimitsInfo(restarts=0)) as seats:
        watched = WatchedGame(tmp_path / "game")
        played = play_fixture(fixture, VARIANTS["bga"], seats, watched=watched)
    first = played.games[0]
    assert read_watched(tmp_path / "game") == [*first.events, Placed(tuple(first.places))]


def test_a_game_is_played_that_cannot_be_written(tmp_path: Path) -> None:
    fixture = records.fixture(("one", "two"), 1, variant="bga", seed=SEED)
    with ReproducibleSeats(Temper(), Random(1), LimitsInfo()) as seats:
        watched = WatchedGame(tmp_path / "none" / "game")
        assert play_fixture(fixture, VARIANTS["bga"], seats, watched=watched).games
    assert read_watched(tmp_path / "none" / "game") == []


def test_a_line_that_is_half_written_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "game"
    path.write_bytes(b'["bid",0,2,3]\n["bid",1,')
    assert len(read_watched(path)) == 1
