"""The tables of a check: where the bot sits, and by which rules."""

from typing import NamedTuple

from msgspec.structs import replace

from arena.game.records import Fixture
from arena.game.rules.books import BGA, VARIANTS, Rules
from arena.game.rules.round_limit import max_rounds

SEED = "check"
"""Keys the dice and the seeds of every check."""
GAMES = 1000
"""Games that a table announces: more than all steps together play at it."""


class CheckTable(NamedTuple):
    """A table of a check, and the seat of the bot."""

    rules: Rules
    players: int
    seat: int = 0

    def __str__(self) -> str:
        return f"{self.rules.name}, {self.players} players, seat {self.seat}"

    def fixture(self, name: str, games: int) -> Fixture:
        """Return a fixture of the bot against itself at this table."""
        rounds = max_rounds(self.rules, self.players)
        seats = (name,) * self.players
        return Fixture(SEED, 0, self.rules.name, seats, SEED, games, max_rounds=rounds)


def tables() -> list[CheckTable]:
    """Return tables of every size under every rule book, with every seat among them."""
    return [
        _table(index, rules, players)
        for index, rules in enumerate(VARIANTS.values())
        for players in range(2, 7)
    ]


def _table(index: int, rules: Rules, players: int) -> CheckTable:
    return CheckTable(rules, players, (index + players) % players)


def _with_calza(table: CheckTable) -> CheckTable:
    return table._replace(rules=replace(table.rules, calza=True, lost_dice_visible=True))


FOR_TWO = CheckTable(BGA, 2)
BY_BOOK = [_table(index, rules, 3 + index) for index, rules in enumerate(VARIANTS.values())]
"""One for three to six players, each under another rule book."""
BY_BOOK_WITH_CALZA = [_with_calza(table) for table in BY_BOOK]
SHARED = frozenset({FOR_TWO, *BY_BOOK, *BY_BOOK_WITH_CALZA})
"""Tables of several steps: a slow bot that is not reusable need not start for each of them."""
