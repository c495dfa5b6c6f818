"""How long a bot takes for each kind of request: its own of stored games, asked once more."""

from collections.abc import Iterator
from statistics import median
from typing import Literal

from msgspec import Struct

from arena.author.check.context import Bench, CheckRequest
from arena.author.check.findings import Finding
from arena.author.check.probe import Probe
from arena.author.check.tables import CheckTable
from arena.bots.bot import Bot
from arena.bots.sandboxes.base import Sandbox
from arena.bots.workshop import open_workshop
from arena.game.records import PlayedFixture
from arena.game.rules.books import Rules
from arena.game.wire.messages import CalzaOffer
from arena.league.table.live_seat import Request
from arena.league.table.recorded_seat import seat_moments

_MOST = 250
"""Requests of a fixture that are asked again."""

RequestKind = Literal["opening", "reply", "palifico", "calza"]
KINDS: tuple[RequestKind, ...] = ("opening", "reply", "palifico", "calza")
"""The first bid of a round, any later turn, any turn in a palifico round, an offer of calza."""


class RequestTime(Struct, frozen=True):
    """How long requests of a kind took, in seconds."""

    kind: RequestKind
    requests: int
    clock: Literal["cpu", "wall"]
    """Wall time where the sandbox cannot tell CPU time."""
    median: float
    longest: float


def request_times(
    bot: Bot,
    fixtures: list[PlayedFixture],
    rules: Rules,
    sandbox: Sandbox,
    *,
    packages: bool = False,
) -> list[RequestTime]:
    """Ask a bot again, one at a time, what it was asked in stored games; its answers do not count.

    Requests after a fault of the bot are left out. `packages`: whether those that it asks for are
    installed.
    """
    times: dict[RequestKind, list[float]] = {}
    with open_workshop(sandbox, packages=packages) as workshop:
        bench = Bench(CheckRequest(bot.source), workshop.folder, lambda _: None)
        bench.bot, bench.workshop = bot, workshop
        bench.staged = workshop.stage(bot)
        for played in fixtures:
            try:
                for kind, seconds in _asked_again(bench, played, rules):
                    times.setdefault(kind, []).append(seconds)
            finally:
                bench.end()
    clock: Literal["cpu", "wall"] = "cpu" if bench.meter.by_cpu else "wall"
    return [
        RequestTime(kind, len(times[kind]), clock, median(times[kind]), max(times[kind]))
        for kind in KINDS
        if kind in times
    ]


def _asked_again(
    bench: Bench, played: PlayedFixture, rules: Rules
) -> Iterator[tuple[RequestKind, float]]:
    seat, asked = played.fixture.seats.index(bench.bot.name), 0
    with Probe(bench, CheckTable(rules, len(played.fixture.seats), seat)) as probe:
        ready = probe.start()
        if isinstance(ready, Finding):
            return
        for record in played.games:
            for moment in seat_moments(played.fixture, rules, record, seat):
                for notice in moment.news:
                    probe.tell(notice)
                request = moment.request
                if request is None or (isinstance(request, CalzaOffer) and not ready.calza):
                    continue
                if isinstance(probe.ask(request), Finding):
                    return
                yield _kind(request), bench.meter.decisions[-1]
                asked += 1
            if asked >= _MOST:
                return


def _kind(request: Request) -> RequestKind:
    if isinstance(request, CalzaOffer):
        return "calza"
    if request.palifico_seat is not None:
        return "palifico"
    return "reply" if request.dudo else "opening"
