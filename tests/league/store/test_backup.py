"""`arena backup`: a copy of a store that is being played is a store."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from arena.io.errors import ArenaError
from arena.league.store.backup import backup
from arena.league.store.files import logs_path
from arena.league.store.rows import pack
from arena.league.store.store import Store
from tests.league.store import children
from tests.league.store.edit import execute
from tests.league.store.small import two_fixtures
from tests.support import factory
from tests.support.depth import depth

ROOT = Path(__file__).parents[3]


def sound(path: Path) -> list[int]:
    """Check that a store is whole; return the positions of its fixtures."""
    with Store(path) as store:
        store.check_complete()
        assert list(store.damage()) == []
        played = [one.fixture.index for one in store.played()]
        assert played == [one.fixture.index for one in store.results()]
        return played


@contextmanager
def writer(path: Path) -> Iterator[IO[bytes]]:
    """Begin a league and store its fixtures, a line for each, until the end, which is a kill."""
    with Store(path, create=True) as store:
        store.begin(factory.league(("alpha", "beta")))
    command = [sys.executable, "-m", "tests.league.store.children", "write", str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as writing:
        assert writing.stdout
        try:
            yield writing.stdout
        finally:
            writing.kill()


def test_copies_of_a_store_that_grows_are_whole(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with writer(path) as lines:
        for number in range(depth(8, 60)):
            stored = int(next(lines) != b"") + number
            copy = tmp_path / f"copy-{number}.sqlite"
            count = backup(path, copy)
            assert count >= stored
            assert sound(copy) == list(range(count))
    # What was copied can be played on.
    with Store(copy, create=True) as store:
        store.add(pack(children.fixture(count)))
    assert sound(copy) == list(range(count + 1))


def test_copy_of_what_a_killed_arena_left_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with writer(path) as lines:
        next(lines)
    assert Path(f"{path}-wal").stat().st_size
    count = backup(path, tmp_path / "copy.sqlite")
    assert sound(tmp_path / "copy.sqlite") == sound(path) == list(range(count))
    names = {one.name for one in tmp_path.glob("copy*")}
    assert names == {"copy.sqlite", "copy.logs.sqlite"}


@pytest.mark.parametrize("name", ["copy.sqlite", "copy.logs.sqlite"])
def test_backup_overwrites_nothing(tmp_path: Path, name: str) -> None:
    path = two_fixtures(tmp_path / "s.sqlite")
    (tmp_path / name).write_text("mine")
    with pytest.raises(ArenaError, match="there is a file already") as caught:
        backup(path, tmp_path / "copy.sqlite")
    assert caught.value.where == str(tmp_path / name)
    assert (tmp_path / name).read_text() == "mine"


@pytest.mark.parametrize("target", ["missing/copy.sqlite", "file/copy.sqlite"])
def test_backup_where_none_can_be_is_refused(tmp_path: Path, target: str) -> None:
    path = two_fixtures(tmp_path / "s.sqlite")
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ArenaError, match="the copy cannot be written") as caught:
        backup(path, tmp_path / target)
    assert caught.value.where == str(tmp_path / target)


def test_store_that_lost_fixtures_is_not_copied(tmp_path: Path) -> None:
    path = two_fixtures(tmp_path / "s.sqlite")
    execute(path, "DELETE FROM fixtures WHERE position = 1")
    with pytest.raises(ArenaError, match="1 fixture that was stored is gone"):
        backup(path, tmp_path / "copy.sqlite")
    assert not logs_path(tmp_path / "copy.sqlite").exists()
