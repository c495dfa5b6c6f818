"""Small leagues of real bots, played in the `process` sandbox."""

import json
import stat
from collections.abc import Callable
from pathlib import Path

from arena.bots.sandboxes.process import ProcessSandbox
from arena.game.records import Conditions, FixtureResult
from arena.league.play.dispatcher import OnResult, RunListener
from arena.league.play.league_run import RunOutcome, RunRequest, open_run
from arena.league.play.process_pool import ProcessEngine
from arena.league.play.stored_league import StoredLeague
from arena.league.schedule.schedule import Schedule
from arena.league.store.rows import pack
from arena.league.store.store import Store
from arena.league.terms.conditions import commit, resolve
from arena.league.terms.config import League, load_league
from tests.support.live import in_place
from tests.support.records import played

SAMPLES = ("sample:honest", "sample:memory", "sample:random")
PATIENT = {"start": 60, "answer": 60, "game": 600}
"""Limits that no busy machine makes a bot miss."""


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


def begin(
    plan: League,
    sandbox: str,
    store: Store,
    *,
    accept: bool = False,
    trusted: bool = False,
    notify: Callable[[str], None] = lambda _: None,
) -> Conditions:
    """Return the conditions in force, stored."""
    resolution = resolve(plan, sandbox, store, accept=accept, trusted=trusted)
    commit(resolution, store, notify)
    return resolution.schedule.conditions


def store_all(store: Store) -> None:
    """Store the fixtures of a league as if they had been played."""
    for fixture in Schedule(*store.history()).fixtures:
        store.add(pack(played(fixture)))


def quiet(result: FixtureResult | None) -> None:
    """Take no notice of progress."""


def play(
    plan: League,
    path: Path,
    workers: int = 2,
    progress: OnResult = quiet,
    *,
    accept: bool = False,
) -> bool:
    """Play what a store lacks, with bots in their own folders; returns whether it is finished."""
    with Store(path, create=True) as store:
        begin(plan, "process", store, accept=accept)
        bots = {bot.name: in_place(bot) for bot in plan.bots}
        engine = ProcessEngine(ProcessSandbox(), workers)
        return StoredLeague(store).play(bots, engine, RunListener(), progress)


def play_league(request: RunRequest, listener: RunListener | None = None) -> RunOutcome:
    """Play what a store lacks of a league."""
    with open_run(request, listener or RunListener()) as run:
        return run.play()


def records(path: Path) -> list[tuple[str, bytes]]:
    with Store(path) as store:
        return [(one.id, store.decoded(one.record)) for one in store.stored()]
