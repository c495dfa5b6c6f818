"""Runs that are interrupted or killed: nothing stored is lost, no process is left, they resume."""

import os
import signal
import subprocess
from itertools import count
from pathlib import Path

import pytest

from tests.cli.command import HANG, LOWEST, READY, Ran, bot, environment, league, records, run
from tests.e2e import kills
from tests.e2e.live import Live, stopped, wait_until
from tests.publish.pages import broken_links
from tests.support.sampling import sample

SANDBOXES = ("process", "bubblewrap")
FIXTURES = 12
STUBBORN = (
    "    import signal\n    signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    + READY
    + "            while True: signal.pause()\n"
)
"""A bot that answers no turn and ignores SIGTERM."""


@pytest.fixture
def mark(tmp_path: Path) -> str:
    """A word for the command lines of this test's bots."""
    return f"mark-{tmp_path.name}-{os.getpid()}"


def _arguments(sandbox: str, store: str = "league.sqlite") -> list[str]:
    ours = ["--sandbox", sandbox, "--trust-bots", "--workers", "2", "--store", store]
    return ["run", "league.yaml", *ours]


def _league(folder: Path, mark: str, source: str = LOWEST) -> None:
    """Write a league of FIXTURES: more than are in play at a time."""
    for name in "abcd":
        bot(folder / name, source, command=f"python3 bot.py {mark}")
    hour = 3600.0
    league(folder, bots=list("abcd"), games=4, limits={"answer": hour, "game": hour})


def _records_of_an_undisturbed_run(folder: Path, sandbox: str) -> list[bytes]:
    assert run(*_arguments(sandbox, "whole.sqlite"), cwd=folder).code == 0
    return records(folder / "whole.sqlite")


def _shell(command: str, folder: Path) -> Ran:
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def _check_nothing_is_left(live: Live) -> None:
    live.wait_until_all_are_gone()
    assert list(live.temporary.iterdir()) == []
    assert "Traceback" not in live.text


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", sample(SANDBOXES, 1, "ctrl c saves and says how to go on"))
def test_ctrl_c_saves_and_says_how_to_go_on(tmp_path: Path, mark: str, sandbox: str) -> None:
    _league(tmp_path, mark)
    arguments = [*_arguments(sandbox, "kept here.sqlite"), "--site", "out"]
    live, code = stopped(
        lambda: Live(*arguments, cwd=tmp_path, mark=mark),
        lambda live: live.signal(signal.SIGINT),
        store := tmp_path / "kept here.sqlite",
        FIXTURES,
    )
    assert code == 130
    _check_nothing_is_left(live)
    stored = records(store)
    said, _, command = live.text.splitlines()[-1].partition("; go on with: ")
    assert said == f"stopped: {len(stored)} fixtures are stored"
    assert "'kept here.sqlite'" in command
    assert not (tmp_path / "out").exists()
    again = _shell(command, tmp_path)
    assert again.code == 0, again
    assert f"stored already: {len(stored)} of {FIXTURES} fixtures" in again.err
    assert broken_links(tmp_path / "out") == []
    whole = _records_of_an_undisturbed_run(tmp_path, sandbox)
    assert records(store) == whole


def test_ctrl_c_while_the_workers_start(tmp_path: Path, mark: str) -> None:
    _league(tmp_path, mark)
    with Live(*_arguments("process"), cwd=tmp_path, mark=mark) as live:
        live.read_until("starting")
        wait_until(lambda: live.workers() or live.process.poll() is not None)
        live.signal(signal.SIGINT)
        assert live.end() == 130
        _check_nothing_is_left(live)


def _stuck(folder: Path, mark: str, sandbox: str) -> Live:
    """Return a run that has come to a point from which it never goes on by itself."""
    _league(folder, mark, STUBBORN)
    live = Live(*_arguments(sandbox), cwd=folder, mark=mark)
    live.read_until("starting")
    # Two workers with two bots each. A sandbox that is killed while it is set up may stay behind.
    wait_until(lambda: len(live.workers()) == 2 and live.in_play() == 4)
    return live


@pytest.mark.parametrize("sandbox", sample(SANDBOXES, 1, "ctrl c twice stops at once"))
def test_ctrl_c_twice_stops_at_once(tmp_path: Path, mark: str, sandbox: str) -> None:
    with _stuck(tmp_path, mark, sandbox) as live:
        live.signal(signal.SIGINT)
        live.read_until("Ctrl-C again stops at once")
        live.signal(signal.SIGINT)
        assert live.end() == 130
        _check_nothing_is_left(live)
    assert "error: interrupted" in live.text


def test_sigterm_stops_at_once(tmp_path: Path, mark: str) -> None:
    with _stuck(tmp_path, mark, "bubblewrap") as live:
        live.process.terminate()
        assert live.end() == 130
        _check_nothing_is_left(live)


@pytest.mark.parametrize("sandbox", sample(SANDBOXES, 1, "a killed arena leaves no process"))
def test_a_killed_arena_leaves_no_process(tmp_path: Path, mark: str, sandbox: str) -> None:
    with _stuck(tmp_path, mark, sandbox) as live:
        live.process.kill()
        live.wait_until_all_are_gone()


@pytest.mark.slow
def test_a_killed_arena_goes_on(tmp_path: Path, mark: str) -> None:
    _league(tmp_path, mark)
    stopped(
        lambda: Live(*_arguments("process"), cwd=tmp_path, mark=mark),
        lambda live: live.process.kill(),
        tmp_path / "league.sqlite",
        FIXTURES,
    )
    assert run(*_arguments("process"), cwd=tmp_path).code == 0
    whole = _records_of_an_undisturbed_run(tmp_path, "process")
    assert records(tmp_path / "league.sqlite") == whole


@pytest.mark.slow
def test_a_killed_worker_costs_nothing_but_time(tmp_path: Path, mark: str) -> None:
    _league(tmp_path, mark)
    killed: list[int] = []
    # On a busy machine the run may be over before one of its workers could be killed.
    for store in (f"killed-{number}.sqlite" for number in count()):
        with Live(*_arguments("process", store), cwd=tmp_path, mark=mark) as live:
            live.read_until_stored()
            killed = live.workers()[:1]
            kills.kill(killed)
            assert live.end() == 0
            _check_nothing_is_left(live)
        if killed:
            break
    whole = _records_of_an_undisturbed_run(tmp_path, "process")
    assert records(tmp_path / store) == whole
