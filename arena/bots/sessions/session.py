"""A conversation with one live bot: its requests, its replies, its first fault, its end."""

import json
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from arena.bots.models.model_socket import ModelSocket
from arena.bots.sandboxes.base import Running, Sandbox
from arena.bots.sandboxes.run_once import last_line
from arena.bots.sessions.clock import READY, Clock, FixtureBank
from arena.game.records import MODEL_SECONDS, Cause, Fault, LimitsInfo
from arena.game.wire.codec import StrictError, decode_answer, decode_ready
from arena.game.wire.messages import MAX_LINE, Answer, Ready
from arena.io.errors import ArenaError, ShortageError, short_of_processes, shortage_in, shortage_of
from arena.io.uptime import wait_readable

MAX_STDERR = 65_536
"""Bytes that are kept of the end of standard error."""
_CHUNK = 65_536
"""Bytes that are read at a time."""
_SHOWN_BYTES = 120
"""Bytes of a malformed line that a fault shows."""
_LINGER = 1.0
"""Seconds within which a program that closed its output should have ended."""
_NOT_EXECUTED = {125, 126, 127}
"""Exit codes of the shells and programs that start bots, if they cannot; bots may use them, too."""
Reply = Answer | Ready | Fault
SeatReply = tuple[int, int, Reply]
"""A seat, the id of its request and the reply."""
Log = Callable[[int, str, bytes], None]
"""Gets every line with its seat and its direction: ">>" to the bot, "<<" from it.

Standard error has the direction "!!" and comes in any pieces, not in lines.
"""


class Ending(NamedTuple):
    """The end of a program, and whether it can be held against the bot."""

    how: str
    """In words, for a fault."""
    not_run: bool = False
    """Whether the sandbox ended before it had started the program."""
    lacked_processes: bool = False
    """Whether the machine refused it a process that it might have had."""
    not_executed: bool = False
    """Whether it ended as a shell does that could not execute a program."""


def ending_of(running: Running) -> Ending:
    """Return how a program ended; its output is closed, which may come shortly before its end."""
    if not wait_readable([running.exit_fd], _LINGER):
        return Ending("it closed its output")
    code = running.exit_code()
    # A shell that ran the program says by 128 and more which signal ended it.
    number = -code if code < 0 else code - 128
    if number in set(signal.Signals):
        how = f"the program was killed by {signal.Signals(number).name}"
    elif code < 0:
        how = f"the program was killed by signal {number}"
    else:
        how = f"the program ended with exit code {code}"
    lacked = running.lacked_processes()
    return Ending(how, not running.ran(), lacked, code in _NOT_EXECUTED)


def check_not_refused(ending: Ending) -> None:
    """Raise ShortageError if the machine refused a process to a bot that ended."""
    if ending.lacked_processes:
        raise short_of_processes("a bot was refused one, and may have more than it had")


def check_executed(ending: Ending, sandbox: Sandbox, last_words: str) -> None:
    """Raise ArenaError if a bot that said nothing was never executed, by no fault of its own.

    Either the sandbox is gone, or the machine lacked something (ShortageError). `last_words` is the
    last line on standard error: the sandbox's own, if the program was not started.
    """
    if ending.not_run and (shortage := shortage_in(last_words)):
        raise shortage
    if ending.not_run or ending.not_executed:
        _check_sandbox(sandbox)
    if ending.not_run:
        raise _could_not_start(sandbox, last_words or ending.how)


def not_started(sandbox: Sandbox, error: OSError) -> ShortageError:
    """Return why a sandbox could not start a bot; raises ArenaError if it does not work any more.

    The bot's own program was not executed yet, so the bot is not to blame.
    """
    if shortage := shortage_of(error):
        return shortage
    _check_sandbox(sandbox)
    return _could_not_start(sandbox, str(error))


def _could_not_start(sandbox: Sandbox, why: str) -> ShortageError:
    what = f"the sandbox '{sandbox.name}' could not start a bot: {why}"
    return ShortageError(what, hint="see what it lacks: arena doctor")


