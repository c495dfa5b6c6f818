"""Page model of a bot: how it rates, whom it beats, how it plays, what it did wrong."""

import shlex
from bisect import bisect, bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from statistics import median
from typing import NamedTuple

from markupsafe import Markup, escape
from msgspec import Struct

from arena.game.records import BotInfo, Cause, Conditions
from arena.game.rules.explain import name_bid
from arena.game.rules.round import Bid
from arena.league.changes import everyone, version_of
from arena.playstats.faults import BotFaults, FaultEntry
from arena.playstats.highlights import order
from arena.playstats.league_summary import LeagueSummary
from arena.playstats.mistakes import Mistake
from arena.playstats.style import Style
from arena.publish import charts
from arena.publish.charts import Chart
from arena.publish.data import play
from arena.publish.data.play import BotSeatRow, DivisionStyle
from arena.publish.data.results import FixtureResultRow, HeadToHeadRow, by_opponent
from arena.publish.links import Links
from arena.publish.pages import watch
from arena.publish.pages.leaderboard import (
    PairVerdict,
    StandingRow,
    overall_standings,
    standing,
    verdicts,
)
from arena.publish.pages.models import ModelsRow
from arena.publish.pages.watch import SiteHighlights
from arena.publish.replay_steps import likely
from arena.publish.templates import share
from arena.publish.text import CACHED, fixed, percent, sure
from arena.ratings.leaderboard_rows import Leaderboard, LeaderboardRow
from arena.ratings.league_ratings import Ratings

NAMED = 3
"""Rivals that are named on either side."""
_STRIKING = 0.2
"""A bot is told by a trait if it is this far from the middle of the field, in shares of bots."""

_TRAITS = {
    "bluffs": ("bluffs more", "bluffs less", "of its bids"),
    "dudos": ("doubts more", "doubts less", "of its turns on a bid"),
    "dudos_right": ("doubts better", "doubts worse", "of its dudos are right"),
    "boldness": ("opens higher", "opens lower", "times what is to be expected"),
}
"""The words for more and for less of a trait than most bots have, and the unit of its number."""


class Trait(Struct, frozen=True):
    """One thing that a bot does, against the field."""

    name: str
    more: str
    less: str
    of: str
    value: str
    median: str
    below: float
    """The share of the other bots that do it less; half of those that do it as much."""

    @property
    def words(self) -> str:
        """The trait in words, compared with most bots."""
        return f"{self.more if self.below > 0.5 else self.less} than most"


class BestPlace(NamedTuple):
    """A bot's line on one leaderboard."""

    board: Leaderboard
    standing: StandingRow


class Card(Struct, frozen=True):
    """The card at the head of a bot's page."""

    overall: StandingRow | None
    best: BestPlace | None
    """Where it surely stands highest."""
    traits: list[Trait]
    better_than: list[str]
    """Rivals that it is better than in at least one division, the surest first."""
    worse_than: list[str]

    @property
    def striking(self) -> list[Trait]:
        """The two traits that tell it best from the field."""
        far = [trait for trait in self.traits if abs(trait.below - 0.5) >= _STRIKING]
        return sorted(far, key=lambda trait: -abs(trait.below - 0.5))[:2]


class Field:
    """How all bots play, to compare one with."""

    def __init__(self, summary: LeagueSummary) -> None:
        styles = {bot: whole_style(summary, bot) for bot in summary.bots}
        self._values = {bot: _values(style) for bot, style in styles.items()}
        self._sorted = {
            name: sorted(of[name] for of in self._values.values() if name in of) for name in _TRAITS
        }

    def traits(self, bot: str) -> list[Trait]:
        """Return what a bot does against the field; nothing for what it never had to do."""
        own = self._values.get(bot, {})
        traits = []
        for name, (more, less, unit) in _TRAITS.items():
            every = self._sorted[name]
            if name not in own or len(every) < 2:
                continue
            low, high = bisect_left(every, own[name]), bisect_right(every, own[name])
            written = fixed if name == "boldness" else percent
            trait = Trait(
                name=name.replace("_", " ").capitalize(),
                more=more,
                less=less,
                of=unit,
                value=written(own[name]),
                median=written(median(every)),
                below=(low + (high - low - 1) / 2) / (len(every) - 1),
            )
            traits.append(trait)
        return traits


def whole_style(summary: LeagueSummary, bot: str) -> Style:
    """Return how a bot plays at all tables."""
    whole = Style()
    for at in summary.bots.get(bot, {}).values():
        whole.add(at.style)
    return whole


