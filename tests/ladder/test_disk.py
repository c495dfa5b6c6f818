"""What a ladder takes of the disk: its caps, and no play where there is no room."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from arena.game.records import PlayedFixture
from arena.ladder import disk
from arena.ladder.book.caps import Caps
from arena.ladder.check import scheduler
from arena.ladder.disk import Pruner
from arena.ladder.folder import Folder
from arena.ladder.pages import site
from arena.ladder.season.season import STORE
from arena.league.store.files import logs_path
from arena.league.store.rows import pack
from arena.league.store.store import Store
from tests.cli.command import run
from tests.e2e.live import wait_until
from tests.ladder import club as clubs
from tests.support import factory, records
from tests.support.depth import depth

pytestmark = pytest.mark.slow

MIB = 1 << 20
INBOX = {"inbox": MIB, "inbox_of_author": MIB, "inbox_of_address": MIB}
CAPS = Caps(logs=8 * MIB, stderr=2 * MIB, replays=100, free=0, **INBOX)


def noisy(index: int) -> PlayedFixture:
    """Return a fixture of two bots with 64 KiB of noise each."""
    draw = Random(index)
    noise = tuple(draw.randbytes(1 << 15).hex() for _ in range(2))
    return replace(factory.fixture(index, ("alpha", "beta")), stderr=noise)


@contextmanager
def played(folder: Folder, season: int, fixtures: int = 0) -> Iterator[Store]:
    """Open a season's store to play into it, after some fixtures."""
    path = folder.season(season) / STORE
    path.parent.mkdir(parents=True)
    records.stored(path, factory.league(("alpha", "beta")), map(noisy, range(fixtures)))
    with Store(path, create=True) as store:
        yield store


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_noise_does_not_take_a_folder_far_over_its_caps(tmp_path: Path) -> None:
    number, most = depth(550, 2000), 0
    with played(Folder(tmp_path), 1) as store:
        pruner = Pruner(Folder(tmp_path), CAPS, store)
        for index in range(number):
            store.add(pack(noisy(index)))
            pruner.step(wait=index % 3 == 0)
            most = max(most, size(tmp_path))
        assert number << 16 > 4 * CAPS.logs
        assert most < CAPS.logs + 16 * MIB
        assert {*store.logs.positions()} == {*store.positions()}
        assert store.without_logs() == set()


def test_logs_of_earlier_seasons_are_pruned_first(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    with played(folder, 1, 100):
        pass
    with played(folder, 2, 5) as store:
        caps = replace(CAPS, logs=4 * MIB // 5, stderr=100 * MIB)
        Pruner(folder, caps, store).step(wait=False)
        assert store.without_logs() == set()
    with Store(folder.season(1) / STORE) as earlier:
        assert earlier.without_logs() == {*range(len(earlier.without_logs()))} != set()
        assert earlier.damaged_rows(earlier.positions()) == []
    assert logs_path(folder.season(1) / STORE).stat().st_size < caps.logs


def test_play_stops_while_there_is_no_room_and_goes_on_when_there_is(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = [1 << 40]
    monkeypatch.setattr(disk, "free_space", lambda _: free[0])
    monkeypatch.setattr(site, "_SHARE", 0)
    monkeypatch.setattr(scheduler, "Job", clubs.Admits)
    with clubs.in_thread(copy):
        clubs.submitted(copy, "three", clubs.REUSABLE, author="bob")
        wait_until(lambda: clubs.is_in_state(copy, "three@1", "rated"))
        free[0] = 10
        clubs.submitted(copy, "one", clubs.REUSABLE, author="ann", number=2)
        wait_until(lambda: clubs.is_in_state(copy, "one@2", "provisional"))
        wait_until(lambda: "one@2: provisional" in clubs.page(copy, "ann"))
        ran = run("ladder", "status", copy, cwd=copy.parent)
        assert ran.code == 1
        assert "only 10 bytes are free, disk.free is 1.0 GiB: play is stopped" in ran.out
        assert clubs.is_in_state(copy, "one@1", "rated")
        with Store(copy / "seasons/1" / STORE) as store:
            assert "one@2" not in {seat for one in store.results() for seat in one.fixture.seats}
        free[0] = 1 << 40
        wait_until(lambda: "twin games" in clubs.log(copy, "one@2"))
        assert run("ladder", "status", copy, cwd=copy.parent).code == 0
