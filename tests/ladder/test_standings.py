"""The standings as games are played: soon, at a cost that is bounded, and not from struck bots."""

import os
import re
from math import inf
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ladder.book.shown import Live, read_live
from arena.ladder.config import load_config
from arena.ladder.folder import Folder
from arena.ladder.pages.ranks import keep_ranks, ranks_moved
from arena.ladder.pages.standings import LiveStandings, StandingsKeeper, pause
from arena.ladder.season.season import STORE
from arena.league.play.stored_league import StoredLeague
from arena.league.store.store import Store
from tests.ladder import club as clubs
from tests.support import factory, records


@given(st.floats(0, 1_000))
def test_standings_take_a_tenth_of_a_core_or_are_computed_once_a_minute(cost: float) -> None:
    assert 1 <= pause(cost) <= 60
    assert cost <= pause(cost) / 10 or pause(cost) == 60


def computed(folder: Folder) -> Live:
    """Return the standings of a season that was played."""
    live = LiveStandings(folder, 1)
    assert live.read()
    assert live.rate()
    live.write()
    written = read_live(folder)
    assert written
    return written


def test_all_games_that_are_stored_count(copy: Path) -> None:
    folder = Folder(copy)
    live = computed(folder)
    with Store(folder.season(1) / STORE) as store:
        results = [*store.results()]
    assert live.games == sum(len(result.games) for result in results)
    assert {row.version for row in live.rows} == {"one@1", "two@1"}
    assert [row.best for row in live.rows] == sorted(row.best for row in live.rows)
    last = max(result.stored_at or 0 for result in results)
    assert live.recent[0].at == last


def test_standings_stay_until_games_are_played(copy: Path) -> None:
    live = LiveStandings(Folder(copy), 1)
    assert (live.read(), live.rate()) == (True, True)
    assert (live.read(), live.rate()) == (False, False)


def test_new_games_wait_for_their_turn(copy: Path) -> None:
    store = Folder(copy).season(1) / STORE
    live = LiveStandings(Folder(copy), 1)
    assert (live.read(), live.rate()) == (True, True)
    os.utime(store, (0, 0))  # as if it was written to
    assert live.read()
    live._next = inf
    assert not live.rate()
    live._next = 0.0
    assert live.rate()


def test_games_of_struck_bots_do_not_count(copy: Path) -> None:
    folder = Folder(copy)
    before = computed(folder)
    with Store(folder.season(1) / STORE, create=True) as store:
        StoredLeague(store).change(struck=["two@1"])
    live = computed(folder)
    assert (live.games, [row.version for row in live.rows]) == (0, [])
    assert before.games > 0


def test_each_division_has_a_card_where_there_are_several(tmp_path: Path) -> None:
    folder = Folder(clubs.make(tmp_path))
    folder.season(1).mkdir(parents=True)
    league, _, played = factory.sample()
    records.stored(folder.season(1) / STORE, league, played)
    divisions = {one.fixture.division for one in played}
    assert len(divisions) > 1
    live = computed(folder)
    for division in divisions:
        assert f"<bdi>{division.variant}</bdi>, {division.players}&nbsp;players" in live.cards
    assert "Over all" in live.verdict
    assert "wins" not in live.cards + live.verdict


def parts(live: Live) -> str:
    return live.verdict + live.table + live.cards


def test_links_are_to_what_is_published_from_its_publication_on(copy: Path) -> None:
    folder = Folder(copy)
    before = folder.site.readlink()
    folder.site.unlink()
    standings = LiveStandings(folder, 1)
    assert (standings.read(), standings.rate()) == (True, True)
    standings.write()
    live = read_live(folder)
    assert live
    assert "<a " not in parts(live)
    assert "<bdi>one@1</bdi>" in live.table
    folder.site.symlink_to(before)
    assert (standings.read(), standings.rate()) == (False, True)
    standings.write()
    live = read_live(folder)
    assert live
    assert 'href="site/bots/' in live.table
    linked = re.findall(r'href="site/([^"#?]+)', parts(live))
    assert linked
    assert [path for path in linked if not (folder.site / path).is_file()] == []


def test_arrows_say_who_rose_and_fell(copy: Path) -> None:
    folder = Folder(copy)
    (folder.root / "sites" / "ranks.json").unlink()  # of its own publication
    assert "moved" not in computed(folder).table
    ranks = {row.version: row.best for row in computed(folder).rows}
    keep_ranks(folder, 1, {"one@1": ranks["one@1"] + 2, "two@1": ranks["two@1"] - 1})
    keep_ranks(folder, 1, {})  # of the same day
    assert ranks_moved(folder, ranks | {"new@1": 1}) == {"one@1": 2, "two@1": -1}
    table = computed(folder).table
    assert re.findall('class="moved (up|down)".*?</span>([0-9])<', table) in (
        [("up", "2"), ("down", "1")],
        [("down", "1"), ("up", "2")],
    )
    keep_ranks(folder, 2, {})
    assert ranks_moved(folder, ranks) == {}


def test_a_process_that_died_is_said_and_begun_again_later(copy: Path) -> None:
    said: list[str] = []
    keeper = StandingsKeeper(Folder(copy), load_config(copy / "ladder.yaml"), said.append)
    keeper.season = 99  # there is none
    keeper.step()
    job = keeper._job
    assert job
    job._process.kill()
    job._process.join()
    keeper.step()
    assert len(said) == 1
    keeper.step()
    assert keeper._job is None


@pytest.mark.slow
def test_a_ladder_that_plays_writes_standings_before_it_publishes(tmp_path: Path) -> None:
    folder = Folder(clubs.make(tmp_path, intervals={"publish": 1_000.0}))
    for name in ("one", "two", "six"):
        clubs.admitted(folder.root, name, clubs.REUSABLE)
    with clubs.running(folder.root) as ladder:
        ladder.until(lambda: (live := read_live(folder)) and len(live.rows) == 3)
        assert ladder.stop() == 0
