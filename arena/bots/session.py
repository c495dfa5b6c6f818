"""A conversation with one live bot: what was asked, what came back, what it did wrong."""

import os
import select
import signal
from collections.abc import Callable

from arena.bots.clock import READY, Clock
from arena.bots.sandbox import Running
from arena.records import Cause, Fault, LimitsInfo
from arena.wire.codec import decode_answer, decode_ready
from arena.wire.messages import MAX_LINE, Answer, Ready
from arena.wire.strict import StrictError

STDERR_KEPT = 65_536
"""Bytes of standard error kept, the last ones."""
_READ = 65_536
_LINGER = 1.0
"""Seconds that a program has to be gone after it closed its output."""

Reply = Answer | Ready | Fault


class Session:
    """One live bot and its pipes. The first fault is final: the bot must then be stopped.

    `deadlines` holds the open requests by id; `outbox` what the bot's pipe did not take yet;
    `closed` says that no more output can come, `ended` that the program is gone.
    """

    def __init__(
        self,
        running: Running,
        limits: LimitsInfo,
        now: Callable[[], float],
        log: Callable[[str, bytes], None] | None = None,
    ) -> None:
        self.stdin, self.stdout = running.stdin, running.stdout
        self.stderr, self.death = running.stderr, running.death
        self._clock = Clock(limits, now, running.cpu)
        self.deadlines = self._clock.deadlines
        self.outbox = b""
        self.closed = False
        self.ended = False
        self._running = running
        self._freezes = limits.freeze
        self._log = log
        self._inbox = b""
        self._flooded = False
        self._told: list[bytes] = []
        self._errors = bytearray()

    @property
    def errors(self) -> str:
        """The end of the bot's standard error, as text."""
        return self._errors[-STDERR_KEPT:].decode("utf-8", "replace")

    def tell(self, line: bytes) -> None:
        """Keep a notice; it is written together with the next request."""
        self._told.append(line)

    def new_game(self) -> None:
        """Fill the game's time bank."""
        self._clock.new_game()

    def ask(self, id_: int, line: bytes) -> float:
        """Write a request, and the notices kept for it; returns when it must be looked at."""
        self._flooded = self.full
        if self._freezes:
            self._running.freeze(frozen=False)
        due = self._clock.ask(id_)
        self._put_out(line)
        return due

    def flush(self) -> None:
        """Write what the pipe takes; the rest stays in the outbox."""
        self._write(self.outbox)

    def say_goodbye(self) -> None:
        """Write what was kept and end the bot's input."""
        self._running.freeze(frozen=False)
        self._put_out(b"")
        self._running.end_input()

    def read(self) -> tuple[int, Reply] | None:
        """Read what has come; returns a reply if there is a whole one."""
        try:
            chunk = os.read(self.stdout, _READ)
        except BlockingIOError:
            return None
        # Once the process is gone, nothing that a helper writes brings it back.
        self.closed = self.ended or not chunk
        self._inbox += chunk
        return self.next_reply()

    def next_reply(self) -> tuple[int, Reply] | None:
        """Take a reply from what was read already; None when there is no whole one yet."""
        if not self.deadlines:
            return None
        end = self._inbox.find(b"\n") + 1
        if end > MAX_LINE or self._flooded or (not end and self.full):
            return self._fault(Cause.FLOOD, f"more than {MAX_LINE} bytes without an answer in them")
        if end:
            line, self._inbox = self._inbox[:end], self._inbox[end:]
            return self._understand(line)
        return self._fault(Cause.CRASH, self._how_it_ended()) if self.closed else None

    @property
    def full(self) -> bool:
        """Whether as much was read as a bot may write unasked."""
        return len(self._inbox) >= MAX_LINE

    @property
    def ahead(self) -> bool:
        """Whether an open request can be answered without waiting: by what was read, or by the end.

        Of a bot that ended while nothing was asked, no event tells any more.
        """
        return bool((self._inbox or self.closed) and self.deadlines)

    def read_errors(self) -> bool:
        """Read standard error, keep its end; False when it was closed."""
        try:
            chunk = os.read(self.stderr, _READ)
        except BlockingIOError:
            return True
        self._errors += chunk
        if len(self._errors) > 4 * STDERR_KEPT:
            del self._errors[:-STDERR_KEPT]
        return bool(chunk)

    def died(self) -> tuple[int, Reply] | None:
        """Take the news of the process's death: a last answer in the pipe still counts."""
        self.ended = True
        reply = self.read()
        self.closed = True
        return reply or self.next_reply()

    @property
    def due(self) -> float:
        """When the first open request must be looked at; infinite when none is open."""
        return self._clock.due

    def expired(self) -> tuple[int, Reply] | None:
        """Return a timeout if an answer took too long."""
        late = self._clock.expired()
        return self._fault(Cause.TIMEOUT, late) if late else None

    def release(self) -> Running | None:
        """Write what was kept and give the program away; None where it is not fit to serve on."""
        self._put_out(b"")
        self._drain_errors()
        busy = self.deadlines or self.outbox or self._inbox or self.closed or self.ended
        return None if busy else self._running

    def stop(self) -> None:
        """End the process and everything it started, keep the end of its standard error."""
        self._running.kill()
        self._running.exit_code()
        self._drain_errors()
        self._running.close()

    def _drain_errors(self) -> None:
        """Read what is there of standard error; a bot that goes on writing is not waited for."""
        for _ in range(4):
            if not self.read_errors():
                break

    def _put_out(self, line: bytes) -> None:
        """Write a line and all that was kept for the bot in one go: every write wakes it."""
        if self._log:
            for told in (*self._told, line) if line else self._told:
                self._log(">>", told)
        if self._told:
            line = b"".join(self._told) + line
            self._told.clear()
        self._write(self.outbox + line)

    def _write(self, lines: bytes) -> None:
        """Write what the pipe takes; the rest becomes the outbox."""
        try:
            written = os.write(self.stdin, lines)
        except BlockingIOError:
            written = 0
        except OSError:
            # It reads no more: its answer, its death or the deadline says what that means.
            written = len(lines)
        self.outbox = lines[written:]

    def _understand(self, line: bytes) -> tuple[int, Reply] | None:
        if self._log:
            self._log("<<", line)
        try:
            if READY in self.deadlines:
                return self._answered(READY, decode_ready(line))
            answer = decode_answer(line)
        except StrictError as error:
            return self._fault(Cause.MALFORMED_LINE, f"{error}: {_excerpt(line)}")
        if answer.id not in self.deadlines:
            asked = ", ".join(map(str, self.deadlines))
            return self._fault(
                Cause.MALFORMED_LINE, f"answers request {answer.id}, but {asked} was asked"
            )
        return self._answered(answer.id, answer)

    def _answered(self, id_: int, reply: Answer | Ready) -> tuple[int, Reply]:
        late = self._clock.answered(id_)
        if late:
            self._clock.forget()
            return id_, Fault(Cause.TIMEOUT, late)
        if self._freezes and not self.deadlines:
            self._running.freeze(frozen=True)
        return id_, reply

    def _fault(self, cause: Cause, detail: str) -> tuple[int, Reply]:
        """Give up on the bot: the oldest open request gets the fault, no other is awaited."""
        id_ = next(iter(self.deadlines))
        self._clock.forget()
        return id_, Fault(cause, detail)

    def _how_it_ended(self) -> str:
        """Say how the process ended; its pipe may close a moment before it is gone."""
        if not select.select([self.death], [], [], _LINGER)[0]:
            return "it closed its output"
        code = self._running.exit_code()
        number = -code if code < 0 else code - 128
        if number in set(signal.Signals):
            return f"the program was killed by {signal.Signals(number).name}"
        if code < 0:
            return f"the program was killed by signal {number}"
        return f"the program ended with exit code {code}"


def _excerpt(line: bytes) -> str:
    """Return the start of a line, printable."""
    text = line[:120].decode("utf-8", "backslashreplace").rstrip("\r\n")
    return repr(text) + (" ..." if len(line) > 120 else "")
