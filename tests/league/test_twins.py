"""A newcomer and its predecessor meet everyone on the same dice."""

from collections.abc import Iterable
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.game.records import Fixture, FixtureResult
from arena.ladder.season.season import are_over, compare_twins
from arena.league.changes import Change
from arena.league.keeping.verify import verify
from arena.league.play.stored_league import StoredLeague
from arena.league.schedule.progress import LeagueProgress
from arena.league.schedule.schedule import Schedule
from arena.league.store.store import Store
from arena.ratings.two_versions import Grain, Kind, paired, pooled
from tests.league.histories import league
from tests.league.test_stored_league import play
from tests.support import factory, records
from tests.support.depth import depth

each = settings(max_examples=depth(8, 20), deadline=None, database=None)
NAMES = "abcdef"
JOINS: dict[str, Any] = {"joined": (factory.bot("a@2"),), "rested": ("a",), "twins": {"a@2": "a"}}


def joined(players: int, names: str = NAMES, before: int = 6, **terms: Any) -> Schedule:
    """Return a league that a second version of `a` joins."""
    schedule = Schedule(*league(names, players, endless=True, **terms))
    [division] = schedule.blocks
    for _ in range(before):
        schedule.draw(division)
    schedule.change(Change((before,), **JOINS))
    return schedule


def drawn(schedule: Schedule, number: int = 20) -> list[list[Fixture]]:
    [division] = schedule.blocks
    return [schedule.draw(division) or [] for _ in range(number)]


def with_twins(blocks: Iterable[list[Fixture]]) -> list[list[Fixture]]:
    return [block for block in blocks if any("a" in one.seats for one in block)]


@each
@given(st.integers(2, 4), st.integers(0, 3), st.booleans(), st.integers(0, 9))
def test_joining_tables_are_played_twice_on_the_same_dice(
    players: int, more: int, shared_dice: bool, before: int
) -> None:
    names = NAMES + "ghi"[:more]
    before = max(1, before)
    schedule = joined(players, names, before, shared_dice=shared_dice)
    blocks = with_twins(drawn(schedule))
    others = set(names) - {"a"}
    assert len(blocks) == players
    dice = set[str]()
    for block in blocks:
        assert len(block) == 2 * len(others)
        for one, twin in zip(block[::2], block[1::2], strict=True):
            assert tuple("a" if bot == "a@2" else bot for bot in one.seats) == twin.seats
            assert "a@2" in one.seats
            assert one.dice_key == twin.dice_key not in dice
            dice.add(one.dice_key)
            assert (one.seed, one.max_rounds, one.games) == (twin.seed, twin.max_rounds, twin.games)
            assert one.id != twin.id
        for seat in range(players):
            assert len({one.seats[seat] for one in block}) in {2, len(others)}
    tables = [one for block in blocks for one in block]
    assert len({one.seats.index("a") for one in tables if "a" in one.seats}) == players
    assert not any({"a", "a@2"} <= {*one.seats} for one in schedule.fixtures)


@pytest.mark.parametrize("players", [2, 3])
def test_blocks_for_all_have_their_share_and_only_the_newcomer_sits_there(players: int) -> None:
    blocks = drawn(joined(players))
    sizes = [len(block) for block in blocks[: 2 * players]]
    assert sizes == [10, 6] * players
    assert {bot for one in blocks[1] for bot in one.seats} == {*"bcdef", "a@2"}


def test_twins_go_on_after_a_change_and_end_when_they_are_called_off() -> None:
    schedule = joined(3)
    [division] = schedule.blocks
    drawn(schedule, 1)
    schedule.change(Change((7,), joined=(factory.bot("g"),)))
    assert schedule.joining_left(division, "a@2") == 2
    drawn(schedule, 20)
    assert schedule.joining_left(division, "a@2") == 0
    assert len(schedule.twin_tables(division, "a@2")) == 5 + 2 * 5
    off = joined(3)
    drawn(off, 1)
    off.change(Change((7,), twins={}))
    later = drawn(off)
    assert not with_twins(later)
    assert [len(block) for block in later].count(5) == 2


def result(fixture: Fixture, best: set[str]) -> FixtureResult:
    """Return a result in which these finish before all others."""
    order = sorted(range(len(fixture.seats)), key=lambda seat: fixture.seats[seat] not in best)
    places = tuple(order.index(seat) + 1 for seat in range(len(order)))
    return records.result(fixture, [places] * fixture.games)


