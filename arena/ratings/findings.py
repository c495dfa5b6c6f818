"""What else the games of a league say: what sharing dice was worth, and who is suspicious."""

from typing import Literal

from msgspec import Struct


class DiceGain(Struct, frozen=True):
    """How many times smaller sharing dice within blocks made the variance of a mean place."""

    ratio: float
    """The variance if all games had dice of their own, over what it is; above 1 sharing helped."""
    low: float
    """The ends of its 95 % interval, roughly."""
    high: float


class Suspicion(Struct, frozen=True):
    """Something that chance and the ratings do not explain: a case to look at, not a verdict."""

    kind: Literal["collusion", "drift"]
    variant: str
    players: int
    bot: str
    """Who lost to `rival` more than expected, or whose strength changed."""
    rival: str | None
    """None for drift."""
    games: int
    """The games they sat at one table; for drift, the bot's games."""
    expected: float
    """The share of these games in which the bot was expected ahead of its rival; for drift 0."""
    observed: float
    """That share as it was; for drift, the change of mu from the first block to the last."""
    p: float
    """How often a league of fair bots would show so much anywhere (Holm's correction)."""