def _values(style: Style) -> dict[str, float]:
    shares = {name: rate.share for name, rate in style.rates().items()}
    boldness = style.mean_boldness()
    shares["boldness"] = boldness.mean if boldness else None
    return {name: share for name, share in shares.items() if share is not None}


def card(
    bot: str,
    overall: Mapping[str, StandingRow],
    places: Sequence[BestPlace],
    field: Field,
) -> Card:
    """Return the card of a bot that stands at these places of the leaderboards."""
    told: dict[str, dict[str, float]] = {"better": {}, "worse": {}, "too close to call": {}}
    for place in places:
        met = place.board.duels_of(bot)
        for rival, verdict in verdicts(place.board, bot, met).items():
            sure = told[verdict.words]
            sure[rival] = max(sure.get(rival, 0.0), verdict.sure)
    return Card(
        overall=overall.get(bot),
        best=min(
            places, key=lambda place: (place.standing.worst, place.standing.best), default=None
        ),
        traits=field.traits(bot),
        better_than=_surest(told["better"]),
        worse_than=_surest(told["worse"]),
    )


def _surest(sure: Mapping[str, float]) -> list[str]:
    return sorted(sure, key=lambda rival: (-sure[rival], rival))[:NAMED]


class Opponent(Struct, frozen=True):
    """A bot's result against another, and which of the two is better."""

    result: HeadToHeadRow
    verdict: PairVerdict


def opponent_rows(
    results: Sequence[Opponent],
    board: Leaderboard,
    links: Links,
    marked: Mapping[str, Markup],
    root: str,
) -> Markup:
    """Return a line of HTML for each opponent; `marked` are the linked names of bots."""
    table = links.division_id(board.division)

    def line(opponent: Opponent) -> str:
        cell, verdict = opponent.result, opponent.verdict
        met = escape(root + links.met(cell.bot, cell.opponent, table))
        return (
            f'<tr><th scope="row" class="name">{marked[cell.opponent]}</th>'
            f"{_ahead(cell.share, cell.low, cell.high)}"
            f'<td class="num"><a href="{met}">{cell.games:,}</a></td>'
            f'<td class={verdict.tint}>{verdict.words}</td><td class="num">{sure(verdict.sure)}'
            "</td></tr>\n"
        )

    return Markup("".join(map(line, results)))  # noqa: S704 (all parts are escaped, or numbers)


@lru_cache(maxsize=CACHED)
def _ahead(of_games: float, low: float, high: float) -> str:
    """Return the cells of a share and its interval."""
    ends = f"{escape(percent(low, 0))} to {escape(percent(high, 0))}"
    return f'<td class="num strong">{share(of_games, 0.5)}</td><td class="num">{ends}</td>'


RECENT = 3
"""Fixtures listed on a bot's page; the page of fixtures finds all."""
OPPONENTS_SHOWN = 300
"""Opponents listed on a bot's page: those that are nearest to it on the leaderboard."""


class BoardResults(Struct, frozen=True):
    """A bot's line on one leaderboard, its results by opponent, and how its rating came about."""

    board: Leaderboard
    row: LeaderboardRow
    standing: StandingRow
    results: list[Opponent]
    """The best of them first."""
    opponents: int
    """How many it met, shown or not."""
    history: Chart | None


class MistakeView(Struct, frozen=True):
    """A mistake in words."""

    move: Mistake
    did: str
    knew: str
    """The probability that it was right, as the bot knew it."""
    instead: str
    outcome: str


class BotPage(Struct, frozen=True):
    """Everything on a bot's page."""

    info: BotInfo
    card: Card
    earlier: list[BotInfo]
    """Earlier versions of it in the league, the oldest first."""
    places: list[BoardResults]
    recent: list[FixtureResultRow]
    """Its last fixtures, the newest first."""
    seats: list[BotSeatRow]
    styles: list[DivisionStyle]
    calibration: Chart | None
    best: watch.HighlightView | None
    """Its best highlight of all kinds but faults, watchable or not."""
    highlights: list[watch.HighlightView]
    """Its best highlights, kind by kind, watchable or not."""
    mistakes: list[MistakeView]
    faults: int
    causes: dict[Cause, int]
    """How many faults of each cause there are, in the vocabulary's order."""
    shown: list[FaultEntry]
    """The first faults; the data files have all."""
    stderr: list[tuple[FaultEntry, str]]
    """The first fault in a fixture, and the end of what the bot wrote to standard error there."""


def rerun_command(index: int, game: int) -> str:
    """Return the command that reruns a stored game, for a shell in the folder of the league."""
    return shlex.join(["arena", "rerun", "league.yaml", str(index), str(game)])


