"""Two versions against one field: pairs of tables alike in all but the version."""

import shutil
from collections import defaultdict
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.author.compare.behaviour import NEW, OLD, in_field
from arena.author.compare.compare import CompareRequest, compare, comparison_fixtures
from arena.author.compare.result import Comparison, Until
from arena.game.records import Conditions, Division, Fixture, LimitsInfo
from arena.game.rules.books import BGA, VARIANTS
from arena.game.rules.round import max_rounds
from arena.io.shipped import folder
from arena.league.play.dispatcher import RunListener
from arena.league.schedule.schedule import divisions
from tests.cli.command import READY, bot
from tests.support import factory
from tests.support.bot_programs import program
from tests.support.live import write_bot

PLANNED = Until(0.95, "planned")
PATIENT = LimitsInfo(start=60, answer=60, game=600)
each_field = settings(max_examples=15, deadline=None, database=None)


def conditions(names: tuple[str, ...], players: int, blocks: int, games: int = 2) -> Conditions:
    return factory.league(
        names,
        variants={"bga": BGA, "italian": VARIANTS["italian"]},
        players=tuple(dict.fromkeys((players, 2))),
        blocks=blocks,
        games=games,
        sandbox="process",
        limits=PATIENT,
    )


def pairs(conditions: Conditions) -> list[tuple[Fixture, Fixture]]:
    fixtures = comparison_fixtures(conditions)
    return list(zip(fixtures[::2], fixtures[1::2], strict=True))


@each_field
@given(st.integers(2, 6), st.integers(0, 4), st.integers(2, 9))
def test_fixtures_of_a_pair_differ_only_in_the_version(
    players: int, more: int, blocks: int
) -> None:
    names = tuple("abcdefghij"[: players - 1 + more])
    info = conditions(names, players, blocks)
    found = pairs(info)
    assert found == pairs(info)
    for old, new in found:
        assert [NEW if bot == OLD else bot for bot in old.seats] == list(new.seats)
        assert (old.dice_key, old.seed, old.block) == (new.dice_key, new.seed, new.block)
        assert set(old.seats) - {OLD} <= set(map(in_field, names))
        rules, size = info.variants[old.variant], len(old.seats)
        assert old.max_rounds == new.max_rounds == max_rounds(rules, size)
    tables = blocks * len(names) * len(info.variants) * len(info.players)
    assert len({old.dice_key for old, _ in found}) == len(found) == tables
    ids = [one.id for pair in found for one in pair]
    assert len(set(ids)) == len(ids)


@each_field
@given(st.integers(2, 6), st.integers(0, 4), st.integers(2, 9))
def test_each_block_meets_the_field_evenly(players: int, more: int, blocks: int) -> None:
    names = tuple("abcdefghij"[: players - 1 + more])
    info = conditions(names, players, blocks)
    tables = defaultdict[tuple[int, Division], list[tuple[str, ...]]](list)
    for old, _ in pairs(info):
        tables[old.block, old.division].append(old.seats)
    assert list(tables) == list(product(range(blocks), divisions(info)))
    for (_, division), seated in tables.items():
        [seat] = {table.index(OLD) for table in seated}
        for other in set(range(division.players)) - {seat}:
            assert sorted(table[other] for table in seated) == sorted(map(in_field, names))


def play(old: str, new: str, *field: str, **options: Any) -> Comparison:
    shape: dict[str, Any] = {"blocks": 6, "games": 4, "seed": "s", "sandbox": "process", **options}
    patterns = tuple(f"sample:{name}" for name in field)
    found = compare(CompareRequest(old, new, patterns, limits=PATIENT, trust_bots=True, **shape))
    assert found
    return found


@pytest.mark.slow
def test_bot_is_as_good_as_itself() -> None:
    found = play("sample:bluffer", "sample:bluffer", "honest", "memory")
    assert found.games == 6 * 2 * 4
    [division] = found.divisions
    assert division.mean_place.old == division.mean_place.new
    assert division.win_share.difference == found.rivals_beaten.difference == 0
    assert found.better == 0.5
    assert found.faults == {OLD: 0, NEW: 0}
    assert set(otherwise(found).values()) == {0}


def otherwise(found: Comparison) -> dict[str, int]:
    """Return, by kind of decision, at how many positions the versions differ."""
    assert found.behaviour
    return {one.kind: one.versions.otherwise for one in found.behaviour.differences}


@pytest.mark.slow
def test_better_bot_is_found_to_be_better() -> None:
    found = play("sample:random", "sample:odds", "honest", "memory")
    assert found.better > 0.99
    [division] = found.divisions
    assert division.mean_place.high < 0 < division.win_share.low
    assert division.rivals_beaten == found.rivals_beaten
    assert [one.bot for one in found.opponents] == ["honest", "memory"]
    assert all(one.rivals_beaten.difference > 0 for one in found.opponents)


DOUBTS = """
from random import random
def act(m): opens(m) if not m["dudo"] else answer(m, action="dudo") if random() < 0.5 else answer(m)
"""


@pytest.mark.slow
def test_changed_opening_is_told_from_doubts_that_are_drawn(tmp_path: Path) -> None:
    """Both versions draw their doubts without a seed: there they differ from themselves, too."""
    for name, quantity in (("one", 1), ("two", 2)):
        opens = f"def opens(m): answer(m, quantity={quantity})"
        write_bot(tmp_path / name, program(f"{DOUBTS}{opens}"))
    found = play(f"{tmp_path}/one", f"{tmp_path}/two", "honest", blocks=8, games=4)
    assert found.behaviour
    kinds = {one.kind: one for one in found.behaviour.differences}
    opening, doubt = kinds["opening bid"], kinds["raise or dudo"]
    assert opening.versions.otherwise == opening.versions.positions > 0
    assert opening.old.otherwise == opening.new.otherwise == 0
    assert 0 < doubt.old.otherwise < doubt.old.positions
    assert 0 < doubt.new.otherwise < doubt.new.positions
    [example] = [one for one in found.behaviour.examples if not one.request.bids]
    assert (example.old.quantity, example.new.quantity) == (1, 2)


