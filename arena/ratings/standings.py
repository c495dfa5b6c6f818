"""Everything that a league's games say: a pure fold over its records."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from arena.ratings.results import Results, by_table
from arena.ratings.table import Leaderboard, Overall, Suspicion
from arena.records import Division, FixtureResult, PlayedFixture, RatingsInfo


class Ratings(Struct, frozen=True):
    """The leaderboards of a league, and what goes across them."""

    boards: Sequence[Leaderboard] = ()
    """One for each variant and table size that was played, in the order of the schedule."""
    overall: Overall | None = None
    """Only where the league asks for it."""
    suspicions: Sequence[Suspicion] = ()
    """The clearest first."""
    options: RatingsInfo = RatingsInfo()


def rate_league(
    played: Iterable[PlayedFixture | FixtureResult], options: RatingsInfo | None = None
) -> Ratings:
    """Rate fixtures, given in any order."""
    return rate_results(by_table(played), options)


def rate_results(
    results: Mapping[Division, Sequence[Results]], options: RatingsInfo | None = None
) -> Ratings:
    """Rate the results of each variant and table size."""
    # numpy is slow to import, and this module is read at every start
    from arena.ratings.leaderboard import rate
    from arena.ratings.overall import overall
    from arena.ratings.suspicion import suspicions

    options = options or RatingsInfo()
    rated = [rate(*kind, found, options) for kind, found in results.items()]
    return Ratings(
        boards=[one.board for one in rated],
        overall=overall(rated) if options.overall and rated else None,
        suspicions=suspicions(rated, options.alpha),
        options=options,
    )
