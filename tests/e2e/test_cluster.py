"""Leagues on a cluster of real processes: the same bytes as on one machine, whatever is killed."""

import gc
import os
import signal
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from distributed import Client

from arena.league.play.workers import Task
from tests.cli.command import FIELD, HANG, LOWEST, ROOT, bot, confined, league, opened, records, run
from tests.e2e.grid import Grid
from tests.e2e.live import Live, processes, stopped, wait_for_death, wait_until
from tests.e2e.test_interrupted import STUBBORN
from tests.publish.pages import timeless

pytestmark = pytest.mark.slow

HOUR = 3600.0
OURS = ("--sandbox", "process", "--trust-bots")
NO_NANNY = "--no-nanny"
FIXTURES = 20


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grid]:
    with Grid(tmp_path_factory.mktemp("grid")) as found:
        yield found


MARK = f"mark-cluster-{os.getpid()}"
"""A word on the command lines of these tests' bots; the same in all, as it is part of a bot."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the same league, played by this machine alone."""
    folder = tmp_path_factory.mktemp("home")
    _league(folder)
    ran = run("run", "league.yaml", *OURS, cwd=folder)
    assert ran.code == 0, ran.err
    return folder


def _league(folder: Path) -> None:
    """Write a league of FIXTURES; one of its bots has to be built."""
    for name in "abcd":
        bot(folder / name, LOWEST, command=f"python3 bot.py {MARK}")
    limits = {"answer": HOUR, "game": HOUR}
    league(folder, bots=[*"abcd", "sample:c-counter"], games=1, limits=limits)


def _tasks_kept(grid: Grid) -> int:
    """Return how many fixtures the scheduler has in its memory, as objects."""
    with Client(grid.address, set_as_default=False) as client:
        kept: int = client.run_on_scheduler(
            lambda: sum(type(one) is Task for one in gc.get_objects())
        )
        return kept


def _live(grid: Grid, folder: Path) -> Live:
    command = ["run", "league.yaml", *OURS, "--cluster", grid.address]
    return Live(*command, cwd=folder, mark=MARK)


def test_workers_that_see_none_of_the_arena_s_files(grid: Grid, tmp_path: Path, home: Path) -> None:
    """One of the bots is built: the workers get the result, not the sources.

    One of the workers is told to go meanwhile: it cleans up.
    """
    _league(tmp_path)
    blind = confined("--tmpfs", tmp_path)
    with (
        grid.nodes(1, NO_NANNY) as [leaves],
        grid.nodes(1, NO_NANNY, under=blind) as [node],
        _live(grid, tmp_path) as live,
    ):
        live.read_until_stored()
        leaves.process.terminate()
        assert live.end() == 0, live.text
        assert f"workers: 2 at {grid.address}; their sandboxes: process (2)" in live.text
        live.wait_until_all_are_gone()
        leaves.process.wait(HANG)
        wait_until(lambda: leaves.is_empty() and node.is_empty())
        assert list(live.temporary.iterdir()) == []
    assert _tasks_kept(grid) == 0
    assert records(tmp_path / "league.sqlite") == records(home / "league.sqlite")
    assert timeless(tmp_path / "site") == timeless(home / "site")


def test_a_killed_node_and_a_killed_worker_cost_nothing(
    grid: Grid, tmp_path: Path, home: Path
) -> None:
    """No worker is left then, until the other node's nanny has started one."""
    _league(tmp_path)
    with (
        grid.nodes(2) as (first, second),
        _live(grid, tmp_path) as live,
    ):
        killed = second.worker()
        live.read_until_stored()
        first.kill()
        assert killed
        os.kill(killed, signal.SIGKILL)
        assert live.end() == 0, live.text
        live.wait_until_all_are_gone()
        wait_until(lambda: second.worker() not in {killed, None})
        assert "Traceback" not in live.text
        assert f" {FIXTURES}/{FIXTURES} fixtures" in live.text
    assert records(tmp_path / "league.sqlite") == records(home / "league.sqlite")


def test_a_killed_arena_leaves_no_bot_at_the_workers_and_goes_on(
    grid: Grid, tmp_path: Path, home: Path
) -> None:
    _league(tmp_path)
    command = ["run", "league.yaml", *OURS, "--cluster", grid.address]
    with grid.nodes(1, NO_NANNY) as [node]:
        store = tmp_path / "league.sqlite"
        stopped(lambda: _live(grid, tmp_path), lambda live: live.process.kill(), store, FIXTURES)
        wait_until(node.is_empty)
        stored = records(store)
        again = run(*command, cwd=tmp_path)
        assert again.code == 0, again
        assert f"stored already: {len(stored)} of {FIXTURES} fixtures" in again.err
    assert records(tmp_path / "league.sqlite") == records(home / "league.sqlite")


def test_a_lost_scheduler_is_one_line_and_the_run_can_go_on(tmp_path: Path, home: Path) -> None:
    # On a busy machine the run may be over before its scheduler is.
    for folder in (tmp_path / str(number) for number in count()):
        if _lose_scheduler(folder):
            break
    assert run("run", "league.yaml", *OURS, cwd=folder).code == 0
    assert records(folder / "league.sqlite") == records(home / "league.sqlite")


