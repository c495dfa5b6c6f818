"""How far a stored league has come, also while another process plays it."""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from arena.game.records import Cause, Division
from arena.league.play.stored_league import schedule_of
from arena.league.schedule.progress import LeagueProgress
from arena.league.store.store import Store

RECENT = 60.0
"""Seconds before the last stored fixture over which the speed is measured."""
_MIN_SECONDS = 0.1
"""Stretches that are shorter tell no speed: workers may finish at the same moment."""
_NEXT_SHOWN = 5
"""How many of the fixtures that come next are named."""


class TableStatus(Struct, frozen=True):
    """How far one division has come."""

    variant: str
    players: int
    fixtures: int
    """Stored fixtures that count."""
    scheduled: int
    """All in the schedule, with those that `until` may save."""
    games: int
    """Stored games that count."""
    faults: int


class Next(Struct, frozen=True):
    """A fixture that is not stored yet."""

    index: int
    variant: str
    seats: tuple[str, ...]


class Status(Struct, frozen=True):
    """How far a league has come."""

    name: str
    playing: bool
    """Whether an arena is playing it now."""
    finished: bool
    """Whether nothing is left to play."""
    fixtures: int
    scheduled: int
    games: int
    scheduled_games: int
    not_counting: int
    """Stored fixtures that no longer count."""
    games_per_second: float | None
    """Over the last minute that was played; None if that is too short to tell."""
    faults: dict[Cause, int]
    tables: tuple[TableStatus, ...]
    next: tuple[Next, ...]
    """The first of what comes next, in order."""


def status(store: Store, *, playing: bool) -> Status:
    """Read how far a league has come; raises ArenaError if nothing was played yet."""
    schedule = schedule_of(store)
    conditions, progress = schedule.conditions, LeagueProgress(schedule)
    fixtures, games, faults = (Counter[Division]() for _ in range(3))
    causes = Counter[Cause]()
    times: list[tuple[float, int]] = []
    not_counting = 0
    for result in store.results():
        if result.stored_at is not None:
            times.append((result.stored_at, len(result.games)))
        if not progress.counts(result.fixture.id):
            not_counting += 1
            continue
        progress.add(result)
        division = result.fixture.division
        found = [cause for game in result.games for cause in game.faults if cause]
        fixtures[division] += 1
        games[division] += len(result.games)
        faults[division] += len(found)
        causes.update(found)
    due = progress.due()
    return Status(
        name=conditions.name,
        playing=playing,
        finished=not due,
        fixtures=fixtures.total(),
        scheduled=len(progress),
        games=games.total(),
        scheduled_games=len(progress) * conditions.games,
        not_counting=not_counting,
        games_per_second=speed(times),
        faults=dict(sorted(causes.items())),
        tables=tuple(
            TableStatus(*one, fixtures[one], progress.scheduled(one), games[one], faults[one])
            for one in schedule.blocks
        ),
        next=tuple(Next(one.index, one.variant, one.seats) for one in due[:_NEXT_SHOWN]),
    )


def speed(times: Iterable[tuple[float, int]]) -> float | None:
    """Return games per second over the last minute of (time stored in seconds, games).

    The games that were stored first only mark the start. None if that is too short to tell. The
    clock may have been set between two runs: a later time of storage is taken for later.
    """
    ordered = sorted(times)
    recent = [one for one in ordered if one[0] >= ordered[-1][0] - RECENT]
    seconds = recent[-1][0] - recent[0][0] if recent else 0.0
    return sum(games for _, games in recent[1:]) / seconds if seconds >= _MIN_SECONDS else None
