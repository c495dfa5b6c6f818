"""Legal actions, turns and offers of calza in every state, as arrays that the engine fills."""

import numpy as np
import numpy.typing as npt

from arena.game.rules.round import Bid, Round, Standing, left_of, raises
from arena.lab.env.perudo_policy import FACES, FIRST_BID, Array
from arena.lab.env.setting import Setting
from arena.lab.switches import unknown_switch

Numbers = npt.NDArray[np.int64]
NOBODY = -1
NORMAL, LOCKED, VETERAN = range(3)
"""The rounds in which raises differ: a normal one, a palifico round, that for a veteran."""

_FOLLOWED = frozenset(
    {
        "name",
        "first_opener",
        "raise_quantity_and_face",
        "raise_to_lower_face",
        "palifico_once",
        "palifico_with_two_left",
        "veteran_may_raise_face",
        "calza_by_next",
        "calza_beats_turn",
        "calza_in_palifico",
        "calza_with_two_left",
        "reveal",
        "calza",
        "lost_dice_visible",
        "starting_dice",
    }
)
"""The fields of Rules that `VectorEnv` plays by; tests compare it with the engine."""


class Tables:
    """The tables of one setting; raises ValueError for a rule switch that arrays do not follow.

    `masks`, `legal` and `actions` have a row for each kind of round and each bid on the table, in
    the order of the actions and last no bid, and at the end one for an offer of calza: the mask of
    legal actions, their number, and the actions. Sets of seats are bits.
    """

    def __init__(self, setting: Setting) -> None:
        if switch := unknown_switch(setting.rules, _FOLLOWED):
            raise ValueError(f"VectorEnv does not follow the rule switch '{switch}'")
        players = setting.players
        self.masks = _masks(setting)
        self.legal = self.masks.sum(1, dtype=np.int64)
        # Legal actions come first, in their order.
        self.actions = np.argsort(self.masks == 0, 1, kind="stable")
        sets = [[bool(bits >> seat & 1) for seat in range(players)] for bits in range(1 << players)]
        self.least, self.most = _ranges(self.masks, setting)
        """By row and face, the lowest and the highest legal quantity; 0 where there is none."""
        self.seats = np.array([sum(seats) for seats in sets])
        """By a set, the number of its seats."""
        self.left = _left(sets)
        """By a set and a seat, the next seat of the set to the left."""
        self.next_offer = _next_offer(self.left, sets, by_next=setting.rules.calza_by_next)
        """By the seats alive, the bidder and the seat offered calza last (the bidder at first): the
        seat that is offered it next."""
        seats = np.arange(players)
        self.order = (seats[:, None] + seats) % players
        """By a seat, all seats in the order in which it counts them."""
        self.who = 1 + ((seats[:, None] - seats) % players).astype(np.int8)
        """By the bidder and the observing seat, the bidder in that seat's observation."""
        places = [0.0, *(setting.reward(place) for place in range(1, players + 1))]
        self.rewards = np.array(places, np.float32)
        """By finishing place; 0 for place 0, which is none."""


def _masks(setting: Setting) -> Array:
    table, rules = setting.table, setting.rules
    dice, nobody = (1,) * setting.players, (False,) * setting.players
    normal = Standing(rules, dice, nobody, 0)
    locked = Standing(rules, dice, nobody, 0, 1)
    # Seat 0 has one die, and had its palifico round before.
    veteran = Standing(rules, dice, (True, *nobody[1:]), 0, 1)
    bids = [Bid(n // FACES + 1, n % FACES + 1) for n in range(FACES * table.cap)]
    rows = []
    for standing in (normal, locked, veteran):
        for bid in (*bids, None):
            legal = raises(Round(standing, 0, bid, 1 if bid else None))
            ranges = [(bids.face, bids.min, bids.max) for bids in legal]
            rows.append(table.mask(ranges, dudo=bid is not None))
    assert len(rows[0]) == FIRST_BID + len(bids)  # noqa: S101 - only a programming error breaks it
    return np.stack([*rows, table.offer_mask()])


def _ranges(masks: Array, setting: Setting) -> tuple[Numbers, Numbers]:
    bids = masks[:, FIRST_BID:].reshape(len(masks), setting.table.cap, FACES)
    least, most = bids.argmax(1) + 1, setting.table.cap - bids[:, ::-1].argmax(1)
    some = bids.any(1)
    return least * some, most * some


def _left(sets: list[list[bool]]) -> Numbers:
    left = np.full((len(sets), len(sets[0])), NOBODY)
    for bits, alive in enumerate(sets[1:], 1):
        for seat in range(len(alive)):
            left[bits, seat] = left_of(tuple(map(int, alive)), seat)
    return left


def _next_offer(left: Numbers, sets: list[list[bool]], *, by_next: bool) -> Numbers:
    seats = range(len(sets[0]))
    next_offer = np.full((len(sets), len(seats), len(seats)), NOBODY)
    for bits, alive in enumerate(sets):
        for bidder in (seat for seat in seats if alive[seat]):
            others = [(bidder + step) % len(seats) for step in range(1, len(seats))]
            offered = [s for s in others if alive[s] and (by_next or s != left[bits, bidder])]
            for last, following in zip([bidder, *offered], offered, strict=False):
                next_offer[bits, bidder, last] = following
    return next_offer
