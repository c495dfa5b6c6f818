"""How a bot plays: its bids and calls counted, and the rates that follow from the counts.

All sums are whole numbers, so that games may be added up in any order.
"""

from math import sqrt
from operator import add

from msgspec import Struct, field

from arena.ratings.maths.intervals import Z95, wilson

BINS = 10
"""Parts of equal width that probabilities are counted in; certainty belongs to the last."""
MILLION = 1_000_000
THOUSAND = 1000


def _zeros() -> list[int]:
    return [0] * BINS


class Calibration(Struct):
    """Bids by how likely they were to be true, as their bidders knew it; one entry per bin."""

    bids: list[int] = field(default_factory=_zeros)
    held: list[int] = field(default_factory=_zeros)
    """How many of them were true."""
    said: list[int] = field(default_factory=_zeros)
    """The sum of their probabilities, in millionths."""

    def add(self, other: "Calibration") -> None:
        """Add other bids to these."""
        for name in self.__struct_fields__:
            setattr(self, name, [*map(add, getattr(self, name), getattr(other, name))])


class Style(Struct):
    """The bids and calls of a seat, or of a bot; docs/reference/statistics.md defines each."""

    openings: int = 0
    """Bids that opened a round."""
    boldness: int = 0
    """The sum of the openings' boldness, in thousandths."""
    boldness_squared: int = 0
    """The sum of its squares, in millionths."""
    bids: int = 0
    """All bids, openings among them."""
    bluffs: int = 0
    """Bids whose probability of being true, as the bidder knew it, was below 1/2."""
    dudos: int = 0
    dudos_right: int = 0
    calzas: int = 0
    calzas_right: int = 0

    def add(self, other: "Style") -> None:
        """Add the counts of other games."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def turns_on_a_bid(self) -> int:
        """Turns on which a dudo was allowed: raises and dudos."""
        return self.bids - self.openings + self.dudos

    def rates(self) -> dict[str, "Rate"]:
        """Return the shares that describe a style, by name."""
        return {
            "bluffs": Rate(self.bluffs, self.bids),
            "dudos": Rate(self.dudos, self.turns_on_a_bid),
            "dudos_right": Rate(self.dudos_right, self.dudos),
            "calzas_right": Rate(self.calzas_right, self.calzas),
        }

    def mean_boldness(self) -> "Mean | None":
        """Return the mean boldness of the openings; None without openings."""
        if not self.openings:
            return None
        mean = self.boldness / self.openings
        variance = max(0.0, self.boldness_squared / self.openings - mean * mean)
        half = Z95 * sqrt(variance / self.openings)
        low, high = (mean - half) / THOUSAND, (mean + half) / THOUSAND
        return Mean(self.openings, mean / THOUSAND, low, high)


class Rate(Struct, frozen=True):
    """So many `hits` of `trials`."""

    hits: int
    trials: int

    @property
    def share(self) -> float | None:
        """The share of hits; None without trials."""
        return self.hits / self.trials if self.trials else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % interval of the share; None without trials."""
        return wilson(self.hits, self.trials) if self.trials else None


class Mean(Struct, frozen=True):
    """A mean of `count` values with its 95 % interval (normal)."""

    count: int
    mean: float
    low: float
    high: float
