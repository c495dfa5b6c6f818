"""What bots of a store used of language models, by division."""

from collections.abc import Callable

from arena.league.store.store import Store
from arena.publish.pseudonyms import Pseudonyms
from arena.publish.site_state import BotModels, ModelUse


def model_use(
    store: Store, counts: Callable[[str], bool], names: Pseudonyms | None = None
) -> BotModels:
    """Return it for the fixtures that count and whose requests were not pruned.

    Raises ArenaError for a fixture that is damaged.
    """
    used: BotModels = {}
    for stored in store.stored():
        if not stored.stderr or not counts(stored.id):
            continue
        played = store.without_games(stored)
        fixture = names.fixture(played.fixture) if names else played.fixture
        for seat, bot in enumerate(fixture.seats):
            use = used.setdefault((fixture.division, bot), ModelUse())
            use.games += fixture.games
            for exchange in played.exchanges:
                if exchange.seat == seat:
                    use.add(fixture.index, exchange)
    return used
