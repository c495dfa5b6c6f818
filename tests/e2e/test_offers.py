"""Workers of a cluster that are offered other bots while the connection lasts."""

from pathlib import Path
from typing import Any

from arena.bots.bot import StagedBot
from arena.bots.manifest import load_bot
from arena.bots.sandboxes.process import ProcessSandbox
from arena.bots.workshop import open_workshop
from arena.game.records import LimitsInfo
from arena.game.rules.books import BGA
from arena.league.cluster.client import Cluster
from arena.league.cluster.connection import connected
from arena.league.play.workers import RunSpec, Task
from arena.league.store.rows import PackedFixture
from tests.cli.command import LOWEST, bot
from tests.e2e.live import let_others_in
from tests.support import records

SPEC = RunSpec(sandbox="process", images={}, trusted=True, freeze=False, pin=False)


def played(cluster: Cluster, bots: list[StagedBot]) -> int:
    """Play a fixture; returns how many of its games had a fault."""
    fixture = records.fixture((bot.name for bot in bots), 2)
    with cluster.executor(1) as executor:
        future = cluster.submit(executor, [Task(fixture, BGA, tuple(bots), LimitsInfo())])
        [packed] = cluster.collect(future)
    assert isinstance(packed, PackedFixture)
    games = packed.result().games
    assert len(games) == 2
    return sum(any(game.faults) for game in games)


def served(dask_scheduler: Any) -> list[str]:
    """Return what a scheduler has of runs."""
    known = [*dask_scheduler.plugins, *dask_scheduler.handlers]
    return [name for name in known if name.startswith("arena-")]


def test_other_bots_are_offered_to_the_same_workers(tmp_path: Path) -> None:
    let_others_in(tmp_path)
    notes = list[str]()
    with open_workshop(ProcessSandbox()) as workshop, connected("local:1") as cluster:
        sizes = []
        for names in ("ab", "abc", "cd"):
            folders = [bot(tmp_path / f"{names}-{one}", LOWEST, name=one) for one in names]
            bots = [workshop.stage(load_bot(folder)) for folder in folders]
            cluster.distribute(SPEC, bots, notes.append)
            assert played(cluster, bots) == 0
            sizes.append(len(cluster._client.run_on_scheduler(served)))
    assert sizes == [sizes[0]] * 3
    assert notes == ["workers: 1 at local:1; their sandboxes: process (1)"] * 3
