"""Two versions against one field: pairs of tables alike in all but the version."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.league.compare import NEW, OLD, Comparison, compare, comparison_fixtures, in_field
from arena.perudo.rules import BGA
from arena.records import Fixture, LeagueInfo, LimitsInfo
from arena.sandboxes.process import ProcessSandbox
from arena.shipped import folder
from arena.submissions.manifest import load_bot
from tests.publish import factory
from tests.support.live import in_place

each_field = settings(max_examples=15, deadline=None, database=None)


def conditions(names: tuple[str, ...], players: int, rounds: int, games: int = 2) -> LeagueInfo:
    return factory.league(
        names,
        variants={"bga": BGA},
        players=(players,),
        rounds=rounds,
        games=games,
        sandbox="process",
        limits=LimitsInfo(start=60, answer=60, game=600),
    )


def pairs(info: LeagueInfo) -> list[tuple[Fixture, Fixture]]:
    fixtures = comparison_fixtures(info)
    return list(zip(fixtures[::2], fixtures[1::2], strict=True))


@each_field
@given(st.integers(2, 6), st.integers(0, 4), st.integers(2, 9))
def test_the_two_of_a_pair_differ_in_the_version_alone(
    players: int, more: int, rounds: int
) -> None:
    names = tuple("abcdefghij"[: players - 1 + more])
    info = conditions(names, players, rounds)
    found = pairs(info)
    assert found == pairs(info)
    for old, new in found:
        assert [NEW if bot == OLD else bot for bot in old.seats] == list(new.seats)
        assert (old.dice_key, old.seed, old.block) == (new.dice_key, new.seed, new.block)
        assert set(old.seats) - {OLD} <= set(map(in_field, names))
    assert len({old.dice_key for old, _ in found}) == len(found) == rounds * len(names)
    ids = [one.id for pair in found for one in pair]
    assert len(set(ids)) == len(ids)


@each_field
@given(st.integers(2, 6), st.integers(0, 4), st.integers(2, 9))
def test_in_each_block_the_field_is_met_alike(players: int, more: int, rounds: int) -> None:
    names = tuple("abcdefghij"[: players - 1 + more])
    for block in range(rounds):
        tables = [
            old.seats for old, _ in pairs(conditions(names, players, rounds)) if old.block == block
        ]
        [seat] = {table.index(OLD) for table in tables}
        for other in set(range(players)) - {seat}:
            assert sorted(table[other] for table in tables) == sorted(map(in_field, names))


def play(old: str, new: str, *field: str) -> Comparison:
    samples = folder("sample_bots")
    names = {OLD: old, NEW: new, **{in_field(name): name for name in field}}
    bots = {seat: in_place(load_bot(samples / name)) for seat, name in names.items()}
    info = conditions(field, 2, 6, games=4)
    found = compare(info, bots, ProcessSandbox(), lambda _: None, workers=2, notify=lambda: None)
    assert found
    return found


def test_a_bot_is_as_good_as_itself() -> None:
    found = play("bluffer", "bluffer", "honest", "memory")
    assert found.games == 6 * 2 * 4
    assert found.mean_place.old == found.mean_place.new
    assert found.win_share.difference == 0
    assert found.better == 0.5
    assert found.faults == {OLD: 0, NEW: 0}


def test_a_better_bot_is_found_to_be_better() -> None:
    found = play("random", "odds", "honest", "memory")
    assert found.better > 0.99
    assert found.mean_place.high < 0 < found.win_share.low
    worse = play("odds", "random", "honest", "memory")
    assert worse.mean_place.difference == pytest.approx(-found.mean_place.difference)
    assert worse.better == pytest.approx(1 - found.better)


def test_faults_are_counted_by_version(tmp_path: Path) -> None:
    (tmp_path / "bot.yaml").write_text("name: quits\ncommand: sh -c 'read x'\n")
    bots = {
        OLD: in_place(load_bot(folder("sample_bots") / "honest")),
        NEW: in_place(load_bot(tmp_path)),
        in_field("odds"): in_place(load_bot(folder("sample_bots") / "odds")),
    }
    info = conditions(("odds",), 2, 2, games=3)
    found = compare(info, bots, ProcessSandbox(), lambda _: None, workers=1, notify=lambda: None)
    assert found
    assert found.faults == {OLD: 0, NEW: 6}
    assert (found.win_share.new, found.mean_place.new) == (0, 2)
