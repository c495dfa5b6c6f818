"""What the ratings say, as plain data: leaderboards, the overall table, suspicions."""

from collections.abc import Mapping, Sequence
from math import log10
from typing import Literal, NamedTuple, Protocol, TypeVar

from msgspec import Struct

from arena.game.records import Division, Fixture
from arena.ratings.history import History

_AVERAGE_ELO = 1500.0
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
    """One bot's row on a leaderboard: what places tell; bids and calls are in `playstats/`."""

    bot: str
    mu: float
    """Posterior mean of the skill, relative to the mean of the field or to the anchor."""
    sigma: float
    """Its standard deviation relative to the field by the model, which knows no shared dice."""
    low: float | None
    """The ends of the 95 % interval of mu, by block; None if games do not bound it on that side:
    half of its rivals the bot was never ahead of (or never behind), not even by way of others."""
    high: float | None
    best: int
    """The ends of its rank's range; with 95 % confidence those of all bots are right at once."""
    worst: int
    pointwise_best: int
    """The ends of the 95 % interval of this bot's rank by itself."""
    pointwise_worst: int
    games: int
    wins: int
    mean_place: float
    place_low: float
    """The ends of the 95 % interval of the mean place, by block."""
    place_high: float
    faults: int
    """Games in which the bot faulted."""
    mu_sequential: float
    """mu by TrueSkill's usual pass over the games in schedule order, relative to the same."""
    beats_average: float
    """The probability of finishing ahead of an average bot of the field."""
    luck: float | None = None
    """How lucky the bot was per game, in wins; None if luck stays in the ratings."""
    shift: float | None = None
    """By how much mu, relative to the mean of those that remain, would move without one other bot:
    the largest such shift. None with fewer than three bots."""
    shift_without: str | None = None
    """That bot."""
    sensitive: bool = False
    """Whether the shift is more than half the length of the 95 % interval of mu."""
    provisional: bool = False
    """Fewer games than the league requires of a rating."""

    @property
    def elo(self) -> float:
        """Return that probability as an Elo rating, 1500 for an average bot of the field.

        The odds are 10 ** ((elo - 1500) / 400) (Elo, "The Rating of Chessplayers", 1978).
        """
        return _AVERAGE_ELO + 400.0 * log10(self.beats_average / (1.0 - self.beats_average))

    @property
    def conservative(self) -> float:
        """The usual conservative estimate, mu - 3 sigma."""
        return self.mu - 3 * self.sigma

    @property
    def win_share(self) -> float:
        """The share of games won; chance is 1 / players."""
        return self.wins / self.games


class Duel(NamedTuple):
    """In how many of the `games` that two bots played together the first finished ahead."""

    ahead: int
    games: int


class DiceGain(Struct, frozen=True):
    """How many times smaller sharing dice within blocks made the variance of a mean place."""

    ratio: float
    """The variance with dice of their own for all games, over the actual one; above 1 it helped."""
    low: float
    """The ends of its approximate 95 % interval."""
    high: float


class Leaderboard(Struct, frozen=True):
    """Everything that the games of one division say."""

    variant: str
    players: int
    rows: Sequence[Row]
    """Best mu first."""
    duels: Mapping[tuple[str, str], Duel]
    """Head to head, for each ordered pair of bots that met."""
    better: Mapping[tuple[str, str], float]
    """For each ordered pair of bots, the probability that the first is the better one."""
    blocks: int
    """How many blocks were played, or begun."""
    method: Literal["blocks", "games"]
    """What the intervals take to vary independently: `games` if there are too few blocks."""
    parts: Sequence[tuple[str, ...]]
    """The largest part of the field first; if there is more than one, no game links them, and ranks
    compare only bots of one part."""
    dice_gain: DiceGain | None
    """None if there are too few games."""
    luck_slope: float | None = None
    """How many wins each win of luck gave an even bot; mu is without them. None if luck stays."""
    anchor: str | None = None
    """The bot whose mu is 0; None if it is the mean of the field, or the anchor did not play."""
    history: History = ()
    """How mu and sigma changed over the games."""

    @property
    def division(self) -> Division:
        """The variant and the table size."""
        return Division(self.variant, self.players)


class OverallRow(Struct, frozen=True):
    """One bot's row on the overall table."""

    bot: str
    score: float
    """The mean share of rivals that the bot finished ahead of, 0 to 1; chance is 1/2."""
    low: float
    """The ends of its 95 % interval."""
    high: float
    best: int
    """The ends of its rank's range; with 95 % confidence those of all bots are right at once."""
    worst: int
    pointwise_best: int
    """The ends of the 95 % interval of this bot's rank by itself."""
    pointwise_worst: int
    games: int


class Overall(Struct, frozen=True):
    """The overall table."""

    rows: Sequence[OverallRow]
    """Best score first."""
    tables: tuple[tuple[str, int], ...]
    """The variants and table sizes that it covers."""
    absent: tuple[str, ...] = ()
    """Bots that are left out because they did not play all of these."""


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
    """The games that both played together; for drift, the bot's games."""
    expected: float
    """The share of these games in which the bot was expected ahead of its rival; for drift 0."""
    observed: float
    """The actual share; for drift, the change of mu from the first block to the last."""
    p: float
    """The probability of as much anywhere in a league of fair bots (Holm's correction)."""


class Cases(NamedTuple):
    """The cases of one kind in a division."""

    number: int = 0
    """How many were tested."""
    cases: Sequence[Suspicion] = ()
    """Those that may be significant: a correction for the number only raises p."""
