"""Standard streams whose reader is gone, or that cannot be written."""

import json
import os
import pty
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from multiprocessing import resource_tracker
from pathlib import Path
from typing import BinaryIO

import pytest

from tests.cli.command import (
    FIELD,
    HANG,
    PLAY,
    TRUSTED,
    arena,
    bot,
    environment,
    league,
    records,
    run,
    unread,
)
from tests.league.store import edit
from tests.support.bot_programs import program, turn
from tests.support.sampling import sample

Sink = Callable[[], AbstractContextManager[BinaryIO]]
POSITION = {"variant": "bga", "dice": [[1], [2]], "round": {"kind": "normal", "starter": 0}}
REFUSED = {**POSITION, "dice": [[7], [2]]}
UNWRITABLE = "the output cannot be written: No space left on device / standard output"


@pytest.fixture(autouse=True, scope="module")
def workers() -> None:
    """These are real ones, which tell Python's resource tracker what they share."""


@contextmanager
def gone() -> Iterator[BinaryIO]:
    """A pipe whose reader is gone."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "wb") as nobody:
        yield nobody


@contextmanager
def full() -> Iterator[BinaryIO]:
    """A file on a full disk."""
    with Path("/dev/full").open("wb") as disk:
        yield disk


def code_of(folder: Path, sink: Sink, *arguments: object) -> int:
    """Return the exit code of a command of which nobody gets a word."""
    with sink() as nobody:
        ran = subprocess.run(
            arena(*arguments),
            cwd=folder,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=nobody,
            stderr=nobody,
            timeout=HANG,
            check=False,
        )
    return ran.returncode


def check_played(folder: Path) -> None:
    """Check that the league in a folder was played to its end, and has its report."""
    assert len(records(folder / "league.sqlite")) == 2
    assert (folder / "site/index.html").is_file()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sink", "options"), sample([(gone, ()), (full, ("--json",))], 1, "lost output")
)
def test_league_is_played_to_its_end(
    tmp_path: Path, sink: Sink, options: tuple[object, ...]
) -> None:
    bot(tmp_path / "cheat", program(turn("say('no')")))
    league(tmp_path, bots=["sample:odds", "cheat"])
    assert code_of(tmp_path, sink, *PLAY, *options) == 1
    check_played(tmp_path)


@pytest.mark.slow
def test_league_is_played_on_after_its_terminal_was_closed(tmp_path: Path) -> None:
    league(tmp_path, bots=FIELD[1:])
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        arena(*PLAY), cwd=tmp_path, env=environment(), stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        assert os.read(ours, 1)
        os.close(ours)
        assert process.wait(HANG) == 0
    check_played(tmp_path)


@pytest.fixture
def damaged(finished: Path) -> Path:
    """The folder of a league whose store does not verify."""
    edit.execute(finished / "league.sqlite", "UPDATE fixtures SET decisions = decisions + 1")
    return finished


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_store_that_does_not_verify_is_a_finding(
    damaged: Path, options: tuple[object, ...]
) -> None:
    assert code_of(damaged, gone, "verify", "league.yaml", *options) == 1


def test_full_disk_does_not_hide_a_finding(damaged: Path) -> None:
    shell = ["sh", "-c", '"$@" > /dev/full', "sh"]
    ran = run("verify", "league.yaml", cwd=damaged, under=shell)
    assert ran.code == 1
    assert ran.err.startswith(f"error: {UNWRITABLE}")


def test_bot_that_faults_is_a_finding(tmp_path: Path) -> None:
    bot(tmp_path / "quits", "raise SystemExit", name="quits")
    assert code_of(tmp_path, gone, "check", "quits", *TRUSTED) == 1


def test_bad_input_is_bad_input(tmp_path: Path) -> None:
    assert code_of(tmp_path, gone, "check", "nothing") == 2


def test_finished_work_is_a_success_read_or_not(tmp_path: Path) -> None:
    assert code_of(tmp_path, gone, "rules") == 0
    assert code_of(tmp_path, gone, "--help") == 0


def test_work_for_the_output_alone_stops(tmp_path: Path) -> None:
    lines = [json.dumps(POSITION)] * 2000 + [json.dumps(REFUSED)]
    (tmp_path / "many.jsonl").write_text("\n".join(lines))
    assert unread("judge", "many.jsonl", cwd=tmp_path) == (141, "", "")
    assert run("judge", "many.jsonl", cwd=tmp_path).code == 1


def test_pipe_of_the_arena_itself_is_no_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    league(tmp_path)

    def lost(*_: object) -> None:
        os.write(nobody.fileno(), b"REGISTER")

    with gone() as nobody:
        monkeypatch.setattr(resource_tracker._resource_tracker, "_send", lost)
        ran = run(*PLAY, cwd=tmp_path)
    assert ran.code == 3
    assert ran.err.splitlines()[-1].startswith("error: ")
    assert "Broken pipe / internal error" in ran.err


def test_person_who_sees_nothing_is_not_asked(tmp_path: Path) -> None:
    folder = ("--into", tmp_path / "games", "--sandbox", "process")
    assert code_of(tmp_path, gone, "play", "--me", "sample:odds", *folder) == 141
