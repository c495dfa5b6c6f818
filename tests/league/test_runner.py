"""Runs: any number of workers, killed workers and Ctrl-C make the same store."""

import multiprocessing
import os
import select
import signal
import time
from pathlib import Path

import pytest

from arena.game.records import FixtureResult
from arena.league.play.dispatcher import MAX_DEATHS
from arena.league.store.store import Store
from tests.league import leagues

DEADLINE = 60_000
"""Milliseconds that the kernel has to end a killed process, at the very most."""


@pytest.fixture(autouse=True, scope="module")
def workers() -> None:
    """These are real ones: they are killed."""


def test_two_workers_make_the_same_bytes_as_one(tmp_path: Path, whole: Path) -> None:
    seen: list[str] = []

    def progress(result: FixtureResult | None) -> None:
        if result:
            seen.append(result.fixture.id)

    assert leagues.play(leagues.league(tmp_path), tmp_path / "s", 2, progress)
    assert leagues.records(tmp_path / "s") == leagues.records(whole)
    assert sorted(seen) == sorted(id_ for id_, _ in leagues.records(whole))


@pytest.mark.slow
def test_fixtures_of_a_killed_worker_are_played_again(tmp_path: Path, whole: Path) -> None:
    seen: list[str] = []

    def progress(result: FixtureResult | None) -> None:
        if result:
            if len(seen) in (0, 4):
                os.kill(multiprocessing.active_children()[0].pid or 0, signal.SIGKILL)
            seen.append(result.fixture.id)

    assert leagues.play(leagues.league(tmp_path), tmp_path / "s", 2, progress)
    assert leagues.records(tmp_path / "s") == leagues.records(whole)
    assert len(seen) == len(set(seen)) == len(leagues.records(whole))


KILLER = ("echo died >> deaths", "kill -KILL $PPID")


@pytest.mark.slow
def test_fixture_that_kills_its_workers_is_quarantined(tmp_path: Path) -> None:
    """All others are played, also those whose workers died of it."""
    killer = leagues.write_bot(tmp_path, "killer", *KILLER)
    plan = leagues.league(tmp_path, bots=[*leagues.SAMPLES, killer], players=[2])
    before = time.time()
    assert leagues.play(plan, tmp_path / "s")
    with Store(tmp_path / "s") as store:
        played = [one.fixture for one in store.played()]
        quarantined = store.quarantined()
    assert [one for one in played if "killer" in one.seats] == []
    assert len(played) == len(quarantined) == 6
    assert all("killer" in one.fixture.seats for one in quarantined)
    assert {one.index for one in [*played, *(one.fixture for one in quarantined)]} == set(range(12))
    assert all(one.deaths == MAX_DEATHS and "died each time" in one.why for one in quarantined)
    assert all(before <= one.at <= time.time() for one in quarantined)


@pytest.mark.slow
def test_fixture_gets_three_workers_and_three_more_in_the_next_run(tmp_path: Path) -> None:
    killer = leagues.write_bot(tmp_path, "killer", *KILLER)
    bots = ["sample:honest", killer]
    plan = leagues.league(tmp_path, bots=bots, players=[2], shared_dice=True)
    deaths = tmp_path / "killer" / "deaths"
    for run in (1, 2):
        assert leagues.play(plan, tmp_path / "s", workers=1)
        # Both have the same dice and the same bots: they are never under way together.
        assert deaths.read_text().split() == ["died"] * 6 * run
        with Store(tmp_path / "s") as store:
            assert [one.deaths for one in store.quarantined()] == [3, 3]
    assert leagues.records(tmp_path / "s") == []


@pytest.mark.slow
def test_quarantined_fixture_is_played_once_it_can_be(tmp_path: Path) -> None:
    script = ("[ -e spare ] && exit 1", "kill -KILL $PPID")
    killer = leagues.write_bot(tmp_path, "killer", *script)
    limits = {"start": 0.5, "restarts": 0}
    plan = leagues.league(tmp_path, bots=["sample:honest", killer], players=[2], limits=limits)
    assert leagues.play(plan, tmp_path / "s")
    assert leagues.records(tmp_path / "s") == []
    (tmp_path / "killer" / "spare").touch()
    assert leagues.play(plan, tmp_path / "s")
    assert len(leagues.records(tmp_path / "s")) == 2
    with Store(tmp_path / "s") as store:
        assert store.quarantined() == []


@pytest.mark.slow
def test_innocent_fixture_survives_its_neighbour(tmp_path: Path) -> None:
    # The killer takes its worker down once; whatever was in flight is played all the same.
    script = ("[ -e died ] || { touch died; kill -KILL $PPID; }", "cat > /dev/null")
    once = leagues.write_bot(tmp_path, "once", *script)
    plan = leagues.league(
        tmp_path,
        bots=[*leagues.SAMPLES, once],
        players=[2],
        limits={"start": 0.2, "restarts": 0},
    )
    assert leagues.play(plan, tmp_path / "s")
    assert len(leagues.records(tmp_path / "s")) == 12


def test_ctrl_c_keeps_what_was_played_and_the_rest_can_follow(tmp_path: Path, whole: Path) -> None:
    plan = leagues.league(tmp_path)
    stored: list[FixtureResult] = []

    def interrupt(result: FixtureResult | None) -> None:
        if result:
            stored.append(result)
            if len(stored) == 1:
                os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    assert not leagues.play(plan, tmp_path / "s", 2, interrupt)
    assert signal.getsignal(signal.SIGINT) is before
    assert multiprocessing.active_children() == []
    kept = leagues.records(tmp_path / "s")
    everything = leagues.records(whole)
    assert sorted(id_ for id_, _ in kept) == sorted(played.fixture.id for played in stored)
    assert set(kept) < set(everything)
    assert leagues.play(plan, tmp_path / "s")
    assert leagues.records(tmp_path / "s") == everything


def test_second_ctrl_c_leaves_no_process_behind(tmp_path: Path) -> None:
    stuck = leagues.write_bot(tmp_path, "stuck", "exec tail -f /dev/null")
    plan = leagues.league(tmp_path, bots=[*leagues.SAMPLES, stuck], players=[2])
    watched: list[int] = []

    def interrupt(result: FixtureResult | None) -> None:
        bots = running_in(tmp_path / "stuck")
        if bots:
            workers = [child.pid or 0 for child in multiprocessing.active_children()]
            watched.extend(os.pidfd_open(pid) for pid in [*bots, *workers])
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        leagues.play(plan, tmp_path / "s", 2, interrupt)
    assert multiprocessing.active_children() == []
    assert len(watched) >= 2
    for fd in watched:
        ended = select.poll()
        ended.register(fd, select.POLLIN)
        assert ended.poll(DEADLINE)
        os.close(fd)
    with Store(tmp_path / "s") as store:
        assert all("stuck" not in played.fixture.seats for played in store.played())


def running_in(folder: Path) -> list[int]:
    """Return the processes whose working directory is a folder."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdecimal() and (entry / "cwd").readlink() == folder:
                found.append(int(entry.name))
        except OSError:
            continue  # it has ended, or is not ours
    return found


def test_error_in_the_progress_ends_the_run_and_keeps_the_fixture(tmp_path: Path) -> None:
    def fail(result: FixtureResult | None) -> None:
        if result:
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        leagues.play(leagues.league(tmp_path), tmp_path / "s", 2, fail)
    assert multiprocessing.active_children() == []
    assert len(leagues.records(tmp_path / "s")) == 1
