"""Small leagues of real bots, played in the `process` sandbox."""

import json
import stat
from collections.abc import Callable
from pathlib import Path

from arena.league.conditions import begin
from arena.league.config import League, load_league
from arena.league.progress import LeagueProgress
from arena.league.runner import run
from arena.league.workers import Processes
from arena.records import FixtureResult
from arena.sandboxes.process import ProcessSandbox
from arena.store.rows import Packed
from arena.store.store import Store
from tests.support.live import in_place

SAMPLES = ("sample:honest", "sample:memory", "sample:random")
PATIENT = {"start": 60, "answer": 60, "game": 600}
"""Limits that no busy machine makes a bot miss."""
Progress = Callable[[FixtureResult | None], None]


def write_league(folder: Path, **changes: object) -> Path:
    """Write a league.yaml (JSON is YAML): three sample bots at tables of two and three."""
    entry = {
        "bots": SAMPLES,
        "players": [2, 3],
        "games": 2,
        "seed": "tests",
        "limits": PATIENT,
        "sandbox": "process",
    }
    path = folder / "league.yaml"
    path.write_text(json.dumps({**entry, **changes}), encoding="utf-8")
    return path


def league(folder: Path, **changes: object) -> League:
    return load_league(write_league(folder, **changes))


def write_bot(folder: Path, name: str, *script: str) -> str:
    """Write a bot that is a shell script; returns its folder for a league.yaml."""
    home = folder / name
    home.mkdir(parents=True)
    (home / "bot.sh").write_text("\n".join(script), encoding="utf-8")
    (home / "bot.sh").chmod(stat.S_IRWXU)
    (home / "bot.yaml").write_text(f"name: {name}\ncommand: sh bot.sh\n", encoding="utf-8")
    return str(home)


def quiet(result: FixtureResult | None) -> None:
    """Take no notice of progress."""


def play(
    plan: League, path: Path, workers: int = 2, progress: Progress = quiet, *, accept: bool = False
) -> bool:
    """Play what a store lacks; returns whether the league is finished."""
    with Store(path, create=True) as store:
        info = begin(plan, "process", store, accept=accept)
        course = LeagueProgress(info)
        for one in store.played():
            course.add(one)
        bots = {bot.name: in_place(bot) for bot in plan.bots}

        def keep(packed: Packed, result: FixtureResult) -> None:
            store.add(packed)
            course.add(result)

        engine = Processes(ProcessSandbox(), workers)
        return run(info, course.due, bots, engine, keep, store.quarantine, progress)


def records(path: Path) -> list[tuple[str, bytes]]:
    with Store(path) as store:
        return list(store.records())
