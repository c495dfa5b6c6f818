"""kill -9 at random moments, with nothing sampled a hundred times, each followed by `arena run`.

Nothing stored is lost or stored twice, and in the end store and site are those of an undisturbed
run, byte for byte, except what says when and how fast the games were played: the page of conditions
and the dates of the feed.

One thing cannot be undone: a bot that is killed alone has crashed in its game, as far as the arena
can tell. If such a game were played again, a bot could end itself whenever it loses. So bots are
killed in a league of their own: each game that differs must hold the crash of a killed bot.
"""

import json
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from arena.cli.exit_codes import FINDINGS
from arena.game.records import Cause, Faulted, Fixture, GameRecord, PlayedFixture
from arena.io.errors import ArenaError
from arena.league.store.store import Store
from tests.cli.command import league, records, run
from tests.e2e import kills
from tests.e2e.live import Live
from tests.publish.pages import broken_links, timeless
from tests.support import sampling
from tests.support.depth import depth

pytestmark = pytest.mark.slow

LEAGUES = depth(1, 2)
KILLS = depth(2, 30)
"""In each league; twenty of bots and twenty of reports make it a hundred."""
KILLS_OF_BOTS = depth(1, 20)
PLAY = ("run", "league.yaml", *kills.PLAY)


class Played(NamedTuple):
    """A league that was played without a disturbance."""

    folder: Path
    mark: str
    root: str


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Played:
    folder = tmp_path_factory.mktemp("killed")
    mark = kills.write_bots(folder)
    hour = 3600.0
    limits = {"answer": hour, "game": hour, "restarts": 1000}
    league(folder, bots=["ann", "bob", "cheat"], games=2, blocks=depth(4, 16), limits=limits)
    ran = run(*PLAY, *_ends("whole"), "--json", cwd=folder)
    assert ran.code == FINDINGS, ran.err
    return Played(folder, mark, json.loads(ran.out)["root"])


def _ends(name: str) -> tuple[str, ...]:
    return "--store", f"{name}.sqlite", "--site", name


def _live(whole: Played, name: str) -> Live:
    return Live(*PLAY, *_ends(name), cwd=whole.folder, mark=whole.mark)


# ---------------------------------------------------------------- moments

Moment = Callable[[Live, random.Random, Path], None]
"""Waits for a moment of a run, which may come to its end first; takes the store."""


def _at_start(live: Live, rng: random.Random, _: Path) -> None:
    kills.wait(live, rng.uniform(0.0, 1.0))


def _in_play(live: Live, rng: random.Random, _: Path) -> None:
    live.read_until("starting", "report:")
    kills.wait(live, rng.uniform(0.0, 1.0))


def _while_storing(live: Live, rng: random.Random, store: Path) -> None:
    """Come when something is being written: SQLite's log beside the store has just changed."""
    live.read_until("starting", "report:")
    for _ in range(rng.randint(1, 4)):
        _wait_for_a_write(live, store)


def _wait_for_a_write(live: Live, store: Path) -> None:
    log = store.with_name(f"{store.name}-wal")
    before = _written(log)
    while live.process.poll() is None and _written(log) == before:
        kills.wait(live, 0.001)


def _written(path: Path) -> tuple[int, int]:
    try:
        return path.stat().st_size, path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0, 0


MOMENTS: tuple[Moment, ...] = (_at_start, _in_play, _while_storing)

# ---------------------------------------------------------------- kills


def _kill_at_random(live: Live, rng: random.Random, store: Path) -> int:
    """Kill the arena alone, with all that is its, or after a worker; returns how many kills."""
    target = rng.choice(("parent", "all", "worker"))
    workers = live.workers()
    if target == "worker" and workers:
        kills.kill([rng.choice(workers)])
        # The run survives that: sooner or later it stores what the worker had in its hands.
        _wait_for_a_write(live, store)
    kills.kill(kills.family(live) if target == "all" else [live.process.pid])
    return 2 if target == "worker" and workers else 1


# ---------------------------------------------------------------- what must be true


def _stored(path: Path) -> set[bytes]:
    """Return what is stored; a run may have been killed before there was a store."""
    with suppress(ArenaError), Store(path) as store:
        found = [store.decoded(one.record) for one in store.stored()]
        assert len(set(found)) == len(found)
        return set(found)
    return set()


def _facts(store: Path) -> Iterator[PlayedFixture]:
    with Store(store) as kept:
        for played in kept.played():
            yield replace(played, seconds=0.0, stored_at=None)


