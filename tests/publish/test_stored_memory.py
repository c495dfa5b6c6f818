"""A report needs little memory for each fixture, game and fault of a store."""

import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.game.records import Cause, Faulted
from arena.league.store.store import Store
from arena.publish import series
from arena.publish.stored.stored_games import StoredGames, stored_games
from tests.publish.stored import BGA, BOTS, LEAGUE, PAIRS, begun
from tests.support import factory
from tests.support import played_games as games

pytestmark = pytest.mark.slow


@contextmanager
def opened_again(path: Path) -> Iterator[tuple[StoredGames, int]]:
    """Open games that were summarized before; yields them with the bytes that they take."""
    with Store(path) as store:
        with stored_games(store, LEAGUE, lambda _: True):
            pass
        tracemalloc.start()
        with stored_games(store, LEAGUE, lambda _: True) as source:
            taken = tracemalloc.get_traced_memory()[0]
            tracemalloc.stop()
            yield source, taken


def test_little_is_kept_of_a_fixture(tmp_path: Path) -> None:
    """A summary takes some 20 KB; what is added up is the same for any number of fixtures."""
    fixtures = [
        games.fixture(index, "bga", BGA, PAIRS[index % len(PAIRS)], 3) for index in range(90)
    ]
    kept = []
    for number in (30, 90):
        path = begun(tmp_path / f"{number}.sqlite", fixtures[:number])
        with opened_again(path) as (source, taken):
            kept.append(taken)
            assert len(source.results) == number
    assert (kept[1] - kept[0]) / 60 < 4000


def test_little_is_kept_of_a_game(tmp_path: Path) -> None:
    kept = []
    for number in (20, 60):
        fixtures = [games.fixture(at, "bga", BGA, pair, number) for at, pair in enumerate(PAIRS)]
        path = begun(tmp_path / f"{number}.sqlite", fixtures)
        with opened_again(path) as (source, taken):
            kept.append(taken)
        assert sum(len(one.games) for one in source.results) == number * len(PAIRS)
    assert (kept[1] - kept[0]) / (40 * len(PAIRS)) < 50


def test_many_faults_take_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond those that pages show: of each bot 50, in the fixtures that came first."""
    monkeypatch.setattr(series, "_FEW", 400)
    late = {game: Faulted(0, Cause.TIMEOUT, "no answer") for game in range(50)}
    kept = []
    for number in (10, 30):
        fixtures = [factory.fixture(at, BOTS[:2], faults=late, games=50) for at in range(number)]
        path = begun(tmp_path / f"{number}.sqlite", fixtures)
        with opened_again(path) as (source, taken):
            kept.append(taken)
            assert source.summary.faults.bots["alpha"].count == number * 50
            assert len(list(source.faults)) == number * 50
    assert (kept[1] - kept[0]) / 20 < 6000
