"""Dice from a keyed hash: the same in every language, verifiable by anyone who has the seed."""

from collections.abc import Sequence
from hashlib import sha512
from struct import Struct
from typing import Final

from arena.game.rules.books import FACES, MAX_PLAYERS, Face

Hand = tuple[Face, ...]
"""The faces of one seat's dice, in the order they were rolled."""

_WORDS: Final = [Struct(f">{dice}I") for dice in range(17)]
"""Readers of the first n words of a hash, by n."""
_SEATS: Final = [b"%d" % seat for seat in range(MAX_PLAYERS)]


def roll(seed: str, game: int, number: int, seat: int, quantity: int) -> Hand:
    """Roll a seat's dice for round `number` of game `game`; `quantity` is at most 16 dice.

    Die i is 1 + (the i-th big-endian 32-bit word of SHA-512("seed/game/round/seat") mod 6); the
    bias of any face is below 1e-9.
    """
    return _hand(f"{seed}/{game}/{number}/{seat}".encode(), quantity)


def roll_all(seed: str, game: int, number: int, dice: tuple[int, ...]) -> tuple[Hand, ...]:
    """Roll the dice of a round: so many for each seat."""
    return roll_hands(f"{seed}/{game}/{number}/".encode(), dice)


def _roll_hands(key: bytes, dice: tuple[int, ...]) -> tuple[Hand, ...]:
    """Roll the hands whose keys are this one and the seat."""
    return tuple(
        [_hand(key + _SEATS[seat], left) if left else () for seat, left in enumerate(dice)]
    )


try:
    from arena.game.rules.hands import roll_hands  # hands.c, in a compiled wheel
except ImportError:
    roll_hands = _roll_hands


def _hand(key: bytes, quantity: int) -> Hand:
    digest = sha512(key).digest()
    words: tuple[int, ...] = _WORDS[quantity].unpack_from(digest)
    return tuple([word % FACES + 1 for word in words])


def first_opener(seed: str, game: int, players: int, *, highest_roll: bool) -> int:
    """Return the seat that opens a game's first round (clause FIRST).

    With `highest_roll` every seat rolls one die and ties roll again; otherwise the seat is random.
    Both use the hash of "seed/game/opener/n", where n counts the rolls.
    """
    if not highest_roll:
        return _word(seed, game, 0, 0) % players
    tied = list(range(players))
    attempt = 0
    while len(tied) > 1:
        rolls = {seat: _word(seed, game, attempt, seat) % FACES for seat in tied}
        best = max(rolls.values())
        tied = [seat for seat in tied if rolls[seat] == best]
        attempt += 1
    return tied[0]


def _word(seed: str, game: int, attempt: int, seat: int) -> int:
    digest = sha512(f"{seed}/{game}/opener/{attempt}".encode()).digest()
    return int(_WORDS[seat + 1].unpack_from(digest)[seat])


def count_face(hands: Sequence[Hand], face: int, wild: int | None) -> int:
    """Count the dice that show `face` or the wild face (None if no face is wild)."""
    total = 0
    if wild is None or wild == face:
        for hand in hands:
            total += hand.count(face)
        return total
    for hand in hands:
        total += hand.count(face) + hand.count(wild)
    return total
