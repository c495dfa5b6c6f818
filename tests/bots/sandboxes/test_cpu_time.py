"""A bot is judged by its own CPU time, and frozen out of turn if its league says so."""

import json
import os
import select
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from arena.bots.sandboxes.base import Running, Sandbox
from arena.bots.sandboxes.bubblewrap import BubblewrapSandbox
from arena.bots.sandboxes.child_process import ChildProcess, process_trees
from arena.bots.sandboxes.process import ProcessSandbox
from arena.bots.sandboxes.registry import make_sandbox
from arena.bots.sessions.clock import READY
from arena.bots.sessions.multiplexer import Multiplexer
from arena.bots.sessions.session import Session
from arena.game.records import Cause, Fault, LimitsInfo
from arena.game.wire.messages import Answer, Ready
from tests.e2e.live import wait_until
from tests.support.depth import depth
from tests.support.live import HANG, staged
from tests.support.sampling import paired

TIGHT = LimitsInfo(start=HANG, answer=0.05, game=HANG, wall=1000)
"""On the wall clock far more than any machine needs."""
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
FORKS = """
import os, time
bot = os.getpid()
for _ in range(3):
    if not os.fork():
        os.setsid()
        while os.getppid() == bot:
            if not os.fork(): os._exit(0)
            os.wait()
print(flush=True)
time.sleep(3600)
"""
"""Sleeps; its children start and await children of their own, in sessions of their own.

They end with it: nothing else ends them without control groups.
"""
freezes = pytest.mark.skipif(
    not (trees := process_trees()) or not trees.freezes, reason="no control groups for this user"
)


HOST_SANDBOXES = pytest.mark.parametrize("make", [BubblewrapSandbox, ProcessSandbox])
MAKERS: dict[str, Callable[[], Sandbox]] = {
    "docker": lambda: make_sandbox("docker"),
    "bubblewrap": BubblewrapSandbox,
    "process": ProcessSandbox,
    "bubblewrap, no groups": lambda: BubblewrapSandbox(use_cgroups=False),
    "process, no groups": lambda: ProcessSandbox(use_cgroups=False),
}


@pytest.fixture
def timed(request: pytest.FixtureRequest) -> Sandbox:
    """Each sandbox, with control groups and with the program's own clock."""
    sandbox = MAKERS[request.param]()
    assert sandbox.clock == "cpu"
    return sandbox


@pytest.mark.slow
@pytest.mark.usefixtures("one_core")
@pytest.mark.parametrize(
    ("timed", "rivals"), paired(MAKERS, [0, depth(3, 5)], "spinning rivals"), indirect=["timed"]
)
def test_spinning_rivals_change_no_verdict(rivals: int, timed: Sandbox, runs: Path) -> None:
    """Answers that take 0.02 s of CPU time are in time, one that takes 0.2 s is late."""
    bots = [staged(runs, timed, "worker", WORKER)]
    bots += [staged(runs, timed, "spinner", SPINNER)] * rivals
    with Multiplexer([bot.program for bot in bots], timed, TIGHT) as multiplexer:
        for seat in range(len(bots)):
            multiplexer.start(seat, b'{"id":-1}\n')
        ready: set[int] = set()
        while len(ready) < len(bots):
            ready |= {seat for seat, _, _ in multiplexer.wait()}
        for id_, work in enumerate((0.02, 0.02, 0.02, 0.2), start=1):
            multiplexer.ask(0, id_, b'{"id":%d,"work":%g}\n' % (id_, work))
            [(seat, answered, reply)] = multiplexer.wait()
            assert (seat, answered) == (0, id_)
            if work < TIGHT.answer:
                assert reply == Answer(id=id_, action="dudo")
            else:
                assert isinstance(reply, Fault)
                assert reply.cause is Cause.TIMEOUT
                assert reply.detail.startswith("no answer within 0.05 s")


# ---------------------------------------------------------------- frozen out of turn


@contextmanager
def thinker(runs: Path, sandbox: Sandbox, limits: LimitsInfo) -> Iterator[tuple[Session, Running]]:
    """Start a bot that computes in the background, and take its `ready`."""
    bot = staged(runs, sandbox, "thinker", THINKER)
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
    ((_, *reply),) = replies
    return tuple(reply)


