"""What is wrong with a cluster is one line, before the first game."""

import asyncio
import gc
import shutil
import signal
import socket
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import dask
import pytest

from arena.league.cluster import client, connection
from arena.league.cluster import client as roster
from tests.cli.command import ROOT, bare_machine, bot, error_line, league, run
from tests.e2e.grid import Grid, make_certificates, tls_settings
from tests.support.depth import depth
from tests.support.sampling import sample

NO_NANNY = "--no-nanny"
BRIEFLY = 0.2
"""Seconds to wait for what will not come."""
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture(autouse=True, scope="module")
def collected() -> Iterator[None]:
    """Dask leaves sockets of failed connections to the garbage collector: no later test's fault."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grid]:
    with Grid(tmp_path_factory.mktemp("grid")) as found:
        yield found


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certificates")
    make_certificates(folder)
    return folder


def _refused(folder: Path, address: str, *parts: str, env: dict[str, str] | None = None) -> str:
    """Check that a league is refused with one line, and nothing was played."""
    ran = run("run", "league.yaml", "--cluster", address, cwd=folder, env=env)
    line = error_line(ran, *parts)
    assert "fixtures" not in ran.err
    return line


@pytest.mark.slow
@pytest.mark.parametrize(
    "host", sample(["no-such-host.invalid", "a..b", "[::1]", "x" * 300], 2, "hosts")
)
def test_unreachable_host_is_refused(
    tmp_path: Path, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "CONNECT_SECONDS", BRIEFLY)
    league(tmp_path, sandbox="process")
    _refused(tmp_path, f"tcp://{host}:9", "no scheduler answers", host)


OTHERS = [
    (scheme, answer)
    for scheme in ("tcp", "tls")
    for answer in (b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\0" * 64)
]
"""Programs at a port: how they are asked, and what they say."""


@pytest.mark.parametrize(("scheme", "answer"), sample(OTHERS, 3, "other programs"))
def test_port_of_another_program_is_refused(
    tmp_path: Path, certificates: Path, scheme: str, answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that accepts connections and says nothing."""
    monkeypatch.setattr(connection, "CONNECT_SECONDS", BRIEFLY)
    league(tmp_path, sandbox="process")
    with socket.create_server(("127.0.0.1", 0)) as server:
        answering = Thread(target=_answer_all, args=(server, answer), daemon=True)
        answering.start()
        address = f"{scheme}://127.0.0.1:{server.getsockname()[1]}"
        with dask.config.set(tls_settings(certificates)):
            _refused(tmp_path, address, "no scheduler answers", address)
        # It would wait on, and leave its connections unclosed when a signal of another test comes.
        server.shutdown(socket.SHUT_RDWR)
        answering.join()
        gc.collect()
    assert not (tmp_path / "league.sqlite").exists()


def _answer_all(server: socket.socket, answer: bytes) -> None:
    with ExitStack() as kept, suppress(OSError):
        while True:
            kept.enter_context(server.accept()[0]).sendall(answer)


def test_tls_without_certificates_is_refused(tmp_path: Path) -> None:
    league(tmp_path, sandbox="process")
    parts = "tls:// needs certificates", "tls://127.0.0.1:9", "TLS__CA_FILE"
    _refused(tmp_path, "tls://127.0.0.1:9", *parts)


def test_certificates_that_cannot_be_read_are_refused(tmp_path: Path, certificates: Path) -> None:
    league(tmp_path, sandbox="process")
    settings = tls_settings(certificates)
    for name in settings:
        for wrong in ("missing.pem", "league.yaml"):
            with dask.config.set({**settings, name: str(tmp_path / wrong)}):
                _refused(tmp_path, "tls://127.0.0.1:9", "settings for TLS cannot be used", "TLS__")


@pytest.mark.slow
def test_missing_scheduler_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "CONNECT_SECONDS", BRIEFLY)
    league(tmp_path, sandbox="process")
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
    _refused(tmp_path, address, "no scheduler answers", address, "dask scheduler")
    assert not (tmp_path / "league.sqlite").exists()


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


def test_local_workers_need_the_package_that_makes_certificates(tmp_path: Path) -> None:
    league(tmp_path, sandbox="process")
    env = _blind_to(tmp_path / "blind", "cryptography")
    _refused(tmp_path, "local:2", "cryptography", "--cluster local:2", "pip install", env=env)


def test_scheduler_without_workers_is_refused(grid: Grid, tmp_path: Path) -> None:
    league(tmp_path, sandbox="process")
    hint = f"start some: dask worker {grid.address} --nthreads 1"
    _refused(tmp_path, grid.address, "the scheduler has no workers", grid.address, hint)


def _other_arena(folder: Path) -> dict[str, str]:
    """Return an environment with an arena of other code."""
    shutil.copytree(ROOT / "arena", folder / "arena")
    with (folder / "arena/game/rules/odds.py").open("a") as source:
        source.write("# another\n")
    return {"PYTHONPATH": str(folder)}


def _other_python(folder: Path) -> dict[str, str]:
    """Return an environment with another Python, as far as its version goes."""
    version = "import platform\nplatform.python_version_tuple = lambda: ('3', '99', '0')\n"
    return _changed(folder, version)


def _other_msgspec(folder: Path) -> dict[str, str]:
    return _changed(folder, "import msgspec\nmsgspec.__version__ = '0.99'\n")


def _changed(folder: Path, code: str) -> dict[str, str]:
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(code)
    return {"PYTHONPATH": f"{folder}:{ROOT}"}


