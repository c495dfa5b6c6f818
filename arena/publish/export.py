"""The rows that `arena export` writes of a store: games, pairs of bots, decisions."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from arena.game.exchanges import without_words
from arena.game.records import Fixture, FixtureResult, PlayedFixture
from arena.game.rules.books import Rules
from arena.io.errors import ArenaError
from arena.league.schedule.schedule import Schedule
from arena.league.store.exchanges import exchanges_of
from arena.league.store.store import Store
from arena.publish.data.decision_rows import DecisionRow, decision_rows
from arena.publish.data.exchange_rows import ExchangeRow, exchange_rows
from arena.publish.data.row_files import GameRow, PairRow, game_rows, pair_rows
from arena.publish.pseudonyms import Pseudonyms
from arena.publish.stored.stored_games import rated_results
from arena.ratings.league_ratings import by_division, rate_results

_Fixture = TypeVar("_Fixture", PlayedFixture, FixtureResult)


class _Source(NamedTuple):
    """Where rows come from."""

    store: Store
    counting: set[str]
    """The ids of the fixtures that are still in the schedule."""
    rules: Mapping[str, tuple[Fixture, Rules]]
    """Each fixture that was ever drawn, with its rules, by its id."""
    names: Pseudonyms | None


def table(
    rows: str, store: Store, schedule: Schedule, names: Pseudonyms | None = None
) -> tuple[type[Struct], Iterator[Struct]]:
    """Return what the rows of a table are, and the rows, under pseudonyms if there are any.

    `rows` is one of `ROWS`, `schedule` that of the store. Raises ArenaError if the store is
    damaged, perhaps after some rows.
    """
    kind, rows_of = ROWS[rows]
    counting = {id_ for id_ in schedule.drawn if schedule.counts(id_)}
    return kind, rows_of(_Source(store, counting, schedule.drawn, names))


def _games(source: _Source) -> Iterator[Struct]:
    for result in source.store.results():
        yield from game_rows(_shown(source, result), counts=result.fixture.id in source.counting)


def _pairs(source: _Source) -> Iterator[Struct]:
    results = rated_results(source.store, source.counting.__contains__)
    if source.names:
        results = map(source.names.result, results)
    for board in rate_results(by_division(results)).boards:
        yield from pair_rows(board)


def _decisions(source: _Source) -> Iterator[Struct]:
    source.store.check_complete()
    for played in source.store.played():
        id_ = played.fixture.id
        if id_ not in source.rules:
            what = f"fixture {id_} is not in the league's schedule"
            raise ArenaError(what, str(source.store.path), "arena verify says what else is wrong")
        _, rules = source.rules[id_]
        fixture = _shown(source, played)
        yield from decision_rows(fixture, rules, counts=id_ in source.counting)


def _models(source: _Source) -> Iterator[Struct]:
    for fixture, exchanges in exchanges_of(source.store):
        shown = source.names.fixture(fixture) if source.names else fixture
        texts = exchanges if source.names is None else map(without_words, exchanges)
        yield from exchange_rows(shown, texts)


def _shown(source: _Source, played: _Fixture) -> _Fixture:
    """Return a fixture, if need be under pseudonyms, without its id.

    The id is a hash over the names of the bots, which can be tried.
    """
    if source.names is None:
        return played
    fixture = replace(source.names.fixture(played.fixture), id="")
    return replace(played, fixture=fixture)


ROWS: dict[str, tuple[type[Struct], Callable[[_Source], Iterator[Struct]]]] = {
    "games": (GameRow, _games),
    "pairs": (PairRow, _pairs),
    "decisions": (DecisionRow, _decisions),
    "models": (ExchangeRow, _models),
}
"""By name, what a row is."""
