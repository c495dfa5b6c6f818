"""Caps on what bots use of models."""

from collections.abc import Mapping

from arena.bots.models.chat import RequestError
from arena.bots.models.config import MICROS, Cap, Model
from arena.bots.models.ledger import Shared, Spending, Spent, spent_on, total
from arena.bots.models.model_socket import Caller
from arena.game.exchanges import Exchange


class Budget:
    """Whether a bot may ask once more: refuses it as soon as a cap is reached.

    An answer that is under way counts when it is there: a cap is exceeded by the answers under way
    at most.
    """

    def __init__(self, models: Mapping[str, Model], ledger: Shared, before: Spending) -> None:
        self._models = models
        self._ledger = ledger
        self._before = before
        self._games: dict[tuple[str, str, int], Spent] = {}

    def check(self, name: str, caller: Caller, game: int) -> None:
        """Raise RequestError if a cap is reached."""
        caps = self._models[name].caps
        in_game = self._games.get((name, caller.bot, game), Spent())
        _check(caps.game, in_game, "game", "for a game")
        if caps.bot == caps.league == Cap():
            return
        spending = self._ledger.spending()
        sums = (self._before, spending)
        of_bot = sum((each.get(name, {}).get(caller.bot, Spent()) for each in sums), Spent())
        _check(caps.bot, of_bot, "bot", "for a bot")
        _check(caps.league, sum((total(each, name) for each in sums), Spent()), "league", "in all")

    def count(self, caller: Caller, exchange: Exchange) -> None:
        """Count what an answer cost for its game; the ledger has the rest."""
        key = (exchange.model, caller.bot, exchange.game)
        self._games[key] = self._games.get(key, Spent()) + spent_on(exchange)


def _check(cap: Cap, spent: Spent, scope: str, words: str) -> None:
    if cap.tokens is not None and spent.tokens >= cap.tokens:
        what = f"the {cap.tokens:,} tokens {words} are used up"
        raise RequestError(429, f"{scope}_tokens_used_up", what)
    if cap.money is not None and spent.micros >= cap.money * MICROS:
        what = f"the money {words}, {cap.money:g}, is used up"
        raise RequestError(429, f"{scope}_money_used_up", what)
