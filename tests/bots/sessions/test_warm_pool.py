"""Bots that play at more than one table."""

import select
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.bots.bot import StagedBot
from arena.bots.builds.staging import stage
from arena.bots.sandboxes.base import Program, Running, Sandbox
from arena.bots.sandboxes.process import ProcessSandbox
from arena.bots.sessions.multiplexer import Multiplexer
from arena.bots.sessions.warm_pool import TableDice, TablePool, WarmPool
from arena.game.records import Fixture, PlayedFixture
from arena.game.rules.books import VARIANTS
from arena.league.table.play_fixture import play_fixture
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
    dice: str = "",
    open_dice: frozenset[str] = frozenset(),
) -> PlayedFixture:
    seats = tuple(bot.name for bot in bots)
    fixture = Fixture(f"f{number}", number, "bga", seats, f"seed {number}", 2, dice=dice)
    table = TablePool(pool, TableDice(fixture.dice_key, open_dice))
    with Multiplexer([bot.program for bot in bots], sandbox, PATIENT, pool=table) as multiplexer:
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


def test_next_fixture_was_due_while_the_dice_of_the_last_were_in_play(
    runs: Path, box: CountingSandbox, pool: WarmPool
) -> None:
    """A worker is handed tasks ahead of time, with the dice that were open at that moment."""
    bots = [counter(runs, box, name, reusable=True) for name in "ab"]
    play(0, bots, box, pool, dice="alone")
    play(1, bots, box, pool, dice="shared", open_dice=frozenset({"alone", "shared"}))
    assert len(box.started) == 2
    play(2, bots, box, pool, dice="other", open_dice=frozenset({"shared"}))
    assert len(box.started) == 4


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


def test_full_pool_ends_the_bot_that_came_last(runs: Path, box: CountingSandbox) -> None:
    pool = WarmPool(max_waiting=1)
    bots = [counter(runs, box, name, reusable=True) for name in "abc"]
    play(0, bots[:2], box, pool)
    assert box.started[1].exit_code() == -9
    pool.prepare([bots[2].program], box, TableDice("next"))
    assert box.started[0].exit_code() == -9
    pool.end()
    assert box.started[2].exit_code() == -9


def test_prepare_starts_each_bot_once(runs: Path, box: CountingSandbox, pool: WarmPool) -> None:
    bots = [counter(runs, box, name, reusable=False) for name in "ab"]
    programs = [bot.program for bot in bots]
    pool.prepare(programs, box, TableDice("next"))
    pool.prepare(programs, box, TableDice("next"))
    assert len(box.started) == 2
    play(0, bots, box, pool)
    assert len(box.started) == 2


def counters(runs: Path, box: CountingSandbox) -> list[StagedBot]:
    return [counter(runs, box, name, reusable=True) for name in "ab"]


@pytest.mark.parametrize("keep_memory", [False, True])
def test_process_never_plays_on_dice_that_it_has_seen(
    runs: Path, box: CountingSandbox, pool: WarmPool, *, keep_memory: bool
) -> None:
    bots = counters(runs, box)
    started = []
    for number, dice in enumerate(("one", "one", "two", "two", "one", "three")):
        play(number, bots, box, pool, dice=dice, keep_memory=keep_memory)
        started.append(len(box.started))
    assert started == [2, 4, 4, 4, 6, 6]


def test_process_that_has_seen_open_dice_rests(
    runs: Path, box: CountingSandbox, pool: WarmPool
) -> None:
    bots, open_dice = counters(runs, box), frozenset({"one"})
    play(0, bots, box, pool, dice="one", open_dice=open_dice)
    play(1, bots, box, pool, dice="two", open_dice=open_dice)
    assert len(box.started) == 4
    play(2, bots, box, pool, dice="three", open_dice=open_dice)
    assert len(box.started) == 4
    play(3, bots, box, pool, dice="four")
    assert len(box.started) == 4


def test_bot_is_prepared_if_all_that_wait_know_the_dice(
    runs: Path, box: CountingSandbox, pool: WarmPool
) -> None:
    bots = counters(runs, box)
    play(0, bots, box, pool, dice="one")
    for dice, started in ((TableDice("two"), 2), (TableDice("one"), 4), (TableDice("one"), 4)):
        pool.prepare([bot.program for bot in bots], box, dice)
        assert len(box.started) == started
    play(1, bots, box, pool, dice="one")
    assert len(box.started) == 4


@pytest.mark.parametrize(
    ("isolates", "freezes", "open_dice", "kept"),
    [
        (True, True, {"one"}, True),
        (True, False, {"one"}, False),
        (True, False, {"two"}, True),
        (False, False, {"one"}, True),
    ],
)
def test_only_a_bot_that_can_tell_nobody_of_open_dice_is_kept(
    runs: Path, pool: WarmPool, *, isolates: bool, freezes: bool, open_dice: set[str], kept: bool
) -> None:
    box = CountingSandbox()
    box.isolates, box.freezes = isolates, freezes
    play(0, counters(runs, box), box, pool, dice="one", open_dice=frozenset(open_dice))
    left = [select.select([one.exit_fd], [], [], 0)[0] for one in box.started if kept]
    assert left == [[], []] * kept
    assert kept or [one.exit_code() for one in box.started] == [-9, -9]
