"""All that a bot started ends with its seat and with its worker.

The bot opens a FIFO in its folder and its children inherit it: the end of file comes when the last
of them is gone.
"""

import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.bots.bot import StagedBot
from arena.bots.builds.staging import stage
from arena.bots.sandboxes.base import Sandbox
from arena.bots.sandboxes.process import ProcessSandbox
from arena.bots.sessions.clock import READY
from arena.bots.sessions.multiplexer import Multiplexer
from arena.game.records import LimitsInfo
from arena.game.wire.messages import Ready
from tests.support.live import HANG, run_inside, write_bot

ENVIRON = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
PATIENT = LimitsInfo(start=20.0, answer=20.0, game=60.0)
ALONE = ""
CHILD = "for _ in range(3): os.fork()"
DAEMON = """
if not os.fork():
    os.setsid()
    os.fork() and os._exit(0)
    for number in (1, 2, 15): signal.signal(number, signal.SIG_IGN)
"""
PROGRAM = """
import os, signal
alive = os.open("alive", os.O_WRONLY)
me = os.getpid()
{children}
if os.getpid() == me:
    os.write(1, b'{"type":"ready"}\\n')
os.write(alive, b".")
while True:
    signal.pause()
"""
WORKER = """
import signal, sys
from pathlib import Path
from arena.bots.sandboxes.registry import SANDBOXES
from arena.bots.sandboxes.base import Program
program = Program(Path(sys.argv[2]), ["python3", "-I", "-S", "bot.py"])
started = SANDBOXES[sys.argv[1]]().start(program)
signal.pause()
"""


@contextmanager
def bot_with(runs: Path, sandbox: Sandbox, children: str) -> Iterator[tuple[StagedBot, int]]:
    """Stage a bot that starts children; yield the reading end of what all of them hold open."""
    bot = stage(write_bot(runs / "bot", PROGRAM.replace("{children}", children)), runs, sandbox)
    fifo = bot.folder / "alive"
    os.mkfifo(fifo)
    fifo.chmod(0o666)
    alive = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield bot, alive
    finally:
        os.close(alive)


def wait_for_processes(alive: int, count: int) -> None:
    """Wait until so many processes have started."""
    while count > 0:
        assert select.select([alive], [], [], HANG)[0]
        count -= len(os.read(alive, count))


def wait_for_the_end(alive: int) -> None:
    assert select.select([alive], [], [], HANG)[0], "a process of the bot is still alive"
    assert os.read(alive, 1) == b""


def check_stop_ends(sandbox: Sandbox, runs: Path, children: str, count: int) -> None:
    with (
        bot_with(runs, sandbox, children) as (bot, alive),
        Multiplexer([bot.program], sandbox, PATIENT) as multiplexer,
    ):
        multiplexer.start(0, b"{}\n")
        assert multiplexer.wait() == [(0, READY, Ready())]
        wait_for_processes(alive, count)
        multiplexer.stop(0)
        wait_for_the_end(alive)


def check_killed_worker_ends(sandbox: Sandbox, runs: Path, children: str, count: int) -> None:
    with bot_with(runs, sandbox, children) as (bot, alive):
        argv = [sys.executable, "-c", WORKER, sandbox.name, str(bot.folder)]
        with subprocess.Popen(argv, env=ENVIRON) as worker:
            try:
                wait_for_processes(alive, count)
                assert not select.select([alive], [], [], 0)[0]
            finally:
                worker.kill()
        wait_for_the_end(alive)


def test_stopping_a_seat_ends_the_bot_and_its_children(sandbox: Sandbox, runs: Path) -> None:
    check_stop_ends(sandbox, runs, CHILD, 8)


def test_stopping_a_seat_ends_daemons(bubblewrap: Sandbox, runs: Path) -> None:
    check_stop_ends(bubblewrap, runs, DAEMON, 2)


def test_bot_dies_with_its_worker(sandbox: Sandbox, runs: Path) -> None:
    check_killed_worker_ends(sandbox, runs, ALONE, 1)


@pytest.mark.parametrize(("children", "count"), [(CHILD, 8), (DAEMON, 2)])
def test_children_die_with_the_worker(
    children: str, count: int, bubblewrap: Sandbox, runs: Path
) -> None:
    check_killed_worker_ends(bubblewrap, runs, children, count)


def test_children_end_when_the_program_ends(bubblewrap: Sandbox, runs: Path) -> None:
    children = DAEMON + "elif not os.read(0, 1): os._exit(0)\n"
    with bot_with(runs, bubblewrap, children) as (bot, alive):
        running = bubblewrap.start(bot.program)
        wait_for_processes(alive, 1)
        running.end_input()
        assert running.exit_code() == 0
        wait_for_the_end(alive)
        running.close()


# ---------------------------------------------------------------- the operator's terminal

TYPIST = """
import fcntl, os, termios
try:
    terminal = os.open("/dev/tty", os.O_RDWR)
    fcntl.ioctl(terminal, termios.TIOCSTI, b"x")
    print('"typed"')
except OSError as error:
    print('"' + error.strerror + '"')
"""
AT_A_TERMINAL = """
import fcntl, os, sys, termios
from pathlib import Path
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.close(os.open("/dev/tty", os.O_RDWR))
from arena.bots.sandboxes.run_once import run_once
from arena.bots.sandboxes.registry import SANDBOXES
from arena.bots.sandboxes.base import Program
program = Program(Path(sys.argv[2]), ["python3", "-I", "-S", "bot.py"])
print(run_once(SANDBOXES[sys.argv[1]](), program, 60).stdout.decode())
"""


def test_bot_cannot_type_into_the_terminal(sandbox: Sandbox, runs: Path) -> None:
    bot = stage(write_bot(runs / "typist", TYPIST), runs, sandbox)
    controller, terminal = os.openpty()
    try:
        ran = subprocess.run(
            [sys.executable, "-c", AT_A_TERMINAL, sandbox.name, str(bot.folder)],
            env=ENVIRON,
            stdin=terminal,
            capture_output=True,
            start_new_session=True,
            timeout=HANG,
            check=True,
        )
    finally:
        os.close(controller)
        os.close(terminal)
    assert ran.stdout.strip() == b'"No such device or address"'


def test_bot_is_not_in_the_process_group_of_the_arena(runs: Path) -> None:
    bot = stage(write_bot(runs / "bot", "import os\nprint(os.getpgid(0))"), runs, ProcessSandbox())
    assert run_inside(ProcessSandbox(), bot).told != os.getpgid(0)
