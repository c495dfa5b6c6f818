"""The statistics of a league: the sums of its fixtures' summaries, and the time it took."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec import Struct, field

from arena.game.records import LUCK_UNIT, Division, FixtureResult
from arena.playstats import mistakes
from arena.playstats.faults import FaultEntry, FaultSummary, summarize_faults
from arena.playstats.fixture_summary import FixtureSummary
from arena.playstats.highlights import EACH, OF_BOT, OF_DIVISION, BestHighlights, Highlight
from arena.playstats.mistakes import Mistake
from arena.playstats.style import Calibration, Rate, Style

STDERR_PIECES = 20
"""Fixtures of one bot whose standard error is kept: a bot that always crashes fills no memory."""
_MANY = 5
"""Fixtures of one bot whose mistakes are compared at a time."""


class Played(Struct):
    """How much was played in one division."""

    fixtures: int = 0
    games: int = 0
    decisions: int = 0
    actions: int = 0
    """The bids and calls of all games."""
    rounds: Counter[int] = field(default_factory=Counter)
    """Games by how many rounds they took."""
    wins: Counter[int] = field(default_factory=Counter)
    """Games won from each seat."""


class SeatResult(Struct):
    """A bot's results from one seat."""

    games: int = 0
    wins: int = 0
    places: int = 0
    """The sum of its places."""

    @property
    def mean_place(self) -> float:
        """The mean finishing place, 1 is best."""
        return self.places / self.games


class DivisionStats(Struct):
    """A bot's statistics in one division."""

    style: Style = field(default_factory=Style)
    calibration: Calibration = field(default_factory=Calibration)
    seats: dict[int, SeatResult] = field(default_factory=dict)


class LeagueSummary(Struct):
    """Everything that the games of a league say beyond the leaderboards."""

    faults: FaultSummary = field(default_factory=FaultSummary)
    stderr: dict[str, dict[int, str]] = field(default_factory=dict)
    """The end of a faulty bot's standard error, by bot and fixture index; never blank."""
    played: dict[Division, Played] = field(default_factory=dict)
    sandboxes: Counter[str] = field(default_factory=Counter)
    """Fixtures played in each sandbox."""
    clocks: Counter[str] = field(default_factory=Counter)
    """Fixtures timed by each clock."""
    bots: dict[str, dict[Division, DivisionStats]] = field(default_factory=dict)
    luck: dict[int, float] = field(default_factory=dict)
    """Of each fixture in which it is measured, by index: how lucky seat 0 was, in wins."""
    mistakes: dict[str, tuple[Mistake, ...]] = field(default_factory=dict)
    """The worst moves of each bot."""
    bot_highlights: dict[str, tuple[Highlight, ...]] = field(default_factory=dict)
    """The best highlights of each bot, kind by kind; upsets are not among them."""
    highlights: dict[Division, tuple[Highlight, ...]] = field(default_factory=dict)
    """The best highlights of each division, kind by kind; upsets are not among them."""

    def total(self) -> Played:
        """Return the sum over all tables."""
        kinds = self.played.values()
        return Played(
            fixtures=sum(kind.fixtures for kind in kinds),
            games=sum(kind.games for kind in kinds),
            decisions=sum(kind.decisions for kind in kinds),
            actions=sum(kind.actions for kind in kinds),
        )

    def calibration(self) -> Calibration:
        """Return the bids of all bots by how likely they were to be true."""
        whole = Calibration()
        for tables in self.bots.values():
            for at in tables.values():
                whole.add(at.calibration)
        return whole

    def rounds(self) -> dict[int, Counter[int]]:
        """Return, for each table size, games by how many rounds they took."""
        sizes: dict[int, Counter[int]] = {}
        for (_, players), kind in sorted(self.played.items()):
            sizes.setdefault(players, Counter()).update(kind.rounds)
        return dict(sorted(sizes.items()))

    def seat_wins(self) -> dict[int, list[Rate]]:
        """Return, for each table size, how often each seat won."""
        wins: dict[int, Counter[int]] = {}
        games: Counter[int] = Counter()
        for (_, players), kind in self.played.items():
            wins.setdefault(players, Counter()).update(kind.wins)
            games[players] += kind.games
        return {
            players: [Rate(wins[players][seat], games[players]) for seat in range(players)]
            for players in sorted(wins)
        }

    def games_of(self, bot: str) -> int:
        """Return how many games a bot played."""
        tables = self.bots.get(bot, {}).values()
        return sum(seat.games for at in tables for seat in at.seats.values())

    def mistake_games(self) -> set[tuple[int, int]]:
        """Return the games that hold a mistake that is kept: fixture and game, from 0."""
        lists = self.mistakes.values()
        return {(mistake.index, mistake.game) for of_bot in lists for mistake in of_bot}


