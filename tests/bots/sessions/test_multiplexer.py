"""Edge cases of the conversation that a match reaches only by chance or by guessed request ids."""

import os
import select
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.bots.sandboxes.base import Program, Unavailable
from arena.bots.sandboxes.child_process import ChildProcess
from arena.bots.sandboxes.process import ProcessSandbox
from arena.bots.sessions.clock import READY
from arena.bots.sessions.multiplexer import Multiplexer
from arena.bots.sessions.session import Reply, Session
from arena.game.records import Cause, Fault, LimitsInfo
from arena.game.wire.messages import Answer, Ready
from arena.io.errors import ArenaError
from tests.support.live import HANG, in_place, write_bot

PATIENT = LimitsInfo(start=20.0, answer=20.0, game=60.0)
HASTY = LimitsInfo(start=20.0, answer=0.5, game=60.0, wall=1.0)
LONG = b" " * 300_000 + b"\n"
IMPORTS = "import os, signal, sys\n"
SAY_READY = IMPORTS + 'os.write(1, b\'{"type":"ready"}\\n\')\n'
DUDO = 'os.write(1, b\'{"id":1,"action":"dudo"}\\n\')\nsignal.pause()\n'


@contextmanager
def one_bot(folder: Path, body: str, limits: LimitsInfo = PATIENT) -> Iterator[Multiplexer]:
    """Seat one bot that is ready and then runs `body`."""
    bot = write_bot(folder / "bot", SAY_READY + body)
    with Multiplexer([in_place(bot).program], ProcessSandbox(), limits) as multiplexer:
        multiplexer.start(0, b"{}\n")
        assert multiplexer.wait() == [(0, READY, Ready())]
        yield multiplexer


def fault_of(multiplexer: Multiplexer) -> Fault:
    ((seat, _, reply),) = multiplexer.wait()
    assert seat == 0
    assert isinstance(reply, Fault)
    return reply


def test_request_longer_than_the_pipe_is_written_in_parts(tmp_path: Path) -> None:
    with one_bot(tmp_path, f"while sys.stdin.read(1) != '!': pass\n{DUDO}") as multiplexer:
        multiplexer.tell(0, LONG)
        multiplexer.ask(0, 1, b"!\n")
        assert multiplexer.wait() == [(0, 1, Answer(id=1, action="dudo"))]


def test_an_answer_that_is_nested_33_deep_is_malformed(tmp_path: Path) -> None:
    deep = """b'{"id":1,"action":"dudo","x":%b}\\n' % (b'[' * 32 + b']' * 32)"""
    body = f"sys.stdin.read(1)\nos.write(1, {deep})\nsignal.pause()\n"
    with one_bot(tmp_path, body) as multiplexer:
        multiplexer.ask(0, 1, b"!\n")
        fault = fault_of(multiplexer)
    assert fault.cause is Cause.MALFORMED_LINE
    assert fault.detail.startswith("nested too deeply: 33 arrays and objects, at most 32: ")


def test_standard_error_is_logged_as_it_comes(tmp_path: Path) -> None:
    body = f"{SAY_READY}os.write(2, b'half a line')\nsys.stdin.read(1)\nos.write(2, b'!')\n{DUDO}"
    heard: list[tuple[str, bytes]] = []
    bot = write_bot(tmp_path / "bot", body)
    with Multiplexer(
        [in_place(bot).program],
        ProcessSandbox(),
        PATIENT,
        lambda _, direction, line: heard.append((direction, line)),
    ) as multiplexer:
        multiplexer.start(0, b"{}\n")
        multiplexer.wait()
        multiplexer.ask(0, 1, b"!\n")
        multiplexer.wait()
    written = [line for direction, line in heard if direction == "!!"]
    assert b"".join(written) == b"half a line!"
    assert [direction for direction, _ in heard if direction != "!!"] == [">>", "<<", ">>", "<<"]


def test_bye_reaches_bot_with_unread_request(tmp_path: Path) -> None:
    """It guessed the id; the request is still in the outbox when its input is closed."""
    with one_bot(tmp_path, DUDO) as multiplexer:
        multiplexer.ask(0, 1, LONG)
        assert multiplexer.wait() == [(0, 1, Answer(id=1, action="dudo"))]
        multiplexer.bye(b"{}\n")
    assert not multiplexer.live(0)


def test_bot_that_does_not_read_times_out(tmp_path: Path) -> None:
    with one_bot(tmp_path, "signal.pause()", HASTY) as multiplexer:
        multiplexer.ask(0, 1, LONG)
        assert fault_of(multiplexer) == Fault(
            Cause.TIMEOUT, "no answer within 0.5 s by the wall clock; open: 1"
        )


def test_bot_that_closed_its_input_may_still_answer(tmp_path: Path) -> None:
    with one_bot(tmp_path, f"os.close(0)\n{DUDO}") as multiplexer:
        multiplexer.ask(0, 1, LONG)
        assert multiplexer.wait() == [(0, 1, Answer(id=1, action="dudo"))]


