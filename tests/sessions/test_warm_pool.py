"""Bots that play at more than one table."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.match.table import play_fixture
from arena.perudo.rules import VARIANTS
from arena.records import Fixture, PlayedFixture
from arena.sandboxes.base import Program, Running, Sandbox
from arena.sandboxes.process import ProcessSandbox
from arena.sessions.multiplexer import Multiplexer
from arena.sessions.warm_pool import WarmPool
from arena.submissions.bot import StagedBot
from arena.submissions.staging import stage
from tests.support.live import write_bot
from tests.support.live_tables import PATIENT

RULES = VARIANTS["bga"]
COUNTER = """
import json, sys
greeted = 0
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "hello":
        greeted += 1
        print(f"hello {greeted}", file=sys.stderr, flush=True)
        print(json.dumps({"type": "ready", "reusable": REUSABLE}), flush=True)
    elif asked["type"] == "turn":
        answer = {"id": asked["id"], "action": "dudo"}
        if asked["raises"]:
            first = asked["raises"][0]
            answer |= {"action": "bid", "quantity": first["min"], "face": first["face"]}
        print(json.dumps(answer), flush=True)
    elif asked["type"] == "bye":
        print("bye", file=sys.stderr, flush=True)
"""


class CountingSandbox(ProcessSandbox):
    """Counts what it starts."""

    def __init__(self) -> None:
        super().__init__()
        self.started: list[Running] = []

    # The base class returns a more specific type than the tests need.
    def start(self, program: Program, *, space: int = 0) -> Running:  # type: ignore[override]
        self.started.append(super().start(program, space=space))
        return self.started[-1]


@pytest.fixture
def pool() -> Iterator[WarmPool]:
    warm_pool = WarmPool()
    yield warm_pool
    warm_pool.end()


@pytest.fixture
def box() -> CountingSandbox:
    return CountingSandbox()


def counter(folder: Path, sandbox: Sandbox, name: str, *, reusable: bool) -> StagedBot:
    program = COUNTER.replace("REUSABLE", str(reusable))
    return stage(write_bot(folder / name, program), folder, sandbox)


def play(
    number: int,
    bots: list[StagedBot],
    sandbox: Sandbox,
    pool: WarmPool,
    *,
    keep_memory: bool = False,
) -> PlayedFixture:
    seats = tuple(bot.name for bot in bots)
    fixture = Fixture(f"f{number}", number, "bga", seats, f"seed {number}", 2)
    with Multiplexer([bot.program for bot in bots], sandbox, PATIENT, pool=pool) as multiplexer:
        return play_fixture(fixture, RULES, multiplexer, keep_memory=keep_memory)


def test_only_reusable_bots_play_the_next_fixture(
    runs: Path, box: CountingSandbox, pool: WarmPool
) -> None:
    bots = [counter(runs, box, "may", reusable=True), counter(runs, box, "once", reusable=False)]
    said = [play(number, bots, box, pool).stderr for number in range(3)]
    assert len(box.started) == 1 + 3
    assert said == [(f"hello {n}\n", "hello 1\nbye\n") for n in (1, 2, 3)]


def test_all_bots_play_on_with_memory_across_fixtures(
    runs: Path, box: CountingSandbox, pool: WarmPool
) -> None:
    bots = [counter(runs, box, "may", reusable=True), counter(runs, box, "once", reusable=False)]
    for number in range(3):
        play(number, bots, box, pool, keep_memory=True)
    assert len(box.started) == 2


def test_games_are_the_same_with_and_without_a_pool(
    runs: Path, box: CountingSandbox, pool: WarmPool
) -> None:
    bots = [counter(runs, box, name, reusable=True) for name in "ab"]
    pooled = [play(number, bots, box, pool).games for number in range(3)]
    fresh = [play(number, bots, box, WarmPool(0)).games for number in range(3)]
    assert pooled == fresh


def test_bot_that_ended_in_the_pool_is_replaced(
    runs: Path, box: CountingSandbox, pool: WarmPool
) -> None:
    bots = [counter(runs, box, name, reusable=True) for name in "ab"]
    play(0, bots, box, pool)
    box.started[0].kill()
    box.started[0].exit_code()
    played = play(1, bots, box, pool)
    assert len(box.started) == 3
    assert [len(game.places) for game in played.games] == [2, 2]


def test_full_pool_ends_the_longest_waiting_bot(runs: Path, box: CountingSandbox) -> None:
    pool = WarmPool(max_waiting=1)
    bots = [counter(runs, box, name, reusable=True) for name in "ab"]
    play(0, bots, box, pool)
    assert box.started[0].exit_code() == -9
    pool.end()
    assert box.started[1].exit_code() == -9


def test_prepare_starts_each_bot_once(runs: Path, box: CountingSandbox, pool: WarmPool) -> None:
    bots = [counter(runs, box, name, reusable=False) for name in "ab"]
    programs = [bot.program for bot in bots]
    pool.prepare(programs, box)
    pool.prepare(programs, box)
    assert len(box.started) == 2
    play(0, bots, box, pool)
    assert len(box.started) == 2
