"""Stores of a few games, and the sites made from them."""

from collections.abc import Collection, Sequence
from pathlib import Path

from arena.game.records import PlayedFixture
from arena.game.rules.books import VARIANTS
from arena.league.store.rows import pack
from arena.league.store.store import Store
from arena.publish.replays import NEWEST, ReplayChoice
from arena.publish.site import publish
from arena.publish.site_state import StoreState
from arena.publish.stored.stored_games import checking, stored_games
from arena.ratings.league_ratings import by_division, rate_results
from tests.publish.pages import timeless
from tests.publish.test_feed import strong_first
from tests.support import factory, records
from tests.support import played_games as games

BGA = VARIANTS["bga"]
BOTS = ("alpha", "Bravo Bot", "gamma")
LEAGUE = factory.league(BOTS)
PAIRS = [(a, b) for a in BOTS for b in BOTS if a != b]
PLAYED = [games.fixture(index, "bga", BGA, seats, 3) for index, seats in enumerate(PAIRS)]
REPLAYED = games.fixture(0, "bga", BGA, PAIRS[0], 4)


def begun(path: Path, fixtures: Sequence[PlayedFixture] = ()) -> Path:
    """Return a store of these fixtures."""
    return records.stored(path, LEAGUE, fixtures)


def add(path: Path, one: PlayedFixture) -> None:
    with Store(path, create=True) as store:
        store.add(pack(one))


def report(
    path: Path, site: Path, replays: ReplayChoice = NEWEST, struck: Collection[str] = ()
) -> dict[str, bytes]:
    """Write the site of a store without the struck fixtures; return its files."""
    with (
        Store(path) as store,
        checking(store, LEAGUE) as refuse_damaged,
        stored_games(store, LEAGUE, lambda id_: id_ not in struck) as source,
    ):
        divisions = by_division(source.results)
        ratings = rate_results(
            divisions, LEAGUE.ratings, source.cached, source.begin, source.beside
        )
        refuse_damaged()
        assert source.root == store.root()
        publish(LEAGUE, ratings, source, site, state=StoreState(source.root), replays=replays)
    return timeless(site)


def staged(path: Path) -> Path:
    """Return a store of blocks in which ranks change, and of some real games."""
    real = games.fixture(100, "bga", BGA, BOTS, 3)
    return begun(path, [*strong_first(8, BOTS), real])
