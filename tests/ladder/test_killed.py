"""kill -9 of the ladder, its workers and its checks: what was acknowledged is there, once."""

import random
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from arena.ladder.folder import Folder
from arena.league.store.store import Store
from tests.cli.command import bot, records, run
from tests.e2e import kills
from tests.e2e.live import processes
from tests.ladder import club as clubs
from tests.ladder.club import Running, running
from tests.support import sampling
from tests.support.depth import depth

pytestmark = pytest.mark.slow

KILLS = depth(1, 20)
PROCESSES = depth(3, 120)
"""Bots and workers that are killed while the ladder runs."""


def _group(ladder: Running) -> list[int]:
    return [pid for pid, p in processes().items() if p.group == ladder.process.pid]


def _kill_some(ladder: Running, rng: random.Random) -> None:
    """Kill the ladder, everything that is its, or one of its processes and then the ladder."""
    group = _group(ladder)
    if rng.random() < 0.5:
        kills.kill([rng.choice(group)])
        ladder.wait(rng.uniform(0.0, 1.0))
    kills.kill(_group(ladder) if rng.random() < 0.5 else [ladder.process.pid])
    ladder.process.wait()


def _submit_something(club: Path, number: int) -> str:
    """Submit a bot whose program is missing; returns the name of the version."""
    folder = bot(club.parent / f"no-{number}", f"# {number}", name="no", command="./missing")
    ran = run("submit", folder, "--to", club, "--author", "ann", "--no-wait", cwd=club.parent)
    assert ran.code == 0, ran.err
    assert ran.out.startswith(f"received no@{number} ")
    return f"no@{number}"


def _has_more(store: Path, fixtures: int) -> bool:
    return clubs.played(store) > fixtures


def test_acknowledged_submissions_and_stored_games_survive(copy: Path) -> None:
    rng, acknowledged = sampling.random("kills of a ladder"), set[str]()
    clubs.change(copy, blocks=5000, quotas={"uploads": 1000, "refused": 1000})
    assert run("ladder", "season", "close", copy, cwd=copy.parent).code == 0
    store = copy / "seasons/2/league.sqlite"
    for number in range(1, KILLS + 1):
        with running(copy) as ladder:
            if rng.random() < 0.5:
                ladder.until(lambda: "season 2 begins" in clubs.log(copy))
            acknowledged.add(_submit_something(copy, number))
            ladder.wait(rng.uniform(0.0, 4.0))
            _kill_some(ladder, rng)
    with running(copy) as ladder:
        # Before it has begun, a signal ends it at once.
        ladder.until(
            lambda: "no ladder runs" not in run("ladder", "status", copy, cwd=copy.parent).out
        )
        ladder.until(lambda: acknowledged <= clubs.states(copy).keys())
        ladder.until(lambda: not {"queued", "checking"} & set(clubs.states(copy).values()))
        ladder.until(lambda: clubs.played(store) > 0)
        assert ladder.stop() == 0
    assert run("verify", "seasons/2/league.yaml", cwd=copy).code == 0
    found = clubs.states(copy)
    assert {found[name] for name in acknowledged} == {"refused"}
    assert len(found) == 4 + KILLS
    played = records(store)
    assert len(set(played)) == len(played)
    for path in (Folder(copy).door, Folder(copy).ladder):
        with closing(sqlite3.connect(path)) as file:
            assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def _bots(ladder: Running) -> list[int]:
    """Return the bots of a ladder's workers, and what sets up their sandboxes."""
    parents = {*ladder.children()}
    family = processes().items()
    return [pid for pid, p in family if p.parent in parents and "bot.py" in p.command]


def test_bots_and_workers_that_are_killed_cost_games_and_nothing_else(copy: Path) -> None:
    """A bot that is killed has crashed; a fixture whose worker is killed is played again."""
    rng = sampling.random("kills of bots")
    clubs.admitted(copy, "three", clubs.REUSABLE, author="bob")
    clubs.change(copy, blocks=5000)
    assert run("ladder", "season", "close", copy, cwd=copy.parent).code == 0
    names, store = ("one", "two", "three"), clubs.store_of(copy, 2)
    with running(copy) as ladder:
        for name in names:
            ladder.until(partial(clubs.is_in_state, copy, f"{name}@1", "rated"))
        ladder.until(partial(_has_more, store, 0))
        for _ in range(PROCESSES):
            bots = _bots(ladder)
            kills.kill(rng.sample(bots, 1) if bots and rng.random() < 0.7 else ladder.children())
            ladder.until(partial(_has_more, store, clubs.played(store)))
        assert ladder.stop() == 0
    assert run("verify", "seasons/2/league.yaml", cwd=copy).code == 0
    assert {clubs.states(copy)[f"{name}@1"] for name in names} == {"rated"}
    with Store(store) as stored:
        played = [one.fixture.id for one in stored.results()]
    assert len(set(played)) == len(played)
