"""What tables of ratings say: of one variant and table size, and over all of them."""

from collections.abc import Sequence
from math import inf
from typing import Literal, NamedTuple, Protocol, TypeVar

from msgspec import Struct

from arena.ratings.findings import DiceGain
from arena.ratings.history import History
from arena.records import Division, Fixture

AnyGame_co = TypeVar("AnyGame_co", covariant=True)


class PlayedGames(Protocol[AnyGame_co]):
    """A fixture and its games: complete, or their results alone."""

    @property
    def fixture(self) -> Fixture:
        """The table."""

    @property
    def games(self) -> Sequence[AnyGame_co]:
        """All of its games."""


class Row(Struct, frozen=True):
    """One bot's line on a leaderboard."""

    bot: str
    mu: float
    """TrueSkill mean, relative to the mean of the field or to the anchor."""
    sigma: float
    """TrueSkill's own standard deviation: it takes all games as independent."""
    low: float
    """The ends of the 95 % interval of mu, by block."""
    high: float
    best: int
    """The ends of the 95 % interval of the bot's rank."""
    worst: int
    games: int
    wins: int
    mean_place: float
    place_low: float
    """The ends of the 95 % interval of the mean place, by block."""
    place_high: float
    faults: int
    """Games in which the bot faulted."""
    batch_mu: float
    """The order-free fit's figure for mu, relative to the same."""
    provisional: bool = False
    """Fewer games than the league asks of a rating."""

    @property
    def conservative(self) -> float:
        """The customary cautious figure: mu - 3 sigma."""
        return self.mu - 3 * self.sigma

    @property
    def win_share(self) -> float:
        """The share of games won; chance is 1 / players."""
        return self.wins / self.games


class Duel(NamedTuple):
    """Of the `games` two bots sat at one table, in how many the first finished ahead."""

    ahead: int
    games: int


class Leaderboard(Struct, frozen=True):
    """Everything that is said about one variant at one table size."""

    variant: str
    players: int
    rows: Sequence[Row]
    """Best mu first."""
    duels: dict[tuple[str, str], Duel]
    """Head to head, for each ordered pair of bots that met."""
    better: dict[tuple[str, str], float]
    """For each ordered pair of bots, the probability that the first is the better one."""
    blocks: int
    """How many blocks were played, or begun."""
    method: Literal["blocks", "games"]
    """What the intervals take to vary independently: `games` where there are too few blocks."""
    dice_gain: DiceGain | None
    """None where there are too few games to tell."""
    anchor: str | None = None
    """The bot whose mu is 0; None where it is the mean of the field, or the anchor did not play."""
    history: History = ()
    """How mu and sigma came to be what they are."""

    @property
    def division(self) -> Division:
        """The variant and the table size."""
        return Division(self.variant, self.players)


class OverallRow(Struct, frozen=True):
    """One bot's line over all tables."""

    bot: str
    score: float
    """The mean share of rivals that the bot finished ahead of, 0 to 1; chance is 1/2."""
    low: float
    """The ends of its 95 % interval."""
    high: float
    best: int
    """The ends of the 95 % interval of the bot's rank."""
    worst: int
    games: int


class Overall(Struct, frozen=True):
    """The overall table."""

    rows: Sequence[OverallRow]
    """Best score first."""
    tables: tuple[tuple[str, int], ...]
    """The variants and table sizes that it is made of."""
    absent: tuple[str, ...] = ()
    """Bots that are left out, because they did not play at all of these tables."""


def undecided(bots: int) -> tuple[float, float]:
    """Return the chances between which a pair counts as not told apart, among so many bots."""
    tail = 0.025 / (bots - 1) if bots > 1 else inf
    return tail, 1.0 - tail
