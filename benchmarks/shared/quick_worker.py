"""Fixtures that workers of a cluster copy instead of playing them: Dask loads this into a worker.

A cluster can so be measured under more of them than the cores of one machine could play. A worker
plays one fixture; those after it come back with the same games, 10 ms for each.
"""

import time
from typing import Any

from msgspec.structs import replace

from arena.game.records import Fixture, PlayedFixture
from arena.league.cluster.worker import RunSource, TaskBatch, WorkerRuns
from arena.league.play import workers
from arena.league.play.workers import BatchResult
from arena.league.table.play_fixture import play_fixture

SECONDS = 0.01
_play_fixture, _play_batch = play_fixture, WorkerRuns.play


def dask_setup(_: object) -> None:
    """Prepare a worker that has loaded this."""
    played: list[PlayedFixture] = []

    def copied(fixture: Fixture, *given: Any, **named: Any) -> PlayedFixture:
        if not played:
            played.append(_play_fixture(fixture, *given, **named))
        return replace(played[0], fixture=fixture)

    patched: Any = workers
    patched.play_fixture = copied
    patched = WorkerRuns
    patched.play = _batch


def _batch(runs: WorkerRuns, batch: TaskBatch, files: RunSource) -> BatchResult:
    found = _play_batch(runs, batch, files)
    seconds = max(found.seconds, SECONDS * len(found.fixtures))
    time.sleep(seconds - found.seconds)
    return BatchResult(found.fixtures, seconds)
