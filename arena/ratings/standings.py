"""Everything that a league's games say: a pure fold over its records."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from arena.ratings.table import Leaderboard, Overall, PlayedGames, Suspicion
from arena.records import Division, GameResult, RatingsInfo

Results = PlayedGames[GameResult]


class Ratings(Struct, frozen=True):
    """The leaderboards of a league, and what goes across them."""

    boards: Sequence[Leaderboard] = ()
    """One for each division that was played, in the order of the schedule."""
    overall: Overall | None = None
    """Only if the league asks for it."""
    suspicions: Sequence[Suspicion] = ()
    """The strongest first."""
    options: RatingsInfo = RatingsInfo()


def by_division(
    played: Iterable[Results],
) -> dict[Division, list[Results]]:
    """Group fixtures by division, in the order of their first ones; leave out those not played."""
    first: dict[Division, int] = {}
    divisions: dict[Division, list[Results]] = {}
    for one in played:
        division = one.fixture.division
        if one.games:
            divisions.setdefault(division, []).append(one)
        first[division] = min(first.get(division, one.fixture.index), one.fixture.index)
    order = sorted(divisions, key=lambda division: (first[division], division))
    return {division: divisions[division] for division in order}


def rate_results(
    divisions: Mapping[Division, Sequence[Results]],
    options: RatingsInfo | None = None,
) -> Ratings:
    """Rate the games of each division."""
    # numpy is slow to import, and this module is read at every start
    from arena.ratings.leaderboard import rate
    from arena.ratings.overall import overall
    from arena.ratings.suspicion import suspicions

    options = options or RatingsInfo()
    rated = [rate(*division, played, options) for division, played in divisions.items()]
    return Ratings(
        boards=[one.board for one in rated],
        overall=overall(rated) if options.overall and rated else None,
        suspicions=suspicions(rated, options.alpha),
        options=options,
    )
