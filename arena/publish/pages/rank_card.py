"""The rank of each bot as a picture, for a README or a profile."""

from collections.abc import Mapping

from msgspec import Struct

from arena.league.changes import version_of
from arena.publish.pages.front import PlayedShare
from arena.publish.pages.leaderboard import Standings
from arena.publish.text import readable_time

_DAY = 10
"""Characters of a date in a time that is written to be read."""


class RankCard(Struct, frozen=True):
    """What a picture says of a bot."""

    bot: str
    """Its name, which all its versions have in common."""
    league: str
    best: int
    """The ends of the range of ranks of its newest version that is rated."""
    worst: int
    of: int
    """How many are rated."""
    share: float
    """The share of its rivals that it finished ahead of."""
    games: int
    date: str
    """When the last of all games was stored (UTC); "" if that is not known."""


def rank_cards(
    league: str, standings: Standings | None, played: PlayedShare
) -> Mapping[str, RankCard]:
    """Return a card for each bot: that of its newest version that is rated."""
    if standings is None:
        return {}
    date = readable_time(played.updated)[:_DAY] if played.updated is not None else ""
    of = len(standings.rows)
    cards: dict[str, RankCard] = {}
    for row in sorted(standings.rows, key=lambda row: version_of(row.bot)[1]):
        bot = version_of(row.bot)[0]
        cards[bot] = RankCard(bot, league, row.best, row.worst, of, row.share, row.games, date)
    return cards