@pytest.mark.slow
def test_offers_of_calza_are_compared_where_it_is_played() -> None:
    found = play("sample:honest", "sample:odds", "memory", blocks=8, games=4, calza=True)
    assert found.behaviour
    assert "calza or pass" in {one.kind for one in found.behaviour.differences}
    assert found.conditions.variants["bga"].calza


def test_interrupted_behaviour_leaves_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("arena.author.compare.compare.compare_behaviour", interrupt)
    found = play("sample:random", "sample:odds", "honest", blocks=2, games=1)
    assert found.behaviour is None
    assert found.games == 2


@pytest.mark.slow
def test_until_stops_as_soon_as_a_version_is_better() -> None:
    until = Until(0.95)
    options = {"blocks": 20, "games": 3, "until": until}
    found = play("sample:random", "sample:odds", "honest", "memory", workers=2, **options)
    *before, last = found.looks
    assert (found.decision, found.until) == (NEW, until)
    assert [look.decision for look in before] == [None] * len(before)
    assert last.blocks < 20
    assert found.games == last.blocks * 2 * 3
    assert found.rivals_beaten == last.rivals_beaten
    assert found.rivals_beaten.low > 0
    worse = play("sample:odds", "sample:random", "honest", "memory", workers=1, **options)
    assert (worse.decision, worse.games) == (OLD, found.games)
    assert worse.rivals_beaten.difference == pytest.approx(-found.rivals_beaten.difference)
    assert worse.better == pytest.approx(1 - found.better)


def test_equal_versions_are_not_told_apart_within_the_budget() -> None:
    found = play("sample:honest", "sample:honest", "memory", blocks=16, games=1, until=PLANNED)
    assert found.decision is None
    assert [look.blocks for look in found.looks] == [8, 16]
    assert found.games == 16


def test_without_until_there_is_one_look_at_the_end() -> None:
    found = play("sample:random", "sample:odds", "memory", blocks=8, games=1)
    assert [look.blocks for look in found.looks] == [8]
    assert (found.until, found.games) == (None, 8)


@pytest.mark.slow
def test_same_seed_plays_the_same_games() -> None:
    options = {"players": (3, 2), "variants": ("italian", "bga"), "blocks": 2, "games": 1}
    one = play("sample:honest", "sample:odds", "honest", "memory", workers=2, **options)
    other = play("sample:honest", "sample:odds", "honest", "memory", workers=1, **options)
    assert one == other
    assert one.conditions.seed == "s"
    shapes = [(division.variant, division.players) for division in one.divisions]
    assert shapes == [("italian", 3), ("italian", 2), ("bga", 3), ("bga", 2)]
    assert all(1 <= division.mean_place.new <= division.players for division in one.divisions)


@pytest.mark.slow
def test_results_by_division_and_by_opponent_have_the_mean_of_all() -> None:
    found = play(
        "sample:random",
        "sample:odds",
        "honest",
        "memory",
        players=(2, 3),
        variants=("bga", "italian"),
        blocks=2,
        games=1,
    )
    assert [one.games for one in found.divisions] == [2 * 2] * 4
    assert [one.games for one in found.opponents] == [2 * 2 * (1 + 2)] * 2
    for version in (OLD, NEW):
        for parts in (found.divisions, found.opponents):
            shares = [getattr(one.rivals_beaten, version) for one in parts]
            assert getattr(found.rivals_beaten, version) == pytest.approx(sum(shares) / len(shares))


@pytest.mark.slow
def test_faults_are_counted_by_version(tmp_path: Path) -> None:
    quits = bot(tmp_path / "quits", READY + "            sys.exit(3)\n")
    found = play("sample:honest", str(quits), "odds", blocks=2, games=3, workers=1)
    assert found.faults == {OLD: 0, NEW: 6}
    assert found.behaviour
    assert found.behaviour.faults[OLD] == 0 < found.behaviour.faults[NEW]
    [division] = found.divisions
    assert (division.win_share.new, division.mean_place.new) == (0, 2)
    assert found.rivals_beaten.new == found.opponents[0].rivals_beaten.new == 0


@pytest.mark.slow
def test_bots_of_the_field_may_be_called_old_and_new(tmp_path: Path) -> None:
    for name in (OLD, NEW):
        shutil.copytree(folder("sample_bots") / "honest", tmp_path / name)
        manifest = tmp_path / name / "bot.yaml"
        manifest.write_text(manifest.read_text().replace("name: honest", f"name: {name}"))
    request = CompareRequest(
        "sample:odds",
        "sample:odds",
        (f"{tmp_path}/*",),
        blocks=2,
        games=1,
        sandbox="process",
        trust_bots=True,
    )
    found = compare(request)
    assert found
    assert [bot.name for bot in found.conditions.bots] == [NEW, OLD]
    assert found.rivals_beaten.difference == 0


def test_stopped_comparison_has_no_result() -> None:
    class Stopper(RunListener):
        conditions: Conditions | None = None

        def started(self, conditions: Conditions) -> None:
            self.conditions = conditions

        def stop_requested(self) -> bool:
            return True

    listener = Stopper()
    request = CompareRequest("sample:honest", "sample:odds", sandbox="process")
    assert compare(request, listener) is None
    assert listener.conditions
    assert "odds" in [bot.name for bot in listener.conditions.bots]
