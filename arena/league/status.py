"""How far a stored league has come, also while another process plays it."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from msgspec import Struct

from arena.errors import ArenaError
from arena.league.progress import LeagueProgress
from arena.records import Cause, Fixture, FixtureResult
from arena.store.store import Store

RECENT = 60.0
"""Seconds before the last stored fixture over which the speed is taken."""
_SHORTEST = 0.1
"""Seconds below which what was stored tells no speed: workers may finish in the same moment."""
_SHOWN_NEXT = 5
"""How many of the fixtures that come next are named."""


class TableStatus(Struct, frozen=True):
    """One variant at one table size."""

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
    """A fixture that is not stored yet; one that is being played now is among them."""

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
    """Stored fixtures that are in the schedule no more."""
    games_per_second: float | None
    """Over the last minute that was played; None where less than two fixtures tell."""
    faults: dict[Cause, int]
    tables: tuple[TableStatus, ...]
    next: tuple[Next, ...]
    """The first of what comes next, in order."""


def status(store: Store, *, playing: bool) -> Status:
    """Read how far a league has come; raises ArenaError where nothing was begun."""
    info = store.league
    if info is None:
        raise ArenaError("nothing was played yet", str(store.path), "start with: arena run")
    course = LeagueProgress(info)
    count = _Count()
    for result in store.results():
        count.add(result, course)
    due = course.due()
    return Status(
        name=info.name,
        playing=playing,
        finished=not due,
        fixtures=count.fixtures.total(),
        scheduled=len(course),
        games=count.games.total(),
        scheduled_games=len(course) * info.games,
        not_counting=count.not_counting,
        games_per_second=speed(count.times),
        faults=dict(sorted(count.causes.items())),
        tables=tuple(_tables(course, count)),
        next=tuple(Next(one.index, one.variant, one.seats) for one in due[:_SHOWN_NEXT]),
    )


def speed(times: Iterable[tuple[float, int]]) -> float | None:
    """Return games a second over the last minute of (time stored in seconds, games).

    What was stored first only begins the time. None where that is too short to tell. The clock may
    have been set between two runs: what was stored by a later time is taken for later.
    """
    ordered = sorted(times)
    recent = [one for one in ordered if one[0] >= ordered[-1][0] - RECENT]
    took = recent[-1][0] - recent[0][0] if recent else 0.0
    return sum(games for _, games in recent[1:]) / took if took >= _SHORTEST else None


class _Count:
    """What is counted while the stored fixtures go by."""

    def __init__(self) -> None:
        self.fixtures: Counter[tuple[str, int]] = Counter()
        self.games: Counter[tuple[str, int]] = Counter()
        self.faults: Counter[tuple[str, int]] = Counter()
        self.causes: Counter[Cause] = Counter()
        self.times: list[tuple[float, int]] = []
        self.not_counting = 0

    def add(self, result: FixtureResult, course: LeagueProgress) -> None:
        if result.stored_at is not None:
            self.times.append((result.stored_at, len(result.games)))
        if not course.counts(result.fixture.id):
            self.not_counting += 1
            return
        course.add(result)
        kind = result.fixture.variant, len(result.fixture.seats)
        causes = [cause for game in result.games for cause in game.faults if cause]
        self.fixtures[kind] += 1
        self.games[kind] += len(result.games)
        self.faults[kind] += len(causes)
        self.causes.update(causes)


def _tables(course: LeagueProgress, count: _Count) -> Iterable[TableStatus]:
    scheduled: defaultdict[tuple[str, int], list[Fixture]] = defaultdict(list)
    for fixture in course.fixtures():
        scheduled[fixture.variant, len(fixture.seats)].append(fixture)
    for kind, fixtures in scheduled.items():
        yield TableStatus(
            *kind, count.fixtures[kind], len(fixtures), count.games[kind], count.faults[kind]
        )
