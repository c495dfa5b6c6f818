"""The results of rating as plain data: leaderboards, the overall table, histories, suspicions."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NamedTuple, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from arena.game.records import Division, Fixture
from arena.ratings.columns import (
    BestRank,
    Bot,
    GamesPlayed,
    LowerEnd,
    MayBeFirst,
    Players,
    Positive,
    Rank,
    Share,
    UpperEnd,
    Variant,
    Whole,
    Wins,
    WinShare,
    WorstRank,
    doc,
    shown,
)

POINTS = 20
"""Points of a history at most; of a long one, at least half as many."""


class PastRating(Struct, frozen=True):
    """A bot's rating at one point."""

    mu: float
    """The skill, relative to the mean of the bots that had played by then, or to the anchor."""
    sigma: float
    """The model's own, for which all games are independent."""
    games: int
    """The bot's own games so far."""


class Point(Struct, frozen=True):
    """The ratings after so many of a division's games, without bots that had not played yet."""

    games: int
    bots: dict[str, PastRating]


History = Sequence[Point]
"""First to last; the last point is the leaderboard's own."""


def checkpoints(games: int) -> list[int]:
    """Return after how many games there is a point: multiples of a power of two, and all games.

    With more games most of them stay, so that what was computed for them still holds.
    """
    step = 1
    while step * POINTS < games:
        step *= 2
    return [*range(step, games, step), games] if games else []


def relative(points: History, anchor: str | None) -> History:
    """Set the field's mean to 0, or the anchor's mu if it played."""
    anchored = anchor is not None and bool(points) and anchor in points[-1].bots
    return [_relative(point, anchor if anchored else None) for point in points]


def _relative(point: Point, anchor: str | None) -> Point:
    mus = {bot: rating.mu for bot, rating in point.bots.items()}
    zero = sum(mus.values()) / len(mus) if anchor is None else mus.get(anchor, 0.0)
    bots = {bot: replace(rating, mu=rating.mu - zero) for bot, rating in point.bots.items()}
    return Point(point.games, bots)


def trend(history: History, bot: str) -> float | None:
    """Return how much a bot's mu changed over the last third of the games.

    None if there are fewer than three points, or the bot came later.
    """
    if len(history) < 3:
        return None
    last = history[-1]
    before = next(point for point in reversed(history) if 3 * point.games <= 2 * last.games)
    if bot not in before.bots or bot not in last.bots:
        return None
    return last.bots[bot].mu - before.bots[bot].mu


SKILL = "TrueSkill's scale"
"""The unit of mu and sigma."""
AnyGame_co = TypeVar("AnyGame_co", covariant=True)
Pair = tuple[str, str]
Value = TypeVar("Value")


class PlayedGames(Protocol[AnyGame_co]):
    """A fixture and its games: complete, or their results alone."""

    @property
    def fixture(self) -> Fixture:
        """The table, with its seats."""

    @property
    def games(self) -> Sequence[AnyGame_co]:
        """All of its games."""


class LeaderboardRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A bot on a leaderboard: page, CSV and JSON follow from the fields.

    `board/leaderboard.py` computes the values; those of large fields, in another way.
    """

    # Finishing places tell all of it: bids and calls are counted in `arena.playstats`.

    rank: Rank
    best: BestRank
    worst: WorstRank
    may_be_first: MayBeFirst
    bot: Bot
    provisional: Annotated[bool, doc("Fewer games than the league requires of a rating.")]
    mu: Annotated[
        float,
        doc("Mean of the skill, relative to the mean of the field or to the anchor.", SKILL),
        shown("μ ±", "mu", more=True),
    ]
    low: Annotated[
        float | None,
        doc("The lower end of the 95 % interval of mu; null if games do not bound it.", SKILL),
    ]
    high: Annotated[
        float | None, doc("The upper end of that interval; null if games do not bound it.", SKILL)
    ]
    sigma: Annotated[
        float,
        doc("The model's standard deviation of mu: it takes all games as independent.", SKILL),
    ]
    conservative: Annotated[
        float,
        doc("mu - 3 sigma.", SKILL),
        shown(
            "\u03bc \u2212 3\u03c3",
            "signed",
            more=True,
        ),
    ]
    mu_sequential: Annotated[
        float, doc("mu by TrueSkill's usual pass, one game after another.", SKILL)
    ]
    beats_average: Annotated[
        Share,
        doc("The probability of finishing ahead of an average bot of the field."),
        shown("Beats average", "percent", more=True),
    ]
    elo: Annotated[
        float, doc("That probability as an Elo rating: an average bot of the field has 1500.")
    ]
    luck: Annotated[
        float | None,
        doc(
            "Wins per game that the dice gave the bot; null if luck stays in the ratings.",
            "wins per game",
        ),
    ]
    shift: Annotated[
        float | None,
        doc("By how much mu would move at most without one other bot and its results.", SKILL),
    ]
    shift_without: Annotated[str | None, doc("That bot; null with fewer than three bots.")]
    sensitive: Annotated[
        bool, doc("Whether that is more than half the length of the 95 % interval of mu.")
    ]
    games: Annotated[GamesPlayed, shown("Games", "grouped")]
    wins: Wins
    win_share: Annotated[WinShare, shown("Games won", "win_share")]
    mean_place: Annotated[
        float,
        doc("The mean finishing place, 1 is best."),
        shown("Mean place", "mean_place", low_first=True),
    ]
    place_low: LowerEnd
    place_high: UpperEnd
    faults: Annotated[Whole, doc("Games in which the bot faulted."), shown("Faulted", "faults")]

    @property
    def margin(self) -> float | None:
        """Half the length of the 95 % interval of mu; None if it has no end on one side."""
        if self.low is None or self.high is None:
            return None
        return (self.high - self.low) / 2


class Duel(NamedTuple):
    """How many of the `games` that two bots played together the first finished ahead in."""

    ahead: int
    games: int


class Pairs(Mapping[Pair, Value]):
    """Values of ordered pairs of bots, which are kept in less memory than in a dictionary."""

    @abstractmethod
    def of(self, bot: str) -> dict[str, Value]:
        """Return the values of the pairs that begin with a bot, by the other one."""


def _of(pairs: Mapping[Pair, Value], bot: str) -> dict[str, Value]:
    if isinstance(pairs, Pairs):
        return pairs.of(bot)
    return {rival: value for (one, rival), value in pairs.items() if one == bot}


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
    rows: Sequence[LeaderboardRow]
    """The bots by rank; of those with the same range of ranks, the best mu first."""
    duels: Mapping[Pair, Duel]
    """Head to head, for each ordered pair of bots that met."""
    better: Mapping[Pair, float]
    """The probability that the first bot of each ordered pair is the better one, by itself."""
    sure: Mapping[Pair, float]
    """The confidence at which the two bots of a pair are told apart, with all that is said of the
    division: from CONFIDENCE on, it is said which is the better one."""
    blocks: int
    """How many blocks were played, or begun."""
    method: Literal["blocks", "dice", "games"]
    """The units that intervals treat as independent: `dice` are the games of one number in a block,
    which share dice; `games` are all games, if there are too few units."""
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

    def duels_of(self, bot: str) -> dict[str, Duel]:
        """Return a bot's part of `duels`, by the other bot."""
        return _of(self.duels, bot)

    def better_of(self, bot: str) -> dict[str, float]:
        """Return a bot's part of `better`, by the other bot."""
        return _of(self.better, bot)

    def sure_of(self, bot: str) -> dict[str, float]:
        """Return a bot's part of `sure`, by the other bot."""
        return _of(self.sure, bot)


class OverallRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A bot on the overall table."""

    rank: Rank
    best: BestRank
    worst: WorstRank
    may_be_first: MayBeFirst
    bot: Bot
    score: Annotated[Share, doc("The mean share of rivals that the bot finished ahead of.")]
    low: LowerEnd
    high: UpperEnd
    games: Annotated[GamesPlayed, shown("Games", "grouped")]


class Overall(Struct, frozen=True):
    """The overall table."""

    rows: Sequence[OverallRow]
    """By rank; of those with the same range of ranks, the best score first."""
    tables: tuple[tuple[str, int], ...]
    """The variants and table sizes that it covers."""
    absent: tuple[str, ...] = ()
    """Bots that are left out because they did not play all of these."""


class Suspicion(Struct, frozen=True, forbid_unknown_fields=True):
    """A result that neither chance nor the ratings explain: to look at, not a verdict."""

    kind: Annotated[Literal["collusion", "drift"], doc("What is suspected.")]
    variant: Variant
    players: Players
    bot: Annotated[str, doc("Who lost to the opponent too often, or whose strength changed.")]
    opponent: Annotated[str | None, doc("Null for drift.")]
    games: Annotated[Positive, doc("The games that the finding rests on.")]
    expected: Annotated[float, doc("The share of games ahead of the opponent; for drift 0.")]
    observed: Annotated[float, doc("That share as it was; for drift the change of mu.")]
    p: Annotated[Share, doc("How often a league of fair bots would show so much anywhere.")]


class Cases(NamedTuple):
    """The cases of one kind in a division."""

    number: int = 0
    """How many were tested."""
    cases: Sequence[Suspicion] = ()
    """The cases that may be significant: a correction for the number only raises p."""