@contextmanager
def session_with(folder: Path, body: str) -> Iterator[Session]:
    """Run one bot without a multiplexer."""
    bot = write_bot(folder / "bot", IMPORTS + body)
    session = Session(ProcessSandbox().start(in_place(bot).program), PATIENT, lambda: 0.0)
    try:
        yield session
    finally:
        session.stop()


def wait_for(fd: int) -> None:
    assert select.select([fd], [], [], HANG)[0]


def test_unrequested_output_is_a_flood(tmp_path: Path) -> None:
    """Answers to future requests are not kept without limit."""
    lines = r"""b"".join(b'{"id":%d,"action":"dudo"}\n' % id for id in range(1, 9999))"""
    with session_with(tmp_path, f"sys.stdout.buffer.write({lines})\nsignal.pause()") as session:
        while not session.full:
            wait_for(session.stdout)
            assert session.read() == []
        session.ask(1, b"{}\n")
        session.flush()
        ((_, _, reply),) = session.replies()
        assert isinstance(reply, Fault)
        assert reply.cause is Cause.FLOOD


def test_child_process_does_not_revive_an_ended_bot(tmp_path: Path) -> None:
    """The program ended between two requests; a child process of it writes on."""
    with session_with(tmp_path, f"os.fork() and os._exit(6)\nos.read(0, 1)\n{DUDO}") as session:
        wait_for(session.exit_fd)
        assert session.exited() == []
        os.write(session.stdin, b"!")
        wait_for(session.stdout)
        assert session.read() == []
        session.ask(1, b"{}\n")
        session.flush()
        assert session.replies() == [(0, 1, Answer(id=1, action="dudo"))]
        session.ask(2, b"{}\n")
        session.flush()
        ended = Fault(Cause.CRASH, "the program ended with exit code 6")
        assert session.replies() == [(0, 2, ended)]


def test_lines_are_logged_with_their_direction(tmp_path: Path) -> None:
    said: list[tuple[int, str, bytes]] = []
    bot = write_bot(tmp_path / "bot", SAY_READY + DUDO)
    with Multiplexer(
        [in_place(bot).program], ProcessSandbox(), PATIENT, lambda *line: said.append(line)
    ) as multiplexer:
        multiplexer.start(0, b"hello\n")
        multiplexer.wait()
        multiplexer.tell(0, b"news\n")
        multiplexer.ask(0, 1, b"request\n")
        multiplexer.wait()
    assert said == [
        (0, ">>", b"hello\n"),
        (0, "<<", b'{"type":"ready"}\n'),
        (0, ">>", b"news\n"),
        (0, ">>", b"request\n"),
        (0, "<<", b'{"id":1,"action":"dudo"}\n'),
    ]


# ---------------------------------------------------------------- several requests open

READS = """
while True:
    lines = os.read(0, 65536)
    count = lines.count(b"\\n") - lines.count(b"{}")
    count and os.write(2, b"%d " % count)
    for line in lines.splitlines()[::-1]:
        if line.isdigit(): os.write(1, b'{"id":%s,"action":"dudo"}\\n' % line)
"""


def answers(multiplexer: Multiplexer, count: int) -> list[int]:
    """Wait for answers; returns their ids in the order they came."""
    found: list[int] = []
    while len(found) < count:
        found += [id_ for _, id_, reply in multiplexer.wait() if isinstance(reply, Answer)]
    return found


def test_notices_and_requests_come_in_one_write(tmp_path: Path) -> None:
    with one_bot(tmp_path, READS) as multiplexer:
        for ids in ([1, 2, 3], [4]):
            multiplexer.tell(0, b"news\n")
            for id_ in ids:
                multiplexer.ask(0, id_, b"%d\n" % id_, game=id_)
            assert answers(multiplexer, len(ids)) == ids[::-1]
        multiplexer.stop(0)
        assert multiplexer.stderr == ["4 2 "]


def test_fault_is_charged_to_the_oldest_open_request(tmp_path: Path) -> None:
    body = """
os.read(0, 65536)
os.write(1, b'{"id":2,"action":"dudo"}\\nhm\\n{"id":3,"action":"dudo"}\\n')
signal.pause()
"""
    with one_bot(tmp_path, body) as multiplexer:
        for id_ in (1, 2, 3):
            multiplexer.ask(0, id_, b"?\n", game=id_)
        found: list[tuple[int, int, Reply]] = []
        while not any(isinstance(reply, Fault) for *_, reply in found):
            found += multiplexer.wait()
        assert [id_ for _, id_, _ in found] == [2, 1]


class Gone(ProcessSandbox):
    """A sandbox that somebody has uninstalled."""

    def unavailable_reason(self) -> Unavailable | None:
        return Unavailable("setpriv is missing", "install it")

    def start(self, program: Program, *, space: int = 0) -> ChildProcess:
        raise FileNotFoundError(2, "No such file or directory")


def test_no_bot_is_blamed_for_a_sandbox_that_is_gone(tmp_path: Path) -> None:
    program = in_place(write_bot(tmp_path / "bot", SAY_READY)).program
    with (
        Multiplexer([program], Gone(), PATIENT) as multiplexer,
        pytest.raises(ArenaError, match="'process' does not work any more: setpriv is missing"),
    ):
        multiplexer.start(0, b"{}\n")