class BotView(Struct, frozen=True):
    """The page of a bot, by the names that its template uses."""

    bot: BotPage
    decided: Sequence[ModelsRow] = ()
    """Who made its decisions, by division; empty for a bot without language models."""
    rank_card: str = ""
    """The picture with its rank; "" if it is not rated."""
    opponent_rows: Callable[..., Markup] = opponent_rows
    rerun_command: Callable[[int, int], str] = rerun_command


def models(
    conditions: Conditions,
    bots: Iterable[BotInfo],
    ratings: Ratings,
    summary: LeagueSummary,
    fixtures: Sequence[FixtureResultRow],
    highlights: SiteHighlights,
) -> Iterator[BotPage]:
    """Yield a page model for each of some bots of a league, in order; fixtures are in theirs."""
    recent = defaultdict[str, list[FixtureResultRow]](list)
    for fixture in reversed(fixtures):
        for name in fixture.seats:
            if len(recent[name]) < RECENT:
                recent[name].append(fixture)
    # By the name that versions of a bot share, the oldest first.
    versions = defaultdict[str, list[BotInfo]](list)
    for bot in sorted(everyone(conditions), key=lambda bot: (version_of(bot.name), bot.name)):
        versions[version_of(bot.name)[0]].append(bot)
    rows = [(board, {row.bot: row for row in board.rows}) for board in ratings.boards]
    whole = overall_standings(ratings.overall).rows if ratings.overall else ()
    overall = {row.bot: row for row in whole}
    field = Field(summary)
    for info in bots:
        name = info.name
        shared_name, number = version_of(name)
        places = [_place(board, of, name) for board, of in rows if name in of]
        stands = [BestPlace(place.board, place.standing) for place in places]
        bids = play.bot_calibration(summary, name)
        listed = [one for one in highlights.bots.get(name, ()) if one.kind != "fault"]
        faults = summary.faults.bots.get(name, BotFaults())
        texts = summary.stderr.get(name, {})
        yield BotPage(
            info=info,
            card=card(name, overall, stands, field),
            earlier=[bot for bot in versions[shared_name] if version_of(bot.name)[1] < number],
            places=places,
            recent=recent[name],
            seats=play.bot_seats(summary, name),
            styles=play.styles(summary, name),
            calibration=charts.calibration(bids) if bids else None,
            best=watch.view(min(listed, key=order)) if listed else None,
            highlights=[watch.view(highlight) for highlight in listed],
            mistakes=[_mistake_view(mistake) for mistake in summary.mistakes.get(name, ())],
            faults=faults.count,
            causes={cause: faults.causes[cause] for cause in Cause if faults.causes[cause]},
            shown=faults.first,
            stderr=[(faults.by_fixture[index], text) for index, text in sorted(texts.items())],
        )


def _place(board: Leaderboard, rows: Mapping[str, LeaderboardRow], bot: str) -> BoardResults:
    row = rows[bot]
    points = play.history(board.history, bot)
    zero = "the mean of the field" if board.anchor is None else f"the bot {board.anchor}"
    met = sorted(rows[rival].rank for rival in board.duels_of(bot))
    rivals = [board.rows[rank - 1].bot for rank in nearest(met, row.rank, OPPONENTS_SHOWN)]
    better = verdicts(board, bot, rivals)
    return BoardResults(
        board=board,
        row=row,
        standing=standing(row, board.players),
        results=[
            Opponent(result, better[result.opponent]) for result in by_opponent(board, bot, rivals)
        ],
        opponents=len(met),
        history=charts.rating_history(points, zero) if points else None,
    )


def nearest(ranks: Sequence[int], rank: int, most: int) -> Sequence[int]:
    """Return at most so many of ascending ranks: as many above a rank as below, if there are."""
    first = min(bisect(ranks, rank) - most // 2, len(ranks) - most)
    return ranks[max(0, first) :][:most]


def _mistake_view(move: Mistake) -> MistakeView:
    """Return a mistake in words: what was done, and what could have been done instead."""
    bid = name_bid(Bid(move.quantity, move.face))
    raised = name_bid(Bid(*move.raised)) if move.raised else ""
    did, instead = {
        "bid": (f"bid {raised} over {bid}", f"doubt {bid}"),
        "dudo": (f"doubted {bid}", f"bid {raised}"),
        "calza": (f"called {bid} exact", "pass"),
    }[move.action]
    other = f"{instead}: {likely(move.instead)}" if move.raised else instead
    yes, no = ("true", "false") if move.action == "bid" else ("right", "wrong")
    outcome = yes if move.right else no
    return MistakeView(move, did, likely(move.chance), other, outcome)
