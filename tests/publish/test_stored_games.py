"""A site from a store: what is kept between reports, and that it never shows."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.game.records import Cause, Faulted, FixtureResult, PlayedFixture
from arena.game.rules.books import Rules
from arena.io.job import in_copy
from arena.league.store.store import Store
from arena.playstats.fixture_summary import FixtureSummary, summarize_fixtures
from arena.publish import site
from arena.publish.pages import feed
from arena.publish.replays import NEWEST, ReplayChoice
from arena.publish.stored import fixture_work
from arena.publish.stored import fixture_work as processes
from arena.publish.stored import stored_games as stored
from arena.publish.stored.cache import cache_path
from arena.publish.stored.stored_games import StoredGames, rated_results_at, stored_games
from arena.ratings import division
from tests.league.store import hostile
from tests.league.store.edit import removed
from tests.publish.in_memory import write_site
from tests.publish.pages import broken_links, timeless
from tests.publish.stored import BOTS, LEAGUE, PLAYED, REPLAYED, add, begun, report, staged
from tests.publish.test_feed import strong_first
from tests.support import factory
from tests.support.depth import depth
from tests.support.sampling import random, sample


class Stop(BaseException):
    """Stands for a killed run."""


def times(site: Path) -> dict[str, tuple[int, int]]:
    """What a server or rsync goes by: where a file lies, and when it was written."""
    stats = {path.relative_to(site).as_posix(): path.stat() for path in site.rglob("*.*")}
    return {name: (one.st_ino, one.st_mtime_ns) for name, one in stats.items()}


@pytest.mark.slow
@pytest.mark.parametrize("turn", range(depth(1, 5)))
def test_incremental_site_equals_a_fresh_one(tmp_path: Path, turn: int) -> None:
    chance = random(f"incremental site {turn}")
    order = chance.sample(PLAYED, len(PLAYED))
    choices: list[ReplayChoice] = ["all", "none", 0, 2, NEWEST]
    path = begun(tmp_path / "league.sqlite")
    compared = {len(order) - 1, *chance.sample(range(len(order)), depth(2, len(order)))}
    for number, one in enumerate(order):
        choice = chance.choice(choices)
        add(path, one)
        grown = report(path, tmp_path / "site", choice)
        if number in compared:
            cold = begun(tmp_path / f"{number}.sqlite", order[: number + 1])
            assert grown == report(cold, tmp_path / f"cold{number}", choice)
    assert broken_links(tmp_path / "site") == []


def rated(results: Iterable[FixtureResult]) -> list[FixtureResult]:
    return [replace(one, games=[*one.games], luck=tuple(one.luck)) for one in results]


@pytest.mark.parametrize("shared", [True, False])
def test_results_are_read_one_by_one_as_a_report_rates_them(tmp_path: Path, shared: bool) -> None:
    played = [
        replace(one, fixture=replace(one.fixture, dice="shared" if shared else ""))
        for one in PLAYED
    ]
    path = begun(tmp_path / "league.sqlite", played)
    with Store(path) as store:
        found = rated(rated_results_at(store, LEAGUE.variants, store.positions()))
        with stored_games(store, LEAGUE, lambda _: True) as games:
            assert found == rated(games.results)
    assert any(one.luck for one in found) == (not shared)


@pytest.mark.slow
def test_store_and_memory_give_the_same_site(tmp_path: Path) -> None:
    path = begun(tmp_path / "league.sqlite", PLAYED)
    found = report(path, tmp_path / "site")
    with Store(path) as store:
        root = store.root()
    write_site(LEAGUE, factory.ratings(PLAYED), PLAYED, tmp_path / "other", root=root)
    keyed = ".perudo-arena-site.json"
    assert {**found, keyed: b""} == {**timeless(tmp_path / "other"), keyed: b""}


@pytest.mark.slow
def test_second_report_summarizes_and_writes_only_what_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def noting(played: Sequence[PlayedFixture], rules: Rules) -> Iterator[FixtureSummary]:
        seen.extend(one.fixture.index for one in played)
        return summarize_fixtures(played, rules)

    monkeypatch.setattr(fixture_work, "summarize_fixtures", noting)
    path = begun(tmp_path / "league.sqlite", PLAYED[:4])
    report(path, tmp_path / "site")
    before = times(tmp_path / "site")
    report(path, tmp_path / "site")
    assert times(tmp_path / "site") == before
    add(path, PLAYED[4])
    report(path, tmp_path / "site")
    assert seen == [0, 1, 2, 3, 4]


def test_unchanged_files_are_not_rewritten(tmp_path: Path) -> None:
    path = begun(tmp_path / "league.sqlite", PLAYED[:4])
    report(path, tmp_path / "site")
    before = times(tmp_path / "site")
    add(path, PLAYED[4])
    report(path, tmp_path / "site")
    after = times(tmp_path / "site")
    same = {name for name in before if before[name] == after[name]}
    assert {
        "style.css",
        "replay.js",
        "shared.js",
        "data/suspicions.csv",
        *(f"replays/{n}-0.js" for n in range(4)),
    } <= same
    assert not {"index.html", "data/leaderboard-bga-2p.json", "bots/alpha.html"} & same


@pytest.mark.slow
def test_replaced_fixture_is_summarized_again(tmp_path: Path) -> None:
    report(begun(tmp_path / "league.sqlite", PLAYED[:2]), tmp_path / "site")
    removed(tmp_path / "league.sqlite")
    path = begun(tmp_path / "league.sqlite", [REPLAYED, PLAYED[1]])
    cold = report(begun(tmp_path / "other.sqlite", [REPLAYED, PLAYED[1]]), tmp_path / "cold")
    assert report(path, tmp_path / "site") == cold


def forged(cache: Path) -> None:
    with closing(sqlite3.connect(cache)) as db, db:
        db.execute("UPDATE entries SET data = (SELECT data FROM entries ORDER BY name DESC)")


def cut(cache: Path) -> None:
    cache.write_bytes(cache.read_bytes()[:5000])


def scribbled(cache: Path) -> None:
    cache.write_bytes(b"SQLite format 3\0" + b"?" * 9000)


def foreign(cache: Path) -> None:
    cache.unlink()
    with closing(sqlite3.connect(cache)) as db, db:
        db.execute("CREATE TABLE entries (mine)")


def waiting(cache: Path) -> None:
    cache.unlink()
    os.mkfifo(cache)


def blocked(cache: Path) -> None:
    cache.unlink()
    cache.mkdir()


def recursing(cache: Path) -> None:
    names = ("made_by", "name", "key", "data", "hash")
    columns = ", ".join(f"x AS {name}" for name in names)
    cache.unlink()
    view = f"CREATE VIEW entries AS {hostile.RECURSING} SELECT {columns} FROM n"  # noqa: S608
    hostile.script(cache, view)


def triggering(cache: Path) -> None:
    trigger = "CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM entries; END"
    hostile.script(cache, trigger)


DAMAGES = [forged, cut, scribbled, foreign, recursing, triggering, waiting, blocked, Path.unlink]


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store and its site."""
    folder = tmp_path_factory.mktemp("reported")
    report(begun(folder / "league.sqlite", PLAYED), folder / "site")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("damage", sample(DAMAGES, 5, "damaged caches"))
