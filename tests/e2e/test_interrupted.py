"""Runs that are interrupted or killed: nothing stored is lost, no process is left, they resume."""

import os
import signal
import subprocess
from itertools import count
from pathlib import Path

import pytest

from tests.cli.command import HANG, LOWEST, READY, Ran, bot, environment, league, records, run
from tests.e2e import kills
from tests.e2e.live import Live, let_others_in, stopped, wait_until
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


MARK = f"mark-interrupted-{os.getpid()}"
"""A word on the command lines of the bots, part of their bot.yaml: `whole` has the same bots."""


def _arguments(sandbox: str, store: str = "league.sqlite") -> list[str]:
    ours = ["--sandbox", sandbox, "--trust-bots", "--workers", "2", "--store", store]
    return ["run", "league.yaml", *ours]


def _league(folder: Path, source: str = LOWEST) -> None:
    """Write a league of FIXTURES: more than are in play at a time."""
    for name in "abcd":
        bot(folder / name, source, command=f"python3 bot.py {MARK}")
    hour = 3600.0
    league(folder, bots=list("abcd"), games=2, limits={"answer": hour, "game": hour})


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The records of a run that nothing disturbed; they are the same in all sandboxes."""
    folder = tmp_path_factory.mktemp("whole")
    _league(folder)
    let_others_in(folder)
    assert run(*_arguments("process"), cwd=folder).code == 0
    return records(folder / "league.sqlite")


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
def test_ctrl_c_saves_and_says_how_to_go_on(
    tmp_path: Path, sandbox: str, whole: list[bytes]
) -> None:
    _league(tmp_path)
    arguments = [*_arguments(sandbox, "kept here.sqlite"), "--site", "out"]
    live, code = stopped(
        lambda: Live(*arguments, cwd=tmp_path, mark=MARK),
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
    assert records(store) == whole


def test_ctrl_c_while_the_workers_start(tmp_path: Path) -> None:
    _league(tmp_path)
    with Live(*_arguments("process"), cwd=tmp_path, mark=MARK) as live:
        live.read_until("starting")
        wait_until(lambda: live.workers() or live.process.poll() is not None)
        live.signal(signal.SIGINT)
        assert live.end() == 130
        _check_nothing_is_left(live)


def _stuck(folder: Path, sandbox: str) -> Live:
    """Return a run that has come to a point from which it never goes on by itself."""
    _league(folder, STUBBORN)
    live = Live(*_arguments(sandbox), cwd=folder, mark=MARK)
    live.read_until("starting")
    # Two workers with two bots each. A sandbox that is killed while it is set up may stay behind.
    wait_until(lambda: len(live.workers()) == 2 and live.in_play() == 4)
    return live


@pytest.mark.parametrize("sandbox", sample(SANDBOXES, 1, "ctrl c twice stops at once"))
def test_ctrl_c_twice_stops_at_once(tmp_path: Path, sandbox: str) -> None:
    with _stuck(tmp_path, sandbox) as live:
        live.signal(signal.SIGINT)
        live.read_until("Ctrl-C again stops at once")
        live.signal(signal.SIGINT)
        assert live.end() == 130
        _check_nothing_is_left(live)
    assert "error: interrupted" in live.text


def test_sigterm_stops_at_once(tmp_path: Path) -> None:
    with _stuck(tmp_path, "bubblewrap") as live:
        live.process.terminate()
        assert live.end() == 130
        _check_nothing_is_left(live)


@pytest.mark.parametrize("sandbox", sample(SANDBOXES, 1, "a killed arena leaves no process"))
def test_a_killed_arena_leaves_no_process(tmp_path: Path, sandbox: str) -> None:
    with _stuck(tmp_path, sandbox) as live:
        live.process.kill()
        live.wait_until_all_are_gone()


@pytest.mark.slow
def test_a_killed_worker_costs_nothing_but_time(tmp_path: Path, whole: list[bytes]) -> None:
    _league(tmp_path)
    killed: list[int] = []
    # On a busy machine the run may be over before one of its workers could be killed.
    for store in (f"killed-{number}.sqlite" for number in count()):
        with Live(*_arguments("process", store), cwd=tmp_path, mark=MARK) as live:
            live.read_until_stored()
            killed = live.workers()[:1]
            kills.kill(killed)
            assert live.end() == 0
            _check_nothing_is_left(live)
        if killed:
            break
    assert records(tmp_path / store) == whole
