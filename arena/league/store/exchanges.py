"""What bots asked language models in the stored fixtures, and what that cost."""

from collections.abc import Iterator

from arena.bots.models.ledger import Spending, add_spent, spent_on
from arena.game.records import Exchange, Fixture
from arena.league.store.store import Store


def exchanges_of(store: Store) -> Iterator[tuple[Fixture, tuple[Exchange, ...]]]:
    """Yield each stored fixture and what its bots asked; nothing if that was pruned.

    Raises ArenaError for a fixture that is damaged.
    """
    for stored in store.stored():
        played = store.without_games(stored)
        yield played.fixture, played.exchanges


def spending(store: Store) -> Spending:
    """Return the tokens and the money that are noted there, by model and bot."""
    spent: Spending = {}
    for fixture, exchanges in exchanges_of(store):
        for exchange in exchanges:
            bot = fixture.seats[exchange.seat]
            add_spent(spent, exchange.model, bot, spent_on(exchange))
    return spent
