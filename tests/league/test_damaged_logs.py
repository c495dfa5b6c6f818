"""Write-ahead logs that are cut, deleted or changed: whatever is lost by that is named."""

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arena.io.errors import ArenaError
from arena.league.keeping.verify import StoreFinding, verify
from arena.league.store.files import logs_path
from arena.league.store.rows import GAMES
from arena.league.store.store import Store
from tests.league.store import edit
from tests.support.depth import depth
from tests.support.sampling import random

Damage = Callable[[Path, Random], object]


def _rows_log(store: Path) -> Path:
    return Path(f"{store}-wal")


def _log_of_logs(store: Path) -> Path:
    return Path(f"{logs_path(store)}-wal")


FILES = [Path, logs_path, _rows_log, _log_of_logs]


@pytest.fixture(scope="module")
def killed(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store as a killed arena leaves it: a third of its fixtures are in write-ahead logs."""
    folder = tmp_path_factory.mktemp("killed")
    written, copy = edit.copied(whole, folder / "written"), folder / "copy"
    edit.forget(written, "position > 7")
    forget_logs(written, 8)
    with Store(whole) as source, Store(written, create=True) as store:
        for one in list(source.stored())[8:]:
            store.insert(one)
        edit.copied(written, copy)
        for of in (_rows_log, _log_of_logs):
            shutil.copy(of(written), of(copy))
    return copy


def forget_logs(store: Path, first: int) -> None:
    """Remove the logs of the fixtures from a position on."""
    edit.execute(logs_path(store), "DELETE FROM logs WHERE key >= ?", first * GAMES)
    edit.execute(logs_path(store), "DELETE FROM stderr WHERE position >= ?", first)


def again(killed: Path, folder: Path) -> Path:
    """Return a copy of all files of a store, in place of an earlier one."""
    for old in folder.glob("copy*"):
        old.unlink()
    for file in FILES:
        shutil.copy(file(killed), folder)
    return folder / killed.name


def contents(path: Path) -> list[Any]:
    """Return all that a store says."""
    with Store(path) as store:
        return [store.league, *store.stored()]


def named(path: Path) -> list[str]:
    """Return the places that are named as damaged."""
    try:
        with Store(path) as store:
            return [finding.where for finding in verify(store).findings]
    except ArenaError as error:
        return [error.where]


def cut(file: Path, draw: Random) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: draw.randrange(len(data))])


def delete(file: Path, _: Random) -> None:
    file.unlink()


def flip(file: Path, draw: Random) -> None:
    data = bytearray(file.read_bytes())
    data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    file.write_bytes(data)


def erase(file: Path, draw: Random) -> None:
    data = bytearray(file.read_bytes())
    at = draw.randrange(len(data))
    data[at : at + 512] = bytes(len(data[at : at + 512]))
    file.write_bytes(data)


@pytest.mark.slow
def test_whatever_random_damage_loses_is_named(killed: Path, tmp_path: Path) -> None:
    draw = random("damaged files of a store")
    before = contents(again(killed, tmp_path))
    lost = 0
    for _ in range(depth(10, 400)):
        copy = again(killed, tmp_path)
        of, how = draw.choice(FILES), draw.choice([cut, delete, flip, erase])
        how(of(copy), draw)
        if not (found := named(copy)):
            assert contents(copy) == before, (of, how)
        lost += bool(found)
    assert lost


@pytest.mark.parametrize("of", [_rows_log, _log_of_logs])
@pytest.mark.parametrize("left", [None, 0, 32, 3000])
def test_missing_or_empty_log_is_refused(
    killed: Path, tmp_path: Path, of: Callable[[Path], Path], left: int | None
) -> None:
    copy = again(killed, tmp_path)
    data = of(copy).read_bytes()
    of(copy).unlink()
    if left is not None:
        of(copy).write_bytes(data[:left])
    for create in (False, True):
        with pytest.raises(ArenaError, match="missing or empty, but holds what was") as caught:
            contents(copy) if not create else Store(copy, create=True)
        assert caught.value.where == str(of(copy))
    of(copy).write_bytes(data)
    assert contents(copy)


def test_copy_without_both_logs_is_refused(killed: Path, tmp_path: Path) -> None:
    copy = edit.copied(killed, tmp_path / "copy")
    with pytest.raises(ArenaError, match="holds what was stored last in copy"):
        Store(copy)


def test_shortened_log_of_rows_is_found_by_who_reads_and_who_plays(
    killed: Path, tmp_path: Path
) -> None:
    copy = again(killed, tmp_path)
    whole = contents(copy)[1:]
    log = _rows_log(copy)
    log.write_bytes(log.read_bytes()[:-100])
    last = whole[-1]
    with Store(copy) as store:
        assert (
            StoreFinding(f"fixture {last.id}", "its logs are left, its rows gone")
            in verify(store).findings
        )
        with pytest.raises(ArenaError, match="1 fixture that was stored is gone"):
            list(store.results())
    with pytest.raises(ArenaError, match="1 fixture that was stored is gone"):
        Store(copy, create=True)


def test_store_that_another_program_closed_is_whole(killed: Path, tmp_path: Path) -> None:
    """SQLite's shell moves the logs into the files and deletes them."""
    copy = again(killed, tmp_path)
    before = contents(copy)
    for file in (copy, logs_path(copy)):
        edit.execute(file, "UPDATE pair SET token = token")
        assert not Path(f"{file}-wal").exists()
    assert contents(copy) == before
    assert named(copy) == []


@pytest.mark.slow
def test_results_of_a_store_whose_logs_were_both_cut_have_logs(
    killed: Path, tmp_path: Path
) -> None:
    """Whoever reads the rows alone notices, too, if more of the logs is gone than of the rows."""
    draw = random("both write-ahead logs cut")
    refused = 0
    for _ in range(depth(40, 600)):
        copy = again(killed, tmp_path)
        for of in (_rows_log, _log_of_logs):
            cut(of(copy), draw)
        try:
            with Store(copy) as store:
                found = list(store.results())
                assert [len(one.logs) for one in store.stored()] == [
                    len(one.games) for one in found
                ]
        except ArenaError as error:
            refused += "the logs of " in error.what
            assert named(copy)
    assert refused


def test_rows_whose_logs_are_gone_are_named(killed: Path, tmp_path: Path) -> None:
    copy = again(killed, tmp_path)
    edit.execute(logs_path(copy), "UPDATE stored SET fixtures = 10")
    forget_logs(copy, 11)
    with Store(copy) as store, pytest.raises(ArenaError, match="the logs of 1 stored") as caught:
        list(store.results())
    assert caught.value.where == str(logs_path(copy))
    assert caught.value.hint.endswith("arena mend")
    with pytest.raises(ArenaError, match="the logs of 1 stored fixture are gone"):
        Store(copy, create=True)
