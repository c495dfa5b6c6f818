"""The store when the machine fails: killed writers, full disks, read-only folders."""

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from arena.io.errors import ArenaError
from arena.league.store.failures import store_failure
from arena.league.store.files import logs_path
from arena.league.store.rows import GAMES, pack
from arena.league.store.store import Store
from tests.league.store import children
from tests.support.sampling import sample

ROOT = Path(__file__).parents[3]


def command_of(name: str, path: Path) -> list[str]:
    return [sys.executable, "-m", "tests.league.store.children", name, str(path)]


def child(name: str, path: Path, before: tuple[str, ...] = ()) -> dict[str, Any]:
    done = subprocess.run(
        [*before, *command_of(name, path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


@pytest.mark.slow
def test_killed_writer_had_stored_what_it_printed(tmp_path: Path) -> None:
    path = tmp_path / "s"
    draw = Random(7)
    printed: set[str] = set()
    for _ in range(12):
        with subprocess.Popen(
            command_of("write", path), cwd=ROOT, stdout=subprocess.PIPE
        ) as writer:
            assert writer.stdout
            printed |= {
                writer.stdout.readline().decode().strip() for _ in range(draw.randint(1, 40))
            }
            writer.kill()
            printed |= set(writer.stdout.read().decode().split())
        with Store(path) as store:
            assert printed <= store.finished()
            assert [one.fixture.index for one in store.played()] == list(
                range(len(store.finished()))
            )


@pytest.mark.parametrize("number", [1, 5])
def test_fixture_whose_rows_were_not_written_is_stored_again(tmp_path: Path, number: int) -> None:
    """The logs that are there already are overwritten."""
    path = tmp_path / "s"
    done = subprocess.run([*command_of("die_between", path), f"{number}"], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    with Store(path) as store:
        assert store.positions() == list(range(number - 1))
        assert list(store.damage()) == []
    with closing(sqlite3.connect(logs_path(path))) as logs:
        orphans = logs.execute("SELECT key FROM logs WHERE key >= ?", ((number - 1) * GAMES,))
        assert len(orphans.fetchall()) == 4
    again = replace(children.fixture(number - 1), stderr=("another", ""))
    with Store(path, create=True) as store:
        store.add(pack(replace(again, games=again.games[:3])))
        store.add(pack(again))
    with Store(path) as store:
        *_, last = store.stored()
        assert [len(last.logs), *last.hash_mismatches()] == [3]
        assert store.decoded(last.played).stderr == ("another", "")
        assert store.positions() == list(range(number))


def test_used_up_quota_is_reported_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s"
    printed = child("fill_limited", path)
    assert printed["where"] == str(logs_path(path))
    assert printed["what"].startswith("the store fails")
    assert "ulimit -f" in printed["hint"]
    assert printed["readable"] == printed["added"] != []
    with Store(path, create=True) as store:
        assert [one.fixture.id for one in store.played()] == printed["added"]
        store.add(pack(children.fixture(len(printed["added"]))))
        assert len(store.finished()) == len(printed["added"]) + 1


def test_fixture_whose_rows_do_not_fit_is_not_stored(tmp_path: Path) -> None:
    """Its logs are there and its rows are not: it counts as not played."""
    path = tmp_path / "s"
    printed = child("fill_rows", path)
    assert printed["where"] == str(path)
    assert "full" in printed["what"]
    assert "free some space" in printed["hint"]
    assert printed["readable"] == printed["added"] != []
    with Store(path, create=True) as store:
        assert list(store.damage()) == []
        store.add(pack(children.fixture(len(printed["added"]))))
        assert len(list(store.played())) == len(printed["added"]) + 1


# A disk of its own in a mount namespace of its own: gone with the process.
SMALL_DISK = 'mount -t tmpfs -o size="$0" none "$1" && shift && exec "$@"'
UNSHARE = ("unshare", "--map-root-user", "--mount")


def has_mount_namespaces() -> bool:
    unshare = shutil.which("unshare")
    return unshare is not None and subprocess.run([*UNSHARE, "true"], check=False).returncode == 0


def test_full_disk_is_reported_and_loses_nothing(tmp_path: Path) -> None:
    if not has_mount_namespaces():
        pytest.skip("mount namespaces are not allowed here; the quota test stands in")
    disk = ("sh", "-c", SMALL_DISK, "400k", str(tmp_path))
    printed = child("fill", tmp_path / "s", (*UNSHARE, *disk))
    assert "full" in printed["what"]
    assert "free some space" in printed["hint"]
    assert printed["readable"] == printed["added"] != []


# Blocks that are smaller than a page: what is mapped into memory may have holes.
SMALL_BLOCKS = """truncate -s "$0" "$1.image" && mkfs.ext4 -q -b 1024 "$1.image" &&
mount -o loop "$1.image" "$1"
"""


def small_disk(folder: Path, kib: int) -> tuple[str, ...]:
    """Return a command that runs another one on a small disk, of small blocks where allowed."""
    blocks = ("unshare", "--mount", "sh", "-c", SMALL_BLOCKS, f"{kib}k", str(folder))
    if subprocess.run(blocks, capture_output=True, check=False).returncode == 0:
        return (*blocks[:4], f'{SMALL_BLOCKS.strip()} && shift && exec "$@"', *blocks[5:])
    return (*UNSHARE, "sh", "-c", SMALL_DISK, f"{kib}k", str(folder))


@pytest.mark.parametrize("kib", sample(range(500, 2000, 100), 2, "small disks"))
def test_store_on_a_disk_that_is_full_to_the_brim_is_read(tmp_path: Path, kib: int) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    command = [*small_disk(disk, kib), *command_of("fill_to_the_brim", disk / "s")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    filled, readable, hint = map(json.loads, done.stdout.splitlines())
    assert filled["readable"] == filled["added"] == readable != []
    assert "free some space" in filled["hint"]
    assert "free some space" in hint


@pytest.fixture
def read_only() -> Iterator[Path]:
    """Yield a folder whose parents anyone may pass, unlike those of tmp_path."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield folder
        folder.chmod(0o755)


def test_new_store_in_a_read_only_folder_is_refused(read_only: Path) -> None:
    read_only.chmod(0o555)
    printed = child("open_unprivileged", read_only / "s")
    assert printed["where"] == str(read_only / "s")
    assert printed["hint"].startswith("make the folder writable")
    assert list(read_only.iterdir()) == []


def test_read_only_store_is_refused(read_only: Path) -> None:
    with Store(read_only / "s", create=True) as store:
        store.add(pack(children.fixture(0)))
    before = (read_only / "s").read_bytes()
    (read_only / "s").chmod(0o444)
    read_only.chmod(0o555)
    printed = child("open_unprivileged", read_only / "s")
    assert printed["hint"].startswith("make the folder writable")
    assert (read_only / "s").read_bytes() == before


def test_read_only_logs_are_refused(read_only: Path) -> None:
    """The run fails before anything is played."""
    path = read_only / "s"
    with Store(path, create=True) as store:
        store.add(pack(children.fixture(0)))
    read_only.chmod(0o777)
    path.chmod(0o666)
    logs_path(path).chmod(0o444)
    printed = child("open_unprivileged", path)
    assert printed["where"] == str(logs_path(path))
    assert printed["hint"].startswith("make the folder writable")
    with Store(path) as store:
        assert [one.fixture.index for one in store.played()] == [0]


FILES = [Path, logs_path]


@pytest.mark.parametrize("of", FILES)
@pytest.mark.parametrize("with_wal", [False, True])
def test_file_deleted_during_a_run_is_put_back(
    tmp_path: Path, of: Callable[[Path], Path], *, with_wal: bool
) -> None:
    path = tmp_path / "s"

    def delete() -> None:
        of(path).unlink()
        for end in ("wal", "shm") if with_wal else ():
            Path(f"{of(path)}-{end}").unlink()

    with pytest.raises(ArenaError) as caught:
        play(path, 3, delete, 1)
    assert (caught.value.what.split(" while")[0], caught.value.where) == (
        "the file was moved or deleted",
        str(of(path)),
    )
    assert "run again" in caught.value.hint
    assert_sound(path, 3)


@pytest.mark.parametrize("of", FILES)
def test_file_deleted_at_the_end_of_a_run_is_put_back(
    tmp_path: Path, of: Callable[[Path], Path]
) -> None:
    path = tmp_path / "s"
    with pytest.raises(ArenaError, match="moved or deleted"):
        play(path, 1, of(path).unlink, 0)
    assert_sound(path, 1)


def test_folder_deleted_during_a_run_is_put_back_with_both_files(tmp_path: Path) -> None:
    path = tmp_path / "folder/s"
    path.parent.mkdir()
    with pytest.raises(ArenaError) as caught:
        play(path, 3, lambda: shutil.rmtree(path.parent), 1)
    assert "the file was moved or deleted while an arena was playing" in caught.value.what
    assert_sound(path, 3)


def test_failing_disk_is_not_taken_for_a_full_one(tmp_path: Path) -> None:
    error = store_failure(sqlite3.OperationalError("disk I/O error"), tmp_path / "s")
    assert error.hint.startswith("the disk fails, or a quota is used up")


def play(path: Path, before: int, meanwhile: Callable[[], object], after: int) -> None:
    """Store fixtures, before and after something else happens."""
    with Store(path, create=True) as store:
        for index in range(before + after):
            if index == before:
                meanwhile()
            store.add(pack(children.fixture(index)))
        if not after:
            meanwhile()


def assert_sound(path: Path, least: int) -> None:
    """Check that a store is sound, goes on, and has nothing beside it that is not its own."""
    with Store(path, create=True) as store:
        found = store.positions()
        assert found == list(range(len(found)))
        assert least <= len(found) <= least + 1
        assert list(store.damage()) == []
        store.add(pack(children.fixture(len(found))))
        assert len(list(store.played())) == len(found) + 1
    assert {one.name for one in path.parent.iterdir()} == {path.name, logs_path(path).name}


def test_file_replaced_during_a_run_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s"

    def replace_logs() -> None:
        logs_path(path).unlink()
        logs_path(path).write_text("mine")

    with pytest.raises(ArenaError) as caught:
        play(path, 1, replace_logs, 1)
    assert "was replaced" in caught.value.what
    assert "s.logs.rescued" in caught.value.hint
    assert logs_path(path).read_text() == "mine"
    (tmp_path / "s.logs.rescued").replace(logs_path(path))
    with Store(path) as store:
        assert [one.fixture.index for one in store.played()] == [0]
