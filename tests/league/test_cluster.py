"""The parts of a cluster's engine that need no cluster."""

import subprocess
import sys
from concurrent.futures import CancelledError, Future
from pathlib import Path

import pytest
from distributed.comm.core import CommClosedError

from arena.bots.manifest import load_bot
from arena.bots.sandboxes.process import ProcessSandbox
from arena.bots.workshop import open_workshop
from arena.io import shipped
from arena.io.errors import ArenaError
from arena.league.cluster import connection
from arena.league.cluster.client import BATCH_SECONDS, Cluster
from arena.league.cluster.worker import RevocableSandbox
from arena.league.play.software import identity
from arena.league.play.workers import BatchResult
from arena.league.store.rows import pack
from tests.cli.command import environment
from tests.support import records
from tests.support.refusals import refused


class Workers:
    """A client of a scheduler with so many workers."""

    def __init__(self, count: int) -> None:
        self._count = count

    def nthreads(self) -> dict[str, int]:
        return {f"tcp://worker:{number}": 1 for number in range(self._count)}


def engine(workers: int, fixtures: int, seconds: float) -> Cluster:
    """Return an engine that has seen fixtures played in so many seconds together."""
    found = Cluster(Workers(workers), "tcp://scheduler", own=False)  # type: ignore[arg-type]
    one = pack(records.played(records.fixture("ab")))
    future: Future[object] = Future()
    future.set_result(BatchResult([one] * fixtures, seconds))
    assert found.collect(future) == [one] * fixtures
    return found


@pytest.mark.parametrize("error", [CommClosedError("in <TCP>: reset"), CancelledError("lost")])
def test_results_that_the_scheduler_took_along_are_one_line(error: Exception) -> None:
    found = Cluster(Workers(1), "tcp://scheduler", own=False)  # type: ignore[arg-type]
    future: Future[object] = Future()
    future.set_exception(error)
    with pytest.raises(ArenaError, match="the connection to the scheduler is lost"):
        found.collect(future)


def test_first_batches_have_one_fixture() -> None:
    found = Cluster(Workers(2), "tcp://scheduler", own=False)  # type: ignore[arg-type]
    assert found.batch_size(1000) == 1


@pytest.mark.parametrize("seconds", [0.001, 0.1, 0.3, 0.5, 2.0])
def test_batches_take_long_enough_and_no_longer(seconds: float) -> None:
    size = engine(2, 10, 10 * seconds).batch_size(100_000)
    assert size * seconds >= BATCH_SECONDS * (1 - 1e-9)
    assert size == 1 or (size - 1) * seconds < BATCH_SECONDS


def test_last_fixtures_are_shared_among_workers() -> None:
    found = engine(4, 10, 0.1)
    assert found.batch_size(100_000) == 50
    assert found.batch_size(20) == 4
    assert found.batch_size(3) == 1


def test_identity_depends_on_the_code_not_on_its_place() -> None:
    said = subprocess.run(
        [sys.executable, "-c", "from arena.league.play.software import *; print(identity())"],
        cwd="/",
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.strip() == identity()


def test_run_without_a_cluster_imports_no_dask() -> None:
    code = "import arena.cli.league.run, sys; print({'dask', 'distributed'} & sys.modules.keys())"
    command = [sys.executable, "-c", code]
    said = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    assert said.stdout == "set()\n"


def test_revoked_sandbox_kills_its_programs_and_starts_no_more(tmp_path: Path) -> None:
    sandbox = RevocableSandbox(ProcessSandbox())
    with open_workshop(ProcessSandbox()) as workshop:
        bot = workshop.stage(load_bot(shipped.folder("sample_bots") / "honest"))
        closed, running = sandbox.start(bot.program), sandbox.start(bot.program)
        closed.kill()
        closed.close()
        sandbox.revoke()
        assert running.exit_code() == -9
        running.close()
        sandbox.revoke()
        with pytest.raises(OSError, match="the run is over"):
            sandbox.start(bot.program)


def test_a_worker_that_dies_before_it_is_ready_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(**_: object) -> None:
        raise RuntimeError("Nanny failed to start.")

    monkeypatch.setattr(connection, "SpecCluster", start)
    with refused("a worker could not be started", "--cluster local:2"), connection.local_cluster(2):
        pass