def work(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def is_frozen(running: Running) -> bool:
    """Return whether a program used no CPU time while this one worked a little."""
    before = running.cpu_time()
    work(0.1)
    return running.cpu_time() == before


@freezes
@HOST_SANDBOXES
def test_frozen_bot_does_not_think(make: Callable[[], Sandbox], runs: Path) -> None:
    with thinker(runs, make(), FROZEN) as (session, running):
        for id_ in (1, 2):
            deadline = time.monotonic() + HANG
            while not is_frozen(running):
                assert time.monotonic() < deadline, "it still thinks"
            assert is_frozen(running)
            session.ask(id_, b"{}\n")
            session.flush()
            assert answer_of(session) == (id_, Answer(id=id_, action="dudo"))


@HOST_SANDBOXES
def test_process_id_is_that_of_the_program_not_of_its_sandbox(
    make: Callable[[], Sandbox], runs: Path
) -> None:
    with thinker(runs, make(), FROZEN) as (_, running):
        command = Path(f"/proc/{running.pid()}/cmdline").read_bytes().split(b"\0")
        assert command[0].startswith(b"python3")
        assert b"bot.py" in command
        assert running.cpu_time() is not None


def test_sandbox_may_name_its_init_process_in_pieces(tmp_path: Path) -> None:
    info, names = os.pipe()
    child = ChildProcess(["sleep", "3600"], tmp_path, status_fd=info)
    try:
        whole = json.dumps({"child-pid": os.getpid()}).encode()
        os.write(names, whole[:-1])
        # Whoever takes the first piece for the whole is there before.
        rest = threading.Timer(0.1, os.write, (names, whole[-1:]))
        rest.start()
        assert child.is_busy() is not None
        assert child.peak_memory() is not None  # of the sleeper: it is below this process
        rest.join()
    finally:
        os.close(names)
        child._process.kill()
        child.close()


@HOST_SANDBOXES
def test_cpu_time_is_known_once_the_program_runs(make: Callable[..., Sandbox], runs: Path) -> None:
    sandbox = make(use_cgroups=False)
    running = sandbox.start(staged(runs, sandbox, "spinner", SPINNER).program)
    try:
        running.cpu_time()  # too early to tell
        wait_until(lambda: (running.cpu_time() or 0.0) > 0.1)
    finally:
        running.kill()
        running.close()


@HOST_SANDBOXES
def test_bot_without_a_control_group_is_stopped_with_its_children(
    make: Callable[..., Sandbox], runs: Path
) -> None:
    sandbox = make(use_cgroups=False)
    running = sandbox.start(staged(runs, sandbox, "forks", FORKS).program)
    try:
        assert select.select([running.stdout], [], [], HANG)[0]
        wait_until(lambda: running.is_busy() is True)
        running.freeze(frozen=True)
        wait_until(lambda: running.is_busy() is False)
        running.freeze(frozen=False)
        wait_until(lambda: running.is_busy() is True)
    finally:
        running.kill()
        running.close()


@freezes
def test_bot_that_is_not_frozen_thinks(runs: Path) -> None:
    limits = LimitsInfo(start=HANG, answer=HANG, game=HANG)
    with thinker(runs, ProcessSandbox(), limits) as (_, running):
        before, deadline = running.cpu_time(), time.monotonic() + HANG
        while (
            (now := running.cpu_time()) is not None and before is not None and now < before + 0.05
        ):
            assert time.monotonic() < deadline, "it does not think"


@freezes
def test_frozen_bot_receives_bye(runs: Path) -> None:
    bot = staged(runs, ProcessSandbox(), "thinker", THINKER)
    with Multiplexer([bot.program], ProcessSandbox(), FROZEN) as multiplexer:
        multiplexer.start(0, b"{}\n")
        multiplexer.wait()
        session = multiplexer._sessions[0]
        multiplexer.bye(b"{}\n")
        assert select.select([session.exit_fd], [], [], HANG)[0]
        assert session.running.exit_code() == 0
