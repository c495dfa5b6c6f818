"""Rivals and a busy machine cannot make a bot late; a bot that sleeps still is."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.bots.bot import StagedBot
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.bubblewrap import BubblewrapSandbox
from arena.bots.sandboxes.process import ProcessSandbox
from arena.bots.sandboxes.registry import make_sandbox
from arena.bots.sessions.multiplexer import Multiplexer
from arena.bots.sessions.session import Reply
from arena.bots.sessions.warm_pool import TableDice, TablePool, WarmPool
from arena.game.records import Cause, Fault, LimitsInfo
from arena.game.wire.messages import Answer
from tests.support.depth import depth
from tests.support.live import HANG, staged
from tests.support.sampling import sample

pytestmark = pytest.mark.slow

LIMITS = LimitsInfo(start=HANG, answer=0.3, game=HANG, wall=4)
WORK = 0.75 * LIMITS.answer
LINE = """
import json, os, sys, time
for line in sys.stdin:
    m = json.loads(line)
    if m["id"] < 0:
        print('{"type":"ready"}', flush=True)
        continue
"""
ANSWER = """
    print(json.dumps({"id": m["id"], "action": "dudo"}), flush=True)
"""
WORKER = (
    LINE
    + f"""
    end = time.process_time() + {WORK}
    while time.process_time() < end: pass
"""
    + ANSWER
)
CHILDREN = f"""
for line in sys.stdin:
    m = json.loads(line)
    if m["id"] < 0:
        print('{{"type":"ready"}}', flush=True)
        continue
    for _ in range(5):
        child = os.fork()
        if not child:
            end = time.process_time() + {WORK / 6}
            while time.process_time() < end: pass
            os._exit(0)
        os.waitpid(child, 0)
"""
FAMILY = "import json, os, sys, time\n" + CHILDREN + ANSWER
"""Works as much, in children that come and go."""
SPINNER = (
    LINE.replace(
        "        print(",
        """        for _ in range(40):
            if not os.fork():
                while True: pass
        print(""",
    )
    + ANSWER
)
"""Answers at once; forty children of it take all processor time that they get."""
SLEEPER = LINE + "    time.sleep(3600)\n"
NAPPER = LINE + f"    for _ in range(9999): time.sleep({LIMITS.answer / 100})\n"
"""Wakes up again and again, but does nothing."""
WORKERS = {"worker": WORKER, "family": FAMILY}
SLEEPERS = {"sleeper": SLEEPER, "napper": NAPPER}
MAKERS: dict[str, Callable[[], Sandbox]] = {
    "docker": lambda: make_sandbox("docker"),
    "bubblewrap": BubblewrapSandbox,
    "process": ProcessSandbox,
}


@pytest.fixture(params=sample(MAKERS, 1, "contention"))
def box(request: pytest.FixtureRequest) -> Sandbox:
    """Each sandbox, with control groups."""
    return MAKERS[request.param]()


@contextmanager
def load(processes: int) -> Iterator[None]:
    """Keep the cores of this process busy."""
    spin = [sys.executable, "-I", "-S", "-c", "while True: pass"]
    spinning = [subprocess.Popen(spin) for _ in range(processes)]
    try:
        yield
    finally:
        for one in spinning:
            one.kill()
            one.wait()


@contextmanager
def seated(
    bots: Sequence[StagedBot], sandbox: Sandbox, pool: TablePool | None = None
) -> Iterator[Multiplexer]:
    """Seat bots that are all ready."""
    with Multiplexer([bot.program for bot in bots], sandbox, LIMITS, pool=pool) as multiplexer:
        for seat in range(len(bots)):
            multiplexer.start(seat, b'{"id":-1}\n')
        ready: set[int] = set()
        while len(ready) < len(bots):
            ready |= {seat for seat, _, _ in multiplexer.wait()}
        yield multiplexer


def ask(multiplexer: Multiplexer, seat: int, id_: int) -> Reply:
    multiplexer.ask(seat, id_, b'{"id":%d}\n' % id_)
    [(answering, answered, reply)] = multiplexer.wait()
    assert (answering, answered) == (seat, id_)
    return reply


@pytest.mark.usefixtures("one_core")
@pytest.mark.parametrize("program", sample(WORKERS, 1, "spinning rivals"))
def test_spinning_rivals_make_no_bot_late(program: str, box: Sandbox, runs: Path) -> None:
    bots = [staged(runs, box, "worker", WORKERS[program])]
    bots += [staged(runs, box, "spinner", SPINNER)] * depth(1, 5)
    with seated(bots, box) as multiplexer:
        for id_ in range(10, depth(11, 13)):
            assert ask(multiplexer, 0, id_) == Answer(id=id_, action="dudo")
            for rival in range(1, len(bots)):
                ask(multiplexer, rival, id_)


@pytest.mark.usefixtures("one_core")
def test_spinning_idle_bots_make_no_bot_late(box: Sandbox, runs: Path) -> None:
    """They wait in the warm pool for their next table."""
    pool = WarmPool()
    spinners = [staged(runs, box, "spinner", SPINNER)] * depth(1, 5)
    try:
        with seated(spinners, box, TablePool(pool, TableDice("dice"))) as multiplexer:
            multiplexer.reusable = set(range(len(spinners)))
            multiplexer.bye(b"")
        with seated([staged(runs, box, "worker", WORKER)], box) as multiplexer:
            assert ask(multiplexer, 0, 1) == Answer(id=1, action="dudo")
    finally:
        pool.end()


@pytest.mark.parametrize("program", sample(WORKERS, 1, "busy machine"))
def test_a_busy_machine_makes_no_bot_late(program: str, box: Sandbox, runs: Path) -> None:
    bot = staged(runs, box, "worker", WORKERS[program])
    with load(depth(8, 20)), seated([bot], box) as multiplexer:
        for id_ in range(1, depth(2, 4)):
            assert ask(multiplexer, 0, id_) == Answer(id=id_, action="dudo")


@pytest.mark.parametrize("program", sample(SLEEPERS, 1, "sleepers"))
def test_sleepers_are_late_on_a_busy_machine(program: str, box: Sandbox, runs: Path) -> None:
    bot = staged(runs, box, "sleeper", SLEEPERS[program])
    with load(4), seated([bot], box) as multiplexer:
        reply = ask(multiplexer, 0, 1)
        assert isinstance(reply, Fault)
        assert reply == Fault(Cause.TIMEOUT, "no answer within 1.2 s by the wall clock; open: 1")
