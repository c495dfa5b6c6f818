"""The lines of a bot's results by opponent, which the template engine would write too slowly.

A site of 200 bots has 40,000 of them at each table.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from markupsafe import Markup, escape
from msgspec import Struct

from arena.publish.data.result_rows import HeadToHeadRow
from arena.publish.links import Links
from arena.publish.output.text import CACHED, percent, sure
from arena.publish.pages.leaderboard import PairVerdict
from arena.publish.pages.templates import share
from arena.ratings.leaderboard_rows import Leaderboard


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
