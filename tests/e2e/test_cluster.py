"""Leagues on a cluster of real processes: the same bytes as at home, whoever is killed."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import LOWEST, bot, confined, league, opened, records, run
from tests.e2e.grid import Grid, wait_until
from tests.e2e.live import Live
from tests.publish.pages import tree

HOUR = 3600.0
OURS = ("--sandbox", "process", "--trust-bots")
NO_NANNY = "--no-nanny"


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grid]:
    with Grid(tmp_path_factory.mktemp("grid")) as found:
        yield found


@pytest.fixture
def mark(tmp_path: Path) -> str:
    """A word for the command lines of this test's bots."""
    return f"mark-{tmp_path.name}-{os.getpid()}"


def _league(folder: Path, mark: str, *more: str, games: int = 4) -> None:
    for name in "abcd":
        bot(folder / name, LOWEST, command=f"python3 bot.py {mark}")
    limits = {"answer": HOUR, "game": HOUR}
    league(folder, bots=[*"abcd", *more], games=games, limits=limits)


def _live(grid: Grid, folder: Path, mark: str) -> Live:
    command = ["run", "league.yaml", *OURS, "--cluster", grid.address]
    return Live(*command, cwd=folder, mark=mark)


def _at_home(folder: Path) -> list[bytes]:
    """Return the records of the same league, played by this machine alone."""
    ran = run("run", "league.yaml", *OURS, "--store", "home.sqlite", "--site", "home", cwd=folder)
    assert ran.code == 0, ran.err
    return records(folder / "home.sqlite")


def test_workers_that_see_none_of_the_arena_s_files(grid: Grid, tmp_path: Path, mark: str) -> None:
    """One of the bots was built: what came of it goes to the workers, not what it was made of."""
    _league(tmp_path, mark, "sample:c-counter")
    blind = confined("--tmpfs", tmp_path)
    with (
        grid.nodes(2, NO_NANNY, under=blind) as nodes,
        _live(grid, tmp_path, mark) as live,
    ):
        assert live.end() == 0, live.text
        assert f"workers: 2 at {grid.address}; their sandboxes: process (2)" in live.text
        live.wait_until_all_are_gone()
        assert all(node.is_empty() for node in nodes)
        assert list(live.temporary.iterdir()) == []
    assert records(tmp_path / "league.sqlite") == _at_home(tmp_path)
    assert tree(tmp_path / "site") == tree(tmp_path / "home")


def test_a_killed_worker_and_a_killed_node_cost_nothing(
    grid: Grid, tmp_path: Path, mark: str
) -> None:
    _league(tmp_path, mark, games=20)
    with (
        grid.nodes(2) as (first, second),
        _live(grid, tmp_path, mark) as live,
    ):
        live.read_until(" 1/")
        killed = first.worker()
        assert killed
        os.kill(killed, signal.SIGKILL)
        wait_until(lambda: first.worker() not in {killed, None})
        live.read_until(" 3/")
        second.kill()
        assert live.end() == 0, live.text
        live.wait_until_all_are_gone()
        assert "Traceback" not in live.text
        assert " 12/12 fixtures" in live.text
    assert records(tmp_path / "league.sqlite") == _at_home(tmp_path)


def test_a_killed_arena_leaves_no_bot_at_the_workers_and_goes_on(
    grid: Grid, tmp_path: Path, mark: str
) -> None:
    _league(tmp_path, mark, games=20)
    command = ["run", "league.yaml", *OURS, "--cluster", grid.address]
    with grid.nodes(2, NO_NANNY) as nodes:
        with _live(grid, tmp_path, mark) as live:
            live.read_until_stored()
            live.process.kill()
            live.wait_until_all_are_gone()
            wait_until(lambda: all(node.is_empty() for node in nodes))
        stored = records(tmp_path / "league.sqlite")
        assert 1 <= len(stored) < 12
        again = run(*command, cwd=tmp_path)
        assert again.code == 0, again
        assert f"stored already: {len(stored)} of 12 fixtures" in again.err
    assert records(tmp_path / "league.sqlite") == _at_home(tmp_path)


