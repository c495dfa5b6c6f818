"""The arena's own limit on the rounds of a game: with calza, the rules alone do not end it."""

from collections.abc import Sequence
from hashlib import sha512

from arena.game.rules.books import Rules

ROUNDS_PER_DIE = 50
"""Without calza a game has fewer rounds than dice at the start, and one more per fault. With calza
two sample bots had at most 13 per die in 500 games (`benchmarks/rounds.py`), and 2 on average."""


def max_rounds(rules: Rules, players: int, per_die: int = ROUNDS_PER_DIE) -> int:
    """Return the most rounds of a game, void ones among them."""
    return per_die * players * rules.starting_dice


def order_by_dice(dice: Sequence[int], seed: str, game: int) -> list[int]:
    """Return the seats that have dice left, most dice first.

    Seats with as many are ordered by SHA-512("seed/game/end/seat"), the lowest first: each is
    equally likely to be first, and nothing that it does can change that.
    """

    def digest(seat: int) -> bytes:
        return sha512(f"{seed}/{game}/end/{seat}".encode()).digest()

    seats = sorted((seat for seat, left in enumerate(dice) if left), key=digest)
    return sorted(seats, key=dice.__getitem__, reverse=True)