@pytest.mark.parametrize(
    ("best", "above"), [({"a@2"}, 1.0), ({"a"}, 0.0), ({"b"}, 0.5), ({"a", "a@2"}, 0.5)]
)
def test_the_one_that_beats_more_rivals_is_better(best: set[str], above: float) -> None:
    schedule = joined(3)
    progress = LeagueProgress(schedule)
    assert not are_over(schedule, progress, "a@2")
    drawn(schedule)
    [division] = schedule.blocks
    tables = schedule.twin_tables(division, "a@2")
    for number, pair in enumerate(tables):
        assert not are_over(schedule, progress, "a@2")
        for one in pair:
            progress.add(result(one, best if number else best & {"b"}))
    assert are_over(schedule, progress, "a@2")
    found = compare_twins(schedule, progress, "a@2")
    assert found is not None
    assert found.games == 15 * 4
    assert found.rivals_beaten.above == pytest.approx(above, abs=1e-3)


def test_a_table_without_its_twin_does_not_count() -> None:
    schedule = joined(2)
    [division] = schedule.blocks
    block, *_ = drawn(schedule, 1)
    stored = {one.id for one in block if "b" not in one.seats} | {block[0].id}
    begun, unplayed = schedule.cut(stored, {"b"})
    schedule.change(Change(begun, unplayed, rested=("b",)))
    pairs = schedule.twin_tables(division, "a@2")
    assert len(pairs) == 4
    assert not any("b" in one.seats for pair in pairs for one in pair)
    schedule.change(Change((7,), struck=("c",)))
    assert len(schedule.twin_tables(division, "a@2")) == 3


def test_versions_without_a_table_in_common_are_not_compared() -> None:
    schedule = joined(4, "abcd")
    progress = LeagueProgress(schedule)
    assert are_over(schedule, progress, "a@2")
    assert compare_twins(schedule, progress, "a@2") is None


def test_kinds_of_tables_weigh_the_same_and_one_kind_is_as_ever() -> None:
    draw = np.random.default_rng(7)
    old, new = draw.random(40), draw.random(40)
    grain = Grain(400)
    all_pairs, few_pairs = Kind(old, new, grain), Kind(old[:4], new[:4], Grain(40))
    assert pooled([all_pairs]) == paired(old[:, None], new[:, None], grain)
    few = pooled([all_pairs, few_pairs._replace(new=new[:4] + 1)])
    parts = (new - old).mean(), (new - old)[:4].mean() + 1
    assert few.difference == pytest.approx(sum(parts) / 2)
    wide, narrow = pooled([few_pairs]), pooled([all_pairs])
    assert wide.high - wide.low > narrow.high - narrow.low


@pytest.mark.slow
def test_intervals_of_pooled_pairs_hold_as_often_as_they_say() -> None:
    draw = np.random.default_rng(8)
    held, trials = 0, depth(200, 1000)
    for _ in range(trials):
        kinds = [
            Kind(np.zeros(n), draw.normal(0.0, scale, n), Grain(1e12, most=inf))
            for n, scale in ((8, 1.0), (30, 0.3))
        ]
        found = pooled(kinds)
        held += found.low <= 0.0 <= found.high
    assert 0.93 <= held / trials <= 0.975


def stored_league(path: Path, stop: int) -> tuple[list[tuple[str, int]], str]:
    """Play a league with twins, stopped after every `stop` fixtures and opened again."""
    start = replace(factory.league(("a", "b", "c", "d", "e")), endless=True, blocks=0)
    with Store(path, create=True) as store:
        store.begin(start)
    for blocks in (2, 9):
        over = False
        while not over:
            with Store(path, create=True) as store:
                playing_on = StoredLeague(store)
                over = play(playing_on, blocks, stop)
                if over and blocks == 2:
                    playing_on.change(**JOINS)
    with Store(path) as store:
        return [(one.id, one.position) for one in store.stored()], store.root()


@pytest.mark.slow
def test_stopped_anywhere_it_plays_the_same_twins(tmp_path: Path) -> None:
    whole = stored_league(tmp_path / "whole", 10**9)
    assert stored_league(tmp_path / "stopped", 5) == whole
    with Store(tmp_path / "stopped") as store:
        league = StoredLeague(store)
        assert league.schedule.twins == JOINS["twins"]
        assert are_over(league.schedule, league.progress, "a@2")
        assert not any("has no such fixture" in one.what for one in verify(store).findings)
