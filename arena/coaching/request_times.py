"""How long a bot takes for each kind of request: its own of stored games, asked once more."""

from collections.abc import Iterator
from itertools import count
from statistics import median
from typing import Literal

from msgspec import Struct

from arena.check.bench import Bench, CheckRequest
from arena.check.findings import Finding
from arena.check.probe import Probe, Table
from arena.match.referee import Notice, Referee
from arena.match.replay import feed, moments
from arena.perudo.rules import Rules
from arena.records import Fault, Fixture, GameRecord, PlayedFixture
from arena.sandboxes.base import Sandbox
from arena.sandboxes.passing import ObservedSandbox
from arena.sandboxes.run_folder import run_folder
from arena.submissions.bot import Bot
from arena.submissions.staging import stage
from arena.wire.messages import Answer, CalzaOffer, Turn

_MOST = 250
"""Requests of a fixture that are asked again."""

Kind = Literal["opening", "reply", "palifico", "calza"]
KINDS: tuple[Kind, ...] = ("opening", "reply", "palifico", "calza")
"""The first bid of a round, any later turn, any turn in a palifico round, an offer of calza."""
_Asked = tuple[list[Notice], Turn | CalzaOffer]


class RequestTime(Struct, frozen=True):
    """How long requests of a kind took, in seconds."""

    kind: Kind
    requests: int
    clock: Literal["cpu", "wall"]
    """Wall time where the sandbox cannot tell CPU time."""
    median: float
    longest: float


def request_times(
    bot: Bot, fixtures: list[PlayedFixture], rules: Rules, sandbox: Sandbox
) -> list[RequestTime]:
    """Ask a bot again, one at a time, what it was asked in stored games; its answers do not count.

    Requests after a fault of the bot are left out.
    """
    times: dict[Kind, list[float]] = {}
    with run_folder() as runs:
        bench = Bench(CheckRequest(bot.source), runs, lambda _: None)
        bench.bot, bench.sandbox = bot, ObservedSandbox(sandbox)
        bench.staged = stage(bot, runs, sandbox)
        for played in fixtures:
            for kind, seconds in _asked_again(bench, played, rules):
                times.setdefault(kind, []).append(seconds)
    clock: Literal["cpu", "wall"] = "cpu" if bench.meter.by_cpu else "wall"
    return [
        RequestTime(kind, len(times[kind]), clock, median(times[kind]), max(times[kind]))
        for kind in KINDS
        if kind in times
    ]


def _asked_again(bench: Bench, played: PlayedFixture, rules: Rules) -> Iterator[tuple[Kind, float]]:
    seat, asked, ids = played.fixture.seats.index(bench.bot.name), 0, count(1)
    with Probe(bench, Table(rules, len(played.fixture.seats), seat)) as probe:
        ready = probe.start()
        if isinstance(ready, Finding):
            return
        for record in played.games:
            for news, request in _requests(played.fixture, rules, record, seat, ids):
                for notice in news:
                    probe.tell(notice)
                if isinstance(request, CalzaOffer) and not ready.calza:
                    continue
                if isinstance(probe.ask(request), Finding):
                    return
                yield _kind(request), bench.meter.decisions[-1]
                asked += 1
            if asked >= _MOST:
                return


def _kind(request: Turn | CalzaOffer) -> Kind:
    if isinstance(request, CalzaOffer):
        return "calza"
    if request.palifico_seat is not None:
        return "palifico"
    return "reply" if request.dudo else "opening"


class _Watched(Referee):
    """Notes what one seat is asked, and what it is told before."""

    watched: int
    ids: Iterator[int]
    asked: list[_Asked]

    def take(self, seat: int, reply: Answer | Fault) -> Fault | None:
        if seat == self.watched:
            self.asked.append((self.notices[:], self.request(seat, next(self.ids))))
            self.notices.clear()
        return super().take(seat, reply)


def _requests(
    fixture: Fixture, rules: Rules, record: GameRecord, seat: int, ids: Iterator[int]
) -> Iterator[_Asked]:
    """Yield what a seat was asked in a recorded game, with the news before it."""
    players = len(fixture.seats)
    calza_seats = frozenset(range(players)) if rules.calza else frozenset[int]()
    referee = _Watched(
        *(rules, players, fixture.dice_key, record.game, calza_seats), max_rounds=fixture.max_rounds
    )
    referee.watched, referee.ids, referee.asked = seat, ids, []
    for moment in moments(record.events):
        feed(referee, moment)
        yield from referee.asked
        referee.asked.clear()
