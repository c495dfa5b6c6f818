"""The live bots of one table, and the wait for whichever of them answers next.

A turn: `ask` queues requests in the sessions; `wait` has them written, sleeps in epoll, and calls
the handler of each descriptor that is ready, which returns replies. A reply can also lie in what a
bot wrote before it was asked, or be a timeout.
"""

import select
from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from typing import Self

from mypy_extensions import mypyc_attr

from arena.bots.models.gateway import Gateway
from arena.bots.sandboxes.base import Program, Sandbox
from arena.bots.sessions.clock import READY, FixtureBank
from arena.bots.sessions.session import (
    MAX_STDERR,
    Log,
    SeatReply,
    Session,
    check_executed,
    check_not_refused,
    not_started,
)
from arena.bots.sessions.warm_pool import TablePool
from arena.game.records import Fault, LimitsInfo
from arena.io.uptime import TICK, Uptime

_GRACE = 0.5
"""Seconds that bots have to end by themselves after `bye`."""
_PATIENCE = 0.01
"""Seconds without an answer after which bots that owe none are frozen."""
MAX_ANSWER = 8_192
"""Bytes that are kept of the line with which a bot faulted."""
_Handler = Callable[[], Sequence[SeatReply]]


@mypyc_attr(allow_interpreted_subclasses=True)
class Multiplexer:
    """Sessions by seat; a context manager that leaves no process behind.

    `ask` queues requests, any number per seat. `wait` writes what each seat was told and asked in
    one go, and returns the replies that have come, one or more. If none comes for a while, bots
    that owe no answer are frozen until they are asked: they would slow down others. Time in which
    the arena itself did not run counts for no limit.

    Bots come from the warm `pool` if there is one; those in the seats `reusable` return to it.
    Bots with language models ask them at the `gateway`, and never come from the pool. Without a
    gateway, one that refuses everything stands in for it.
    """

    def __init__(
        self,
        programs: Sequence[Program],
        sandbox: Sandbox,
        limits: LimitsInfo,
        log: Log | None = None,
        pool: TablePool | None = None,
        gateway: Gateway | None = None,
    ) -> None:
        self.sandbox = sandbox
        self.limits = limits
        self.reusable: set[int] = set()
        self.stderr = [""] * len(programs)
        """The end of each seat's standard error, complete once its bot has been stopped."""
        self.stderr_sizes = [0] * len(programs)
        """How many bytes of it there were."""
        self._programs = programs
        self._log = log
        self._pool = pool
        refuses = not gateway and any(program.models for program in programs)
        self._refusing = Gateway({}, [""] * len(programs), asks=False) if refuses else None
        self._gateway = gateway or self._refusing
        self._banks = [FixtureBank(limits) for _ in programs]
        self._sessions: dict[int, Session] = {}
        """The live bots, by seat."""
        self._last: dict[int, Session] = {}
        """The sessions that began last, by seat, until `answered` asks for them."""
        self._to_flush: dict[int, Session] = {}
        """Sessions with requests that are not written yet."""
        self._read_ahead: set[int] = set()
        """Seats that may have answered before their requests were written."""
        self._next_check = inf
        """When a session may time out."""
        self._uptime = Uptime(self._resumed)
        self._epoll = select.epoll()
        self._handlers: dict[int, _Handler] = {}
        """What handles each descriptor that epoll watches."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop_all()
        self._epoll.close()
        if self._refusing:
            self._refusing.close()

    def live(self, seat: int) -> bool:
        """Return whether the seat's bot is running."""
        return seat in self._sessions

    def asks_models(self, seat: int) -> bool:
        """Return whether the seat's bot may ask language models."""
        return bool(self._programs[seat].models)

    def start(self, seat: int, hello: bytes) -> None:
        """Start a seat's bot and greet it; its `Ready` comes from `wait`, under the id READY.

        Raises ArenaError if the sandbox does not work any more, and ShortageError if it could not
        start the bot: no bot is to blame for that.
        """
        program = self._programs[seat]
        self._last.pop(seat, None)
        self._uptime.tick()
        models = None
        if self._gateway and program.models:
            models = self._gateway.open(seat, program.models, self._uptime.now)
            program = program._replace(socket=models.path)
        try:
            pool = None if models else self._pool
            running = pool.take(program, self.sandbox) if pool else self.sandbox.start(program)
        except OSError as error:
            raise not_started(self.sandbox, error) from None
        self._uptime.tick()
        now, bank = self._uptime.now, self._banks[seat]
        session = Session(running, self.limits, now, self._log, bank, models, seat)
        self._sessions[seat] = self._last[seat] = session
        self._watch(session.stdout, partial(self._read, session))
        self._watch(session.stderr, partial(self._read_stderr, session))
        self._watch(session.exit_fd, partial(self._exited, session))
        session.greet(hello)
        self._flushed(session)

    def stop(self, seat: int) -> None:
        """End a seat's bot."""
        session = self._sessions.pop(seat, None)
        if session is None:
            return
        self._unwatch(session)
        self._to_flush.pop(seat, None)
        session.stop()
        self._keep_stderr(seat, session)

    def stop_all(self) -> None:
        """End the bots of all seats."""
        for seat in list(self._sessions):
            self.stop(seat)

    def answered(self, seat: int, id_: int) -> str:
        """Return the line with which a seat faulted when it was asked for an answer; "" if none.

        Bytes that are not UTF-8 are spelled out, and only the first MAX_ANSWER are returned.
        """
        session = self._last.pop(seat, None)
        line = session.answered(id_)[:MAX_ANSWER] if session else b""
        return line.decode("utf-8", "backslashreplace").rstrip("\r\n")

    def used_up(self, seat: int) -> bool:
        """Return whether a seat has used all its time for the fixture."""
        return self._banks[seat].used_up

    def refund(self, first: int) -> None:
        """Give all seats back what they used in the games from `first` on."""
        for bank in self._banks:
            bank.refund(first)

    def tell(self, seat: int, line: bytes) -> None:
        """Tell a bot something, if it runs; it is written together with the bot's next request."""
        if session := self._sessions.get(seat):
            session.tell(line)

    def ask(self, seat: int, id_: int, line: bytes, game: int = 0) -> None:
        """Ask a live seat for an answer in a game; `wait` writes it."""
        session = self._to_flush[seat] = self._sessions[seat]
        session.ask(id_, line, game)

    def wait(self) -> Sequence[SeatReply]:
        """Write what was asked, and wait for at least one reply; a fault is a reply, too."""
        now = began = self._uptime.tick()
        for session in self._to_flush.values():
            session.flush()
            self._flushed(session)
        self._to_flush.clear()
        replies = self._take_read_ahead() if self._read_ahead else []
        patience = _PATIENCE
        while not replies:
            replies = self._poll(min(self._next_check - now, patience))
            if replies:
                break
            now = self._uptime.now()
            if now >= self._next_check:
                # What lies in the pipes by now was said in time.
                replies = self._poll(0.0) or self._timeouts()
            if now - began >= _PATIENCE:
                patience = TICK
                self._rest(at_once=now - began < TICK)
        return replies

    def _take_read_ahead(self) -> list[SeatReply]:
        """Return the replies in what bots wrote before they were asked."""
        seats = sorted(self._read_ahead & self._sessions.keys())
        self._read_ahead.clear()
        return [reply for seat in seats for reply in self._sessions[seat].replies()]

    def _poll(self, seconds: float) -> list[SeatReply]:
        """Wait for so long, and handle what comes."""
        replies: list[SeatReply] = []
        if self._gateway:
            self._gateway.check()
        events = self._epoll.poll(seconds if seconds > 0 else 0.0)
        self._uptime.tick()
        for fd, _ in events:
            # A handler may have ended the watch over another descriptor.
            if handler := self._handlers.get(fd):
                replies += handler()
        return replies

    def _timeouts(self) -> list[SeatReply]:
        """Return the timeouts, and update when to check again."""
        sessions = list(self._sessions.values())
        timeouts = [session.expired() for session in sessions]
        self._next_check = min((session.next_check for session in sessions), default=inf)
        return [reply for reply in timeouts if reply]

    def _rest(self, *, at_once: bool) -> None:
        """Freeze all that owe no answer."""
        for session in self._sessions.values():
            session.rest(at_once=at_once)
        if self._pool:
            self._pool.rest()

    def bye(self, line: bytes) -> None:
        """Return reusable bots to the pool; say goodbye to the others, and let them end."""
        if self._pool:
            for seat in self.reusable & self._sessions.keys():
                if not self._programs[seat].models:
                    self._give_back(seat, self._pool)
        for session in self._sessions.values():
            session.tell(line)
            self._forget(session.stdin)
            session.say_goodbye()
        now = self._uptime.tick()
        deadline = now + _GRACE
        while now < deadline and not all(s.ended for s in self._sessions.values()):
            self._poll(min(deadline - now, TICK))
            now = self._uptime.now()

    def _resumed(self) -> None:
        """Take note that the arena did not run for a while; its bots may have."""
        for session in self._sessions.values():
            session.clock.suspended()

    def _give_back(self, seat: int, pool: TablePool) -> None:
        """Return a bot to the pool, unless it owes an answer or said something unasked."""
        session = self._sessions[seat]
        self._unwatch(session)
        if running := session.release():
            del self._sessions[seat]
            self._keep_stderr(seat, session)
            pool.give_back(self._programs[seat], self.sandbox, running)
        else:
            self.stop(seat)

    def _keep_stderr(self, seat: int, session: Session) -> None:
        self.stderr[seat] = (self.stderr[seat] + session.errors)[-MAX_STDERR:]
        self.stderr_sizes[seat] += session.errors_size

    def _flushed(self, session: Session) -> None:
        """Note what follows a write: a deadline, answers read ahead, bytes still to be written."""
        self._next_check = min(self._next_check, session.next_check)
        if session.read_ahead:
            self._read_ahead.add(session.seat)
        if session.outbox and session.stdin not in self._handlers:
            self._watch(session.stdin, partial(self._write_rest, session), select.EPOLLOUT)

    def _read(self, session: Session) -> Sequence[SeatReply]:
        replies = session.read()
        if session.full or session.closed:
            # Nothing more can come, or nothing more is wanted.
            self._forget(session.stdout)
            self._check_end(session, replies)
        return replies

    def _exited(self, session: Session) -> Sequence[SeatReply]:
        self._forget(session.exit_fd)
        replies = session.exited()
        self._check_end(session, replies)
        return replies

    def _check_end(self, session: Session, replies: Sequence[SeatReply]) -> None:
        """Raise ArenaError if a bot was never executed, or ended, by no fault of its own."""
        if not session.ending:
            return
        check_not_refused(session.ending)
        if any(id_ == READY and isinstance(reply, Fault) for _, id_, reply in replies):
            check_executed(session.ending, self.sandbox, session.last_words())

    def _read_stderr(self, session: Session) -> Sequence[SeatReply]:
        if not session.read_errors():
            self._forget(session.stderr)
        return ()

    def _write_rest(self, session: Session) -> Sequence[SeatReply]:
        session.write()
        if not session.outbox:
            self._forget(session.stdin)
        return ()

    def _watch(self, fd: int, handler: _Handler, event: int = select.EPOLLIN) -> None:
        self._handlers[fd] = handler
        self._epoll.register(fd, event)

    def _unwatch(self, session: Session) -> None:
        for fd in (session.stdin, session.stdout, session.stderr, session.exit_fd):
            self._forget(fd)

    def _forget(self, fd: int) -> None:
        if self._handlers.pop(fd, None) is not None:
            self._epoll.unregister(fd)
