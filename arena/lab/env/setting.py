"""The games of an environment: their rules, table size and limit of rounds."""

from msgspec import UNSET, Struct, UnsetType

from arena.game.rules import books
from arena.game.rules.books import MAX_PLAYERS, MIN_PLAYERS, Rules
from arena.game.rules.round_limit import max_rounds
from arena.io.errors import ArenaError
from arena.lab.env.perudo_policy import Table


class Setting(Struct, frozen=True):
    """The games of an environment."""

    rules: Rules
    players: int
    max_rounds: int | UnsetType = UNSET
    """The round after which the dice left decide; unset for no limit."""

    @property
    def table(self) -> Table:
        """The layout of observations and actions."""
        return Table(self.players, self.rules.starting_dice)

    def reward(self, place: int) -> float:
        """Return the reward of a finishing place: 1 for the winner, -1 for the last, 0 between.

        It grows with the share of rivals that a seat finishes ahead of, as a league's score does;
        those of all seats add up to 0.
        """
        return 1.0 - 2.0 * (place - 1) / (self.players - 1)


def setting(
    variant: str | Rules, players: int, starting_dice: int | None = None, *, calza: bool = False
) -> Setting:
    """Return the games of a rule book as leagues play them, or those of rules that are given.

    Rules have their own dice and calza. Raises ValueError for an unknown rule book or a wrong size.
    """
    if not MIN_PLAYERS <= players <= MAX_PLAYERS:
        raise ValueError(f"{MIN_PLAYERS} to {MAX_PLAYERS} play at a table, not {players}")
    options: dict[str, object] = {"calza": calza}
    if starting_dice is not None:
        options["starting_dice"] = starting_dice
    try:
        rules = variant if isinstance(variant, Rules) else books.variant(variant, {}, **options)
    except ArenaError as error:
        raise ValueError(str(error)) from None
    return Setting(rules, players, max_rounds(rules, players))