def _lose_scheduler(folder: Path) -> bool:
    """Begin a league and kill its scheduler; returns whether that stopped it."""
    (folder / "grid").mkdir(parents=True)
    _league(folder)
    with Grid(folder / "grid") as grid, grid.nodes(1, NO_NANNY) as [node]:
        with _live(grid, folder) as live:
            live.read_until_stored()
            grid.scheduler.kill()
            code = live.end()
            live.wait_until_all_are_gone()
        if len(records(folder / "league.sqlite")) == FIXTURES:
            return False
        assert code == 2, live.text
        last = live.text.splitlines()[-1]
        assert f"error: the connection to the scheduler is lost / {grid.address} / " in last
        assert "Traceback" not in live.text
        node.process.wait(HANG)
        assert node.is_empty()
    return True


def test_ctrl_c_with_workers_of_its_own(tmp_path: Path, home: Path) -> None:
    _league(tmp_path)
    command = ["run", "league.yaml", *OURS, "--cluster", "local:2"]
    live, code = stopped(
        lambda: Live(*command, cwd=tmp_path, mark=MARK),
        lambda live: live.signal(signal.SIGINT),
        tmp_path / "league.sqlite",
        FIXTURES,
    )
    assert code == 130, live.text
    assert list(live.temporary.iterdir()) == []
    assert "Traceback" not in live.text
    assert {*records(tmp_path / "league.sqlite")} < {*records(home / "league.sqlite")}


def test_a_killed_arena_takes_workers_of_its_own_with_it(tmp_path: Path) -> None:
    _league(tmp_path)
    command = ["run", "league.yaml", *OURS, "--cluster", "local:2"]
    with Live(*command, cwd=tmp_path, mark=MARK) as live:
        live.read_until_stored()
        family = [pid for pid, p in processes().items() if p.group == live.process.pid]
        live.process.kill()
        live.wait_until_all_are_gone()
        for pid in family:
            if pid != live.process.pid:
                wait_for_death(pid)


def test_workers_that_join_later_are_made_ready_or_left_out(grid: Grid, tmp_path: Path) -> None:
    """The only worker is killed with a fixture in play; one that joins then cannot take part.

    In the end Ctrl-C twice ends the bots, which never answer.
    """
    for name in "ab":
        bot(tmp_path / name, STUBBORN, command=f"python3 bot.py {MARK}")
    league(tmp_path, bots=["a", "b"], limits={"answer": HOUR, "game": HOUR})
    other = tmp_path / "other"
    other.mkdir()
    (other / "sitecustomize.py").write_text("import msgspec\nmsgspec.__version__ = '0.99'\n")
    env = {"PYTHONPATH": f"{other}:{ROOT}"}
    with grid.nodes(1, NO_NANNY) as [first], _live(grid, tmp_path) as live:
        live.read_until("starting")
        wait_until(lambda: live.in_play() == 2)
        first.kill()
        live.read_until(f"no worker is left at {grid.address}")
        with grid.nodes(1, NO_NANNY, env=env):
            live.read_until("left out: the worker tcp://")
            wait_until(lambda: live.in_play() == 0)
            with grid.nodes(1, NO_NANNY) as [last]:
                wait_until(lambda: live.in_play() == 2)
                live.signal(signal.SIGINT)
                live.read_until("Ctrl-C again stops at once")
                live.signal(signal.SIGINT)
                assert live.end() == 130
                live.wait_until_all_are_gone()
                wait_until(last.is_empty)
        assert list(live.temporary.iterdir()) == []
        assert "error: interrupted" in live.text
        assert "Traceback" not in live.text


def test_bots_are_isolated_at_the_workers(tmp_path: Path) -> None:
    league(tmp_path, bots=FIELD[1:], games=1, sandbox="bubblewrap")
    ran = run("run", "league.yaml", "--cluster", "local:1", cwd=tmp_path)
    assert ran.code == 0, ran
    assert "workers: 1 at local:1; their sandboxes: bubblewrap (1)" in ran.err
    assert run("run", "league.yaml", "--store", "home.sqlite", cwd=tmp_path).code == 0
    assert records(tmp_path / "league.sqlite") == records(tmp_path / "home.sqlite")


def test_a_bot_that_takes_down_workers_is_tried_alone(tmp_path: Path) -> None:
    """The scheduler gives up after three workers; alone, it plays."""
    deaths = tmp_path / "deaths"
    script = f"""
    import json, os, pathlib, signal, sys
    first = json.loads(sys.stdin.readline())["seat"] == 0
    parent = pathlib.Path(f"/proc/{{os.getppid()}}/cmdline").read_text()
    if first and ("dask worker" in parent or "spawn_main" in parent):
        with open({str(deaths)!r}, "a+") as deaths:
            deaths.seek(0)
            if len(deaths.read()) < 3:
                deaths.write("x")
                deaths.flush()
                os.kill(os.getppid(), signal.SIGKILL)
    print(json.dumps({{"type": "ready"}}), flush=True)
    """
    bot(tmp_path / "killer", script + LOWEST)
    bot(tmp_path / "other", LOWEST)
    league(tmp_path, bots=["killer", "other"], limits={"start": HOUR})
    ran = run("run", "league.yaml", *OURS, "--cluster", "local:2", cwd=tmp_path)
    assert ran.code == 0, ran
    assert deaths.read_text() == "xxx"
    assert len(opened(tmp_path / "league.sqlite")) == 2
    assert "quarantined" not in ran.err
