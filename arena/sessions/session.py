"""A conversation with one live bot: what was asked, what came back, what it did wrong."""

import os
import select
import signal
from collections.abc import Callable

from arena.records import Cause, Fault, LimitsInfo
from arena.sandboxes.base import Running
from arena.sessions.clock import READY, Bank, Clock
from arena.wire.codec import decode_answer, decode_ready
from arena.wire.messages import MAX_LINE, Answer, Ready
from arena.wire.strict import StrictError

STDERR_KEPT = 65_536
"""Bytes of standard error kept, the last ones."""
_READ = 65_536
_LINGER = 1.0
"""Seconds that a program has to be gone after it closed its output."""

Reply = Answer | Ready | Fault
Tagged = tuple[int, Reply]
"""A reply with the id of its request."""


class Session:
    """One live bot and its pipes. The first fault is final: the bot must then be stopped.

    Any number of requests may be open. What is told and asked is kept until `flush` writes it in
    one go, because every write wakes the bot. `outbox` is what is to be written; `closed` says that
    no more output can come, `ended` that the program is gone.
    """

    def __init__(
        self,
        running: Running,
        limits: LimitsInfo,
        now: Callable[[], float],
        log: Callable[[str, bytes], None] | None = None,
        banks: dict[int, Bank] | None = None,
    ) -> None:
        self.stdin, self.stdout = running.stdin, running.stdout
        self.stderr, self.exit_fd = running.stderr, running.exit_fd
        self._clock = Clock(limits, now, running.cpu_time, banks)
        self._open = self._clock.open
        self._asked: list[tuple[int, int]] = []
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

    def greet(self, line: bytes) -> None:
        """Write the first line and start the clock of the start."""
        self._clock.greet()
        self._told.append(line)
        self.flush()

    def ask(self, id_: int, line: bytes, game: int = 0) -> None:
        """Keep a request for `flush`."""
        self._told.append(line)
        self._asked.append((id_, game))

    def flush(self) -> None:
        """Write what is kept, as far as the pipe takes it, and start the clocks of the requests."""
        if self._asked:
            self._begin()
        if self._log:
            for line in self._told:
                self._log(">>", line)
        self.outbox += b"".join(self._told)
        self._told.clear()
        self.write_on()

    def _begin(self) -> None:
        self._flooded = self.full
        if self._freezes:
            self._running.freeze(frozen=False)
        self._clock.ask(*self._asked)
        self._asked.clear()

    def write_on(self) -> None:
        """Write what the pipe takes of the outbox."""
        try:
            written = os.write(self.stdin, self.outbox)
        except BlockingIOError:
            written = 0
        except OSError:
            # It reads no more: its answer, its death or the deadline says what that means.
            written = len(self.outbox)
        self.outbox = self.outbox[written:]

    def say_goodbye(self) -> None:
        """Write what was kept and end the bot's input."""
        self._running.freeze(frozen=False)
        self.flush()
        self._running.end_input()

    def read(self) -> list[Tagged]:
        """Read what has come; returns the replies in it."""
        try:
            chunk = os.read(self.stdout, _READ)
        except BlockingIOError:
            return []
        # Once the process is gone, nothing that a helper writes brings it back.
        self.closed = self.ended or not chunk
        self._inbox += chunk
        return self.replies()

    def replies(self) -> list[Tagged]:
        """Take the replies from what was read already; a fault is the last."""
        found = []
        while self._open and (reply := self._next_reply()):
            found.append(reply)
        return found

    def _next_reply(self) -> Tagged | None:
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
        return bool((self._inbox or self.closed) and self._open)

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

    def died(self) -> list[Tagged]:
        """Take the news of the process's death: last answers in the pipe still count."""
        self.ended = True
        found = self.read()
        self.closed = True
        return found + self.replies()

    @property
    def due(self) -> float:
        """When the first open request must be looked at; infinite when none is open."""
        return self._clock.due

    def expired(self) -> Tagged | None:
        """Return a timeout if an answer took too long."""
        late = self._clock.expired()
        return self._fault(Cause.TIMEOUT, late) if late else None

    def release(self) -> Running | None:
        """Write what was kept and give the program away; None where it is not fit to serve on."""
        self.flush()
        self._drain_errors()
        busy = self._open or self.outbox or self._inbox or self.closed or self.ended
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

    def _understand(self, line: bytes) -> Tagged:
        if self._log:
            self._log("<<", line)
        try:
            if READY in self._open:
                return self._answered(READY, decode_ready(line))
            answer = decode_answer(line)
        except StrictError as error:
            return self._fault(Cause.MALFORMED_LINE, f"{error}: {_excerpt(line)}")
        if answer.id not in self._open:
            what = f"answers request {answer.id}, but that is not open"
            return self._fault(Cause.MALFORMED_LINE, what)
        return self._answered(answer.id, answer)

    def _answered(self, id_: int, reply: Answer | Ready) -> Tagged:
        late = self._clock.answered(id_)
        if late:
            self._clock.forget()
            return id_, Fault(Cause.TIMEOUT, late)
        if self._freezes and not self._open:
            self._running.freeze(frozen=True)
        return id_, reply

    def _fault(self, cause: Cause, detail: str) -> Tagged:
        """Give up on the bot: the oldest open request gets the fault, no other is awaited."""
        id_ = next(iter(self._open))
        self._clock.forget()
        return id_, Fault(cause, detail)

    def _how_it_ended(self) -> str:
        """Say how the process ended; its pipe may close a moment before it is gone."""
        if not select.select([self.exit_fd], [], [], _LINGER)[0]:
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
