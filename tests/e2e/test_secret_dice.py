"""The dice that the tables of a block share are known to no process at more than one of them."""

import itertools
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from arena.author.compare.compare import CompareRequest, compare
from arena.game.records import Fixture, FixtureResult, LimitsInfo
from arena.game.seeds import bot_seed
from arena.league.store.store import Store
from tests.cli.command import bot, league, run
from tests.league import leagues
from tests.support.depth import depth
from tests.support.remembering import KNOWN, REMEMBERING

SANDBOXES = ("process", "bubblewrap", "docker")
STOPS = depth(2, 100)
"""How often a run is stopped."""
PATIENT = {"start": 120, "answer": 120, "game": 600}
TRACING = """
    import json, sys, time
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["type"] == "hello":
            seed = asked["seed"]
            print(json.dumps({"type": "ready", "reusable": True}), flush=True)
        if asked["type"] == "turn":
            with open(TRACE, "a") as trace:
                trace.write(f"{seed} {time.monotonic_ns()}\\n")
            answer = {"id": asked["id"], "action": "dudo"}
            if asked["raises"]:
                first = asked["raises"][0]
                answer |= {"action": "bid", "quantity": first["min"], "face": first["face"]}
            print(json.dumps(answer), flush=True)
"""
"""A bot that writes down at which table it was asked when."""
CASES = [
    *itertools.product(SANDBOXES, (1, 2), (2, 4), (False,)),
    *itertools.product(SANDBOXES, (1, 2), (2,), (True,)),
]
"""The sandbox, the workers, the players, and whether bots keep their memory across fixtures."""
EACH_ONCE = [
    ("process", 2, 4, False),
    ("bubblewrap", 2, 2, False),
    ("docker", 1, 2, True),
]
"""Each value of each at least once."""


def field(folder: Path, count: int = 4) -> None:
    for number in range(count):
        bot(folder / "bots" / f"rememberer-{number}", REMEMBERING, runtime="python")


def said(store: Path) -> list[str]:
    """Return what each seat of each fixture wrote to standard error."""
    with Store(store) as opened:
        return [text for played in opened.played() for text in played.stderr]


def test_the_bot_of_these_tests_knows_dice_that_it_saw() -> None:
    table: list[dict[str, object]] = [{"type": "hello"}]
    for game in (0, 1):
        turn = {"type": "turn", "id": 1, "seat": 0, "dice": [2, 3], "raises": []}
        table += [
            {**turn, "game": game, "round": 0},
            {"type": "round_end", "game": game, "round": 0, "dice": [[2, 3], [5, 6]]},
        ]
    for tables, knows in ((1, False), (2, True)):
        spoken = "".join(json.dumps(message) + "\n" for message in table * tables)
        program = [sys.executable, "-c", textwrap.dedent(REMEMBERING)]
        ran = subprocess.run(program, input=spoken.encode(), capture_output=True, check=True)
        assert (KNOWN in ran.stderr.decode()) == knows


@pytest.mark.slow
@pytest.mark.parametrize(("sandbox", "workers", "players", "memory"), depth(EACH_ONCE, CASES))
def test_no_process_is_dealt_dice_that_it_knows(
    tmp_path: Path, sandbox: str, workers: int, players: int, *, memory: bool
) -> None:
    field(tmp_path)
    keys = {"players": players, "games": 2, "workers": workers, "limits": PATIENT}
    keys |= {"memory_across_fixtures": memory, "shared_dice": not memory}
    league(tmp_path, bots=["bots/*"], **keys)
    ran = run("run", "league.yaml", "--sandbox", sandbox, "--trust-bots", cwd=tmp_path)
    assert ran.code == 0, ran.err
    texts = said(tmp_path / "league.sqlite")
    assert len(texts) == 12 * players
    assert [text for text in texts if KNOWN in text] == []


@pytest.mark.slow
def test_no_two_tables_of_a_round_with_a_bot_in_common_overlap(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    program = TRACING.replace("TRACE", repr(str(trace)))
    for number in range(4):
        bot(tmp_path / "bots" / f"tracer-{number}", program, runtime="python")
    keys = {"games": 2, "workers": 2, "limits": PATIENT, "shared_dice": True}
    league(tmp_path, bots=["bots/*"], players=[2, 4], **keys)
    ran = run("run", "league.yaml", "--sandbox", "process", "--trust-bots", cwd=tmp_path)
    assert ran.code == 0, ran.err
    asked: dict[int, list[int]] = {}
    for line in trace.read_text().splitlines():
        seed, at = map(int, line.split())
        asked.setdefault(seed, []).append(at)
    with Store(tmp_path / "league.sqlite") as opened:
        fixtures = [played.fixture for played in opened.played()]

    def under_way(fixture: Fixture) -> tuple[int, int]:
        seeds = (bot_seed(fixture.seed, seat) for seat in range(len(fixture.seats)))
        times = [at for seed in seeds for at in asked[seed]]
        return min(times), max(times)

    overlapping = [
        (one, other)
        for one, other in itertools.combinations(fixtures, 2)
        if max(under_way(one)[0], under_way(other)[0]) < min(under_way(one)[1], under_way(other)[1])
    ]
    assert len(fixtures) == 24
    assert overlapping, "two workers play at the same time"
    for one, other in overlapping:
        assert one.dice_key != other.dice_key or set(one.seats).isdisjoint(other.seats)


def _interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def _kill_a_worker() -> None:
    os.kill(multiprocessing.active_children()[0].pid or 0, signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize("stop", [_interrupt, _kill_a_worker])
def test_no_process_knows_its_dice_after_a_run_was_stopped(
    tmp_path: Path, stop: Callable[[], None]
) -> None:
    field(tmp_path)
    plan = leagues.league(tmp_path, bots=["bots/*"], players=[2, 4], games=2, shared_dice=True)
    kept: list[str] = []
    stops: list[Callable[[], None]] = []

    def progress(result: FixtureResult | None) -> None:
        if result:
            kept.append(result.fixture.id)
            if stops:
                stops.pop()()

    finished, spare = False, STOPS
    while not finished:
        if spare:
            stops.append(stop)
            spare -= 1
        finished = leagues.play(plan, tmp_path / "store", 2, progress)
        assert not stops, "each of these runs is stopped at its first result"
    assert len(kept) == 24
    assert [text for text in said(tmp_path / "store") if KNOWN in text] == []


def test_field_of_a_comparison_knows_no_dice(tmp_path: Path) -> None:
    """A bot of the field that knows its dice gives up, and the new version wins."""
    quits = REMEMBERING.replace(f"print({KNOWN!r}, file=sys.stderr, flush=True)", "sys.exit()")
    assert quits != REMEMBERING
    bot(tmp_path / "quits", quits, runtime="python")
    request = CompareRequest(
        "sample:honest",
        "sample:honest",
        (str(tmp_path / "quits"),),
        blocks=8,
        games=4,
        workers=1,
        seed="s",
        sandbox="process",
        limits=msgspec.convert(PATIENT, LimitsInfo),
        trust_bots=True,
    )
    found = compare(request)
    assert found
    assert found.games == 32
    assert found.rivals_beaten.old == found.rivals_beaten.new