def _check_sandbox(sandbox: Sandbox) -> None:
    """Raise ArenaError if a sandbox does not work any more."""
    if reason := sandbox.unavailable_reason():
        what = f"the sandbox '{sandbox.name}' does not work any more: {reason.what}"
        raise ArenaError(what, hint=reason.hint)


class Session:
    """One live bot and its pipes. The first fault is final: the bot must then be stopped.

    Any number of requests may be open. Notices and requests are queued until `flush` writes them in
    one go, because every write wakes the bot. Replies and lines of the log name the `seat`.
    """

    def __init__(
        self,
        running: Running,
        limits: LimitsInfo,
        now: Callable[[], float],
        log: Log | None = None,
        bank: FixtureBank | None = None,
        models: ModelSocket | None = None,
        seat: int = 0,
    ) -> None:
        self.seat = seat
        self.running = running
        self.stdin, self.stdout = running.stdin, running.stdout
        self.stderr, self.exit_fd = running.stderr, running.exit_fd
        self.closed = False
        """Whether no more output can come."""
        self.ended = False
        """Whether the program has ended."""
        self.ending: Ending | None = None
        """How it ended, if it did while an answer was awaited."""
        self._models = models
        self._model_seconds = limits.model or MODEL_SECONDS
        own = (lambda: now() - models.waits.held) if models else now
        self.clock = Clock(
            limits, own, running.cpu_time, bank, running.is_busy, stands_still=models is not None
        )
        """It stands still while the bot waits for its models."""
        self._open = self.clock.open
        self._freezes_at_once = limits.freeze
        self._frozen = False
        self._log = log
        self._lines: list[bytes] = []
        """The lines that wait for `flush`."""
        self._requests: list[tuple[int, int]] = []
        """The id and the game of each request among them."""
        self._written: list[bytes] = []
        """The last lines that were written, for the words of a fault."""
        self.outbox = b""
        """Bytes that the pipe did not take yet."""
        self._inbox = b""
        """Output without the lines that were handled."""
        self._flooded = False
        """Whether the bot had filled its inbox before it was asked."""
        self._answers = deque[bytes](maxlen=max(1, limits.concurrent_games))
        """Its newest lines: a referee may find that one of them is illegal."""
        self._faulty = b""
        """Its output when it was found at fault."""
        self._errors = bytearray()
        self.errors_size = 0
        """Bytes of its standard error so far."""

    @property
    def errors(self) -> str:
        """The end of the bot's standard error, as text."""
        return self._errors[-MAX_STDERR:].decode("utf-8", "replace")

    @property
    def next_check(self) -> float:
        """When `expired` must be called, by the time that passes for all."""
        held = self._models.waits.held if self._models else 0.0
        return self.clock.next_check + held

    def tell(self, line: bytes) -> None:
        """Queue a notice; it is written together with the next request."""
        self._lines.append(line)

    def greet(self, line: bytes) -> None:
        """Write the first line, and start the clock of the start."""
        self.clock.await_ready()
        self._lines.append(line)
        self.flush()

    def ask(self, id_: int, line: bytes, game: int = 0) -> None:
        """Queue a request for `flush`."""
        self._lines.append(line)
        self._requests.append((id_, game))
        if self._models:
            self._models.asked(id_, game, line)

    def flush(self) -> None:
        """Write what is queued, as far as the pipe takes it; start the clocks of the requests."""
        if self._requests:
            self._flooded = self.full
            if self._frozen:
                self._freeze(frozen=False)
            self.clock.ask(*self._requests)
            self._requests.clear()
        if self._log:
            for line in self._lines:
                self._log(self.seat, ">>", line)
        self.outbox += b"".join(self._lines)
        if self._lines:
            self._written, self._lines = self._lines, []
        self.write()

    def rest(self, *, at_once: bool) -> None:
        """Freeze the bot if nothing is awaited from it; `at_once` only if that is done quickly."""
        if not self._open and (self.running.freezes_quickly or not at_once):
            self._freeze(frozen=True)

    def _freeze(self, *, frozen: bool) -> None:
        if frozen != self._frozen:
            self.running.freeze(frozen=frozen)
            self._frozen = frozen

    def write(self) -> None:
        """Write as much of the outbox as the pipe takes."""
        try:
            written = os.write(self.stdin, self.outbox)
        except BlockingIOError:
            written = 0
        except OSError:
            # The bot has closed its input: its answer, its exit or the deadline decides.
            written = len(self.outbox)
        self.outbox = self.outbox[written:] if written < len(self.outbox) else b""

    def say_goodbye(self) -> None:
        """Write what is queued, and close the bot's input."""
        self._freeze(frozen=False)
        self.flush()
        self.running.end_input()

    def read(self) -> list[SeatReply]:
        """Read what has come, and return the replies in it."""
        try:
            chunk = os.read(self.stdout, _CHUNK)
        except BlockingIOError:
            return []
        # Output of child processes that outlive the bot does not count.
        self.closed = self.ended or not chunk
        self._inbox += chunk
        return self.replies()

    def replies(self) -> list[SeatReply]:
        """Return the replies in what was read already; a fault is the last."""
        replies = []
        while self._open and (reply := self._next_reply()):
            replies.append(reply)
        return replies

    def _next_reply(self) -> SeatReply | None:
        end = self._inbox.find(b"\n") + 1
        if end > MAX_LINE or self._flooded or (not end and self.full):
            return self._fault(Cause.FLOOD, f"more than {MAX_LINE} bytes without an answer in them")
        if end:
            line, self._inbox = self._inbox[:end], self._inbox[end:]
            return self._decode(line)
        if not self.closed:
            return None
        self.ending = ending_of(self.running)
        return self._fault(Cause.CRASH, self.ending.how)

    @property
    def full(self) -> bool:
        """Whether the bot has written as much as it may write unasked."""
        return len(self._inbox) >= MAX_LINE

    @property
    def read_ahead(self) -> bool:
        """Whether an open request can be answered without waiting, by what was read or by the exit.

        No further event reports a bot that ended while no request was open.
        """
        return bool((self._inbox or self.closed) and self._open)

    def read_errors(self) -> bool:
        """Read standard error and keep its end; returns False once it is closed."""
        try:
            chunk = os.read(self.stderr, _CHUNK)
        except BlockingIOError:
            return True
        self._errors += chunk
        self.errors_size += len(chunk)
        if self._log and chunk:
            self._log(self.seat, "!!", chunk)
        if len(self._errors) > 4 * MAX_STDERR:
            del self._errors[:-MAX_STDERR]
        return bool(chunk)

    def exited(self) -> list[SeatReply]:
        """Handle the end of the process: answers that are still in the pipe count."""
        self.ended = True
        replies = self.read()
        self.closed = True
        return replies + self.replies()

    def answered(self, id_: int) -> bytes:
        """Return the recent line that answered a request, else that of the fault; b"" if none."""
        for line in self._answers:
            with suppress(StrictError):
                if decode_answer(line).id == id_:
                    return line
        return self._faulty

    def expired(self) -> SeatReply | None:
        """Return the fault if an answer took too long."""
        if self._models and self._open and self._models.waits.for_answer >= self._model_seconds:
            reason = f"no answer within {self._model_seconds:g} s of its language models"
        else:
            reason = self.clock.expired()
        if not reason:
            return None
        ids = [id_ for id_ in self._open if id_ != READY]
        asked = f"; open: {open_requests(ids, self._written)}" if ids else ""
        return self._fault(Cause.TIMEOUT, f"{reason}{asked}{unfinished(self._inbox)}")

    def release(self) -> Running | None:
        """Write what is queued and give the program away; None if it cannot serve again."""
        self.flush()
        self._drain_errors()
        busy = self._open or self.outbox or self._inbox or self.closed or self.ended
        return None if busy else self.running

    def last_words(self) -> str:
        """Return the last line on standard error so far."""
        self._drain_errors()
        return last_line(self._errors)

    def stop(self) -> None:
        """End the process and everything it started; keep the end of its standard error."""
        self.running.kill()
        self.running.exit_code()
        self._drain_errors()
        self.running.close()
        if self._models:
            self._models.close()

    def _drain_errors(self) -> None:
        """Read what has come on standard error, without waiting for a bot that keeps writing."""
        for _ in range(4):
            if not self.read_errors():
                break

    def _decode(self, line: bytes) -> SeatReply:
        if self._log:
            self._log(self.seat, "<<", line)
        self._answers.append(line)
        try:
            if READY in self._open:
                return self._answered(READY, decode_ready(line))
            answer = decode_answer(line)
        except StrictError as error:
            self._faulty = line
            text = line[:_SHOWN_BYTES].decode("utf-8", "backslashreplace").rstrip("\r\n")
            rest = " ..." if len(line) > _SHOWN_BYTES else ""
            unasked = news(self._written) if error.is_object else ""
            return self._fault(Cause.MALFORMED_LINE, f"{error}: {text!r}{rest}{unasked}")
        if answer.id not in self._open:
            self._faulty = line
            asked = open_requests(self._open, self._written)
            what = f"id {answer.id} is not open; open: {asked}{news(self._written)}"
            return self._fault(Cause.MALFORMED_LINE, what)
        return self._answered(answer.id, answer)

    def _answered(self, id_: int, reply: Answer | Ready) -> SeatReply:
        reason = self.clock.answered(id_)
        if self._models and isinstance(reply, Answer):
            self._models.answered(id_, reply.by)
        if reason:
            self.clock.forget()
            return self.seat, id_, Fault(Cause.TIMEOUT, reason)
        if self._freezes_at_once:
            self.rest(at_once=True)
        return self.seat, id_, reply

    def _fault(self, cause: Cause, detail: str) -> SeatReply:
        """Give up on the bot: the oldest open request gets the fault, the others are dropped."""
        id_ = next(iter(self._open))
        self._faulty = self._faulty or self._inbox
        self.clock.forget()
        return self.seat, id_, Fault(cause, detail)


