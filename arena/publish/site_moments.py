"""The moments of a site: those that events tell, and the upsets, which the ratings tell."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from arena.game.records import Division, FixtureResult
from arena.game.rules.books import Rules
from arena.playstats.league_summary import LeagueSummary
from arena.playstats.moments import EACH, OF_BOT, OF_DIVISION, BestMoments, Moment, best, surprise
from arena.ratings.standings import favourites
from arena.ratings.table import Leaderboard


class SiteMoments(Struct, frozen=True):
    """The best moments, kind by kind, and of each kind the best first."""

    divisions: Mapping[Division, tuple[Moment, ...]]
    """In the order of the leaderboards."""
    bots: Mapping[str, tuple[Moment, ...]]

    @property
    def league(self) -> tuple[Moment, ...]:
        """The best moments of the whole league."""
        every = [moment for of in self.divisions.values() for moment in of]
        return best(every, OF_DIVISION, EACH)

    def games(self) -> set[tuple[int, int]]:
        """Return the games of all of them: fixture and game, from 0."""
        lists = *self.divisions.values(), *self.bots.values()
        return {(moment.index, moment.game) for moments in lists for moment in moments}


def site_moments(
    summary: LeagueSummary,
    results: Iterable[FixtureResult],
    boards: Sequence[Leaderboard],
    variants: Mapping[str, Rules],
) -> SiteMoments:
    """Return the moments of a league."""
    of_bots = defaultdict[str, BestMoments](lambda: BestMoments(OF_BOT, OF_BOT))
    of_divisions = defaultdict[Division, BestMoments](lambda: BestMoments(OF_DIVISION, EACH))
    for moment in _upsets(results, boards, variants):
        of_bots[moment.bot].add([moment])
        of_divisions[moment.division].add([moment])
    known = summary.moments
    divisions = [board.division for board in boards if board.division in known]
    return SiteMoments(
        {division: (*known[division], *of_divisions[division].kept) for division in divisions},
        {bot: (*moments, *of_bots[bot].kept) for bot, moments in summary.bot_moments.items()},
    )


def _upsets(
    results: Iterable[FixtureResult], boards: Sequence[Leaderboard], variants: Mapping[str, Rules]
) -> Iterator[Moment]:
    """Yield the wins of bots that were expected to lose; games with faults are none."""
    strengths = {board.division: {row.bot: row for row in board.rows} for board in boards}
    for result in results:
        fixture = result.fixture
        chances = favourites(fixture.seats, strengths.get(fixture.division, {}))
        dice = len(fixture.seats) * variants[fixture.variant].starting_dice
        for game in result.games:
            seat = game.places.index(1)
            rival, chance = chances[seat]
            if chance < 0.5 and not game.faulted:
                yield Moment(
                    kind="upset",
                    score=surprise(chance) * dice,
                    bot=fixture.seats[seat],
                    variant=fixture.variant,
                    players=len(fixture.seats),
                    index=fixture.index,
                    game=game.game,
                    round=0,
                    step=0,
                    seat=seat,
                    chance=chance,
                    dice=dice,
                    rival=rival,
                )
