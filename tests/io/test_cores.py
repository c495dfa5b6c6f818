"""Cores of workers: each has its own, and it is free again when its worker ends."""

import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from arena.io.cores import enough_cores
from tests.cli.command import environment

ALL = os.sched_getaffinity(0)
WORKER = """
import os, sys
from arena.io.cores import claim_core
for _ in range(2):
    claim_core(sys.argv[1])
print(*os.sched_getaffinity(0), flush=True)
sys.stdin.read()
"""
"""Claims a core, twice, prints which it has, and lives until its input ends."""

Worker = subprocess.Popen[str]
Start = Callable[[], tuple[Worker, set[int]]]
"""Starts a worker; returns it, and the cores that it is bound to."""


@pytest.fixture
def start() -> Iterator[Start]:
    """Start workers that know each other and no others on this machine."""
    name = f"test-{uuid.uuid4().hex}"
    command = [sys.executable, "-c", WORKER, name]
    with ExitStack() as stack:

        def started() -> tuple[Worker, set[int]]:
            worker = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment(),
                text=True,
            )
            stack.enter_context(worker)
            assert worker.stdout
            return worker, {int(core) for core in worker.stdout.readline().split()}

        yield started


def test_each_worker_has_a_core_of_its_own(start: Start) -> None:
    workers = [start() for _ in ALL]
    assert [len(cores) for _, cores in workers] == [1] * len(ALL)
    assert set.union(*(cores for _, cores in workers)) == ALL


def test_worker_without_a_free_core_is_bound_to_none(start: Start) -> None:
    workers = [start() for _ in ALL]
    assert start()[1] == ALL
    ended, its = workers[0]
    ended.kill()
    ended.wait()
    assert start()[1] == its


def test_there_are_enough_cores_for_as_many_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {3, 5})
    assert [enough_cores(workers) for workers in (1, 2, 3)] == [True, True, False]
