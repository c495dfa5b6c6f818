"""A store that nobody may write to: on a medium that is read-only, or another user's."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.cli.command import Ran, confined, environment, run_process
from tests.publish.pages import tree
from tests.support.sampling import sample

ALL = (
    ("status", "league.yaml"),
    ("verify", "league.yaml"),
    ("export", "league.yaml"),
    ("export", "league.yaml", "-o", "OUT/games.csv"),
    ("report", "league.yaml", "--site", "OUT/site"),
    ("backup", "league.yaml", "OUT/copy.sqlite"),
)
READERS = sample(ALL, 2, "readers of read-only stores")
NOBODY = 65_533
"""A user of no account, and not 65534, all of whose processes an autograder ends."""
KILL = """
import os, sys
from pathlib import Path
from arena.league.store.store import Store
path = Path("league.sqlite")
with Store(path) as source:
    info, stored = source.conditions(), list(source.stored())
for file in path.parent.glob("league.*sqlite*"):
    file.unlink()
store = Store(path, create=True)
store.begin(info)
for one in stored:
    store.insert(one)
os._exit(0)
"""
"""Leaves the store as an arena does that is killed after the last fixture."""


@pytest.fixture(scope="module", params=["closed", "killed", "killed, moved"])
def played(request: pytest.FixtureRequest, played_by_samples: Path) -> Iterator[Path]:
    """The folder of a league, below one that anyone may enter, unlike those of tmp_path."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(played_by_samples, folder, dirs_exist_ok=True)
        folder.chmod(0o755)
        if request.param != "closed":
            killer = [sys.executable, "-c", KILL]
            subprocess.run(killer, cwd=folder, env=environment(), check=True)
            assert (folder / "league.sqlite-wal").stat().st_size
        if request.param == "killed, moved":  # as a copy of what matters has it
            for shared in folder.glob("*-shm"):
                shared.unlink()
        yield folder


def read(played: Path, out: Path, words: Sequence[str], under: Sequence[object]) -> Ran:
    arguments = [word.replace("OUT", str(out)) for word in words]
    env = {"TMPDIR": str(out)}
    return run_process(*arguments, cwd=played, under=under, env=env)


@pytest.mark.parametrize("words", READERS, ids=" ".join)
def test_store_on_a_read_only_medium_is_read(
    played: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    before = tree(played)
    ran = read(played, tmp_path, words, confined("--ro-bind", played, played))
    assert (ran.code, "error" in ran.err) == (0, False), ran.err
    assert tree(played) == before
    assert not list(tmp_path.glob("arena-store-*"))


@pytest.mark.parametrize("words", READERS, ids=" ".join)
def test_store_of_another_user_is_read(played: Path, words: tuple[str, ...]) -> None:
    under: tuple[object, ...] = ()
    with tempfile.TemporaryDirectory() as name:
        if os.geteuid() == 0:
            under = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
            os.chown(name, NOBODY, NOBODY)
        played.chmod(0o555)
        before = tree(played)
        try:
            ran = read(played, Path(name), words, under)
        finally:
            played.chmod(0o755)
    assert (ran.code, "error" in ran.err) == (0, False), ran.err
    assert tree(played) == before
