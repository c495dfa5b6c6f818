"""The highlights of a site: those that events tell, and the upsets, which the ratings tell."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from arena.game.records import Division, Fixture, FixtureResult
from arena.game.rules.books import Rules
from arena.playstats.highlights import (
    EACH,
    OF_BOT,
    OF_DIVISION,
    BestHighlights,
    Highlight,
    best,
    surprise,
)
from arena.playstats.league_summary import LeagueSummary
from arena.ratings.leaderboard_rows import Leaderboard
from arena.ratings.league_ratings import Favourites


class SiteHighlights(Struct, frozen=True):
    """The best highlights, kind by kind, and of each kind the best first."""

    divisions: Mapping[Division, tuple[Highlight, ...]]
    """In the order of the leaderboards."""
    bots: Mapping[str, tuple[Highlight, ...]]

    @property
    def league(self) -> tuple[Highlight, ...]:
        """The best highlights of the whole league."""
        every = [highlight for of in self.divisions.values() for highlight in of]
        return best(every, OF_DIVISION, EACH)

    def games(self) -> set[tuple[int, int]]:
        """Return the games of all of them: fixture and game, from 0."""
        lists = *self.divisions.values(), *self.bots.values()
        return {
            (highlight.index, highlight.game) for highlights in lists for highlight in highlights
        }


def site_highlights(
    summary: LeagueSummary,
    results: Iterable[FixtureResult],
    boards: Sequence[Leaderboard],
    expected: Favourites,
    variants: Mapping[str, Rules],
) -> SiteHighlights:
    """Return the highlights of a league, given its results in schedule order."""
    of_bots = defaultdict[str, BestHighlights](lambda: BestHighlights(OF_BOT, OF_BOT))
    of_divisions = defaultdict[Division, BestHighlights](lambda: BestHighlights(OF_DIVISION, EACH))

    def may_get_in(bot: str, division: Division, score: float) -> bool:
        return of_bots[bot].takes("upset", score) or of_divisions[division].takes("upset", score)

    for highlight in _upsets(results, expected, variants, may_get_in):
        of_bots[highlight.bot].add([highlight])
        of_divisions[highlight.division].add([highlight])
    known = summary.highlights
    divisions = [board.division for board in boards if board.division in known]
    return SiteHighlights(
        {division: (*known[division], *of_divisions[division].kept) for division in divisions},
        {
            bot: (*highlights, *of_bots[bot].kept)
            for bot, highlights in summary.bot_highlights.items()
        },
    )


def _upsets(
    results: Iterable[FixtureResult],
    expected: Favourites,
    variants: Mapping[str, Rules],
    may_get_in: Callable[[str, Division, float], bool],
) -> Iterator[Highlight]:
    """Yield the wins of bots that were expected to lose; games with faults are none.

    Without those that cannot be among the best, most of them: `may_get_in` is asked before.
    """
    for result in results:
        fixture = result.fixture
        chances = expected.at(fixture)
        dice = len(fixture.seats) * variants[fixture.variant].starting_dice
        division = fixture.division
        scores = {
            seat: score
            for seat, (bot, (_, chance)) in enumerate(zip(fixture.seats, chances, strict=True))
            if chance < 0.5 and may_get_in(bot, division, score := surprise(chance) * dice)
        }
        for game in result.games if scores else ():
            seat = game.places.index(1)
            if seat not in scores or any(game.faults):
                continue
            # The best may have become better since.
            if may_get_in(fixture.seats[seat], division, scores[seat]):
                yield _upset(fixture, game.game, seat, scores[seat], *chances[seat], dice)


def _upset(
    fixture: Fixture, game: int, seat: int, score: float, rival: str, chance: float, dice: int
) -> Highlight:
    return Highlight(
        kind="upset",
        score=score,
        bot=fixture.seats[seat],
        variant=fixture.variant,
        players=len(fixture.seats),
        index=fixture.index,
        game=game,
        round=0,
        step=0,
        seat=seat,
        chance=chance,
        dice=dice,
        rival=rival,
    )
