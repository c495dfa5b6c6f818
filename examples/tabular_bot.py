"""A bot for two players that looks its values up: `train_tabular.py` fills the table.

A value is the chance not to lose the round after an action, by what is needed of the hidden dice.
"""

import os
from pathlib import Path
from random import Random

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from cautious import choose as cautious
from perudo_policy import DUDO, FACES, FIRST_BID, PASS, Observation, Table, bot

DICE, NEEDS = 5, 8
"""The most dice of a seat that there are values for; the numbers of dice needed that differ."""
BIDS, DUDOS = ((DICE + 1) ** 2 * 2, 3, NEEDS), ((DICE + 1) ** 2 * 2, NEEDS)
"""The table of bids: dice and wildness, the face against that of the last bid, dice needed."""
SIZE = int(np.prod(BIDS) + np.prod(DUDOS))
WEIGHTS = Path(__file__).with_name("weights.npz")
VALUES = np.load(WEIGHTS)["values"] if WEIGHTS.exists() else np.full(SIZE, 0.5)


def rows(seen: np.ndarray, table: Table) -> np.ndarray:
    """Return the place of each action in the table, for many observations at a time."""
    hand, dice = seen[:, table.hand].astype(np.int32), seen[:, table.dice].astype(np.int32)
    wild = ~seen[:, table.palifico].any(1)
    own = hand + hand[:, :1] * wild[:, None]
    own[:, 0] = hand[:, 0]
    context = (dice[:, 0] * (DICE + 1) + dice[:, 1])[:, None] * 2
    # Pacos count for the faces 2 to 6 of a normal round.
    wilds = np.zeros((len(seen), FACES), np.int32)
    wilds[:, 1:] = wild[:, None]
    quantity, face, _ = seen[:, table.last_bid].astype(np.int32).T
    other = np.where(face[:, None] == np.arange(1, FACES + 1), 1, 2) * (quantity > 0)[:, None]
    quantities = np.arange(1, table.cap + 1)[None, :, None]
    need = np.clip(quantities - own[:, None, :], -1, NEEDS - 2) + 1
    bids = (((context + wilds) * 3 + other) * NEEDS)[:, None, :] + need
    at = np.arange(len(seen)), np.maximum(face, 1) - 1
    need = np.clip(quantity - own[at], -1, NEEDS - 2) + 1
    found = np.zeros((len(seen), table.actions), np.int32)
    found[:, DUDO] = np.prod(BIDS) + (context[:, 0] + wilds[at]) * NEEDS + need
    found[:, FIRST_BID:] = bids.reshape(len(seen), -1)
    return found


def choose(observation: Observation, random: Random) -> int:
    """Return the action with the highest value."""
    table = Table.of(observation)
    seen, mask = observation["observation"], observation["action_mask"]
    if mask[PASS]:
        return PASS
    if table.players != 2 or table.starting_dice > DICE:
        return cautious(observation, random)
    values = VALUES[rows(seen[None], table)[0]]
    return int(np.where(mask, values, -1).argmax())


if __name__ == "__main__":
    bot(choose)
