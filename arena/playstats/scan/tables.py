"""Tables of arrays, and tables to look up many bids: how likely they are, which are legal."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from arena.game.rules.books import FACES, Rules
from arena.game.rules.odds import at_least
from arena.game.rules.round import Bid, Round, Standing, may_raise_face, raises
from arena.playstats.style import BINS, MILLION
from arena.ratings.maths.arrays import Ints

Flags = NDArray[np.bool_]
Column = Any
"""An array; in one of `rows` a plain number."""
_Table = TypeVar("_Table", bound=tuple[Any, ...])
"""A named tuple of arrays: a column per property."""


def firsts(lists: Ints, order: Sequence[Column], most: int) -> Ints:
    """Return the indices of the first `most` entries of each list, list by list.

    `lists` has the list of each entry; they are ordered by the first of some columns, then by the
    second, and so on.
    """
    by = np.lexsort((*reversed(order), lists))
    begins = np.flatnonzero(np.diff(lists[by], prepend=-1))
    place = np.arange(len(by)) - np.repeat(begins, np.diff(begins, append=len(by)))
    return by[place < most]


def only(table: _Table, chosen: Ints | Flags) -> _Table:
    """Return some rows of a table."""
    return type(table)(*[column[chosen] for column in table])


def joined(tables: Iterable[_Table]) -> _Table:
    """Return the rows of at least one table after each other."""
    first, *others = tables
    return type(first)(*map(np.concatenate, zip(first, *others, strict=True)))


def rows(table: _Table) -> Iterator[_Table]:
    """Yield the rows, with plain numbers in place of the arrays."""
    for row in zip(*[column.tolist() for column in table], strict=True):
        yield type(table)(*row)


_TABLES = 16
"""Kinds of tables that are kept."""
PLAIN, PALIFICO, VETERAN = range(3)
"""Who bids: anybody in a normal round, in a palifico round a seat without a right to raise the
face, and one with it (PAL-VETERAN, PAL-LOCK)."""


class Odds(NamedTuple):
    """How likely it is that enough dice match, by `place`."""

    shape: tuple[int, int]
    """So many numbers of dice may be needed, and so many unseen."""
    millionths: Ints
    bins: Ints
    """The part that the probability is counted in."""

    def place(self, needed: Ints, unseen: Ints, faces: Ints) -> Ints:
        """Return where the tables have the arguments of `at_least`."""
        rows, columns = self.shape
        return (np.clip(needed, 0, rows - 1) * columns + unseen) * 2 + faces - 1


@lru_cache(_TABLES)
def odds(cap: int) -> Odds:
    """Return the odds at a table with so many dice at most."""
    # A calza asks for one die more than the bid.
    shape = cap + 2, cap + 1
    chances = [
        at_least(needed, unseen, faces) for needed, unseen in np.ndindex(shape) for faces in (1, 2)
    ]
    millionths = np.array([round(chance * MILLION) for chance in chances])
    bins = np.minimum(BINS - 1, (np.array(chances) * BINS).astype(np.intp))
    return Odds(shape, millionths, bins)


class LegalBids(NamedTuple):
    """The legal bids of each kind of bidder after each last bid; bid 0 is none."""

    legal: Flags
    """[kind of bidder, last bid, bid]: whether it is legal."""
    quantities: Ints
    """[kind of bidder, last bid, place]: the lowest bid of each face that has one, in the order of
    `raises`; 0 where there are no more."""
    faces: Ints


def number_of(quantity: Ints, face: Ints) -> Ints:
    """Return the numbers of bids, from 1."""
    return (quantity - 1) * FACES + face


@lru_cache(_TABLES)
def legal_bids(rules: Rules, players: int) -> LegalBids:
    """Return what the engine says of every bid at a table."""
    quantities_of_bids = range(1, players * rules.starting_dice + 1)
    every = [Bid(quantity, face) for quantity in quantities_of_bids for face in range(1, FACES + 1)]
    bids = [None, *every]
    kinds = _kinds(rules, players)
    ranges = [[raises(Round(table, seat, bid)) for bid in bids] for table, seat in kinds]
    shape = len(ranges), len(bids)
    allowed = np.zeros((*shape, len(bids)), np.bool_)
    quantities, faces = np.zeros((*shape, FACES), np.intp), np.ones((*shape, FACES), np.intp)
    for kind, of_kind in enumerate(ranges):
        for last, after in enumerate(of_kind):
            for place, of_face in enumerate(after):
                legal = range(of_face.min, of_face.max + 1)
                allowed[kind, last, [(one - 1) * FACES + of_face.face for one in legal]] = True
                quantities[kind, last, place] = of_face.min
                faces[kind, last, place] = of_face.face
    return LegalBids(allowed, quantities, faces)


def _kinds(rules: Rules, players: int) -> Iterator[tuple[Standing, int]]:
    """Yield a table for each kind of bidder, and a seat that is one."""
    nobody, everybody = (False,) * players, (True,) * players
    yield Standing(rules, (2,) * players, nobody, 0), 1
    yield Standing(rules, (1,) * players, nobody, 0, palifico_seat=0), 1
    free = Standing(rules, (1,) * players, everybody, 0, palifico_seat=0)
    yield free, 1 if may_raise_face(free, 1) else 0
