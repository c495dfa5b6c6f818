"""The exact values of small rounds, variant by variant: python -m tests.exact.values."""

from arena.game.rules.books import VARIANTS, Rules
from arena.game.rules.round import has_palifico
from tests.exact.certify import Bounds, certified
from tests.exact.game import Game, normal, palifico

NORMAL = "normal 1 : 1"
PALIFICO = {f"palifico 1 : {dice}": dice for dice in range(1, 6)}
"""The other seat's dice in each palifico round of one die."""
ROUNDS = [NORMAL, *PALIFICO]

NO_ROUND = "none"
"""The entry for a round that a rule book does not have."""


def is_played(rules: Rules, name: str) -> bool:
    """Return whether a rule book has one of ROUNDS: not all play palifico with two players."""
    return name == NORMAL or has_palifico(rules, (1, PALIFICO[name]), (False, False), 0)


def game_of(rules: Rules, name: str) -> Game:
    """Set up one of ROUNDS."""
    return normal(rules) if name == NORMAL else palifico(rules, PALIFICO[name])


def value(rules: Rules, name: str) -> str:
    """Return the probability that the opener keeps the die, as a fraction, or "none"."""
    return written(certified(game_of(rules, name))) if is_played(rules, name) else NO_ROUND


def written(bounds: Bounds) -> str:
    """Return a value as a fraction if the bounds meet, else as an interval."""
    return str(bounds.low) if bounds.low == bounds.high else f"[{bounds.low}, {bounds.high}]"


def table() -> list[str]:
    """Return the lines of a Markdown table: a row for each variant, a column for each round."""
    rows = [["opener's value", *ROUNDS], ["---"] * (1 + len(ROUNDS))]
    rows += [
        [f"`{rules.name}`", *(value(rules, name) for name in ROUNDS)] for rules in VARIANTS.values()
    ]
    return [f"| {' | '.join(row)} |" for row in rows]


if __name__ == "__main__":
    print("\n".join(table()))