def add_up(summaries: Iterable[FixtureSummary], league: LeagueSummary) -> LeagueSummary:
    """Add the summaries of more fixtures to those of a league, in place; return it.

    They are given in any order, each once. The league knows no faults yet.
    """
    worst = defaultdict(list, {bot: [*of_bot] for bot, of_bot in league.mistakes.items()})
    of_bots, of_divisions = _best(league)
    for summary in summaries:
        division = summary.fixture.division
        _count(league, summary)
        for seat, (bot, did) in enumerate(zip(summary.fixture.seats, summary.seats, strict=True)):
            stats = league.bots.setdefault(bot, {})
            at = stats.setdefault(division, DivisionStats())
            at.style.add(did.style)
            at.calibration.add(did.calibration)
            _count_places(at.seats.setdefault(seat, SeatResult()), summary, seat)
            _keep_mistakes(worst[bot], did.mistakes)
            of_bots[bot].add(did.highlights)
            of_divisions[division].add(did.highlights)
        _keep_stderr(league, summary)
    league.mistakes = {bot: mistakes.worst(of_bot) for bot, of_bot in worst.items()}
    _keep(league, of_bots, of_divisions)
    return league


def add_faults(league: LeagueSummary, faults: Iterable[FaultEntry]) -> None:
    """Go through all faults of a league, in schedule order, once its fixtures are added up.

    There may be too many to keep.
    """
    league.faults, highlights = summarize_faults(faults, league.stderr)
    counts = {bot: of.count for bot, of in league.faults.bots.items()}
    of_bots, of_divisions = _best(league)
    for highlight in highlights.highlights(
        {bot: n / league.games_of(bot) for bot, n in counts.items()}
    ):
        of_bots[highlight.bot].add([highlight])
        of_divisions[highlight.division].add([highlight])
    _keep(league, of_bots, of_divisions)


_OfBots = defaultdict[str, BestHighlights]
_OfDivisions = defaultdict[Division, BestHighlights]


def _best(league: LeagueSummary) -> tuple[_OfBots, _OfDivisions]:
    """Return the highlights of a league, for more to be added."""
    of_bots = _OfBots(lambda: BestHighlights(OF_BOT, OF_BOT))
    of_divisions = _OfDivisions(lambda: BestHighlights(OF_DIVISION, EACH))
    for bot, kept in league.bot_highlights.items():
        of_bots[bot].add(kept)
    for division, kept in league.highlights.items():
        of_divisions[division].add(kept)
    return of_bots, of_divisions


def _keep(league: LeagueSummary, of_bots: _OfBots, of_divisions: _OfDivisions) -> None:
    league.bot_highlights = {bot: best.kept for bot, best in of_bots.items()}
    league.highlights = {division: best.kept for division, best in of_divisions.items()}


def _keep_mistakes(seen: list[Mistake], more: Sequence[Mistake]) -> None:
    seen += more
    if len(seen) > _MANY * mistakes.KEPT:
        seen[:] = mistakes.worst(seen)


def _count(league: LeagueSummary, summary: FixtureSummary) -> None:
    kind = league.played.setdefault(summary.fixture.division, Played())
    kind.fixtures += 1
    kind.games += len(summary.games)
    kind.decisions += summary.result.decisions
    league.sandboxes[summary.result.sandbox] += 1
    league.clocks[summary.result.clock] += 1
    kind.actions += sum([game.actions for game in summary.games])
    kind.rounds.update([game.rounds for game in summary.games])
    if summary.luck:
        league.luck[summary.fixture.index] = sum(summary.luck) / LUCK_UNIT
    kind.wins.update([game.places.index(1) for game in summary.games])


def _count_places(result: SeatResult, summary: FixtureSummary, seat: int) -> None:
    places = [game.places[seat] for game in summary.games]
    result.games += len(places)
    result.wins += places.count(1)
    result.places += sum(places)


def _keep_stderr(league: LeagueSummary, summary: FixtureSummary) -> None:
    """Keep the standard error of the first fixtures, in the schedule, in which a bot faulted."""
    for fault in summary.faults:
        pieces = league.stderr.setdefault(fault.bot, {})
        if text := summary.seats[fault.seat].stderr:
            pieces[summary.fixture.index] = text
        if len(pieces) > STDERR_PIECES:
            del pieces[max(pieces)]


class Timing(Struct, frozen=True):
    """The time of a league's games, in seconds."""

    began: float
    """When the first fixture was stored, in seconds since 1970."""
    ended: float
    wall: float
    """Time in which something was played."""
    tables: float
    """The sum of the times of all tables."""
    games: int
    decisions: int

    @property
    def games_per_second(self) -> float:
        """Games per second of wall time."""
        return self.games / self.wall if self.wall else 0.0

    @property
    def decisions_per_second(self) -> float:
        """Answers per second of wall time."""
        return self.decisions / self.wall if self.wall else 0.0


def timing(results: Iterable[FixtureResult], start: float) -> Timing | None:
    """Return how long a league took, or None if it is not known when its fixtures were stored.

    `start` is how long a bot may take to be ready. A table cannot have been at play for longer than
    that and its own time, so whatever else lies between two of them was a pause.
    """
    timed = [result for result in results if result.stored_at is not None]
    if not timed:
        return None
    ends = sorted((result.stored_at or 0.0, result.seconds) for result in timed)
    (began, first_seconds), (ended, _) = ends[0], ends[-1]
    at_play = [
        min(stored_at - before, seconds + start)
        for (before, _), (stored_at, seconds) in pairwise(ends)
    ]
    return Timing(
        began=began,
        ended=ended,
        wall=first_seconds + sum(at_play),
        tables=sum(seconds for _, seconds in ends),
        games=sum(len(result.games) for result in timed),
        decisions=sum(result.decisions for result in timed),
    )
