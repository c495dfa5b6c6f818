"""Bots that serve at more than one table."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.match.table import play_fixture
from arena.perudo.rules import VARIANTS
from arena.records import Fixture, PlayedFixture
from arena.sandboxes.base import Program, Running, Sandbox
from arena.sandboxes.process import ProcessSandbox
from arena.sessions.warm_pool import WarmPool
from arena.submissions.manifest import Bot
from arena.submissions.staging import stage
from tests.match.tables import PATIENT
from tests.support.live import write_bot

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

    # The base says more of what it returns than anyone here asks for.
    def start(self, program: Program, *, writable: bool = False) -> Running:  # type: ignore[override]
        self.started.append(super().start(program, writable=writable))
        return self.started[-1]


@pytest.fixture
def roster() -> Iterator[WarmPool]:
    found = WarmPool()
    yield found
    found.end()


@pytest.fixture
def box() -> CountingSandbox:
    return CountingSandbox()


def counter(folder: Path, sandbox: Sandbox, name: str, *, reusable: bool) -> Bot:
    program = COUNTER.replace("REUSABLE", str(reusable))
    return stage(write_bot(folder / name, program), folder, sandbox)


def play(
    number: int, bots: list[Bot], sandbox: Sandbox, roster: WarmPool, *, keep_memory: bool = False
) -> PlayedFixture:
    seats = tuple(bot.name for bot in bots)
    fixture = Fixture(f"f{number}", number, "bga", seats, f"seed {number}", 2)
    table = (fixture, RULES, bots, sandbox, PATIENT)
    return play_fixture(*table, roster=roster, keep_memory=keep_memory)


def test_only_bots_that_say_so_serve_on(runs: Path, box: CountingSandbox, roster: WarmPool) -> None:
    bots = [counter(runs, box, "may", reusable=True), counter(runs, box, "once", reusable=False)]
    said = [play(number, bots, box, roster).stderr for number in range(3)]
    assert len(box.started) == 1 + 3
    assert said == [(f"hello {n}\n", "hello 1\nbye\n") for n in (1, 2, 3)]


def test_with_memory_across_fixtures_all_serve_on(
    runs: Path, box: CountingSandbox, roster: WarmPool
) -> None:
    bots = [counter(runs, box, "may", reusable=True), counter(runs, box, "once", reusable=False)]
    for number in range(3):
        play(number, bots, box, roster, keep_memory=True)
    assert len(box.started) == 2


def test_the_games_are_the_same_as_without(
    runs: Path, box: CountingSandbox, roster: WarmPool
) -> None:
    bots = [counter(runs, box, name, reusable=True) for name in "ab"]
    served = [play(number, bots, box, roster).games for number in range(3)]
    fresh = [play(number, bots, box, WarmPool(0)).games for number in range(3)]
    assert served == fresh


def test_one_that_died_while_it_waited_is_not_served(
    runs: Path, box: CountingSandbox, roster: WarmPool
) -> None:
    bots = [counter(runs, box, name, reusable=True) for name in "ab"]
    play(0, bots, box, roster)
    box.started[0].kill()
    box.started[0].exit_code()
    played = play(1, bots, box, roster)
    assert len(box.started) == 3
    assert [len(game.places) for game in played.games] == [2, 2]


def test_the_one_that_waited_longest_makes_room(runs: Path, box: CountingSandbox) -> None:
    roster = WarmPool(most=1)
    bots = [counter(runs, box, name, reusable=True) for name in "ab"]
    play(0, bots, box, roster)
    assert box.started[0].exit_code() == -9
    roster.end()
    assert box.started[1].exit_code() == -9


def test_bots_are_started_ahead_once(runs: Path, box: CountingSandbox, roster: WarmPool) -> None:
    bots = [counter(runs, box, name, reusable=False) for name in "ab"]
    roster.prepare(bots, box)
    roster.prepare(bots, box)
    assert len(box.started) == 2
    play(0, bots, box, roster)
    assert len(box.started) == 2
