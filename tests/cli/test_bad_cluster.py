"""What is wrong with a cluster is one line, before the first game."""

import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import ROOT, bot, error_line, league, run
from tests.e2e.grid import Grid

NO_NANNY = "--no-nanny"


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grid]:
    with Grid(tmp_path_factory.mktemp("grid")) as found:
        yield found


def _refused(folder: Path, address: str, *parts: str, env: dict[str, str] | None = None) -> str:
    """Check that a league is refused with one line, and nothing was played."""
    ran = run("run", "league.yaml", "--cluster", address, cwd=folder, env=env)
    line = error_line(ran, *parts)
    assert "fixtures" not in ran.err
    return line


@pytest.mark.parametrize(
    "address",
    [
        "local:0",
        "local:x",
        "local:",
        "local",
        "local:-1",
        "local:1.5",
        "local:1025",
        "local:\u0664",
    ],
)
def test_wrong_number_of_local_workers_is_refused(tmp_path: Path, address: str) -> None:
    league(tmp_path, sandbox="process")
    _refused(tmp_path, address, address)
    assert not (tmp_path / "league.sqlite").exists()


@pytest.mark.parametrize("address", ["", "10.0.0.1:8786", "http://host:1", "tcp://", "tcp://a b"])
def test_wrong_address_is_refused(tmp_path: Path, address: str) -> None:
    league(tmp_path, sandbox="process")
    _refused(tmp_path, address, "not a scheduler address", "for example --cluster tcp://")


def test_missing_scheduler_is_refused(tmp_path: Path) -> None:
    league(tmp_path, sandbox="process")
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
    _refused(tmp_path, address, "no scheduler answers", address, "dask scheduler")
    assert not (tmp_path / "league.sqlite").exists()


def test_workers_option_is_refused_with_a_cluster(tmp_path: Path) -> None:
    league(tmp_path, sandbox="process")
    ran = run("run", "league.yaml", "--cluster", "local:2", "--workers", 2, cwd=tmp_path)
    error_line(ran, "--workers", "--cluster local:2", "leave it out")


def _blind_to(folder: Path, module: str) -> dict[str, str]:
    """Return an environment in which a module is not installed."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(f"import sys\nsys.modules[{module!r}] = None\n")
    return {"PYTHONPATH": f"{folder}:{ROOT}"}


def test_missing_dask_is_refused(tmp_path: Path) -> None:
    league(tmp_path, sandbox="process")
    env = _blind_to(tmp_path / "blind", "distributed")
    parts = ("Dask distributed, which is not installed", "--cluster local:2", "pip install")
    _refused(tmp_path, "local:2", *parts, env=env)


def test_scheduler_without_workers_is_refused(grid: Grid, tmp_path: Path) -> None:
    league(tmp_path, sandbox="process")
    hint = f"start some: dask worker {grid.address} --nthreads 1"
    _refused(tmp_path, grid.address, "the scheduler has no workers", grid.address, hint)


def test_worker_without_the_arena_is_refused(grid: Grid, tmp_path: Path) -> None:
    league(tmp_path, sandbox="process")
    with grid.nodes(1, NO_NANNY, env=_blind_to(tmp_path / "blind", "arena")):
        _refused(tmp_path, grid.address, "the worker tcp://", "no arena to play with", "install")


def test_worker_with_another_arena_is_refused(grid: Grid, tmp_path: Path) -> None:
    league(tmp_path, sandbox="process")
    shutil.copytree(ROOT / "arena", tmp_path / "other" / "arena")
    with (tmp_path / "other/arena/perudo/odds.py").open("a") as source:
        source.write("# another\n")
    with grid.nodes(1, NO_NANNY, env={"PYTHONPATH": str(tmp_path / "other")}):
        line = _refused(tmp_path, grid.address, "the worker tcp://", "the run is of arena")
    assert line.count("arena 0.") == 2


def test_worker_with_another_python_is_refused(grid: Grid, tmp_path: Path) -> None:
    """Its version alone is another: a second Python is not at hand everywhere."""
    league(tmp_path, sandbox="process")
    other = tmp_path / "other"
    other.mkdir()
    version = "import platform\nplatform.python_version_tuple = lambda: ('3', '99', '0')\n"
    (other / "sitecustomize.py").write_text(version)
    with grid.nodes(1, NO_NANNY, env={"PYTHONPATH": f"{other}:{ROOT}"}):
        _refused(tmp_path, grid.address, "the worker tcp://", "on Python 3.99", "on Python 3.")


def test_worker_without_the_sandbox_is_refused(grid: Grid, tmp_path: Path) -> None:
    """The arena's machine has it all: what counts is where games are played."""
    bins = tmp_path / "bin"
    bins.mkdir()
    for tool in ("setpriv", "prlimit"):
        (bins / tool).symlink_to(f"/usr/bin/{tool}")
    env = {"PATH": str(bins), "DOCKER_HOST": "unix:///nowhere/docker.sock"}
    with grid.nodes(1, NO_NANNY, env=env):
        league(tmp_path, sandbox="bubblewrap")
        _refused(tmp_path, grid.address, "the worker tcp://", "'bubblewrap' does not work", "bwrap")
        # The strongest that works is chosen there, and is not safe for untrusted bots.
        bot(tmp_path / "stranger")
        league(tmp_path, bots=["stranger", "sample:random"], sandbox="auto")
        for path in tmp_path.glob("league*.sqlite*"):
            path.unlink()
        _refused(tmp_path, grid.address, "the worker tcp://", "'process' does not isolate")
