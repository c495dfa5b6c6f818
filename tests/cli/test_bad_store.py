"""A store that is read-only, or in use: one line, exit code 2, and nothing is written."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from arena.league.store.store import Store
from tests.cli.command import confined, error_line, run
from tests.publish.pages import tree

PLAY = ("run", "league.yaml", "--sandbox", "process")
HINT = " / league.sqlite / make the folder writable, or choose another with --store"
CAPABILITIES = "-dac_override,-dac_read_search,-fowner"


def without_privileges() -> Sequence[object]:
    """Return a command that runs another one as a user who is held by permissions, unlike root."""
    if os.geteuid() != 0:
        return ()
    return ("setpriv", "--inh-caps", CAPABILITIES, "--bounding-set", CAPABILITIES, "--")


def assert_refused(folder: Path, under: Sequence[object], why: str) -> None:
    before = tree(folder)
    ran = run(*PLAY, cwd=folder, under=under)
    error_line(ran, f"error: the store fails: {why}{HINT}")
    assert ran.err.count("\n") == 1
    assert tree(folder) == before


@pytest.mark.slow
def test_store_mounted_read_only_is_refused(finished: Path) -> None:
    store = finished / "league.sqlite"
    assert_refused(finished, confined("--ro-bind", store, store), "Read-only file system")


@pytest.mark.slow
def test_store_without_write_permission_is_refused(finished: Path) -> None:
    (finished / "league.sqlite").chmod(0o444)
    assert_refused(finished, without_privileges(), "Permission denied")


@pytest.mark.slow
def test_store_in_a_folder_without_write_permission_is_refused(finished: Path) -> None:
    finished.chmod(0o555)
    try:
        assert_refused(finished, without_privileges(), "attempt to write a readonly database")
    finally:
        finished.chmod(0o755)


def test_locked_store_can_be_read_but_not_played(finished: Path) -> None:
    hint = "wait for it, or choose another with --store"
    with Store(finished / "league.sqlite", create=True):
        ran = run(*PLAY, cwd=finished)
        error_line(ran, f"another arena is playing into this store / league.sqlite / {hint}")
        assert ran.err.count("\n") == 1
        for command in ("status", "verify", "report", "export"):
            assert run(command, "league.yaml", cwd=finished).code == 0