def _without_arena(folder: Path) -> dict[str, str]:
    return _blind_to(folder, "arena")


UNFIT: list[tuple[Callable[[Path], dict[str, str]], str]] = [
    (_without_arena, "no arena to play with"),
    (_other_arena, "the run is of arena"),
    (_other_python, "on Python 3.99"),
    (_other_msgspec, "msgspec 0.99"),
]
"""Environments of workers that cannot take part, and why."""


@pytest.mark.slow
@pytest.mark.parametrize(("environment", "why"), sample(UNFIT, 1, "unfit workers"))
def test_cluster_of_unfit_workers_is_refused(
    grid: Grid, tmp_path: Path, environment: Callable[[Path], dict[str, str]], why: str
) -> None:
    league(tmp_path, sandbox="process")
    with grid.nodes(1, NO_NANNY, env=environment(tmp_path / "other")):
        _refused(tmp_path, grid.address, "the worker tcp://", why, "install")


@pytest.mark.slow
def test_unfit_workers_are_left_out_and_named(grid: Grid, tmp_path: Path) -> None:
    unfit = depth(UNFIT[2:], UNFIT)  # other tests show the first two alone
    league(tmp_path, sandbox="process")
    with ExitStack() as stack:
        stack.enter_context(grid.nodes(1, NO_NANNY))
        for number, (environment, _) in enumerate(unfit):
            env = environment(tmp_path / str(number))
            stack.enter_context(grid.nodes(1, NO_NANNY, env=env))
        ran = run("run", "league.yaml", "--cluster", grid.address, cwd=tmp_path)
    assert ran.code == 0, ran
    assert f"workers: 1 at {grid.address}; their sandboxes: process (1)" in ran.err
    left_out = [line for line in ran.err.splitlines() if line.startswith("left out: the worker")]
    assert len(left_out) == len(unfit), ran.err
    assert all(any(why in line for line in left_out) for _, why in unfit)


class Impatient:
    """Stands for asyncio where workers are prepared: time is up once one of them is ready."""

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    @staticmethod
    async def wait(tasks: Iterable[asyncio.Task[None]], timeout: float) -> Any:
        """Wait for the first."""
        first = asyncio.FIRST_COMPLETED
        return await asyncio.wait(tasks, timeout=timeout, return_when=first)


@pytest.mark.slow
def test_workers_that_do_not_answer_are_left_out(
    grid: Grid, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    league(tmp_path, sandbox="process")
    command = ["run", "league.yaml", "--cluster", grid.address]
    with grid.nodes(1, NO_NANNY) as [silent]:
        silent.process.send_signal(signal.SIGSTOP)
        monkeypatch.setattr(client, "_FORGET_SECONDS", 1.0)
        monkeypatch.setattr(roster, "PREPARE_SECONDS", 1.0)
        _refused(tmp_path, grid.address, "no worker is ready", "none answered within 1 s")
        monkeypatch.setattr(roster, "PREPARE_SECONDS", 120.0)
        monkeypatch.setattr(roster, "asyncio", Impatient())
        with grid.nodes(1, NO_NANNY):
            ran = run(*command, cwd=tmp_path)
    assert ran.code == 0, ran
    assert "left out until it answers: the worker tcp://" in ran.err


@pytest.mark.slow
def test_scheduler_of_another_arena_is_refused(tmp_path: Path) -> None:
    league(tmp_path, sandbox="process")
    with Grid(tmp_path, env=_other_arena(tmp_path / "other")) as grid, grid.nodes(1, NO_NANNY):
        _refused(tmp_path, grid.address, "the scheduler tcp://", "the run is of arena", "install")


@pytest.mark.slow
def test_sandboxes_are_mixed_only_if_asked_for(grid: Grid, tmp_path: Path) -> None:
    """The arena's machine has them all: what counts is where games are played."""
    env = bare_machine(tmp_path)
    bot(tmp_path / "stranger")
    with grid.nodes(1, NO_NANNY, env=env):
        league(tmp_path, sandbox="bubblewrap")
        _refused(tmp_path, grid.address, "the worker tcp://", "'bubblewrap' does not work", "bwrap")
        league(tmp_path, bots=["stranger", "sample:random"], sandbox="auto")
        command = ["run", "league.yaml", "--cluster", grid.address, "--mixed-sandboxes"]
        weak = run(*command, "--store", "weak.sqlite", cwd=tmp_path)
        error_line(weak, "the worker tcp://", "'process' does not isolate")
        with grid.nodes(1, NO_NANNY):
            command += ["--trust-bots", "--store", "mixed.sqlite"]
            mixed = run(*command, cwd=tmp_path)
    assert mixed.code == 0, mixed
    assert "process (1)" in mixed.err
    assert "workers: 2" in mixed.err


@pytest.mark.slow
def test_plain_tcp_beyond_loopback_says_what_it_means(grid: Grid, tmp_path: Path) -> None:
    """Before the first game, whoever plays it."""
    league(tmp_path, sandbox="process")
    # Linux takes this to be the machine itself; for the arena it is not loopback.
    address = grid.address.replace("127.0.0.1", "0.0.0.0")  # noqa: S104
    with grid.nodes(1, NO_NANNY, env=_without_arena(tmp_path / "other")):
        ran = run("run", "league.yaml", "--cluster", address, cwd=tmp_path)
    error_line(ran, "no arena to play with")
    [warning] = [line for line in ran.err.splitlines() if line.startswith("warning: tcp://")]
    assert "anyone who can reach it can run programs" in warning
