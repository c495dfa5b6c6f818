"""The store where the machine fails it: killed writers, full disks, folders that are not ours."""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arena.store.store import Store
from tests.store import children

ROOT = Path(__file__).parents[2]


def command(name: str, path: Path) -> list[str]:
    return [sys.executable, "-m", "tests.store.children", name, str(path)]


def child(name: str, path: Path, before: tuple[str, ...] = ()) -> dict[str, Any]:
    done = subprocess.run(
        [*before, *command(name, path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def test_what_a_killed_writer_said_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "s"
    draw = Random(7)
    said: set[str] = set()
    for _ in range(12):
        with subprocess.Popen(command("write", path), cwd=ROOT, stdout=subprocess.PIPE) as writer:
            assert writer.stdout
            said |= {writer.stdout.readline().decode().strip() for _ in range(draw.randint(1, 40))}
            writer.kill()
            said |= set(writer.stdout.read().decode().split())
        with Store(path) as store:
            assert said <= store.finished()
            assert [one.fixture.index for one in store.played()] == list(
                range(len(store.finished()))
            )


def test_a_quota_that_is_used_up(tmp_path: Path) -> None:
    path = tmp_path / "s"
    said = child("fill_limited", path)
    assert said["what"].startswith("the store fails")
    assert "quota" in said["hint"]
    assert said["kept"] == said["added"] != []
    with Store(path, create=True) as store:
        assert [one.fixture.id for one in store.played()] == said["added"]
        store.add(children.fixture(len(said["added"])))
        assert len(store.finished()) == len(said["added"]) + 1


# A disk of its own in a mount namespace of its own: gone with the process.
SMALL_DISK = 'mount -t tmpfs -o size="$0" none "$1" && shift && exec "$@"'
UNSHARE = ("unshare", "--map-root-user", "--mount")


def namespaces() -> bool:
    unshare = shutil.which("unshare")
    return unshare is not None and subprocess.run([*UNSHARE, "true"], check=False).returncode == 0


def test_a_full_disk(tmp_path: Path) -> None:
    if not namespaces():
        pytest.skip("mount namespaces are not allowed here; the quota test stands in")
    disk = ("sh", "-c", SMALL_DISK, "400k", str(tmp_path))
    said = child("fill", tmp_path / "s", (*UNSHARE, *disk))
    assert "full" in said["what"]
    assert "free some space" in said["hint"]
    assert said["kept"] == said["added"] != []


@pytest.fixture
def read_only() -> Iterator[Path]:
    """Yield a folder whose parents anyone may pass, unlike those of tmp_path."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield folder
        folder.chmod(0o755)


def test_a_new_store_in_a_read_only_folder(read_only: Path) -> None:
    read_only.chmod(0o555)
    said = child("open_unprivileged", read_only / "s")
    assert said["where"] == str(read_only / "s")
    assert said["hint"].startswith("make the folder writable")
    assert list(read_only.iterdir()) == []


def test_a_read_only_store(read_only: Path) -> None:
    with Store(read_only / "s", create=True) as store:
        store.add(children.fixture(0))
    before = (read_only / "s").read_bytes()
    (read_only / "s").chmod(0o444)
    read_only.chmod(0o555)
    said = child("open_unprivileged", read_only / "s")
    assert said["hint"].startswith("make the folder writable")
    assert (read_only / "s").read_bytes() == before
