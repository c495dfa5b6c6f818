"""Pruned stores: what goes and what stays, how much space comes back, and kills on the way."""

import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.game.records import Cause, Faulted, PlayedFixture
from arena.io.errors import ArenaError, FindingError
from arena.league.keeping import prune as pruning
from arena.league.store.backup import backup
from arena.league.store.files import logs_path
from arena.league.store.rows import pack
from arena.league.store.store import Store
from tests.league.store import edit
from tests.league.store.children import fixture
from tests.support import factory
from tests.support.sampling import sample

ROOT = Path(__file__).parents[3]
STATEMENTS = (1, 260, 499, 500, 502, 510, 700, 990, 1001, 1353, 1400, 1455, 1456, 1457, 1460, 1462)
"""Some of those that prune 120 fixtures: plans, three transactions, the file made smaller, its log
moved into it."""
CRASH = Faulted(0, Cause.CRASH, "exit status 1")


def loud(index: int, *seats: str, faulted: bool = False) -> PlayedFixture:
    """Return a fixture of four games whose bots write much to standard error."""
    faults = {0: CRASH} if faulted else None
    return replace(factory.fixture(index, seats, faults=faults), stderr=fixture(index).stderr)


def made(path: Path, fixtures: Sequence[PlayedFixture]) -> Path:
    with Store(path, create=True) as store:
        store.begin(factory.league(("alpha", "beta", "gamma")))
        for one in fixtures:
            store.add(pack(one))
    return path


def store_of(path: Path, number: int) -> Path:
    return made(path, [loud(index, "alpha", "beta") for index in range(number)])


def prune(path: Path, cap: int, newest: int = 50) -> pruning.Plan:
    with Store(path, create=True) as store:
        plan = pruning.plan_of(store, cap, newest)
        pruning.carry_out(store, plan, lambda one: [one.position] * len(one.games))
    return plan


def size(path: Path) -> int:
    return logs_path(path).stat().st_size


def assert_sound(path: Path) -> None:
    with Store(path) as store:
        assert list(store.damage()) == []
        assert store.lost() == (0, [])
        for one in store.stored():
            assert list(one.hash_mismatches()) == []
            assert store.decoded(one.hash_content) == one.row.content_hash


def test_oldest_logs_go_until_the_others_fit(tmp_path: Path) -> None:
    path = store_of(tmp_path / "s.sqlite", 40)
    before, cap = edit.stored(path), size(path) // 2
    with Store(path) as store:
        results, root = list(store.results()), store.root()
    plan = prune(path, cap, newest=1000)
    assert plan.logs == list(range(len(plan.logs)))
    assert 10 < len(plan.logs) < 30
    assert (plan.stderr, plan.games) == ([], 4 * len(plan.logs))
    assert 0.8 * cap < size(path) < 1.1 * cap
    assert_sound(path)
    after = edit.stored(path)
    assert after[len(plan.logs) :] == before[len(plan.logs) :]
    with Store(path) as store:
        assert (list(store.results()), store.root()) == (results, root)
        assert store.without_logs() == set(plan.logs)
        assert store.decoded(after[3].luck) == (3, 3, 3, 3)
        kept = [one.fixture.index for one in store.played(without_pruned=True)]
        assert kept == list(range(len(plan.logs), 40))
        with pytest.raises(ArenaError, match="the logs of fixture 0 were pruned") as caught:
            list(store.played())
    assert not isinstance(caught.value, FindingError)


def test_plan_changes_nothing_and_a_store_that_fits_is_left_alone(tmp_path: Path) -> None:
    path = store_of(tmp_path / "s.sqlite", 5)
    before = edit.dump(logs_path(path))
    with Store(path) as store:
        assert pruning.plan_of(store, 0, 0).logs == [0, 1, 2, 3, 4]
        assert pruning.plan_of(store, 10**9, 50) == pruning.Plan([], [], 0, 0)
    prune(path, 10**9)
    assert edit.dump(logs_path(path)) == before


