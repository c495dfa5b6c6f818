"""A league in containers, killed again and again: nothing of it stays, nothing stored is lost."""

import os
import random
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from docker.errors import NotFound

from arena.bots.sandboxes.docker import engine
from tests.cli.command import HANG, LOWEST, bot, league, records, run
from tests.e2e.live import Live
from tests.support import sampling
from tests.support.depth import depth

KILLS = depth(1, 10)
BOTS = "abc"
ARGUMENTS = ["run", "league.yaml", "--sandbox", "docker", "--trust-bots", "--workers", "2"]


def containers(folder: Path) -> list[str]:
    """Return the containers of the runs that keep their temporary files in this folder."""
    with engine.api_client() as api:
        found = api.containers(all=True, filters={"label": engine.LABEL})
    return [c["Id"] for c in found if c["Labels"][engine.LABEL].startswith(str(folder))]


def wait_until_nothing_is_left(live: Live) -> None:
    live.wait_until_all_are_gone()
    while found := containers(live.temporary):
        for one in found:
            with engine.api_client() as api, suppress(NotFound):
                api.wait(one, timeout=int(HANG), condition="removed")


def kill_at_random(folder: Path, mark: str, rng: random.Random) -> bool:
    """Start the league and kill the arena; returns whether it came to its end before that."""
    with Live(*ARGUMENTS, cwd=folder, mark=mark) as live:
        if rng.random() < 0.7:
            live.read_until("starting", "report:")
        try:
            live.process.wait(rng.uniform(0.0, depth(1.0, 3.0)))
        except subprocess.TimeoutExpired:
            live.process.send_signal(signal.SIGKILL)
        ended = live.process.wait(HANG) == 0
        wait_until_nothing_is_left(live)
        return ended


@pytest.mark.slow
@pytest.mark.parametrize("seed", sampling.sample([1, 2], 1, "leagues in docker"))
def test_killed_at_random_moments(tmp_path: Path, seed: int) -> None:
    """The arena alone is killed: its workers, containers and guards must see it."""
    mark = f"mark-{tmp_path.name}"
    for name in BOTS:
        bot(tmp_path / name, LOWEST, command=f"python3 bot.py {mark}")
    # Frozen bots cannot see that their arena is gone.
    limits = {"freeze": seed == 2 and os.geteuid() == 0}
    league(
        tmp_path,
        bots=list(BOTS),
        games=depth(4, 40),
        blocks=depth(1, 4),
        seed="killed",
        limits=limits,
    )
    rng = sampling.random(f"kills in docker {seed}")
    for _ in range(KILLS):
        kill_at_random(tmp_path, mark, rng)
        if (tmp_path / "league.sqlite").exists():
            stored = records(tmp_path / "league.sqlite")
            assert len(set(stored)) == len(stored)
    ended = run(*ARGUMENTS, cwd=tmp_path)
    assert ended.code == 0, ended.err
    whole = [
        "run",
        "league.yaml",
        "--sandbox",
        "process",
        "--trust-bots",
        "--store",
        "whole.sqlite",
    ]
    assert run(*whole, cwd=tmp_path).code == 0
    assert records(tmp_path / "league.sqlite") == records(tmp_path / "whole.sqlite")
    assert list((tmp_path / "temporary").glob("perudo-arena-*/*/*")) == []
