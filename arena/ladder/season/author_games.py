"""What an author may know of the games of a version.

They are those of complete blocks, as for everybody. An author sees also what the version was asked
when it faulted, and its standard error.
"""

from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from msgspec import Struct, field

from arena.game.records import Fault, Faulted, FixtureResult, GameRecord, PlayedFixture
from arena.game.rules.books import Rules
from arena.game.wire.codec import encode
from arena.league.store.store import Store
from arena.league.table.recorded_game import ReplayError, seat_moments

NEWEST = 50
"""Games of each version that are listed, the newest ones."""
_FIRST_LOOK = 4
"""Games after which the decisions of a version are judged for the first time."""
_LOOKED_AT = 20
"""Games of which each decision is judged then."""
_FAULTS = 20
"""Faults of each version that are shown, the newest ones."""
_KEPT = 64
"""Fixtures that stay in memory once they are read."""
_STDERR = 4_096
"""Characters of standard error that are shown, the end."""


class OwnGame(NamedTuple):
    """A game of a version."""

    fixture: int
    """The fixture's index in the schedule, from 0."""
    game: int
    """The number of the game in its fixture, from 0."""
    variant: str
    seats: Sequence[str]
    place: int
    faulted: bool


class GameFault(NamedTuple):
    """A fault of a version in a game."""

    fixture: int
    game: int
    what: str
    asked: str
    """The line that it was asked; "" if it was asked nothing."""
    answered: str
    """The beginning of its answer; "" if it gave none, or if the answer was pruned."""
    stderr: str
    """The end of its standard error in the whole fixture."""


class OwnGames(Struct):
    """The games of a version in a season, in blocks that are complete."""

    games: int = 0
    faulted: int = 0
    newest_fixtures: deque[tuple[FixtureResult, int]] = field(
        default_factory=lambda: deque(maxlen=NEWEST)
    )
    """Each with the version's seat; the newest is the last."""
    faults: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=_FAULTS))
    """The fixture and the game of each fault; the newest is the last."""
    milestone: int = 0
    """Its games when its decisions were judged last: with twice as many they are judged again."""
    looked_at: Sequence[int] = ()
    """The fixtures of its last games before that."""

    def add(self, result: FixtureResult, seat: int) -> None:
        """Take in the games of a fixture."""
        self.games += len(result.games)
        self.newest_fixtures.append((result, seat))
        for game in result.games:
            if game.faults[seat] is not None:
                self.faulted += 1
                self.faults.append((result.fixture.index, game.game))
        if self.games >= max(_FIRST_LOOK, 2 * self.milestone):
            self.milestone = self.games
            last = islice(self.newest(), _LOOKED_AT)
            self.looked_at = list(dict.fromkeys(game.fixture for game in last))

    def newest(self) -> list[OwnGame]:
        """Return the newest games, the newest first."""
        games = (
            OwnGame(
                fixture=result.fixture.index,
                game=game.game,
                variant=result.fixture.variant,
                seats=result.fixture.seats,
                place=game.places[seat],
                faulted=game.faults[seat] is not None,
            )
            for result, seat in reversed(self.newest_fixtures)
            for game in reversed(result.games)
        )
        return list(islice(games, NEWEST))


class PlayedSeason:
    """The games of a season that may be seen: counted for all versions, read as they are needed."""

    def __init__(
        self, store: Store | None, variants: Mapping[str, Rules], shown: Collection[str]
    ) -> None:
        """Look at the fixtures of these ids; there are none before the first game of a season."""
        self._store = store
        self._gone = store.without_logs() if store else set()
        self.fixture = lru_cache(_KEPT)(self._fixture)
        """Returns a fixture that has its log, by its index in the schedule."""
        self.variants = variants
        self.by_version = defaultdict[str, OwnGames](OwnGames)
        for result in store.results() if store else ():
            if result.fixture.id in shown:
                for seat, name in enumerate(result.fixture.seats):
                    self.by_version[name].add(result, seat)

    def has_log(self, fixture: int) -> bool:
        """Tell whether the log of a fixture was not pruned."""
        return fixture not in self._gone

    def _fixture(self, index: int) -> PlayedFixture:
        if self._store is None:
            raise LookupError(index)
        [played] = self._store.played([index])
        return played

    def faults(self, version: str) -> Iterator[GameFault]:
        """Yield the newest faults of a version whose logs are there, the newest first."""
        for index, number in reversed(self.by_version[version].faults):
            if self.has_log(index):
                played = self.fixture(index)
                seat = played.fixture.seats.index(version)
                game = next(record for record in played.games if record.game == number)
                rules = self.variants[played.fixture.variant]
                yield from faults_in(played, rules, game, seat)


def faults_in(
    played: PlayedFixture, rules: Rules, game: GameRecord, seat: int
) -> Iterator[GameFault]:
    """Yield the faults of a seat in a game of a fixture."""
    for event in game.events:
        if isinstance(event, Faulted) and event.seat == seat:
            answers = (line for *at, line in played.answered if at == [game.game, seat])
            yield GameFault(
                fixture=played.fixture.index,
                game=game.game,
                what=f"{event.cause}: {event.detail}",
                asked=_asked(played, rules, game, seat),
                answered=next(answers, ""),
                stderr=stderr_of(played, seat),
            )


def stderr_of(played: PlayedFixture, seat: int) -> str:
    """Return the end of what a seat's bot wrote to standard error."""
    return played.stderr[seat][-_STDERR:] if played.stderr else ""


def _asked(played: PlayedFixture, rules: Rules, game: GameRecord, seat: int) -> str:
    """Return the line that a seat was asked when it faulted; "" if it was asked nothing."""
    try:
        for moment in seat_moments(played.fixture, rules, game, seat):
            if moment.request and isinstance(moment.answer, Fault):
                return encode(moment.request).decode().rstrip("\n")
    except ReplayError:
        pass
    return ""
