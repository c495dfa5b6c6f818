"""The live bots of one table, and the wait for whichever of them answers next."""

import select
import time
from collections.abc import Callable, Sequence
from functools import partial
from math import inf

from arena.records import Cause, Fault, LimitsInfo
from arena.sandboxes.base import Running, Sandbox
from arena.sessions.clock import Bank
from arena.sessions.session import STDERR_KEPT, Reply, Session
from arena.sessions.warm_pool import WarmPool
from arena.submissions.manifest import Bot

_GRACE = 0.5
"""Seconds that bots have to end by themselves after `bye`."""
_Reply = tuple[int, int, Reply]


class Multiplexer:
    """Sessions by seat; a context manager that leaves no process behind.

    `ask` keeps requests, any number a seat; `wait` writes what each seat was told and asked in one
    go and returns the replies that have come, one or more. `log`, if given, is told every line with
    its seat and its direction: ">>" to the bot, "<<" from it.
    Bots come from the `roster`, if there is one; those whose seats are in `keeping` return to it.
    """

    def __init__(
        self,
        bots: Sequence[Bot],
        sandbox: Sandbox,
        limits: LimitsInfo,
        log: Callable[[int, str, bytes], None] | None = None,
        roster: WarmPool | None = None,
    ) -> None:
        self.keeping: set[int] = set()
        self._roster = roster
        self._bots = bots
        self._sandbox = sandbox
        self._limits = limits
        self._log = log
        self._poll = select.epoll()
        self._sessions: dict[int, Session] = {}
        self._serve: dict[int, Callable[[], Sequence[_Reply]]] = {}
        self._stderr = [""] * len(bots)
        self._banks: list[dict[int, Bank]] = [{} for _ in bots]
        self._asked: set[int] = set()
        self._ahead: set[int] = set()
        self._due = inf

    def __enter__(self) -> "Multiplexer":
        return self

    def __exit__(self, *_: object) -> None:
        for seat in list(self._sessions):
            self.stop(seat)
        self._poll.close()

    @property
    def stderr(self) -> tuple[str, ...]:
        """The end of each seat's standard error so far; complete once its bot was stopped."""
        return tuple(self._stderr)

    def live(self, seat: int) -> bool:
        """Tell whether the seat's bot is running."""
        return seat in self._sessions

    def start(self, seat: int, hello: bytes) -> Fault | None:
        """Start a seat's bot and greet it; its `Ready` comes from `wait`, under the id READY."""
        bot = self._bots[seat]
        try:
            running = self._take(bot)
        except OSError as error:
            return Fault(Cause.CRASH, f"cannot be started: {error.strerror}")
        log = partial(self._log, seat) if self._log else None
        session = Session(running, self._limits, time.monotonic, log, self._banks[seat])
        self._sessions[seat] = session
        self._watch(session.stdout, partial(self._hear, seat, session))
        self._watch(session.stderr, partial(self._keep_errors, session))
        self._watch(session.exit_fd, partial(self._bury, seat, session))
        session.greet(hello)
        self._look_after(seat, session)
        return None

    def stop(self, seat: int) -> None:
        """End a seat's bot."""
        session = self._sessions.pop(seat, None)
        if session is None:
            return
        self._unwatch(session)
        self._asked.discard(seat)
        session.stop()
        self._stderr[seat] = (self._stderr[seat] + session.errors)[-STDERR_KEPT:]

    def end_game(self, game: int) -> None:
        """Forget how much of its time each seat used in a game."""
        for banks in self._banks:
            banks.pop(game, None)

    def tell(self, seat: int, line: bytes) -> None:
        """Tell a bot something, if it runs; it is written together with the bot's next request."""
        if session := self._sessions.get(seat):
            session.tell(line)

    def ask(self, seat: int, id_: int, line: bytes, game: int = 0) -> None:
        """Ask a live seat for an answer in a game; `wait` writes it."""
        self._sessions[seat].ask(id_, line, game)
        self._asked.add(seat)

    def wait(self) -> Sequence[_Reply]:
        """Write what was asked and wait for at least one (seat, request id, reply).

        A fault is a reply, too.
        """
        for seat in sorted(self._asked):
            session = self._sessions[seat]
            session.flush()
            self._look_after(seat, session)
        self._asked.clear()
        found = self._left_over() if self._ahead else []
        while not found:
            left = self._due - time.monotonic()
            if left <= 0:
                found = self._expired()
                left = 0.0 if found else self._due - time.monotonic()
            for fd, _ in self._poll.poll(max(0.0, left)):
                # One that is served may end the watch over another.
                if serve := self._serve.get(fd):
                    found += serve()
        return found

    def bye(self, line: bytes) -> None:
        """Return bots to the roster, say goodbye to the others and let them end by themselves."""
        if self._roster:
            for seat in self.keeping & self._sessions.keys():
                self._return(seat, self._roster)
        for session in self._sessions.values():
            session.tell(line)
            self._forget(session.stdin)
            session.say_goodbye()
        deadline = time.monotonic() + _GRACE
        waiting = {s.exit_fd: s for s in self._sessions.values() if not s.ended}
        while waiting and (left := deadline - time.monotonic()) > 0:
            for fd, _ in self._poll.poll(left):
                self._serve[fd]()
            waiting = {fd: s for fd, s in waiting.items() if not s.ended}

    def _take(self, bot: Bot) -> Running:
        if self._roster:
            return self._roster.take(bot, self._sandbox)
        return self._sandbox.start(bot.program)

    def _return(self, seat: int, roster: WarmPool) -> None:
        """Return a bot to the roster, unless it owes or said something."""
        session = self._sessions[seat]
        self._unwatch(session)
        if running := session.release():
            del self._sessions[seat]
            self._stderr[seat] = (self._stderr[seat] + session.errors)[-STDERR_KEPT:]
            roster.keep(self._bots[seat], self._sandbox, running)
        else:
            self.stop(seat)

    def _look_after(self, seat: int, session: Session) -> None:
        """See to what a seat was asked: in time, all of it, and answered early as it may be."""
        self._due = min(self._due, session.due)
        if session.ahead:
            self._ahead.add(seat)
        if session.outbox and session.stdin not in self._serve:
            self._watch(session.stdin, partial(self._write_on, session), select.EPOLLOUT)

    def _left_over(self) -> list[_Reply]:
        """Take the replies that were read before they were asked for."""
        seats = sorted(self._ahead & self._sessions.keys())
        self._ahead.clear()
        return [(seat, *reply) for seat in seats for reply in self._sessions[seat].replies()]

    def _hear(self, seat: int, session: Session) -> Sequence[_Reply]:
        replies = session.read()
        if session.full or session.closed:
            # It can bring nothing more, or nothing that is wanted.
            self._forget(session.stdout)
        return [(seat, *reply) for reply in replies]

    def _bury(self, seat: int, session: Session) -> Sequence[_Reply]:
        self._forget(session.exit_fd)
        return [(seat, *reply) for reply in session.died()]

    def _keep_errors(self, session: Session) -> Sequence[_Reply]:
        if not session.read_errors():
            self._forget(session.stderr)
        return ()

    def _write_on(self, session: Session) -> Sequence[_Reply]:
        session.write_on()
        if not session.outbox:
            self._forget(session.stdin)
        return ()

    def _expired(self) -> list[_Reply]:
        """Return the timeouts; what was due first is looked up again only now."""
        sessions = list(self._sessions.items())
        late = [(seat, session.expired()) for seat, session in sessions]
        self._due = min((session.due for _, session in sessions), default=inf)
        return [(seat, *reply) for seat, reply in late if reply]

    def _watch(
        self, fd: int, serve: Callable[[], Sequence[_Reply]], event: int = select.EPOLLIN
    ) -> None:
        self._serve[fd] = serve
        self._poll.register(fd, event)

    def _unwatch(self, session: Session) -> None:
        for fd in (session.stdin, session.stdout, session.stderr, session.exit_fd):
            self._forget(fd)

    def _forget(self, fd: int) -> None:
        if self._serve.pop(fd, None) is not None:
            self._poll.unregister(fd)
