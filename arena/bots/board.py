"""The live bots of one table, and the wait for whichever of them answers next."""

import select
import time
from collections.abc import Callable, Sequence
from functools import partial

from arena.bots.manifest import Bot
from arena.bots.sandbox import Sandbox
from arena.bots.session import READY, Reply, Session
from arena.records import Cause, Fault, LimitsInfo

_GRACE = 0.5
"""Seconds that bots have to end by themselves after `bye`."""


class Board:
    """Sessions by seat; a context manager that leaves no process behind.

    Requests go out with `ask`; `wait` returns the replies that have come, one or more. `log`, if
    given, is told every line with its seat and its direction: ">>" to the bot, "<<" from it.
    """

    def __init__(
        self,
        bots: Sequence[Bot],
        sandbox: Sandbox,
        limits: LimitsInfo,
        log: Callable[[int, str, bytes], None] | None = None,
    ) -> None:
        self._bots = bots
        self._sandbox = sandbox
        self._limits = limits
        self._log = log
        self._poll = select.epoll()
        self._sessions: dict[int, Session] = {}
        self._seat_of: dict[int, int] = {}
        self._stderr = [""] * len(bots)
        self._asked: set[int] = set()

    def __enter__(self) -> "Board":
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
            started = self._sandbox.start(bot.folder, bot.command)
        except OSError as error:
            return Fault(Cause.CRASH, f"cannot be started: {error.strerror}")
        log = partial(self._log, seat) if self._log else None
        session = Session(started, self._limits, time.monotonic, log)
        self._sessions[seat] = session
        for fd in (session.stdout, session.stderr, session.death):
            self._watch(fd, seat, select.EPOLLIN)
        self.ask(seat, READY, hello)
        return None

    def stop(self, seat: int) -> None:
        """End a seat's bot."""
        session = self._sessions.pop(seat, None)
        if session is None:
            return
        self._asked.discard(seat)
        for fd in (session.stdin, session.stdout, session.stderr, session.death):
            self._forget(fd)
        session.stop()
        self._stderr[seat] = (self._stderr[seat] + session.errors)[-65_536:]

    def new_game(self) -> None:
        """Fill every bot's time bank."""
        for session in self._sessions.values():
            session.new_game()

    def tell(self, line: bytes) -> None:
        """Tell every bot something; it is written together with the bot's next request."""
        for session in self._sessions.values():
            session.tell(line)

    def ask(self, seat: int, id_: int, line: bytes) -> None:
        """Send a request to a live seat."""
        self._asked.add(seat)
        session = self._sessions[seat]
        session.ask(id_, line)
        if session.outbox and session.stdin not in self._seat_of:
            self._watch(session.stdin, seat, select.EPOLLOUT)

    def wait(self) -> list[tuple[int, int, Reply]]:
        """Wait for at least one (seat, request id, reply); a fault is a reply, too."""
        found = [reply for seat in list(self._asked) if (reply := self._left_over(seat))]
        while not found:
            deadline = min(
                [d for seat in self._asked for d in self._sessions[seat].deadlines.values()]
            )
            for fd, _ in self._poll.poll(max(0.0, deadline - time.monotonic())):
                if (reply := self._handle(fd)) is not None:
                    found.append(reply)
            if not found:
                found = self._expired()
        return found

    def bye(self, line: bytes) -> None:
        """Say goodbye and give every bot a moment to end by itself."""
        for session in self._sessions.values():
            session.tell(line)
            self._forget(session.stdin)
            session.say_goodbye()
        deadline = time.monotonic() + _GRACE
        waiting = {s.death: s for s in self._sessions.values() if not s.ended}
        while waiting and (left := deadline - time.monotonic()) > 0:
            for fd, _ in self._poll.poll(left):
                self._handle(fd)
            waiting = {fd: s for fd, s in waiting.items() if not s.ended}

    def _left_over(self, seat: int) -> tuple[int, int, Reply] | None:
        return self._tag(seat, self._sessions[seat].next_reply())

    def _handle(self, fd: int) -> tuple[int, int, Reply] | None:
        """Serve a descriptor that is ready; one that can bring nothing more is let go."""
        seat = self._seat_of[fd]
        session = self._sessions[seat]
        if fd == session.stdout:
            reply = session.read()
            if session.full or session.closed:
                self._forget(fd)
            return self._tag(seat, reply)
        if fd == session.death:
            self._forget(fd)
            return self._tag(seat, session.died())
        if fd == session.stderr:
            if not session.read_errors():
                self._forget(fd)
            return None
        session.flush()
        if not session.outbox:
            self._forget(fd)
        return None

    def _expired(self) -> list[tuple[int, int, Reply]]:
        now = time.monotonic()
        return [
            reply
            for seat in list(self._asked)
            if (reply := self._tag(seat, self._sessions[seat].expired(now)))
        ]

    def _tag(self, seat: int, reply: tuple[int, Reply] | None) -> tuple[int, int, Reply] | None:
        if reply is None:
            return None
        if not self._sessions[seat].deadlines:
            self._asked.discard(seat)
        return seat, *reply

    def _watch(self, fd: int, seat: int, event: int) -> None:
        self._seat_of[fd] = seat
        self._poll.register(fd, event)

    def _forget(self, fd: int) -> None:
        if self._seat_of.pop(fd, None) is not None:
            self._poll.unregister(fd)
