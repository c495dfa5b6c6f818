"""What the champion sees, and what its answers mean: arrays with a row per position, numpy alone.

Seats are those that still have dice, counted to the left from the one that acts, which is 0: three
players left of six are a table of three. The same file lies beside the bot, so a network sees in
play what it saw in training.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import comb
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

SEATS, FACES, MOST = 6, 6, 60
"""The most seats, the faces of a die, the most dice on a table."""
SWITCHES = (
    "raise_quantity_and_face",
    "raise_to_lower_face",
    "palifico_once",
    "palifico_with_two_left",
    "veteran_may_raise_face",
    "calza_by_next",
    "calza_in_palifico",
    "calza_with_two_left",
    "calza",
)
"""The rules that it is told; other switches change nothing that it could do."""
DUDO, CALZA, PASS = 0, 1, 2
FIRST_SLOT = 3
SLOTS = 6
"""Bids of a face that it chooses from: the three lowest, and three around the average count."""
ACTIONS = FIRST_SLOT + FACES * SLOTS
KINDS = 10
"""The kinds of players that it tells apart: sample bots, and itself."""
NUMBERS = (
    3 * FACES * SLOTS
    + FIRST_SLOT
    + 2 * FACES * (SEATS + 1)
    + 20
    + 4 * SEATS
    + len(SWITCHES)
    + SEATS * KINDS
)
"""The length of a row of a view; the last KINDS tell of all rivals together."""
ACTED = FACES + 10
TELLS = ACTED + 5 * FACES + 10
"""The length of a row of `tells`; the first ACTED numbers are of the action."""
DOUBT = 0.005
"""Added to the chance of a kind of player: nothing that a player does makes it impossible."""


class Positions(NamedTuple):
    """What seats see when they act; a row each.

    Many of them are viewed quickest from arrays in Fortran order: numpy runs along columns then.
    """

    hand: Numbers
    """How many of its own dice show 1, 2, ..., 6."""
    dice: Numbers
    """By seat, the dice left; 0 for seats that there are not."""
    used: Numbers
    """By seat, whether it had its palifico round."""
    palifico: Numbers
    """The seat whose palifico round it is; -1 for none."""
    said: Numbers
    """By seat and face, the last quantity that it bid in this round; 0 for none."""
    quantity: Numbers
    """The quantity of the bid on the table; 0 for none."""
    face: Numbers
    """Its face, from 0."""
    bidder: Numbers
    """Its seat."""
    offer: Flags
    """Whether calza is offered; otherwise it is on turn."""
    least: Numbers
    """By face, the lowest legal quantity; 0 for none."""
    most: Numbers
    """By face, the highest."""
    start: Numbers
    """The dice that each seat began the game with."""
    switches: Numbers
    """The rule switches that are on, in the order of SWITCHES."""
    guesses: Floats
    """By seat and kind, how likely it is of that kind by the rounds before; 0 for no seat."""


class View(NamedTuple):
    """Positions as a network takes them."""

    numbers: Floats
    legal: Flags
    """By answer, whether it may be given: dudo, calza, pass, then SLOTS bids for each face."""
    quantities: Numbers
    """By bid, its quantity."""


def view(at: Positions) -> View:
    """Return what a network sees of positions, and its answers there."""
    table = Dice(at)
    quantities = _bids(at, table)
    calls = [~at.offer & (at.quantity > 0), at.offer, at.offer]
    legal = _joined([*calls, _allowed(at, quantities)], np.bool_)
    parts = [
        table.holds(quantities, 0),
        table.holds(quantities, table.backers),
        legal,
        table.own / 5,
        at.hand / 5,
        *_claims(at, table),
        *_last_bid(at, table),
        *_standing(at, table),
        *_rivals(at),
    ]
    return View(_joined(parts, np.float32), legal, _joined([quantities], np.int64))


def tells(at: Positions, quantity: Numbers, face: Numbers) -> Floats:
    """Return what a bid, or dudo (a quantity of 0), tells of a seat whose dice are known by now."""
    table, bids, said = Dice(at), quantity > 0, at.quantity > 0
    lowest = _naive_raises(at)
    options = table.holds(lowest[:, :, None], 0)[:, :, 0]
    average = table.own + table.hidden[:, None] * table.sides / 6
    action = [
        _one_of(face, FACES, bids),
        *_chances(table, quantity, face, bids),
        np.clip(quantity - lowest[table.rows, face], -3, 3) * bids / 3,
        options[table.rows, face] * bids,
        (face == at.face) * bids,
        bids,
        ~bids,
    ]
    situation = [
        at.hand / 5,
        options,
        options == options.max(1, keepdims=True),
        table.own == table.own.max(1, keepdims=True),
        (average - lowest) / 3,
        said,
        *_chances(table, at.quantity, at.face, said),
        at.dice[:, 0] / 5,
        table.hidden / 25,
        at.palifico >= 0,
        (at.dice > 0).sum(1) / 6,
    ]
    return _joined([*action, *situation], np.float32)


def likelier(kinds: Callable[[Floats], Floats], told: Floats) -> Floats:
    """Return how much likelier rows of `tells` make each kind of player, as logarithms.

    `kinds` returns the chance of each kind. One is likelier by what it does in a situation, not by
    being in it: so its chance is compared with that before the action is known.
    """
    before = told.copy()
    before[:, :ACTED] = 0
    result: Floats = np.log((kinds(told) + DOUBT) / (kinds(before) + DOUBT))
    return result


def bids(seen: View, answers: Numbers) -> tuple[Numbers, Numbers]:
    """Return the quantities and the faces, from 0, of answers that are bids; any for others."""
    slot = np.maximum(answers - FIRST_SLOT, 0)
    return seen.quantities[np.arange(len(answers)), slot], slot // SLOTS


class Dice:
    """What a seat may expect of the dice on the table."""

    def __init__(self, at: Positions) -> None:
        wild = (at.palifico < 0)[:, None]
        self.rows = np.arange(len(at.hand))
        self.own = at.hand + at.hand[:, :1] * wild
        self.own[:, 0] = at.hand[:, 0]
        self.sides = np.ones_like(self.own)
        self.sides[:, 1:] += wild
        """By face, how many of the six sides match it."""
        self.total = at.dice.sum(1)
        self.hidden = self.total - at.dice[:, 0]
        self.backers = (at.said[:, 1:] > 0).sum(1)
        """By face, the others who bid it in this round."""

    def holds(self, quantities: Numbers, backers: Numbers | int) -> Floats:
        """Return the chance of bids on each face if each backer holds one die of it for sure."""
        hidden = self.hidden[:, None] - backers
        needed = quantities - (self.own + backers)[:, :, None]
        return enough(self.sides[:, :, None], hidden[:, :, None], needed)

    def holds_one(self, quantity: Numbers, face: Numbers, backers: Numbers | int) -> Floats:
        """Return the chance of a bid for each row, as `holds` does; `backers` are those of it."""
        needed = quantity - (self.own[self.rows, face] + backers)
        return enough(self.sides[self.rows, face], self.hidden - backers, needed)


def _bids(at: Positions, table: Dice) -> Numbers:
    """Return the quantities to choose from, by face."""
    average = table.own + table.hidden[:, None] * table.sides // 6
    bids = np.empty((*average.shape, SLOTS), np.int64, "F")
    for step in range(3):
        bids[:, :, step] = at.least + step
        bids[:, :, 3 + step] = average + step - 1
    return bids


def _allowed(at: Positions, bids: Numbers) -> Flags:
    may = (bids <= at.most[:, :, None]) & ((at.least > 0) & ~at.offer[:, None])[:, :, None]
    may[:, :, 3:] &= bids[:, :, 3:] > at.least[:, :, None] + 2
    return may


def _claims(at: Positions, table: Dice) -> list[Any]:
    """Return who bid what, and how many dice of its own that would take on average."""
    made = at.said > 0
    others = (table.total[:, None] - at.dice)[:, :, None] * table.sides[:, None, :] / 6
    return [made, np.clip(at.said - others, -2, 6) * made / 3]


def _last_bid(at: Positions, table: Dice) -> list[Any]:
    said, parts = at.quantity > 0, []
    both = at.quantity + np.arange(2)[:, None]
    for backers in (0, table.backers[table.rows, at.face]):
        holds, more = table.holds_one(both, at.face, backers)
        parts += [holds * said, (holds - more) * said]
    share = at.quantity / np.maximum(table.total, 1)
    return [*parts, share, _one_of(at.face, FACES, said), _one_of(at.bidder, SEATS, said)]


def _standing(at: Positions, table: Dice) -> list[Any]:
    everybody = np.ones(len(at.hand), np.bool_)
    return [
        at.dice / 5,
        at.used,
        _one_of(at.palifico, SEATS, at.palifico >= 0),
        _one_of((at.dice > 0).sum(1) - 1, SEATS, everybody),
        table.hidden / 25,
        at.offer,
        at.dice[:, 0] < at.start,
        at.switches,
    ]


def _rivals(at: Positions) -> list[Floats]:
    """Return how likely each kind is, by rival and on average."""
    chances, rivals = at.guesses[:, 1:], (at.dice[:, 1:] > 0).sum(1)
    return [chances, chances.sum(1) / np.maximum(rivals, 1)[:, None]]


def _naive_raises(at: Positions) -> Numbers:
    """Return by face about the lowest raise: rule books differ in some of them."""
    faces, quantity, last = np.arange(FACES)[:, None], at.quantity, at.face
    raises = quantity + (faces <= last)
    wild = at.palifico < 0
    raises = np.where(wild & (faces == 0) & (last > 0), (quantity + 1) // 2, raises)
    raises = np.where(wild & (faces > 0) & (last == 0), 2 * quantity + 1, raises)
    lowest: Numbers = np.maximum(raises, 1)
    return lowest.T


def _chances(table: Dice, quantity: Numbers, face: Numbers, where: Flags) -> list[Any]:
    """Return how good bids look to a seat that knows its own dice."""
    own, sides, backers = (
        part[table.rows, face] for part in (table.own, table.sides, table.backers)
    )
    plain, backed = (table.holds_one(quantity, face, many) for many in (0, backers))
    above = np.clip((quantity - own - table.hidden * sides / 6) / 3, -2, 2)
    return [part * where for part in (plain, backed, above, own / 5, quantity / 10)]


def _one_of(which: Numbers, many: int, where: Flags) -> Flags:
    found: Flags = (np.arange(many)[:, None] == which) & where
    return found.T


def _joined(parts: Sequence[npt.NDArray[Any]], dtype: type) -> npt.NDArray[Any]:
    """Return parts side by side, in Fortran order."""
    columns = [part.transpose(*range(1, part.ndim), 0).reshape(-1, len(part)) for part in parts]
    return np.concatenate(columns, dtype=dtype).T


def enough(sides: Numbers, hidden: Numbers, needed: Numbers) -> Floats:
    """Return the chance that enough of the hidden dice match, which a number of sides do."""
    first = (sides * (MOST + 1) + hidden) * (MOST + 2)
    chances: Floats = at_least()[first + np.minimum(np.maximum(needed, 0), MOST + 1)]
    return chances


@lru_cache(1)
def at_least() -> Floats:
    """Return chances by the sides that match, the hidden dice and the dice needed, flattened."""
    chances = np.zeros((3, MOST + 1, MOST + 2), np.float32)
    for sides in (1, 2):
        for dice in range(MOST + 1):
            exact = [
                comb(dice, k) * sides**k * (6 - sides) ** (dice - k) / 6**dice
                for k in range(dice + 1)
            ]
            chances[sides, dice, : dice + 1] = np.cumsum(exact[::-1])[::-1]
    return chances.ravel()
