"""What is said of a bot's decisions."""

from math import sqrt

from msgspec import Struct

from arena.playstats.coach.decisions import Decision
from arena.ratings.maths.intervals import Z95


class Cost(Struct, frozen=True):
    """Wins per game: given up, or to be gained."""

    per_game: float
    error: float
    """Its standard error: how it varies from game to game."""

    @property
    def half_width(self) -> float:
        """Half of the 95 % interval."""
        return Z95 * self.error

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval."""
        return self.per_game - self.half_width


class Leak(Struct, frozen=True):
    """A kind of mistake that a change of one rule mends, for clearly more wins than none."""

    what: str
    """Such as "doubts too early with three dice"."""
    kind: str
    palifico: bool
    times: int
    of: int
    """How often it did the same in such rounds at all: opening, raising, doubting or calling."""
    cost: Cost
    """Of all these mistakes, against the best actions."""
    rule: str
    """What the change is about: `doubt`, `calza`, `face` or `quantity`."""
    value: str | float
    """The chance to tell doubts or calls apart by, the face, or the quantity."""
    advice: str
    """The change in words."""
    now: str
    """What the bot does now, in words; may be empty."""
    worth: Cost
    """What the change gains, if all else stays the same."""
    better: list[str]
    """How the better actions differ, such as "its longest face in 41 of 50"."""
    where: list[str]
    """Where these mistakes are more frequent than such turns, such as "41 of 50 on pacos"."""
    examples: list[Decision]
    """The most expensive ones, each of another game."""


class TableCost(Struct, frozen=True):
    """The games at the tables of a division."""

    variant: str
    players: int
    games: int
    won: int
    cost: Cost


class CalibrationBin(Struct, frozen=True):
    """Bids that were about as likely to be true, by the bidder's own dice."""

    low: float
    high: float
    bids: int
    expected: float
    """The mean of their probabilities."""
    held: float
    """The share that was true."""


class Judgement(Struct, frozen=True):
    """The judgement of a bot's decisions."""

    games: int
    won: int
    decisions: int
    mendable: Cost
    """What all leaks together are worth: the sum of their changes."""
    cost: Cost
    """Of all decisions against the best actions. It does not rank bots."""
    tables: list[TableCost]
    """By division, as the games came."""
    worst: list[Decision]
    """The most expensive first."""
    leaks: list[Leak]
    """The one first whose change is worth most."""
    calibration: list[CalibrationBin]


class Total:
    """A cost that is added up, game by game."""

    def __init__(self) -> None:
        self.times = self.games = 0
        self._total = self._squares = self._game = 0.0

    def add(self, value: float) -> None:
        """Count a decision of the current game."""
        self.times += 1
        self._game += value

    def end_game(self) -> None:
        """Let the next decisions count for another game."""
        self._total += self._game
        self._squares += self._game**2
        self._game = 0.0
        self.games += 1

    def cost(self, games: int = 0) -> Cost:
        """Return the cost per game; of `games` if it was not there in all of them."""
        games = games or self.games
        mean = self._total / games
        variance = max(0.0, self._squares / games - mean**2)
        return Cost(mean, sqrt(variance / max(1, games - 1)))