def test_standard_error_stays_of_faults_and_of_the_newest_games(tmp_path: Path) -> None:
    fixtures = [
        loud(0, "alpha", "gamma"),
        loud(1, "alpha", "beta"),
        loud(2, "alpha", "beta", faulted=True),
        loud(3, "alpha", "beta"),
        loud(4, "alpha", "beta"),
    ]
    path = made(tmp_path / "s.sqlite", fixtures)
    plan = prune(path, 10**9, newest=6)
    assert (plan.stderr, plan.logs) == ([1], [])
    assert_sound(path)
    with Store(path) as store:
        assert [bool(one.stderr) for one in store.played()] == [True, False, True, True, True]
    assert size(path) < size(made(tmp_path / "whole.sqlite", fixtures))
    assert prune(path, 10**9, newest=0).stderr == [0, 3, 4]
    assert prune(path, 0).logs == [0, 1, 2, 3, 4]
    assert_sound(path)


def test_standard_error_has_a_cap_beyond_which_the_oldest_goes(tmp_path: Path) -> None:
    fixtures = [loud(index, "alpha", "beta", faulted=index == 0) for index in range(4)]
    path = made(tmp_path / "s.sqlite", fixtures)
    sizes = [len(one.stderr) for one in edit.stored(path)]
    with Store(path) as store:
        plans = [
            pruning.plan_of(store, 10**9, 50, most) for most in (sum(sizes), sum(sizes[2:]), 0)
        ]
    assert [plan.stderr for plan in plans] == [[], [0, 1], [0, 1, 2, 3]]
    assert [plan.logs for plan in plans] == [[], [], []]


def test_short_standard_error_is_not_worth_a_hash(tmp_path: Path) -> None:
    path = made(tmp_path / "s.sqlite", [factory.fixture(0, ("alpha", "beta"))])
    assert prune(path, 10**9, newest=0).stderr == []


def test_damaged_fixture_is_not_pruned(tmp_path: Path) -> None:
    path = store_of(tmp_path / "s.sqlite", 3)
    edit.execute(logs_path(path), "UPDATE logs SET log = x'00' WHERE key = 1")
    before = edit.dump(logs_path(path))
    with pytest.raises(FindingError, match="1 stored fixture is damaged"):
        prune(path, 0)
    assert edit.dump(logs_path(path)) == before


@pytest.mark.slow
def test_killed_pruning_leaves_a_sound_store_and_is_completed_by_the_next(tmp_path: Path) -> None:
    whole = store_of(tmp_path / "whole.sqlite", 120)
    pruned = edit.copied(whole, tmp_path / "pruned.sqlite")
    prune(pruned, 0, newest=0)
    for number in sample(STATEMENTS, 4, "kills of a pruning store"):
        path = edit.copied(whole, tmp_path / f"{number}.sqlite")
        child = [sys.executable, "-m", "tests.league.store.children", "die_pruning", str(path)]
        ended = subprocess.run([*child, str(number)], cwd=ROOT, check=False).returncode
        assert ended == -signal.SIGKILL
        assert_sound(path)
        with Store(path, create=True) as store:
            pruning.carry_out(store, pruning.plan_of(store, 0, newest=0), lambda _: (7,))
        assert_sound(path)
        assert size(path) == size(pruned)
        with Store(path) as store:
            assert len(store.without_logs()) == 120


def test_reader_sees_a_fixture_before_or_after_it_is_pruned(tmp_path: Path) -> None:
    path = store_of(tmp_path / "s.sqlite", 4)
    with Store(path, create=True) as writer, Store(path) as reader:
        reading = reader.stored()
        found = [next(reading)]
        pruning.carry_out(writer, pruning.plan_of(writer, 0, 0), lambda _: ())
        found += reading
        assert [one.has_logs for one in found] == [True, False, False, False]
        assert [list(one.hash_mismatches()) for one in found] == [[]] * 4


def test_backup_and_copied_fixtures_stay_pruned(tmp_path: Path) -> None:
    path = store_of(tmp_path / "s.sqlite", 6)
    prune(path, 0)
    with Store(path, create=True) as store:
        store.add(pack(loud(6, "alpha", "beta")))
    assert backup(path, tmp_path / "copy.sqlite") == 7
    assert edit.stored(tmp_path / "copy.sqlite") == edit.stored(path)
    with Store(path) as old, Store(tmp_path / "new.sqlite", create=True) as new:
        new.begin(old.conditions())
        for one in old.stored():
            new.insert(one)
    assert edit.stored(tmp_path / "new.sqlite") == edit.stored(path)
    assert_sound(tmp_path / "new.sqlite")
