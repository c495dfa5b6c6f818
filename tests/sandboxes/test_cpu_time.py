"""A bot is judged by its own processor time, and stops where its league wants it to."""

import os
import select
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from arena.records import Cause, Fault, LimitsInfo
from arena.sandboxes import bubblewrap, process
from arena.sandboxes.base import Running, Sandbox
from arena.sandboxes.bubblewrap import BubblewrapSandbox
from arena.sandboxes.cgroups.systemd_scope import process_trees
from arena.sandboxes.process import ProcessSandbox
from arena.sandboxes.registry import make_sandbox
from arena.sessions.clock import READY
from arena.sessions.multiplexer import Multiplexer
from arena.sessions.session import Session
from arena.submissions.bot import StagedBot
from arena.submissions.staging import stage
from arena.wire.messages import Answer, Ready
from tests.support.live import HANG, write_bot

TIGHT = LimitsInfo(start=HANG, answer=0.05, game=HANG, wall=1000)
"""By the wall clock far more than any machine needs."""
FROZEN = LimitsInfo(start=HANG, answer=HANG, game=HANG, freeze=True)
WORKER = """
import json, sys, time
for line in sys.stdin:
    m = json.loads(line)
    if m["id"] < 0:
        print('{"type":"ready"}', flush=True)
        continue
    end = time.process_time() + m["work"]
    while time.process_time() < end: pass
    print(json.dumps({"id": m["id"], "action": "dudo"}), flush=True)
"""
SPINNER = """
print('{"type":"ready"}', flush=True)
while True: pass
"""
THINKER = """
import sys, threading
def think():
    while True: pass
threading.Thread(target=think, daemon=True).start()
for number, line in enumerate(sys.stdin):
    print('{"type":"ready"}' if number == 0 else '{"id":%d,"action":"dudo"}' % number, flush=True)
"""
freezes = pytest.mark.skipif(
    not (found := process_trees()) or not found.freezes, reason="no control groups for this user"
)


def without_groups(make: type[BubblewrapSandbox] | type[ProcessSandbox]) -> Callable[[], Sandbox]:
    def made() -> Sandbox:
        with pytest.MonkeyPatch.context() as patch:
            for module in (bubblewrap, process):
                patch.setattr(module, "process_trees", lambda: None)
            return make()

    return made


KINDS: dict[str, Callable[[], Sandbox]] = {
    "docker": lambda: make_sandbox("docker"),
    "bubblewrap": BubblewrapSandbox,
    "process": ProcessSandbox,
    "bubblewrap, no groups": without_groups(BubblewrapSandbox),
    "process, no groups": without_groups(ProcessSandbox),
}


@pytest.fixture(params=KINDS)
def timed(request: pytest.FixtureRequest) -> Sandbox:
    """Each sandbox, by its control group and by the program's own clock."""
    sandbox = KINDS[request.param]()
    assert sandbox.clock == "cpu"
    return sandbox


@pytest.fixture
def one_core() -> Iterator[None]:
    """What runs here must share one core, so that rivals take it from each other."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    yield
    os.sched_setaffinity(0, before)


def written(runs: Path, sandbox: Sandbox, name: str, program: str) -> StagedBot:
    return stage(write_bot(runs / "written" / name, program), runs, sandbox)


@pytest.mark.usefixtures("one_core")
@pytest.mark.parametrize("rivals", [0, 5])
@pytest.mark.parametrize("work", [0.02, 0.2])
def test_spinning_rivals_change_no_verdict(
    work: float, rivals: int, timed: Sandbox, runs: Path
) -> None:
    bots = [written(runs, timed, "worker", WORKER)]
    bots += [written(runs, timed, "spinner", SPINNER)] * rivals
    late = Fault(Cause.TIMEOUT, "no answer within 0.05 s of its own CPU time")
    with Multiplexer([bot.program for bot in bots], timed, TIGHT) as board:
        for seat in range(len(bots)):
            assert board.start(seat, b'{"id":-1}\n') is None
        ready: set[int] = set()
        while len(ready) < len(bots):
            ready |= {seat for seat, _, _ in board.wait()}
        for id_ in range(1, 6):
            board.ask(0, id_, b'{"id":%d,"work":%g}\n' % (id_, work))
            expected = late if work > TIGHT.answer else Answer(id=id_, action="dudo")
            assert board.wait() == [(0, id_, expected)]
            if expected is late:
                break


# ---------------------------------------------------------------- frozen out of turn


@contextmanager
def thinker(runs: Path, sandbox: Sandbox, limits: LimitsInfo) -> Iterator[tuple[Session, Running]]:
    """Start a bot that counts in the background, and take its `ready`."""
    bot = written(runs, sandbox, "thinker", THINKER)
    running = sandbox.start(bot.program)
    session = Session(running, limits, time.monotonic)
    with ExitStack() as stack:
        stack.callback(session.stop)
        session.greet(b"{}\n")
        assert answer_of(session) == (READY, Ready())
        yield session, running


def answer_of(session: Session) -> object:
    while not (replies := session.read()):
        assert select.select([session.stdout], [], [], HANG)[0]
    (reply,) = replies
    return reply


def work(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def stands_still(running: Running) -> bool:
    """Tell whether a program used no processor time while this one worked a little."""
    before = running.cpu()
    work(0.1)
    return running.cpu() == before


@freezes
@pytest.mark.parametrize("kind", [BubblewrapSandbox, ProcessSandbox])
def test_a_frozen_bot_does_not_think(
    kind: type[BubblewrapSandbox] | type[ProcessSandbox], runs: Path
) -> None:
    with thinker(runs, kind(), FROZEN) as (session, running):
        for id_ in (1, 2):
            deadline = time.monotonic() + HANG
            while not stands_still(running):
                assert time.monotonic() < deadline, "it goes on thinking"
            assert stands_still(running)
            session.ask(id_, b"{}\n")
            session.flush()
            assert answer_of(session) == (id_, Answer(id=id_, action="dudo"))


@freezes
def test_a_bot_thinks_on_where_it_may(runs: Path) -> None:
    limits = LimitsInfo(start=HANG, answer=HANG, game=HANG)
    with thinker(runs, ProcessSandbox(), limits) as (_, running):
        before, deadline = running.cpu(), time.monotonic() + HANG
        while (now := running.cpu()) is not None and before is not None and now < before + 0.05:
            assert time.monotonic() < deadline, "it does not think"


@freezes
def test_a_frozen_bot_hears_goodbye(runs: Path) -> None:
    bot = written(runs, ProcessSandbox(), "thinker", THINKER)
    with Multiplexer([bot.program], ProcessSandbox(), FROZEN) as board:
        board.start(0, b"{}\n")
        board.wait()
        session = board._sessions[0]
        board.bye(b"{}\n")
        assert select.select([session.exit_fd], [], [], HANG)[0]
        assert session._running.exit_code() == 0