def _check_the_end(whole: Played, name: str) -> None:
    """Play to the end and compare with the undisturbed run."""
    ran = run(
        *PLAY,
        *_ends(name),
        "--json",
        cwd=whole.folder,
        env={"TMPDIR": str(whole.folder / "temporary")},
    )
    assert ran.code == FINDINGS, ran.err
    store, expected = (whole.folder / f"{one}.sqlite" for one in (name, "whole"))
    assert records(store) == records(expected)
    assert list(_facts(store)) == list(_facts(expected))
    assert json.loads(ran.out)["root"] == whole.root
    verify = ("verify", "league.yaml", "--store", store, "--root", whole.root)
    assert run(*verify, cwd=whole.folder).code == 0
    assert timeless(whole.folder / name) == timeless(whole.folder / "whole")
    kills.check_nothing_is_left(whole.folder, whole.mark)


@pytest.mark.parametrize("number", range(LEAGUES))
def test_store_and_site_are_those_of_an_undisturbed_run(whole: Played, number: int) -> None:
    rng, name = sampling.random(f"kills {number}"), f"killed {number}"
    store = whole.folder / f"{name}.sqlite"
    killed, seen, expected = 0, set[int](), _stored(whole.folder / "whole.sqlite")
    stored: set[bytes] = set()
    while killed < KILLS:
        with _live(whole, name) as live:
            rng.choice(MOMENTS)(live, rng, store)
            if live.process.poll() is None:
                killed += _kill_at_random(live, rng, store)
            seen |= kills.wait_until_all_are_gone(live)
        if rng.random() < 0.3:  # opening a store repairs it: mostly the arena must do that
            before, stored = stored, _stored(store)
            assert before <= stored <= expected
    _check_the_end(whole, name)
    assert kills.groups_left(seen) == []


# ---------------------------------------------------------------- bots that are killed


def _kill_bots(live: Live, rng: random.Random, store: Path, most: int) -> int:
    """Kill one bot after another in a run, and then the arena; returns how many bots."""
    live.read_until("starting", "report:")
    killed = 0
    while killed < most and live.process.poll() is None:
        kills.wait(live, rng.uniform(0.0, 0.3))
        if bots := live.bots():
            kills.kill([rng.choice(bots)])
            killed += 1
    # What they crashed in is stored before the arena is killed, too.
    _wait_for_a_write(live, store)
    live.process.kill()
    return killed


def _games(store: Path) -> dict[tuple[Fixture, int], GameRecord]:
    return {(played.fixture, game.game): game for played in _facts(store) for game in played.games}


def _was_killed(game: GameRecord) -> bool:
    faults = [event for event in game.events if isinstance(event, Faulted)]
    what = Cause.CRASH, "the program was killed by SIGKILL"
    return any((fault.cause, fault.detail) == what for fault in faults)


def _kill_bots_until_the_end(whole: Played, name: str, rng: random.Random) -> int:
    """Play a league to its end, and kill bots in it until there were enough; returns how many."""
    killed, ended = 0, False
    while not ended and killed < KILLS_OF_BOTS:
        with _live(whole, name) as live:
            store = whole.folder / f"{name}.sqlite"
            killed += _kill_bots(live, rng, store, min(5, KILLS_OF_BOTS - killed))
            kills.wait_until_all_are_gone(live)
            ended = live.process.returncode == FINDINGS
    env = {"TMPDIR": str(whole.folder / "temporary")}
    assert run(*PLAY, *_ends(name), cwd=whole.folder, env=env).code == FINDINGS
    return killed


def _check_the_killed(whole: Played, name: str, killed: int) -> int:
    """Check that what is different is what bots were killed in; returns how many games."""
    store = whole.folder / f"{name}.sqlite"
    found, expected = _games(store), _games(whole.folder / "whole.sqlite")
    assert found.keys() == expected.keys()
    different = [found[key] for key in found if found[key] != expected[key]]
    assert len(different) <= killed
    assert all(_was_killed(game) for game in different)
    assert run("verify", "league.yaml", "--store", store, cwd=whole.folder).code == 0
    assert broken_links(whole.folder / name) == []
    return len(different)


def test_a_bot_that_is_killed_has_crashed_and_nothing_else_is_different(whole: Played) -> None:
    rng, killed, different = sampling.random("kills of bots"), 0, 0
    # A league may be over before enough were killed in it.
    for name in (f"bots-{number}" for number in count()):
        here = _kill_bots_until_the_end(whole, name, rng)
        different += _check_the_killed(whole, name, here)
        killed += here
        if killed >= KILLS_OF_BOTS and different:
            break
    kills.check_nothing_is_left(whole.folder, whole.mark)