_ANSWERED = frozenset({"hello", "turn", "calza"})
"""The messages that want an answer."""
_SHOWN = 4
"""Open requests that are named."""
_MAX_TEXT = 80
"""Bytes shown of a line without an end."""


def open_requests(ids: Iterable[int], written: Iterable[bytes]) -> str:
    """Name the requests that await an answer, as in "7 (turn), 9 (calza)"; "none" if none does."""
    types = {message.get("id"): message["type"] for message in _messages(written)}
    named = [f"{id_} ({types[id_]})" if id_ in types else str(id_) for id_ in ids]
    more = [f"{len(named) - _SHOWN} more"] if len(named) > _SHOWN else []
    return ", ".join(named[:_SHOWN] + more) or "none"


def news(written: Iterable[bytes]) -> str:
    """Say what was sent last that wants no answer, to follow another sentence; "" if nothing."""
    told = [str(message["type"]) for message in _messages(written)]
    unasked = list(dict.fromkeys(kind for kind in told if kind not in _ANSWERED))
    if not unasked:
        return ""
    which = "it wants" if len(unasked) == 1 else "they want"
    return f"; you had been sent {', '.join(unasked)}; {which} no answer"


def unfinished(inbox: bytes) -> str:
    """Say what a bot wrote without ending the line, to follow another sentence; "" if nothing."""
    text = inbox[:_MAX_TEXT].decode("utf-8", "backslashreplace")
    return f"; it wrote {text!r} with no newline at its end" if inbox else ""


def _messages(written: Iterable[bytes]) -> Iterator[dict[str, object]]:
    for line in written:
        # The words of a fault must not be a fault of the arena's own.
        with suppress(ValueError):
            message = json.loads(line)
            if isinstance(message, dict) and "type" in message:
                yield message
