"""The lines of a bot's results by opponent, which the template engine would write too slowly.

A site of 200 bots has 40,000 of them at each table.
"""

from collections.abc import Mapping, Sequence

from markupsafe import Markup, escape
from msgspec import Struct

from arena.publish.data.result_rows import HeadToHeadRow
from arena.publish.links import Links
from arena.publish.output.text import grouped, percent, sure
from arena.publish.pages.leaderboard import PairVerdict
from arena.publish.pages.templates import share
from arena.ratings.leaderboard_rows import Leaderboard

_LINE = (
    '<tr><th scope="row" class="name">{}</th><td class="num strong">{}</td>'
    '<td class="num">{} to {}</td><td class="num"><a href="{}">{}</a></td>'
    '<td class={}>{}</td><td class="num">{}</td></tr>\n'
)


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

    def line(opponent: Opponent) -> str:
        cell, verdict = opponent.result, opponent.verdict
        return _LINE.format(
            marked[cell.opponent],
            share(cell.share, 0.5),
            escape(percent(cell.low, 0)),
            escape(percent(cell.high, 0)),
            escape(root + links.met(cell.bot, cell.opponent, board)),
            grouped(cell.games),
            verdict.tint,
            verdict.words,
            sure(verdict.sure),
        )

    return Markup("".join(map(line, results)))  # noqa: S704 (all parts are escaped, or numbers)