def test_damaged_cache_does_not_change_the_site(
    reported: Path, tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    whole = timeless(shutil.copytree(reported, tmp_path / "copy") / "site")
    path = tmp_path / "copy/league.sqlite"
    damage(cache_path(path))
    assert report(path, tmp_path / "copy/site") == whole
    assert report(path, tmp_path / "cold") == whole


@pytest.mark.slow
def test_earlier_ranks_are_computed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = [replace(one, fixture=replace(one.fixture, block=at)) for at, one in enumerate(PLAYED)]
    path = begun(tmp_path / "league.sqlite", blocks[:4])
    looked: list[int] = []

    def counting(then: Sequence[FixtureResult]) -> bytes:
        looked.append(1 + max(one.fixture.block for one in then))
        return ranks_then(then)

    ranks_then = feed._ranks_then
    monkeypatch.setattr(feed, "_ranks_then", counting)
    whole = report(path, tmp_path / "site")
    assert looked == [1, 2]
    assert report(path, tmp_path / "site") == whole
    assert looked == [1, 2]
    add(path, blocks[4])
    grown = report(path, tmp_path / "site")
    assert looked == [1, 2, 4]
    assert report(begun(tmp_path / "other.sqlite", blocks[:5]), tmp_path / "cold") == grown


@pytest.mark.slow
def test_fixtures_that_are_struck_and_come_back_leave_no_trace(tmp_path: Path) -> None:
    path, cold = staged(tmp_path / "league.sqlite"), staged(tmp_path / "other.sqlite")
    whole = report(path, tmp_path / "site")
    struck = {strong_first(8, BOTS)[10].fixture.id}
    less = report(path, tmp_path / "site", struck=struck)
    assert less != whole
    assert less == report(cold, tmp_path / "cold", struck=struck)
    assert report(path, tmp_path / "site") == whole


@pytest.mark.slow
def test_a_report_of_the_same_games_rates_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = staged(tmp_path / "league.sqlite")
    whole = report(path, tmp_path / "site")
    made: list[str] = []
    cached = StoredGames.cached

    def noting(self: StoredGames, name: str, key: bytes, make: Callable[[], bytes]) -> bytes:
        def noted() -> bytes:
            made.append(name)
            return make()

        return cached(self, name, key, noted)

    monkeypatch.setattr(StoredGames, "cached", noting)
    assert report(path, tmp_path / "site") == whole
    assert made == []


@pytest.mark.slow
def test_cache_of_a_killed_report_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = begun(tmp_path / "league.sqlite", PLAYED)
    left = iter(range(4))

    def dying(played: Sequence[PlayedFixture], rules: Rules) -> Iterator[FixtureSummary]:
        if any(next(left, None) is None for _ in played):
            raise Stop
        return summarize_fixtures(played, rules)

    with monkeypatch.context() as patch:
        patch.setattr(processes, "_CHUNK", 2)
        patch.setattr(stored, "_WRITTEN", 2)
        patch.setattr(fixture_work, "summarize_fixtures", dying)
        with pytest.raises(Stop):
            report(path, tmp_path / "site")
    with closing(sqlite3.connect(cache_path(path))) as db:
        assert db.execute("SELECT count(*) FROM entries").fetchone() == (4,)
    whole = report(begun(tmp_path / "other.sqlite", PLAYED), tmp_path / "cold")
    assert report(path, tmp_path / "site") == whole


@pytest.mark.slow
def test_many_processes_make_the_same_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = report(begun(tmp_path / "one.sqlite", PLAYED), tmp_path / "one")
    monkeypatch.setattr(processes, "MANY", 0)
    monkeypatch.setattr(processes, "_CHUNK", 6)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    assert report(begun(tmp_path / "many.sqlite", PLAYED), tmp_path / "many") == alone


@pytest.mark.slow
def test_a_copy_of_the_process_makes_the_same_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = report(begun(tmp_path / "one.sqlite", PLAYED), tmp_path / "one")
    made = list[bool]()

    def noting(call: Callable[[], object]) -> AbstractContextManager[Callable[[], object]]:
        made.append(True)
        return in_copy(call)

    monkeypatch.setattr(stored, "in_copy", noting)
    monkeypatch.setattr(site, "MANY", 0)
    monkeypatch.setattr(division, "_MANY_GAMES", 0)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    assert report(begun(tmp_path / "many.sqlite", PLAYED), tmp_path / "many") == alone
    assert len(made) == 4  # for the past, for suspicions, data of ratings, and pages of bots


@pytest.mark.slow
def test_fixtures_that_are_added_up_are_not_read_again(tmp_path: Path) -> None:
    path = begun(tmp_path / "league.sqlite", PLAYED[:4])
    report(path, tmp_path / "site")
    with closing(sqlite3.connect(cache_path(path))) as db, db:
        db.execute("DELETE FROM entries WHERE name BETWEEN '0' AND '9'")
    add(path, PLAYED[4])
    grown = report(path, tmp_path / "site")
    with closing(sqlite3.connect(cache_path(path))) as db:
        kept = db.execute("SELECT name FROM entries WHERE name BETWEEN '0' AND '9'").fetchall()
    assert kept == [("4",)]
    assert grown == report(begun(tmp_path / "cold.sqlite", PLAYED[:5]), tmp_path / "cold")


@pytest.mark.slow
def test_a_permalink_survives_a_new_run(tmp_path: Path) -> None:
    path = begun(tmp_path / "league.sqlite", PLAYED[:3])
    before = report(path, tmp_path / "site", "all")
    for one in PLAYED[3:]:
        add(path, one)
    after = report(path, tmp_path / "site", "all")
    assert set(before) <= set(after)
    shards = [name for name in before if name.startswith("replays/")]
    assert len(shards) == 3
    assert all(before[name] == after[name] for name in shards)


def test_faults_that_the_cache_lost_meanwhile_are_read_again(tmp_path: Path) -> None:
    faults = {1: Faulted(0, Cause.CRASH, "exit status 1")}
    path = begun(tmp_path / "s.sqlite", [factory.fixture(0, BOTS[:2], faults=faults)])
    with Store(path) as store, stored_games(store, LEAGUE, lambda _: True) as source:
        before = list(source.faults)
        with closing(sqlite3.connect(cache_path(path))) as db, db:
            db.execute("DELETE FROM entries")
        assert list(source.faults) == before != []