def test_a_worker_that_is_told_to_go_cleans_up(grid: Grid, tmp_path: Path, mark: str) -> None:
    _league(tmp_path, mark, games=20)
    with (
        grid.nodes(2, NO_NANNY) as (first, second),
        _live(grid, tmp_path, mark) as live,
    ):
        live.read_until_stored()
        first.process.terminate()
        assert live.end() == 0, live.text
        first.process.wait(60)
        assert first.is_empty()
        assert second.is_empty()
    assert records(tmp_path / "league.sqlite") == _at_home(tmp_path)


def test_a_lost_scheduler_is_one_line_and_the_run_can_go_on(tmp_path: Path, mark: str) -> None:
    _league(tmp_path, mark, games=20)
    (tmp_path / "grid").mkdir()
    with Grid(tmp_path / "grid") as grid, grid.nodes(1, NO_NANNY) as [node]:
        with _live(grid, tmp_path, mark) as live:
            live.read_until_stored()
            grid.scheduler.kill()
            assert live.end() == 2
            live.wait_until_all_are_gone()
            last = live.text.splitlines()[-1]
            assert last.startswith(
                "error: the connection to the scheduler is lost / " + grid.address
            )
            assert "Traceback" not in live.text
        node.process.wait(60)
        assert node.is_empty()
    assert 1 <= len(records(tmp_path / "league.sqlite")) < 12
    assert run("run", "league.yaml", *OURS, cwd=tmp_path).code == 0
    assert records(tmp_path / "league.sqlite") == _at_home(tmp_path)


def test_ctrl_c_with_workers_of_its_own(tmp_path: Path, mark: str) -> None:
    _league(tmp_path, mark, games=20)
    command = ["run", "league.yaml", *OURS, "--cluster", "local:2"]
    with Live(*command, cwd=tmp_path, mark=mark) as live:
        live.read_until_stored()
        live.signal(signal.SIGINT)
        assert live.end() == 130, live.text
        live.wait_until_all_are_gone()
        assert list(live.temporary.iterdir()) == []
        assert "Traceback" not in live.text
    stored = records(tmp_path / "league.sqlite")
    assert 1 <= len(stored) < 12
    assert run("run", "league.yaml", *OURS, cwd=tmp_path).code == 0
    assert records(tmp_path / "league.sqlite") == _at_home(tmp_path)


def test_a_killed_arena_takes_workers_of_its_own_with_it(tmp_path: Path, mark: str) -> None:
    _league(tmp_path, mark, games=20)
    command = ["run", "league.yaml", *OURS, "--cluster", "local:2"]
    with Live(*command, cwd=tmp_path, mark=mark) as live:
        live.read_until_stored()
        live.process.kill()
        live.wait_until_all_are_gone()


def test_a_bot_that_takes_down_workers_is_tried_alone(tmp_path: Path) -> None:
    """The scheduler gives up after three workers; alone, one more dies, and then it plays."""
    deaths = tmp_path / "deaths"
    script = f"""
    import os, signal
    with open({str(deaths)!r}, "a+") as deaths:
        deaths.seek(0)
        died = len(deaths.read())
        deaths.write("x" * (died < 4))
    if died < 4:
        os.kill(os.getppid(), signal.SIGKILL)
    """
    bot(tmp_path / "killer", script + LOWEST)
    bot(tmp_path / "other", LOWEST)
    league(tmp_path, bots=["killer", "other"])
    ran = run("run", "league.yaml", *OURS, "--cluster", "local:2", cwd=tmp_path)
    assert ran.code == 0, ran
    assert deaths.read_text() == "xxxx"
    assert len(opened(tmp_path / "league.sqlite")) == 2
    assert "set aside" not in ran.err
