"""What the champion does against `equilibrium`, whose tables are known: the best response to them.

The same file lies beside the bot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

EQUILIBRIUM = 3
"""Its number among the kinds of players that the champion tells apart."""
SURE = 0.2
"""How likely a rival must be `equilibrium`; before it does anything that is 0.1."""
RULES = ("raise_quantity_and_face", "raise_to_lower_face", "palifico_with_two_left")
"""The switches that its tables depend on."""
FACES, UNKNOWN = 6, 255
Actions = Mapping[bytes, npt.NDArray[np.uint8]]
"""By the last bids of a position, what to do with each hand."""


class Round(NamedTuple):
    """What a seat knows in a round of two."""

    rules: str
    """The switches in RULES, as digits."""
    hand: Sequence[int]
    """Its dice, sorted."""
    hidden: int
    """The dice of the rival."""
    bids: Sequence[int]
    """All bids: 6 x (quantity - 1) + face."""
    palifico: bool
    least: Sequence[int]
    """By face, the lowest legal quantity; 0 for none."""
    most: Sequence[int]
    """By face, the highest."""


class Responses:
    """Actions in rounds of two players, as `arena.lab.equilibrium.response_tables` finds them."""

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        """Take the arrays that it writes."""
        self._arrays = arrays
        self._read: dict[str, tuple[int, Actions]] = {}

    def find(self, at: Round) -> int | None:
        """Return what to do, 0 for dudo, or a bid; None if that is not known."""
        dice, seat = (len(at.hand), at.hidden), len(at.bids) % 2
        opener, other = dice[::-1] if seat else dice
        name = f"{at.rules}/{opener}-{other}{'-palifico' * at.palifico}/{seat}"
        if f"{name}/bids" not in self._arrays or max(at.bids, default=0) >= UNKNOWN:
            return None
        recall, known = self._round(name)
        actions = known.get(bytes(at.bids[-recall:]).rjust(recall, b"\0"))
        action = UNKNOWN if actions is None else int(actions[_hands(len(at.hand))[tuple(at.hand)]])
        quantity, face = (action - 1) // FACES + 1, (action - 1) % FACES
        legal = not action or 0 < at.least[face] <= quantity <= at.most[face]
        return action if action < UNKNOWN and legal else None

    def _round(self, name: str) -> tuple[int, Actions]:
        if name not in self._read:
            bids, actions = (self._arrays[f"{name}/{part}"] for part in ("bids", "actions"))
            known = {row.tobytes(): by_hand for row, by_hand in zip(bids, actions, strict=True)}
            self._read[name] = bids.shape[1], known
        return self._read[name]


@lru_cache
def _hands(dice: int) -> dict[tuple[int, ...], int]:
    """Return the number of each hand."""
    hands = combinations_with_replacement(range(1, FACES + 1), dice)
    return {hand: number for number, hand in enumerate(hands)}
