"""Your bot: edit `choose`, and put the weights of what you trained beside this file."""

from functools import cache
from math import comb
from random import Random

import numpy as np
from perudo_policy import DUDO, FACES, FIRST_BID, PASS, Observation, Table, bot


def choose(observation: Observation, _random: Random) -> int:
    """Return a legal action; draw what is random from the generator.

    This one makes the raise that holds most often, unless the last bid is less likely to hold.
    Load weights once, above: WEIGHTS = np.load("weights.npz").
    """
    table, seen = Table.of(observation), observation["observation"]
    if observation["action_mask"][PASS]:
        return PASS
    # A row for each quantity, a column for each face.
    bids = observation["action_mask"][FIRST_BID:].reshape(-1, FACES)
    lowest = [(int(bids[:, face].argmax()) + 1, face + 1) for face in np.flatnonzero(bids.any(0))]
    best = max(lowest, key=lambda bid: chance(table, seen, *bid), default=None)
    if best is None:
        return DUDO
    quantity, face, _ = (int(one) for one in seen[table.last_bid])
    if quantity and 1 - chance(table, seen, quantity, face) > chance(table, seen, *best):
        return DUDO
    return table.bid(*best)


def chance(table: Table, seen: np.ndarray, quantity: int, face: int) -> float:
    """Return the chance that a bid holds, if nothing is known of the dice that are not seen."""
    hand, hidden = seen[table.hand], int(seen[table.dice][1:].sum())
    wild = face != 1 and not seen[table.palifico].any()
    own = int(hand[face - 1]) + (int(hand[0]) if wild else 0)
    return at_least(quantity - own, hidden, 2 if wild else 1)


@cache
def at_least(needed: int, dice: int, sides: int) -> float:
    hits = range(max(needed, 0), dice + 1)
    return sum(comb(dice, k) * sides**k * (6 - sides) ** (dice - k) for k in hits) / 6**dice


if __name__ == "__main__":
    bot(choose)
