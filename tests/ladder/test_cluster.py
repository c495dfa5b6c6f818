"""A ladder whose games are played by the workers of a cluster, with bots that arrive meanwhile."""

from functools import partial
from pathlib import Path

import pytest

from arena.ladder.check import scheduler
from tests.cli.command import run
from tests.ladder import club as clubs
from tests.ladder.club import inside


@pytest.mark.slow
def test_workers_of_a_cluster_play_bots_that_arrive_while_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = clubs.make(tmp_path, cluster="local:1", workers=None)
    for name in ("one", "two"):
        clubs.admitted(club, name, clubs.REUSABLE)
    said: list[str] = []
    monkeypatch.setattr(scheduler, "Job", clubs.Admits)
    with inside(club, said.append) as ladder:
        for name in ("one", "two"):
            ladder.until(partial(clubs.is_in_state, club, f"{name}@1", "rated"))
        assert clubs.submitted(club, "three", clubs.REUSABLE).code == 0
        ladder.until(partial(clubs.is_in_state, club, "three@1", "rated"))
    assert said.count("workers: 1 at local:1; their sandboxes: process (1)") > 1, said
    assert "all replay byte for byte" in run("verify", "seasons/1/league.yaml", cwd=club).out
