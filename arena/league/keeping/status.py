"""The progress of a stored league, also while another process plays it."""

from collections import Counter
from collections.abc import Collection

from msgspec import Struct, field

from arena.game.records import Cause, FixtureResult
from arena.league.schedule.playoff import PlayoffVerdict
from arena.league.schedule.progress import LeagueProgress
from arena.league.store.store import Store
from arena.league.terms.stored_schedule import schedule_of

RECENT = 60.0
"""Seconds before the last stored fixture over which the speed is measured."""
_MIN_SECONDS = 0.1
"""Stretches that are shorter tell no speed: workers may finish at the same moment."""
_NEXT_SHOWN = 5
"""How many of the fixtures that come next are named."""


class DivisionStatus(Struct, frozen=True):
    """The progress of one division."""

    variant: str
    players: int
    fixtures: int
    """Stored fixtures that count."""
    scheduled: int
    """All fixtures of the schedule, with those that `until` may save."""
    games: int
    """Stored games that count."""
    faults: int


class NextFixture(Struct, frozen=True):
    """A fixture that is not stored yet."""

    index: int
    variant: str
    seats: tuple[str, ...]


class Status(Struct, frozen=True):
    """The progress of a league."""

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
    """The speed over the last minute that was played; None if that is too short to tell."""
    faults: dict[Cause, int]
    divisions: tuple[DivisionStatus, ...]
    next: tuple[NextFixture, ...]
    """The first of the fixtures to play next, in order."""
    playoff: PlayoffVerdict | None = None
    """The state of the playoff; None before it begins, or without one."""


class _Counts(Struct):
    """Counts over the results of a division."""

    fixtures: int = 0
    games: int = 0
    causes: Counter[Cause] = field(default_factory=Counter)

    def add(self, result: FixtureResult) -> None:
        self.fixtures += 1
        self.games += len(result.games)
        self.causes.update(cause for game in result.games for cause in game.faults if cause)


def status(store: Store, *, playing: bool) -> Status:
    """Return the progress of a league; raises ArenaError if nothing was played yet."""
    schedule = schedule_of(store)
    conditions, progress = schedule.conditions, LeagueProgress(schedule)
    counts = {division: _Counts() for division in schedule.blocks}
    times: list[tuple[float, int]] = []
    others: dict[str, int] = {}
    for result in store.results():
        if result.stored_at is not None:
            times.append((result.stored_at, len(result.games)))
        progress.add(result)
        if schedule.counts(result.fixture.id):
            counts[result.fixture.division].add(result)
        else:
            others[result.fixture.id] = len(result.games)
    due, playoff = progress.due(), progress.playoff()
    played = [games for id_, games in others.items() if schedule.belongs(id_)]
    causes = sum((count.causes for count in counts.values()), Counter[Cause]())
    return Status(
        name=conditions.name,
        playing=playing,
        finished=not due,
        fixtures=sum(count.fixtures for count in counts.values()) + len(played),
        scheduled=len(progress),
        games=sum(count.games for count in counts.values()) + sum(played),
        scheduled_games=len(progress) * conditions.games,
        not_counting=len(others) - len(played),
        games_per_second=speed(times),
        faults=dict(sorted(causes.items())),
        divisions=tuple(
            [
                DivisionStatus(
                    variant=division.variant,
                    players=division.players,
                    fixtures=count.fixtures,
                    scheduled=progress.scheduled(division),
                    games=count.games,
                    faults=count.causes.total(),
                )
                for division, count in counts.items()
            ]
        ),
        next=tuple([NextFixture(f.index, f.variant, f.seats) for f in due[:_NEXT_SHOWN]]),
        playoff=playoff.verdict() if playoff else None,
    )


def speed(times: Collection[tuple[float, int]]) -> float | None:
    """Return games per second over the last minute; `times` are pairs of seconds and games.

    The games that were stored first only mark the start. None if the time is too short to tell.
    Times count by their values, in any order: the clock may have been set between two runs.
    """
    last = max((stored_at for stored_at, _ in times), default=0.0)
    recent = sorted((stored_at, games) for stored_at, games in times if stored_at >= last - RECENT)
    if not recent:
        return None
    first, first_games = recent[0]
    games = sum(games for _, games in recent) - first_games
    return games / (last - first) if last - first >= _MIN_SECONDS else None
