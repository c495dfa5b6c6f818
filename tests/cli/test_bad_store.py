"""A store that is read-only, or in use: one line, exit code 2, and nothing is written."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from arena.store.store import Store
from tests.cli.command import confined, error_line, league, run
from tests.publish.pages import tree

PLAY = ("run", "league.yaml", "--sandbox", "process")
MENDS = " / league.sqlite / make the folder writable, or choose another with --store"
CAPABILITIES = "-dac_override,-dac_read_search,-fowner"


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """The folder of a league that was played."""
    league(tmp_path, bots=["sample:odds", "sample:honest"], games=1)
    assert run(*PLAY, cwd=tmp_path).code == 0
    return tmp_path


def as_one_whom_modes_stop() -> Sequence[object]:
    """Return a command that runs another one as a user whom mode bits stop, also where root is."""
    if os.geteuid() != 0:
        return ()
    return ("setpriv", "--inh-caps", CAPABILITIES, "--bounding-set", CAPABILITIES, "--")


def refused(folder: Path, under: Sequence[object], why: str) -> None:
    before = tree(folder)
    ran = run(*PLAY, cwd=folder, under=under)
    error_line(ran, f"error: the store fails: {why}{MENDS}")
    assert ran.err.count("\n") == 1
    assert tree(folder) == before


def test_a_store_that_is_mounted_read_only(played: Path) -> None:
    store = played / "league.sqlite"
    refused(played, confined("--ro-bind", store, store), "Read-only file system")


def test_a_store_whose_mode_is_read_only(played: Path) -> None:
    (played / "league.sqlite").chmod(0o444)
    refused(played, as_one_whom_modes_stop(), "Permission denied")


def test_a_store_in_a_folder_whose_mode_is_read_only(played: Path) -> None:
    played.chmod(0o555)
    try:
        refused(played, as_one_whom_modes_stop(), "attempt to write a readonly database")
    finally:
        played.chmod(0o755)


@pytest.mark.parametrize("command", ["status", "verify", "report", "export"])
def test_a_store_in_use_is_read_by_others_and_played_by_none(played: Path, command: str) -> None:
    hint = "wait for it, or choose another with --store"
    with Store(played / "league.sqlite", create=True):
        ran = run(*PLAY, cwd=played)
        error_line(ran, f"another arena is playing into this store / league.sqlite / {hint}")
        assert ran.err.count("\n") == 1
        assert run(command, "league.yaml", cwd=played).code == 0
