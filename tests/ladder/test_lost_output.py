"""A ladder and its door whose log is closed, or on a full disk: both go on."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pytest

from tests.cli.command import HANG, arena, environment, run
from tests.e2e.live import wait_until
from tests.ladder import club as clubs
from tests.support.depth import only_in_long

pytestmark = pytest.mark.slow


@contextmanager
def running(club: Path, log: BinaryIO) -> Iterator["subprocess.Popen[bytes]"]:
    """A ladder that runs with its door, and says what it does into a file."""
    words = arena("ladder", "run", club, "--serve", "--port", 0)
    with subprocess.Popen(words, env=environment(), stdout=log, stderr=log) as ladder:
        log.close()
        try:
            yield ladder
        finally:
            ladder.kill()


def check_that_it_goes_on(ladder: "subprocess.Popen[bytes]", club: Path) -> None:
    """Check that a ladder begins its next season, which it says, and ends when it is told to."""
    assert run("ladder", "season", "close", club, cwd=club.parent).code == 0
    store = clubs.store_of(club, 2)
    wait_until(lambda: clubs.played(store) > 0 or ladder.poll() is not None)
    assert ladder.poll() is None
    ladder.send_signal(signal.SIGTERM)
    assert ladder.wait(HANG) == 0


@only_in_long
def test_ladder_goes_on_without_a_log(copy: Path) -> None:
    with running(copy, Path("/dev/full").open("wb")) as ladder:
        check_that_it_goes_on(ladder, copy)


def test_ladder_goes_on_after_its_log_was_closed(copy: Path) -> None:
    ours, theirs = os.pipe()
    with running(copy, os.fdopen(theirs, "wb")) as ladder:
        with os.fdopen(ours) as log:
            assert "the door is open" in log.readline()
        check_that_it_goes_on(ladder, copy)
